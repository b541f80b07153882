"""Functionality texts: short, readable, without noise, for every kind of documentation."""

import pytest

from toolplanner_core.domain.api import Api, Risk
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.sources.functionality import CAP, functionality_of, plain


def api(name="Get forecast", tool="MeteoNow", description="", about="", parameters=()) -> Api:
    return Api(
        id=ApiId("0" * 16),
        source="test",
        key="k",
        category="Weather",
        tool=tool,
        name=name,
        method="GET",
        url="",
        description=description,
        tool_description=about,
        parameters={"type": "object", "properties": {key: {} for key in parameters}},
        response_schema=None,
        risk=Risk.READ,
        doc_hash="",
    )


@pytest.mark.parametrize(
    ("of", "text"),
    [
        (
            api(description="Weather of the next seven days."),
            "MeteoNow: Get forecast. Weather of the next seven days.",
        ),
        (
            api(description="Get Forecast", about="Weather of the world"),
            "MeteoNow: Get forecast. Weather of the world",
        ),
        (
            api("/v2/cities/{cityId}/forecast", "meteo_now", parameters=["cityId", "lang"]),
            "meteo now: cities by city Id forecast. Takes city Id, lang",
        ),
        (api("MeteoNow"), "MeteoNow"),
        (
            api(
                "天气预报", "墨迹", "查询未来七天的天气预报,包括温度、湿度、风力和空气质量等信息。"
            ),
            "墨迹: 天气预报. 查询未来七天的天气预报,包括温度、湿度、风力和空气质量等信息。",
        ),
        (api("???", "!!!"), "!!!: ???"),
    ],
)
def test_functionality_when_made_then_it_says_what_the_api_is_for(of, text):
    assert functionality_of(of) == text


def test_functionality_when_long_then_it_ends_with_a_sentence():
    text = functionality_of(api(description="It tells the weather of a city. " * 100))
    assert CAP * 0.6 < len(text) <= CAP
    assert text.endswith("city.")
    assert len(functionality_of(api("x" * 9_000, "y" * 9_000, "z" * 9_000))) <= CAP


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("See https://a.b/c?d for <b>all</b> cities", "See for all cities"),
        ("# Title\n\n* one\n* **two**", "Title one two"),
        ("Read [the guide](https://a.b) &amp; `try` it", "Read the guide & try it"),
        ("Before ```json\n{}\n``` after", "Before after"),
        ("snake_case stays and 5 < 6", "snake_case stays and 5 < 6"),
        ("<!-- hidden -->shown", "shown"),
    ],
)
def test_plain_when_marked_up_then_only_prose_is_left(text, expected):
    assert plain(text) == expected


@pytest.mark.timeout(20)
@pytest.mark.parametrize("piece", ["<", "[", "](", "*", "_ ", "`", "```", "https://", "&", "a. "])
def test_plain_when_marks_pile_up_then_it_stays_fast(piece):
    assert len(plain(piece * 20_000)) <= 2_000
