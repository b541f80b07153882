"""How an API is called: in words, as JSON and back."""

import json

from hypothesis import given
from hypothesis import strategies as st

from toolplanner_core.domain.operation import (
    ArgumentPlace,
    Operation,
    RequestPart,
    SchemeKind,
    SecurityScheme,
)
from toolplanner_core.domain.plain_data import from_plain, without_defaults

KEY = SecurityScheme(
    name="main", kind=SchemeKind.KEY, within=RequestPart.HEADER, parameter="X-API-Key"
)
TOKEN = SecurityScheme(name="login", kind=SchemeKind.OAUTH2, scopes=("read",))


def test_operation_when_shown_then_says_in_one_line_how_it_is_called() -> None:
    operation = Operation(
        method="POST",
        servers=("https://api.example/v1", "https://eu.api.example/v1"),
        path="/parcels/{id}",
        places={
            "id": ArgumentPlace(within=RequestPart.PATH),
            "lang": ArgumentPlace(within=RequestPart.QUERY),
            "page": ArgumentPlace(within=RequestPart.QUERY),
            "note": ArgumentPlace(within=RequestPart.BODY),
        },
        content_type="application/json",
        security=((KEY,), (TOKEN,), ()),
        is_deprecated=True,
    )
    assert operation.in_words == (
        "POST https://api.example/v1/parcels/{id} · 1 in path, 2 in query, 1 in body"
        " · body as application/json · key in header X-API-Key or oauth2 login or nothing"
        " · deprecated"
    )
    assert Operation(method="GET", servers=(), path="/a").in_words == "GET /a"


def test_operation_when_written_then_leaves_out_what_is_by_default() -> None:
    operation = Operation(
        method="GET",
        servers=("https://x.example",),
        path="/a",
        places={"ids": ArgumentPlace(within=RequestPart.QUERY, explode=False)},
    )
    assert without_defaults(operation) == {
        "method": "GET",
        "servers": ["https://x.example"],
        "path": "/a",
        "places": {"ids": {"within": "query", "explode": False}},
    }


def test_operation_when_written_by_a_newer_program_then_its_fields_are_left_out() -> None:
    data = {"method": "GET", "servers": [], "path": "/a", "places": {}, "timeout_s": 3}
    assert from_plain(Operation, data) == Operation(method="GET", servers=(), path="/a")


words = st.text(max_size=8)
places = st.builds(
    ArgumentPlace,
    within=st.sampled_from(RequestPart),
    name=words,
    is_whole_body=st.booleans(),
    style=words,
    explode=st.none() | st.booleans(),
)
schemes = st.builds(
    SecurityScheme,
    name=words,
    kind=st.sampled_from(SchemeKind),
    within=st.none() | st.sampled_from(RequestPart),
    parameter=words,
    token_url=words,
    scopes=st.lists(words, max_size=2).map(tuple),
)
operations = st.builds(
    Operation,
    method=words,
    servers=st.lists(words, max_size=2).map(tuple),
    path=words,
    places=st.dictionaries(words, places, max_size=3),
    headers=st.dictionaries(words, words, max_size=2),
    content_type=words,
    security=st.lists(st.lists(schemes, max_size=2).map(tuple), max_size=2).map(tuple),
    is_deprecated=st.booleans(),
)


@given(operation=operations)
def test_operation_when_stored_then_is_the_same_again(operation: Operation) -> None:
    stored = json.loads(json.dumps(without_defaults(operation)))
    assert from_plain(Operation, stored) == operation
    assert operation.in_words
