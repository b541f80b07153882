"""How often runs failed in which way, under the names of the paper's figure 5."""

import asyncio
import socket
from pathlib import Path
from typing import Any

import pytest
from fixtures.command_line import command_here
from fixtures.scripted_run import ScriptedModel, ScriptedProvider, bad, make_api, make_parts

from toolplanner_core.domain.failure import PUBLISHED, ErrorClass
from toolplanner_core.domain.ids import NodePath, RunId
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.runs.presentation.node_report import read_report
from toolplanner_core.runs.replay.fork import fork
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.call_statistics import error_figures, errors_of_run

NEEDY = make_api(
    "needy_1",
    parameters={
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
    },
)
KITS = {"Needy": [NEEDY], "Down": [make_api("down_1"), make_api("down_2")]}


def fill(workspace: Workspace) -> None:
    """One run that misses an argument and meets a service that is down; one that only fails to
    decide."""
    provider = ScriptedProvider({"down_1": bad(500), "down_2": bad(422, "bad value")})
    model = ScriptedModel(plans=[[("one", 1, []), ("two", 2, [])], []])
    asyncio.run(run(workspace, RunSpec(query="q"), parts=make_parts(KITS, model, provider)))
    model = ScriptedModel(plans=[[("one", 2, [])]])
    model.answers = {"final_answer": [{"answer": "?", "solved": False, "reason": "not found"}]}
    parts = make_parts({"Needy": [NEEDY], "Fine": [make_api("fine_1")]}, model, ScriptedProvider())
    asyncio.run(run(workspace, RunSpec(query="q"), parts=parts))


def test_error_figures_when_the_model_gave_no_answer_then_it_is_no_decision_failure(
    demo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nobody = socket.create_server(("127.0.0.1", 0))
    address = f"http://127.0.0.1:{nobody.getsockname()[1]}/v1"
    nobody.close()
    monkeypatch.setenv("OPENAI_BASE_URL", address)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with Workspace.open(demo) as opened:
        spec = RunSpec(query="q", model="openai:m", provider="demo")
        done = asyncio.run(run(opened, spec))
        assert done.model_calls == 1, "nobody listens: asked once"
        [figure] = error_figures(opened)
    assert (figure.error, figure.n, figure.runs) == ("network", 1, (done.run,))


def test_error_figures_when_runs_failed_then_counted_by_class(workspace: Workspace) -> None:
    fill(workspace)
    found = {figure.error: (figure.n, figure.runs) for figure in error_figures(workspace)}
    assert found == {
        ErrorClass.MISSING_PARAMETER: (1, (1,)),
        ErrorClass.SERVER_ERROR: (1, (1,)),
        ErrorClass.INVALID_PARAMETER: (1, (1,)),
        ErrorClass.CLUSTER_INCOMPLETE: (1, (1,)),
        ErrorClass.DECISION_FAILURE: (1, (2,)),
    }
    assert [figure.error for figure in errors_of_run(workspace, RunId(2))] == ["decision_failure"]
    one = {figure.error: figure.n for figure in errors_of_run(workspace, RunId(1))}
    assert one == {error: n for error, (n, runs) in found.items() if runs == (1,)}
    report = read_report(workspace, 1, NodePath("plan.1/step.1"))  # type: ignore[arg-type]
    assert any("Cluster Incomplete" in section.text for section in report.why)


def test_runs_list_when_by_error_then_the_papers_names_stand_beside(tmp_path: Path) -> None:
    path = tmp_path / "w.toolplanner"
    with Workspace.create(path) as workspace:
        fill(workspace)
    listed = command_here("runs", "list", path, "--by", "error").out
    for name in ("Cluster Incomplete", "Miss Input Parameters", "Decision Failure"):
        assert name in listed
    assert "None" not in listed, "a server error has no name in the paper"
    assert "Errors by class: Cluster Incomplete 1" in command_here("runs", "show", path, "1").out


def test_errors_when_a_fork_took_failures_over_then_they_count_as_in_its_totals(
    workspace: Workspace,
) -> None:
    kits = {"Down": [make_api("down_1"), make_api("up_1")]}
    provider = ScriptedProvider({"down_1": bad(500)})

    def parts() -> Any:
        return make_parts(kits, ScriptedModel(plans=[[("one", 1, []), ("two", 1, [])]]), provider)

    parent = asyncio.run(run(workspace, RunSpec(query="q"), parts=parts()))
    again = fork(workspace, parent.run, NodePath("plan.1/step.2"))
    made = asyncio.run(run(workspace, again, parts=parts()))
    assert parent.failed_calls == made.failed_calls == 2
    for each in (parent, made):
        [figure] = errors_of_run(workspace, each.run)
        assert (figure.error, figure.n) == (ErrorClass.SERVER_ERROR, 2)


def test_published_names_when_listed_then_the_six_of_figure_5() -> None:
    assert len(PUBLISHED) == len(set(PUBLISHED.values())) == 6
