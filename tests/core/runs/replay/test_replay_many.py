"""Many recorded runs of all kinds replay identically, with no socket to be had.

Quick: 40 runs. With TOOLPLANNER_BENCH=1: 100 and more, every demo case among them.
"""

import asyncio
import dataclasses
import os
import random
import shutil
import socket
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fixtures.scripted_run import (
    QuickClock,
    ScriptedModel,
    ScriptedProvider,
    api_finder,
    bad,
    make_api,
    make_parts,
)

from toolplanner_core.cases.case_runs import spec_of
from toolplanner_core.domain.stop_points import BEFORE_CALL, Choice
from toolplanner_core.runs.catalogue.workspace_catalogue import WorkspaceCatalogue
from toolplanner_core.runs.config.spec import Limits, RunSpec, RunSummary
from toolplanner_core.runs.debugging.debugger import Debugger
from toolplanner_core.runs.debugging.faults import FaultKind
from toolplanner_core.runs.debugging.stops import StopDecision
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.runs.replay.replay import replay
from toolplanner_core.strategies.toolkits.plan_nodes import FALLBACK
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.cases import list_cases

KITS = {f"Kit {i}": [make_api(f"kit{i}_{j}") for j in range(3)] for i in range(1, 5)}
NAMES = [api.name for members in KITS.values() for api in members]
BENCH = os.environ.get("TOOLPLANNER_BENCH") == "1"
SCRIPTED = 90 if BENCH else 30
KINDS = list(FaultKind)


@pytest.fixture
def no_sockets(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Whoever makes an internet socket, connects or looks a name up fails; says who tried."""
    tried: list[str] = []

    def refuse(what: str) -> Any:
        def fail(*arguments: Any, **_: Any) -> None:
            tried.append(f"{what}{arguments[1:]}")
            raise AssertionError(f"a replay wanted a socket: {tried[-1]}")

        return fail

    class UnixOnly(socket.socket):
        """asyncio wakes its own loop through a pair of unix sockets."""

        def __init__(self, family: int = -1, *arguments: Any, **fields: Any) -> None:
            if family != socket.AF_UNIX and fields.get("fileno") is None and len(arguments) < 3:
                refuse("socket")(self, family)
            super().__init__(family, *arguments, **fields)

    monkeypatch.setattr(socket.socket, "connect", refuse("connect"))
    monkeypatch.setattr(socket.socket, "connect_ex", refuse("connect_ex"))
    monkeypatch.setattr(socket, "getaddrinfo", refuse("getaddrinfo"))
    monkeypatch.setattr(socket, "socket", UnixOnly)
    yield tried
    assert tried == []


def random_session(chance: random.Random) -> tuple[RunSpec, Any, Debugger | None]:
    """A scripted run with plans, failures, faults, limits and people's decisions by chance."""
    plans = [
        [
            (chance.choice("abc"), chance.randint(1, 4), [i] if i and chance.random() < 0.4 else [])
            for i in range(chance.randint(1, 4))
        ]
        for _ in range(chance.randint(1, 3))
    ]
    failing = {name: bad(chance.choice([401, 404, 500])) for name in NAMES if chance.random() < 0.3}
    faults = [f"{kind}:all,p=0.3,seed={chance.randint(0, 9)},after=0" for kind in KINDS]
    spec = RunSpec(
        query="find",
        seed=chance.randint(0, 99),
        limits=Limits(max_api_calls=chance.choice([None, 2, 5])),
        faults=tuple(chance.sample(faults, chance.choice([0, 0, 1, 2]))),
    )
    parts = make_parts(KITS, ScriptedModel(plans=plans), ScriptedProvider(dict(failing)))
    return spec, parts, deciding(chance) if chance.random() < 0.5 else None


def deciding(chance: random.Random) -> Debugger:
    """A debugger whose person steps everywhere and sometimes does something else."""
    choices = {
        BEFORE_CALL: [
            StopDecision(choice=Choice.EDIT, arguments={"q": "by hand"}),
            StopDecision(choice=Choice.ANSWER, value={"made": "up"}),
            StopDecision(choice=Choice.SKIP),
        ],
        FALLBACK: [StopDecision(choice=Choice.SKIP)],
    }

    def changed() -> None:
        if not debugger.held:
            return
        point = debugger.held[0].stop.point
        is_changed = point in choices and chance.random() < 0.2
        debugger.resume(decision=chance.choice(choices[point]) if is_changed else None)
        debugger.pause()

    debugger = Debugger(step=True, on_change=changed)
    return debugger


def test_no_sockets_when_one_is_wanted_then_refused(no_sockets: list[str]) -> None:
    for address in (("127.0.0.1", 9), ("example.org", 80)):
        with pytest.raises(AssertionError):
            socket.create_connection(address)
    assert len(no_sockets) == 2
    no_sockets.clear()


def test_scripted_runs_when_replayed_then_identical_without_sockets(
    workspace: Workspace, no_sockets: list[str]
) -> None:
    chance = random.Random(11)
    seen: Counter[str] = Counter()
    for _ in range(SCRIPTED):
        spec, parts, debugger = random_session(chance)
        done = asyncio.run(run(workspace, spec, parts=parts, clock=QuickClock(), debugger=debugger))
        report = replay(workspace, done.run, api_of=api_finder(KITS))
        assert report.divergence is None, (done.run, report.divergence)
        assert report.identical
        assert (report.model_calls, report.api_calls) == (done.model_calls, done.api_calls)
        seen[done.status] += 1
        seen["faults"] += bool(spec.faults)
        seen["people"] += debugger is not None
    print(f"replayed: {dict(seen)}")
    assert {"answered", "unsolved", "over_budget", "faults", "people"} <= seen.keys()


@pytest.mark.slow
def test_demo_cases_when_replayed_then_identical_without_sockets(
    demo_file: Path, tmp_path: Path, no_sockets: list[str]
) -> None:
    path = Path(shutil.copy(demo_file, tmp_path / "copy.toolplanner"))
    chance = random.Random(12)
    with Workspace.open(path) as workspace:
        catalogue = WorkspaceCatalogue(workspace)
        cases = list_cases(workspace)
        specs = [spec_of(case) for case in (cases if BENCH else cases[::3])]
        specs += [
            dataclasses.replace(
                spec, faults=(f"{kind}:all,p=0.4,seed=1,after=0",), seed=chance.randint(0, 99)
            )
            for spec, kind in zip(chance.choices(specs, k=len(KINDS)), KINDS, strict=True)
        ]

        async def record_all() -> list[RunSummary]:
            return [
                await run(workspace, spec, catalogue=catalogue, clock=QuickClock())
                for spec in specs
            ]

        try:
            summaries = asyncio.run(record_all())
        finally:
            catalogue.close()
        for done in summaries:
            report = replay(workspace, done.run)
            assert report.divergence is None, (done.query, report.divergence)
    print(f"replayed demo runs: {Counter(str(done.status) for done in summaries)}")
    assert len(summaries) >= 16
