"""Why nothing was called for what was asked."""

import pytest

from toolplanner_core.words.query_clarity import no_plan_reason

COMPARED = "The offline planner does not compare; ask for each alone: "
NONE = "The offline planner found no toolkit for: "


@pytest.mark.parametrize(
    "need",
    [
        "Which is further from Paris, Rome or Madrid",
        "Is it warmer in Rome or in Oslo today",
        "Is Rome more expensive than Oslo, or is there more rain",
        "Which city has more rain, Rome or Oslo",
    ],
)
def test_need_when_it_compares_then_toolkits_are_not_said_to_be_missing(need: str) -> None:
    assert no_plan_reason([need]) == f"{COMPARED}{need}"


@pytest.mark.parametrize(
    "need",
    [
        "Book a dentist",
        "What is the weather in Rome or Oslo",
        "Is the computer on or off",
        "Is London Tower open or closed",
        "What is under the Eiffel tower or over it",
    ],
)
def test_need_when_it_compares_nothing_then_no_toolkit_can_do_it(need: str) -> None:
    assert no_plan_reason([need]) == f"{NONE}{need}"


def test_needs_when_of_both_kinds_then_each_is_told_by_its_own_reason() -> None:
    warmer = "Is it warmer in Rome or in Oslo"
    assert no_plan_reason(["A joke", warmer]) == f"{COMPARED}{warmer}. {NONE}A joke"
    assert no_plan_reason([]) == ""
