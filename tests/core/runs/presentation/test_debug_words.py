"""Where a run is held and why: what must not be lost stands where it is not cut."""

from typing import Any, cast

import pytest

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.stop_points import AFTER_CALL, BEFORE_CALL, StopPoint
from toolplanner_core.runs.debugging.debugger import Held
from toolplanner_core.runs.debugging.stops import Stop
from toolplanner_core.runs.presentation.debug_words import describe_held

NOBODY: Any = None


def held(point: StopPoint, rule: str = "", error: ErrorClass | None = None) -> Held:
    place = NodePath("plan.1/call.1")
    stop = Stop(
        point=point, path=place, node=place, title="Fx · Convert", toolkit="Money", error=error
    )
    reason = "breakpoint" if rule else "step"
    return Held(stop=stop, reason=reason, breakpoint=rule, released=cast(Any, NOBODY))


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("toolkit=Money,at=before_call", "Money"),
        ("api=Fx*", "Fx*"),
        ("arg=amount", "With the argument amount"),
        ("client=Cursor*", "Of the agent Cursor*"),
        ("at=before_call", "A call is about to be sent"),
    ],
)
def test_held_when_at_a_breakpoint_then_it_is_named_by_what_the_stop_does_not_say(
    text: str, named: str
) -> None:
    said = describe_held(held(BEFORE_CALL, text))
    assert said == f"Stopped before the call Fx · Convert (Money): breakpoint “{named}”"


def test_held_when_the_call_failed_then_the_failure_stands_before_the_long_title() -> None:
    said = describe_held(held(AFTER_CALL, error=ErrorClass.SERVER_ERROR))
    assert said == "Stopped after server error of the call Fx · Convert (Money): after a step"
    assert (
        describe_held(held(AFTER_CALL))
        == "Stopped after the call Fx · Convert (Money): after a step"
    )
