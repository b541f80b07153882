"""What of a reply is about the days that a text asks for."""

from datetime import UTC, datetime
from typing import Any

import pytest

from toolplanner_core.words.reply_values import filter_by_dates

NOW = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)
"""A Friday."""
ISO = [{"date": f"2026-11-{day}", "sky": sky} for day, sky in ((21, "snow"), (22, "clear"))]
DOTS = [{"tag": f"{day}.11.2026"} for day in (21, 22, 23)]


@pytest.mark.parametrize(
    ("value", "text", "kept"),
    [
        (ISO, "Will it snow on Sunday?", ISO[1:]),
        ({"days": ISO, "city": "Oslo"}, "snow tomorrow", {"days": ISO[:1], "city": "Oslo"}),
        (DOTS, "the weather this weekend", DOTS[:2]),
        ([{"day": "22/11/2026"}, {"day": "11/23/2026"}], "on Monday", [{"day": "11/23/2026"}]),
        (ISO, "Will it snow on Friday?", ISO),
        (ISO, "Will it snow?", ISO),
        ([*ISO, {"note": "metric"}], "Will it snow on Sunday?", [*ISO, {"note": "metric"}]),
        (["2026-11-21", "2026-11-22"], "on Sunday", ["2026-11-21", "2026-11-22"]),
        ("2026-11-21", "on Sunday", "2026-11-21"),
    ],
)
def test_of_asked_days_when_a_list_has_the_day_then_only_that(
    value: Any, text: str, kept: Any
) -> None:
    assert filter_by_dates(value, text, NOW) == kept


def test_of_asked_days_when_the_clock_is_unknown_then_as_it_is() -> None:
    assert filter_by_dates(ISO, "tomorrow", None) == ISO
