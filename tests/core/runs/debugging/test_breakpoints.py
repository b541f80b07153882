"""Breakpoints as texts: read, written, refused."""

import pytest

from toolplanner_core.domain.ids import ROOT
from toolplanner_core.domain.stop_points import BEFORE_CALL
from toolplanner_core.errors import BadInput
from toolplanner_core.runs.debugging.breakpoints import parse_breakpoint, write_breakpoint
from toolplanner_core.runs.debugging.stops import Stop


@pytest.mark.parametrize(
    "parts",
    [
        {"api": "Fuel, prices", "at": "before_call"},
        {"failure": "exhausted"},
        {"toolkit": "x", "if": 'error == "timeout"', "hits": "3", "log": "called {title}"},
    ],
)
def test_breakpoint_when_written_from_parts_then_reads_back(parts: dict[str, str]) -> None:
    assert parse_breakpoint(write_breakpoint({**parts, "kind": ""})).parts == parts


def test_breakpoint_when_a_part_has_both_quotes_then_says_so() -> None:
    with pytest.raises(BadInput, match="quotation"):
        write_breakpoint({"if": "a == \"x\" or b == 'y'"})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nonsense",
        "what=1",
        "hits=x",
        "failure=maybe",
        "at=nowhere",
        "if='a =='",
        "if='foo.bar > 1'",
    ],
)
def test_breakpoint_when_it_cannot_be_read_then_says_so(text: str) -> None:
    with pytest.raises(BadInput):
        parse_breakpoint(text)


@pytest.mark.parametrize(
    ("client", "fits"),
    [("Cursor 3.1", True), ("Claude Code 2.1", False), ("Cursorless 1", False), ("", False)],
)
def test_breakpoint_of_a_client_when_that_one_drives_the_run_then_fits(
    client: str, fits: bool
) -> None:
    stop = Stop(point=BEFORE_CALL, path=ROOT, node=ROOT, title="a call")
    assert parse_breakpoint("client=cursor").fits(stop, client=client) is fits
    assert parse_breakpoint("at=before_call").fits(stop, client=client)
