"""Programs that want out of the sandbox, or to wear it out: none may succeed."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from fixtures.escapes import BOMBS, CANARY, ESCAPES, VARIABLE

from toolplanner_core.domain.program import HostCall, HostFailure, ProgramEnd
from toolplanner_core.sandbox.monty import OUTPUT_BYTES, run_program

MOST_CALLS = 60


def go(text: str) -> tuple[ProgramEnd, list[str]]:
    called: list[str] = []

    async def answer(call: HostCall) -> Any:
        called.append(call.name)
        # As the strategy does it: a program may make so many calls.
        return {} if len(called) < MOST_CALLS else HostFailure(message="enough")

    now = datetime(2026, 3, 1, tzinfo=UTC)
    end = asyncio.run(run_program(text, functions=("search",), answer=answer, now=now, seed="1"))
    return end, called


@pytest.mark.parametrize("name", ESCAPES)
def test_escape_when_tried_then_the_program_fails_and_nothing_is_reached(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(VARIABLE, CANARY)
    here = tmp_path / "escaped"
    end, called = go(ESCAPES[name].replace("{here}", str(here)))
    assert "ESCAPED" not in end.printed
    assert not end.ok
    assert CANARY not in f"{end}"
    assert not here.exists()
    assert set(called) <= {"search"}


def test_escapes_when_counted_then_there_are_enough() -> None:
    assert len(ESCAPES) >= 90


@pytest.mark.parametrize("name", BOMBS)
def test_bomb_when_it_goes_off_then_stopped_by_a_limit_and_the_next_program_runs(name: str) -> None:
    end, called = go(BOMBS[name])
    assert end.how in ("stopped", "raised", "refused", "finished")
    assert len(end.printed) <= OUTPUT_BYTES
    assert len(called) <= MOST_CALLS
    assert go("print(1)")[0].printed == "1\n"
