"""Cluster Incomplete means that a toolkit lacks an API: never that services failed, that faults
were injected, or that there are no toolkits."""

import asyncio
from typing import Any

import pytest
from fixtures.scripted_run import ScriptedModel, ScriptedProvider, bad, make_api, make_parts

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.runs.debugging.faults import FaultKind
from toolplanner_core.runs.engine.runner import run
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
