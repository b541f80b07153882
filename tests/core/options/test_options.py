"""Options classes: what they offer, how values are read, how they travel as JSON."""

import json
from dataclasses import dataclass, make_dataclass
from enum import Enum
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolplanner_core.errors import BadInput
from toolplanner_core.options.option import NoOptions, OptionKind, describe_options, option
from toolplanner_core.options.values import check_options, make_options, options_to_json


class Shade(Enum):
    DARK = "dark"
    LIGHT = "light"


@dataclass(frozen=True, slots=True, kw_only=True)
class Many:
    """One option of each kind."""

    is_loud: bool = option(False, "Whether it is heard.")
    width: int = option(3, "How many at once.", minimum=1, maximum=9, unit="children")
    share: float = option(0.5, "Part of the whole.", minimum=0)
    name: str = option("none", "What it is called.")
    order: Literal["first", "last"] = option("first", "Which.", choices={"last": "the last one"})
    shade: Shade = option(Shade.DARK, "How light.")
    limit: int | None = option(None, "At most so many.", none_means="all", title="Cap")
    parts: tuple[int, ...] = option((1, 2), "Sizes.", minimum=0)
    bare: int = 7


def read(**values: Any) -> Many:
    return make_options(Many, values, of="strategy many")


def test_description_when_made_then_says_all_that_a_form_needs() -> None:
    found = {each.name: each for each in describe_options(Many)}
    assert list(found) == [
        "is_loud", "width", "share", "name", "order", "shade", "limit", "parts", "bare",
    ]  # fmt: skip
    kinds = [each.kind for each in found.values()]
    assert kinds == ["bool", "int", "float", "text", "choice", "choice", "int", "int", "int"]
    width, limit = found["width"], found["limit"]
    assert (width.minimum, width.maximum, width.unit, width.default) == (1, 9, "children", 3)
    assert (limit.title, limit.is_optional, limit.none_means) == ("Cap", True, "all")
    assert found["parts"].is_list
    assert [tuple(choice) for choice in found["order"].choices] == [
        ("first", "first"), ("last", "the last one"),
    ]  # fmt: skip
    assert [choice.value for choice in found["shade"].choices] == ["dark", "light"]
    assert found["is_loud"].title == "Is loud"
    assert found["bare"].explanation == ""
    assert describe_options(NoOptions) == ()


def test_options_when_read_from_texts_then_have_their_types() -> None:
    made = read(
        is_loud="on", width="5", share="0.25", name="x", order="LAST", shade="light", limit="none",
        parts="3, 4,",
    )  # fmt: skip
    assert made == Many(
        is_loud=True, width=5, share=0.25, name="x", order="last", shade=Shade.LIGHT, limit=None,
        parts=(3, 4),
    )  # fmt: skip
    assert read(limit="4", name="none").limit == 4
    assert read(name="none").name == "none"


def test_options_when_read_from_json_then_are_the_same_again() -> None:
    made = read(parts=[], shade="light", limit=8, share=1)
    stored = json.loads(json.dumps(options_to_json(made)))
    assert make_options(Many, stored, of="x") == made
    assert type(made.share) is float


@pytest.mark.parametrize(
    ("values", "fits"),
    [
        ({"is_loud": "maybe"}, "on or off"),
        ({"width": "wide"}, "a whole number from 1 to 9"),
        ({"width": 2.5}, "a whole number from 1 to 9"),
        ({"width": True}, "a whole number from 1 to 9"),
        ({"width": 0}, "a whole number from 1 to 9"),
        ({"width": 10**400}, "a whole number from 1 to 9"),
        ({"share": "nan"}, "a number from 0 up"),
        ({"share": float("inf")}, "a number from 0 up"),
        ({"name": 5}, "a text"),
        ({"order": "middle"}, "first or last"),
        ({"shade": None}, "dark or light"),
        ({"limit": "few"}, "a whole number, or none"),
        ({"parts": "1,-1"}, "a list, each a whole number from 0 up"),
        ({"parts": 3}, "a list, each a whole number from 0 up"),
    ],
)
def test_options_when_a_value_does_not_fit_then_says_which_and_what_does(
    values: dict[str, Any], fits: str
) -> None:
    with pytest.raises(BadInput) as refused:
        read(**values)
    assert f"the option {next(iter(values))} of strategy many" in refused.value.sentence
    assert refused.value.todo == f"Choose {fits}"


def test_options_when_the_name_is_unknown_then_lists_those_there_are() -> None:
    with pytest.raises(BadInput, match=r"no option 'height' of strategy many.*width"):
        read(height=3)
    with pytest.raises(BadInput, match="Options are: none"):
        make_options(NoOptions, {"k": 1}, of="layout pca")


def test_options_when_made_in_code_then_are_checked_before_use() -> None:
    assert check_options(Many, None, of="x") == Many()
    with pytest.raises(BadInput, match="width"):
        check_options(Many, Many(width=0), of="x")


@pytest.mark.parametrize(
    ("fields", "why"),
    [([("a", int)], "Odd.a has no default"), ([("a", bytes, None)], "Odd.a.* no option can have")],
)
def test_description_when_a_class_cannot_be_options_then_tells_its_author(
    fields: list[Any], why: str
) -> None:
    with pytest.raises(TypeError, match=why):
        describe_options(make_dataclass("Odd", fields, frozen=True))
    with pytest.raises(TypeError, match="no frozen dataclass"):
        describe_options(make_dataclass("Odd", []))


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)


@given(name=st.sampled_from([each.name for each in describe_options(Many)]), value=ANYTHING)
def test_options_when_a_value_is_anything_then_it_fits_or_is_refused(name: str, value: Any) -> None:
    try:
        made = read(**{name: value})
    except BadInput:
        return
    assert make_options(Many, options_to_json(made), of="x") == made
    kind = next(each.kind for each in describe_options(Many) if each.name == name)
    assert kind is not OptionKind.BOOL or isinstance(getattr(made, name), bool)
