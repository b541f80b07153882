"""Which numbers, days and times of an answer what came back accounts for."""

from typing import Any

import pytest

from toolplanner_core.runs.judging.answer_values import check_values, is_refusal

CLOCK = {"city": "Sydney", "local_time": "23:00", "date": "2026-11-20"}


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("It is 11 PM in Sydney.", CLOCK),
        ("It is 11:00 PM on 20 November 2026.", CLOCK),
        ("It is 23:00 on 2026-11-20.", CLOCK),
        ("The total is 12.5 EUR.", [{"price": 5.0}, {"price": 4.5}, {"price": 3}]),
        ("The mean is 4.2.", [{"price": 5.0}, {"price": 4.5}, {"price": 3}]),
        ("26.2 miles are 42.16 km", {"result": 42.164813}),
        ("98.6 °F", {"celsius": 37}),
        ("-40 °C", {"f": -40}),
        ("It is 310 K, or 37 degrees Celsius", {"f": 98.6}),
        ("It is colder by 12 degrees", [{"t": 3}, {"t": 15}, *({"t": 5},) * 9]),
        ("3 tickets are 37.5 EUR", [{"id": i, "price": 12.5, "seats": 70 + i} for i in range(9)]),
        ("About 1.2 million people", {"population": 1216000}),
        ("68,170,228 people", {"population": 68170228}),
        ("It went up by 25%", {"old": 80, "new": 100}),
        ("It takes 7 h 25 min", {"minutes": 445}),
        ("About 12 minutes", {"seconds": 733}),
        ("Mojito and 17 more", [{"name": "Mojito"}] * 18),
        ("It is 35 km from there", {"from_km": 50, "to_km": 15}),
    ],
)
def test_account_when_rounded_added_converted_or_counted_then_told(answer: str, told: Any) -> None:
    found = check_values(answer, "", [], [told])
    assert found.told
    assert not found.untold


def test_account_when_replies_are_counted_then_told_and_more_of_them_not() -> None:
    replies = [{"name": "x"}] * 21
    assert check_values("done: 21 replies", "", [], replies) == (("21",), ())
    assert check_values("done: 22 replies", "", [], replies) == ((), ("22",))


@pytest.mark.parametrize(
    ("answer", "told", "untold"),
    [
        ("It is 04:17 in Sydney.", CLOCK, "04:17"),
        ("It is 2026-11-21.", CLOCK, "2026-11-21"),
        ("It costs $9.99", {"price": 4.25}, "9.99"),
        ("It is 4 degrees", {"t": 9}, "4"),
        ("Built in 1889.", {"name": "Eiffel Tower"}, "1889"),
    ],
)
def test_account_when_nothing_tells_it_then_untold(answer: str, told: Any, untold: str) -> None:
    assert check_values(answer, "", [], [told]) == ((), (untold,))


@pytest.mark.parametrize(
    "answer",
    [
        "1. Lyon\n2. Oslo",
        "Done in 2 steps.",
        "An image (png, 12,345 bytes)",
        "See https://a.test/12 for PM2.5",
        "250 EUR, as you asked, for parcel 1Z999AA1",
    ],
)
def test_account_when_it_is_no_value_of_the_answers_own_then_neither(answer: str) -> None:
    assert check_values(answer, "Convert 250 EUR", ['{"n":250}'], [{"x": "y"}]) == ((), ())


def test_account_when_a_reply_has_many_numbers_then_few_others_follow_from_them() -> None:
    days = [
        {"day": "20/11/2026", "max": -3.9, "min": -9.9, "mm": 15.1, "risk": 94, "wind": 20.1},
        {"day": "21/11/2026", "max": -2.4, "min": -8.4, "mm": 7.3, "risk": 99, "wind": 14.2},
    ]

    def is_told(n: int, unit: str) -> bool:
        return bool(check_values(f"It will be {n} {unit}.", "", [], [{"days": days}]).told)

    assert not is_told(42, "°C") and not is_told(55, "degrees Celsius")
    # Of 190 temperatures a reply of ten numbers gave 181 while anything could be reckoned of it.
    assert sum(is_told(n, "°C") for n in range(-60, 130)) < 60
    assert sum(is_told(n, "people") for n in range(-60, 130)) < 140


def test_refuses_when_an_answer_says_that_there_is_none_then_so() -> None:
    assert is_refusal("Sorry, the tools gave me nothing.")
    assert is_refusal("I could not find a recipe.")
    assert not is_refusal("It will not rain.")
