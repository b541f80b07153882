"""Who said what of an answer, and which model did what, as columns of lists, pages and files."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from fixtures.command_line import command_here
from fixtures.scripted_endpoint import Turn
from fixtures.spoken_run import speak_run

from toolplanner_core.domain.ids import RunId
from toolplanner_core.domain.outcome import AnswerVerdict, VerdictSource
from toolplanner_core.prompts.question import Role
from toolplanner_core.runs.config.spec import RunSpec, RunSummary
from toolplanner_core.runs.export.html import export_html
from toolplanner_core.runs.export.jsonl import export_jsonl
from toolplanner_core.runs.judging.verdicts import store_verdict
from toolplanner_core.runs.log.stored_runs import get_summary
from toolplanner_core.runs.presentation.run_columns import (
    MODEL_COLUMNS,
    VERDICT_COLUMNS,
    filled,
    role_model,
    verdict_words,
)
from toolplanner_core.runs.presentation.run_list import describe_run
from toolplanner_core.workspace import Workspace

JUDGE = AnswerVerdict(
    source=VerdictSource.JUDGE, solved=False, reason="Too warm", who="m", votes=(True, False, False)
)
OTHERS = (
    AnswerVerdict(source=VerdictSource.EXPECTATION, solved=True, who="case c"),
    AnswerVerdict(source=VerdictSource.PERSON, solved=True, who="Kim"),
)


@pytest.fixture
def answered(workspace: Workspace) -> RunId:
    turn = Turn("", [("give_answer", {"final_answer": "7 degrees"})])
    spec = RunSpec(query="q", strategy="react", model="acts", roles={"planning": "plans"})
    return speak_run(workspace, "react", [turn], spec=spec).summary.run


def said(summary: RunSummary) -> dict[str, str]:
    columns = filled([*VERDICT_COLUMNS, *MODEL_COLUMNS], [summary])
    return {column.title: column.told(summary) for column in columns}


def test_columns_when_several_judge_then_each_has_its_own(
    workspace: Workspace, answered: RunId
) -> None:
    assert said(get_summary(workspace, answered)) == {
        "Acting model": "acts", "Planning model": "plans",
    }  # fmt: skip
    for verdict in (JUDGE, *OTHERS):
        store_verdict(workspace, answered, verdict)
    summary = get_summary(workspace, answered)
    assert said(summary) == {
        "Expected": "solved", "Judge": "not solved, 1 of 3", "Person": "solved",
        "Acting model": "acts", "Planning model": "plans",
    }  # fmt: skip
    own = AnswerVerdict(source=VerdictSource.STRATEGY, solved=False)
    of_strategy = replace(summary, verdicts=(own.to_json(),))
    assert verdict_words(of_strategy, VerdictSource.STRATEGY) == "not solved"
    assert verdict_words(of_strategy, VerdictSource.PERSON) == ""
    assert "Judged not solved by m (1 of 3 votes): Too warm" in describe_run(summary)
    assert "with acts, planning with plans on" in describe_run(summary)


def test_models_when_one_does_all_then_it_stands_once(workspace: Workspace) -> None:
    turn = Turn("", [("give_answer", {"final_answer": "7 degrees"})])
    done = speak_run(workspace, "react", [turn]).summary
    told = [role_model(done, role) for role in Role]
    assert told == ["", "offline planner", ""]


def test_list_when_runs_are_judged_then_it_has_their_columns(
    workspace: Workspace, answered: RunId
) -> None:
    before = command_here("runs", "list", workspace.path).out
    assert "Judge" not in before and "Person" not in before
    store_verdict(workspace, answered, JUDGE)
    after = command_here("runs", "list", workspace.path).out
    assert "Judge" in after and "Person" not in after
    (row,) = command_here("runs", "list", workspace.path, "--json").data
    assert row["models"] == {"planning": "plans", "acting": "acts", "judging": "acts"}
    assert [(one["source"], one["votes"]) for one in row["verdicts"]] == [
        ("judge", [True, False, False])
    ]


def test_page_when_judged_then_its_facts_hold_verdicts_and_models(
    workspace: Workspace, answered: RunId
) -> None:
    store_verdict(workspace, answered, JUDGE)
    page = export_html(workspace, answered)
    for title, value in (
        ("Judge", "not solved, 1 of 3"), ("Acting model", "acts"), ("Planning model", "plans"),
    ):  # fmt: skip
        assert f"<dt>{title}</dt><dd>{value}</dd>" in page
    assert "<dt>Judging model</dt>" not in page


def test_lines_when_read_elsewhere_then_verdicts_and_models_come_with_them(
    workspace: Workspace, answered: RunId, tmp_path: Path
) -> None:
    for verdict in (JUDGE, *OTHERS):
        store_verdict(workspace, answered, verdict)
    here = get_summary(workspace, answered)
    text = "".join(export_jsonl(workspace, [answered]))
    header = json.loads(text.splitlines()[0])
    assert header["models"] == here.models
    assert len(header["verdicts"]) == 3
    file = tmp_path / "runs.jsonl"
    file.write_text(text, encoding="utf-8")
    with Workspace.create(tmp_path / "there.toolplanner") as there:
        assert command_here("runs", "import", there.path, file).status == 0
        found = get_summary(there, RunId(1))
    assert said(found) == said(here)
    assert (found.status, found.judged) == (here.status, here.judged)


@pytest.mark.parametrize("verdicts", ["x", [1], [{"source": "judge"}], [{"source": "cat"}]])
def test_lines_when_a_verdict_is_none_then_the_run_is_refused_with_why(
    workspace: Workspace, answered: RunId, tmp_path: Path, verdicts: object
) -> None:
    lines = "".join(export_jsonl(workspace, [answered])).splitlines()
    lines[0] = json.dumps({**json.loads(lines[0]), "verdicts": verdicts})
    file = tmp_path / "runs.jsonl"
    file.write_text("\n".join(lines), encoding="utf-8")
    told = command_here("runs", "import", workspace.path, file)
    assert "verdict" in told.err + told.out
    assert len(command_here("runs", "list", workspace.path, "--json").data) == 1
