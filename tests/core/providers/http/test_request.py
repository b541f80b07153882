"""From operation and arguments to a request: each style, each place, and what is refused."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolplanner_core.domain.operation import ArgumentPlace, Operation, Origin, RequestPart
from toolplanner_core.errors import BadInput
from toolplanner_core.providers.http_request import http_call

LIST, OBJECT = ["blue", "black"], {"R": 100, "G": 200}


def operation(path: str = "/a", method: str = "GET", **places: Any) -> Operation:
    content_type = places.pop("content_type", "")
    others = places.pop("other_content_types", ())
    return Operation(
        method=method,
        servers=("https://api.test/v1",),
        path=path,
        places=places,
        content_type=content_type,
        other_content_types=others,
    )


@pytest.mark.parametrize(
    ("value", "style", "explode", "query"),
    [
        ("blue", "", None, "c=blue"),
        (True, "", None, "c=true"),
        (3.0, "", None, "c=3"),
        ("a b&c/ü", "", None, "c=a%20b%26c%2F%C3%BC"),
        (LIST, "", None, "c=blue&c=black"),
        (LIST, "form", False, "c=blue%2Cblack"),
        (LIST, "spaceDelimited", False, "c=blue%20black"),
        (LIST, "pipeDelimited", False, "c=blue%7Cblack"),
        (LIST, "tabDelimited", False, "c=blue%09black"),
        (OBJECT, "form", True, "R=100&G=200"),
        (OBJECT, "form", False, "c=R%2C100%2CG%2C200"),
        (OBJECT, "deepObject", True, "c[R]=100&c[G]=200"),
        ({"a": {"b": [1, 2]}}, "deepObject", True, "c[a][b]=1&c[a][b]=2"),
        ({"a": [{"b": 1}, {"b": [2]}]}, "deepObject", True, "c[a][0][b]=1&c[a][1][b]=2"),
        ([1, {"b": 2}], "deepObject", True, "c[0]=1&c[1][b]=2"),
        (OBJECT, "json", None, "c=%7B%22R%22%3A%20100%2C%20%22G%22%3A%20200%7D"),
        ([], "", None, ""),
        (None, "", None, ""),
    ],
)
def test_query_when_a_style_is_documented_then_written_so(
    value: Any, style: str, explode: bool | None, query: str
) -> None:
    place = ArgumentPlace(within=RequestPart.QUERY, style=style, explode=explode)
    call = http_call(operation(c=place), {"c": value})
    assert call.url == "https://api.test/v1/a" + (f"?{query}" if query else "")


@pytest.mark.parametrize(
    ("value", "style", "explode", "text"),
    [
        ("blue", "", None, "blue"),
        ("a/b?c", "", None, "a%2Fb%3Fc"),
        (LIST, "", None, "blue,black"),
        (OBJECT, "simple", True, "R=100,G=200"),
        (LIST, "label", False, ".blue,black"),
        (LIST, "label", True, ".blue.black"),
        ("blue", "matrix", False, ";c=blue"),
        (LIST, "matrix", True, ";c=blue;c=black"),
        (OBJECT, "matrix", True, ";R=100;G=200"),
    ],
)
def test_path_when_a_style_is_documented_then_written_so(
    value: Any, style: str, explode: bool | None, text: str
) -> None:
    place = ArgumentPlace(within=RequestPart.PATH, style=style, explode=explode)
    call = http_call(operation("/x/{c}/y", c=place), {"c": value})
    assert call.url == f"https://api.test/v1/x/{text}/y"


def test_places_when_named_otherwise_then_sent_under_their_own_names() -> None:
    call = http_call(
        operation(
            "/{venueId}?fixed=1",
            venueid=ArgumentPlace(within=RequestPart.PATH, name="venueId"),
            q=ArgumentPlace(within=RequestPart.QUERY, name="$q"),
            lang=ArgumentPlace(within=RequestPart.HEADER, name="X-Lang"),
            who=ArgumentPlace(within=RequestPart.COOKIE),
        ),
        {"venueid": 7, "q": "x", "lang": ["de", "fr"], "who": "a b"},
    )
    assert call.url == "https://api.test/v1/7?fixed=1&%24q=x"
    assert call.all_headers() == [("X-Lang", "de,fr"), ("Cookie", "who=a%20b")]
    assert call.content is None


BODY = ArgumentPlace(within=RequestPart.BODY)


@pytest.mark.parametrize(
    "content_type",
    [
        "text/json", "application/x-json", "application/vnd.shop.v2+json",
        "application/json; charset=utf-8", "Text/JSON;charset=UTF-8",
    ],
)  # fmt: skip
def test_body_when_json_has_another_name_then_written_as_json(content_type: str) -> None:
    made = operation(method="POST", n=BODY, content_type=content_type)
    call = http_call(made, {"n": 1})
    assert (call.content, dict(call.headers)["Content-Type"]) == (b'{"n": 1}', content_type)


@pytest.mark.parametrize(
    ("value", "content"), [([{"a": 1}, 2], b'{"a": 1}\n2\n'), ({"a": 1}, b'{"a": 1}\n')]
)
def test_body_when_of_json_lines_then_a_line_for_each(value: Any, content: bytes) -> None:
    whole = ArgumentPlace(within=RequestPart.BODY, is_whole_body=True)
    made = operation(method="POST", body=whole, content_type="application/x-ndjson")
    assert http_call(made, {"body": value}).content == content


@pytest.mark.parametrize(
    ("value", "kind"),
    [({"a": 1}, "application/merge-patch+json"), ([{"op": "add"}], "application/json-patch+json")],
)
@pytest.mark.parametrize("is_turned", [False, True])
def test_body_when_several_patches_are_taken_then_the_value_decides(
    value: Any, kind: str, is_turned: bool
) -> None:
    whole = ArgumentPlace(within=RequestPart.BODY, is_whole_body=True)
    types = ["application/merge-patch+json", "application/json-patch+json"]
    chosen, *others = reversed(types) if is_turned else types
    made = operation(
        method="PATCH", body=whole, content_type=chosen, other_content_types=tuple(others)
    )
    assert dict(http_call(made, {"body": value}).headers)["Content-Type"] == kind


@pytest.mark.parametrize(
    ("content_type", "content"),
    [
        ("application/json", '{"n": 1, "tags": ["a", "b"]}'),
        ("application/merge-patch+json", '{"n": 1, "tags": ["a", "b"]}'),
        ("application/x-www-form-urlencoded", "n=1&tags=a&tags=b"),
    ],
)
def test_body_when_it_has_fields_then_written_by_its_content_type(
    content_type: str, content: str
) -> None:
    made = operation(method="POST", n=BODY, tags=BODY, content_type=content_type)
    call = http_call(made, {"n": 1, "tags": ["a", "b"]})
    assert call.content == content.encode()
    assert dict(call.headers)["Content-Type"] == content_type


def test_body_when_fields_have_styles_then_the_form_is_written_so() -> None:
    listed = ArgumentPlace(within=RequestPart.BODY, style="form", explode=False)
    deep = ArgumentPlace(within=RequestPart.BODY, style="deepObject")
    kind = "application/x-www-form-urlencoded"
    made = operation(method="POST", a=listed, b=deep, c=BODY, content_type=kind)
    call = http_call(made, {"a": [1, 2], "b": {"x": 1}, "c": {"y": 2}})
    assert call.content == b"a=1%2C2&b%5Bx%5D=1&c=%7B%22y%22%3A2%7D"


def test_body_when_multipart_then_each_field_is_a_part() -> None:
    made = operation(method="POST", n=BODY, o=BODY, content_type="multipart/form-data")
    call = http_call(made, {"n": 'x"\r\ny', "o": {"a": 1}})
    kind = dict(call.headers)["Content-Type"]
    boundary = kind.partition("boundary=")[2]
    assert call.content is not None
    assert call.content.count(boundary.encode()) == 3
    assert b'name="o"\r\n\r\n{"a":1}\r\n' in call.content
    assert http_call(made, {"n": 'x"\r\ny', "o": {"a": 1}}) == call


@pytest.mark.parametrize(
    ("content_type", "value", "content"),
    [("application/json", [1], b"[1]"), ("text/plain", "hä", "hä".encode()), ("", {}, b"{}")],
)
def test_body_when_an_argument_is_all_of_it_then_sent_as_it_is(
    content_type: str, value: Any, content: bytes
) -> None:
    whole = ArgumentPlace(within=RequestPart.BODY, is_whole_body=True)
    call = http_call(operation(method="PUT", b=whole, content_type=content_type), {"b": value})
    assert call.content == content


def test_arguments_when_the_catalogue_says_no_place_then_query_or_body_by_method() -> None:
    assert http_call(operation(), {"a": 1}).url.endswith("?a=1")
    assert http_call(operation(method="POST"), {"a": 1}).content == b'{"a": 1}'


@pytest.mark.parametrize("value", ["", ".", ".."])
def test_path_when_a_value_would_change_it_then_refused(value: str) -> None:
    with pytest.raises(BadInput, match="would change the path"):
        http_call(operation("/x/{c}/y", c=ArgumentPlace(within=RequestPart.PATH)), {"c": value})


def test_request_when_something_is_missing_then_refused_with_the_reason() -> None:
    with pytest.raises(BadInput, match="c is missing"):
        http_call(operation("/{c}"), {})
    with pytest.raises(BadInput, match="does not say where"):
        http_call(Operation(method="GET", servers=("/v1",), path="/a"), {})
    with pytest.raises(BadInput, match="line breaks"):
        header = ArgumentPlace(within=RequestPart.HEADER, name="X-A")
        http_call(operation(a=header), {"a": "1\r\nX-Evil: 1"})


def test_headers_when_they_are_the_connections_own_then_not_taken_from_arguments() -> None:
    header = ArgumentPlace(within=RequestPart.HEADER)
    arguments = {"Host": "evil", "Transfer-Encoding": "chunked", "X-A": "1"}
    call = http_call(operation(**dict.fromkeys(arguments, header)), arguments)
    assert call.all_headers() == [("X-A", "1")]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=8,
)
STYLES = ["", "form", "simple", "deepObject", "matrix", "label", "pipeDelimited", "json"]


@settings(suppress_health_check=[HealthCheck.too_slow])  # busy machines draw slowly
@given(value=JSON, within=st.sampled_from(list(RequestPart)), style=st.sampled_from(STYLES))
def test_request_when_an_argument_is_anything_then_it_never_goes_elsewhere(
    value: Any, within: RequestPart, style: str
) -> None:
    made = operation("/x/{c}", "POST", c=ArgumentPlace(within=within, style=style))
    made = made if within is RequestPart.PATH else operation("/x", "POST", c=made.places["c"])
    try:
        call = http_call(made, {"c": value})
    except BadInput:
        return
    assert call.origin == Origin.of("https://api.test")
    assert call.url.startswith("https://api.test/v1/x")
    assert "\n" not in repr(call.all_headers()).replace("\\n", "\n")
    if within is RequestPart.BODY and call.content:
        assert json.loads(call.content) == {"c": value}
