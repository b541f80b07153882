"""Names of tools: accepted, different, told apart at their ends, and unchanged."""

import random
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from toolplanner_core.domain.api import Api, Risk
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.tool_schemas.names import NAME_LIMIT, RESERVED, tool_names

NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9_-]*")


def api(tool: str, name: str, number: int = 0) -> Api:
    base = {"source": "shop", "key": "", "category": "", "method": "", "url": "", "doc_hash": ""}
    return Api(
        id=ApiId(f"{number:016x}"), tool=tool, name=name, description="", tool_description="",
        parameters={}, response_schema=None, risk=Risk.READ, **base,
    )  # fmt: skip


def names_of(*apis: Api) -> list[str]:
    return list(tool_names(apis).values())


def test_name_when_plain_then_tool_and_api() -> None:
    assert names_of(api("MeteoNow", "daily forecast")) == ["MeteoNow_daily_forecast"]
    assert names_of(api("2 Factor", "send")) == ["t_2_Factor_send"]
    assert names_of(api("1", "2")) == ["shop_1_2"]
    assert names_of(api("天气", "预报")) == ["shop"]
    assert names_of(api("find", "tools", 7)) == ["find_tools_000000"]


def test_name_when_too_long_then_cut_in_the_middle_and_marked() -> None:
    long = "The easiest object detector for images of all kinds"
    first, second = names_of(api(long, "detect cats", 1), api(long, "detect dogs", 2 << 60))
    assert len(first) <= NAME_LIMIT
    assert first.startswith("The_easiest")
    assert "detect_cats_" in first
    assert "detect_dogs_" in second


texts = st.text(max_size=30) | st.sampled_from(["a", "1", "find", "tools", "more", "x" * 70])
apis = st.lists(st.tuples(texts, texts), max_size=30)


@settings(max_examples=200, deadline=None)
@given(apis, apis)
def test_names_when_other_apis_come_then_stay_and_are_different(
    first: list[tuple[str, str]], then: list[tuple[str, str]]
) -> None:
    before = [api(*pair, n) for n, pair in enumerate(first)]
    names = tool_names(before)
    after = [*before, *(api(*pair, n + 1000) for n, pair in enumerate(then))]
    random.Random(1).shuffle(after)
    renewed = tool_names(after, kept=names)
    assert {one: renewed[one] for one in names} == names
    assert len({name.casefold() for name in renewed.values()}) == len(after)
    assert not RESERVED & {name.casefold() for name in renewed.values()}
    assert all(NAME.fullmatch(name) and len(name) <= NAME_LIMIT for name in renewed.values())


def test_names_when_an_api_went_then_nobody_gets_its_name() -> None:
    gone = api("MeteoNow", "forecast", 1)
    kept = tool_names([gone])
    new = api("MeteoNow", "forecast", 2 << 60)
    assert tool_names([new], kept=kept)[new.id] not in kept.values()
