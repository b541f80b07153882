"""Cluster Incomplete means that a toolkit lacks an API: never that services failed, that faults
were injected, or that there are no toolkits."""

import asyncio
import zlib
from typing import Any

import pytest
from fixtures.command_line import command_here
from fixtures.scripted_run import ScriptedModel, ScriptedProvider, bad, make_api, make_parts

from toolplanner_core.domain.experiment import TrialVerdict
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.lab import Query
from toolplanner_core.lab.judges.judge import judges
from toolplanner_core.lab.packed_runs import events_of
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.runs.debugging.faults import FaultKind
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.runs.export.jsonl import export_jsonl
from toolplanner_core.runs.log.stored_runs import load_tree
from toolplanner_core.runs.presentation.node_report import read_report
from toolplanner_core.runs.tree.unserved_needs import unserved_needs
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.call_statistics import errors_of_run

KITS = {"Weather": [make_api("meteo_now"), make_api("sky_now")]}


def classes(
    workspace: Workspace,
    replies: dict[str, Any],
    *,
    faults: tuple[str, ...] = (),
    useless: tuple[str, ...] = (),
    **options: Any,
) -> set[ErrorClass]:
    """Classes of the failures of a run whose one step finds no API."""
    model = ScriptedModel(plans=[[("one", 1, [])], []], useless=set(useless))
    parts = make_parts(KITS, model, ScriptedProvider(replies), **options)
    done = asyncio.run(run(workspace, RunSpec(query="q", faults=faults), parts=parts))
    return {figure.error for figure in errors_of_run(workspace, done.run)}


@pytest.mark.parametrize(
    ("replies", "error"),
    [
        ([bad(503), bad(500)], ErrorClass.SERVER_ERROR),
        ([bad(429), bad(429)], ErrorClass.RATE_LIMITED),
        ([bad(410, "gone"), bad(410, "gone")], ErrorClass.NOT_FOUND),
        ([bad(403), bad(403)], ErrorClass.UNAUTHORISED),
        ([bad(422, "bad value"), bad(503)], ErrorClass.SERVER_ERROR),
    ],
)
def test_errors_when_services_failed_then_no_cluster_is_incomplete(
    workspace: Workspace, replies: list[Any], error: ErrorClass
) -> None:
    found = classes(workspace, dict(zip(("meteo_now", "sky_now"), replies, strict=True)))
    assert error in found
    assert ErrorClass.CLUSTER_INCOMPLETE not in found


def test_errors_when_all_failures_were_injected_then_no_cluster_is_incomplete(
    workspace: Workspace,
) -> None:
    for kind in set(FaultKind) - {FaultKind.SLOW}:  # a slow reply is the API's own
        useless = ("meteo_now", "sky_now")  # as a model says of an injected reply that is empty
        found = classes(workspace, {}, faults=(f"{kind}:all",), useless=useless)
        assert ErrorClass.CLUSTER_INCOMPLETE not in found, kind


def test_errors_when_there_are_no_toolkits_then_none_is_incomplete(workspace: Workspace) -> None:
    replies = {"meteo_now": bad(422, "bad value"), "sky_now": bad(422, "bad value")}
    found = classes(workspace, replies, toolkits=False)
    assert found == {ErrorClass.INVALID_PARAMETER}


@pytest.mark.parametrize("reply", [bad(422, "bad value"), bad(404, "no city of this name")])
def test_errors_when_no_member_could_do_the_step_then_the_cluster_is_incomplete(
    workspace: Workspace, reply: Any
) -> None:
    found = classes(workspace, {"meteo_now": reply, "sky_now": reply})
    assert ErrorClass.CLUSTER_INCOMPLETE in found


BAD = {"meteo_now": bad(422, "bad value"), "sky_now": bad(422, "bad value")}
DOWN = {"meteo_now": bad(503), "sky_now": bad(503)}
MORE = {**KITS, "Cities": [make_api("city_weather")]}


@pytest.mark.parametrize(
    ("goal", "replies", "met"),
    [
        ("One", BAD, "city · city_weather of Cities did (plan.2/step.1)."),
        ("another wish", BAD, "whether the catalogue has one that can, this run does not show."),
        ("one", DOWN, ""),
    ],
)
def test_run_when_a_toolkit_could_not_then_says_who_else_met_the_need_and_claims_no_more(
    workspace: Workspace, goal: str, replies: dict[str, Any], met: str
) -> None:
    model = ScriptedModel(plans=[[("one", 1, [])], [(goal, 2, [])]])
    parts = make_parts(MORE, model, ScriptedProvider(replies))
    done = asyncio.run(run(workspace, RunSpec(query="q"), parts=parts))
    needs = [need.words for need in unserved_needs(load_tree(workspace, done.run).nodes)]
    assert needs == ([f"No API of Weather could do “one”; {met}"] if met else [])
    report = read_report(workspace, done.run, NodePath("plan.1/step.1"))
    assert [each.text for each in report.why if each.title.startswith("Whether")] == needs
    shown = command_here("runs", "show", workspace.path, done.run).out
    assert [line for line in shown.splitlines() if "Cluster Incomplete: " in line] == [
        f"Cluster Incomplete: {words}" for words in needs
    ]


@pytest.mark.parametrize(
    ("gold", "solved", "reason"),
    [
        ("test/meteo_now", 1.0, ""),
        ("test/city_weather", 0.0, "In no tried toolkit: test/city_weather"),
    ],
)
def test_judge_when_gold_is_known_then_a_toolkit_lacks_it_or_not_whatever_answered(
    workspace: Workspace, gold: str, solved: float, reason: str
) -> None:
    parts = make_parts(MORE, ScriptedModel(plans=[[("one", 1, [])]]), ScriptedProvider({}))
    done = asyncio.run(run(workspace, RunSpec(query="q"), parts=parts))
    lines = "".join(export_jsonl(workspace, [done.run]))
    query = Query(id="1", text="q", gold=(frozenset({gold}),))
    said = judges.get("toolkits").judge_events
    assert said is not None
    verdict = said(query, events_of(zlib.compress(lines.encode())))
    assert verdict == TrialVerdict(solved=solved, reason=reason)
    assert said(query, []) is None, "no toolkit was tried"
