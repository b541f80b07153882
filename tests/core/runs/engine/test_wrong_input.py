"""Input that cannot mean anything is refused before a run exists, or people are told."""

import json
from pathlib import Path
from typing import Any

import pytest
from fixtures.small_catalogue import import_small_catalogue

from toolplanner_core.cli.app import run_command_line
from toolplanner_core.errors import BadInput
from toolplanner_core.runs.catalogue.workspace_catalogue import WorkspaceCatalogue
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.runs.debugging.breakpoints import parse_breakpoint
from toolplanner_core.runs.debugging.saved_rules import RuleKind, warn_of_rules
from toolplanner_core.runs.engine.run_parts import prepare
from toolplanner_core.runs.export.jsonl import export_jsonl
from toolplanner_core.runs.importing.reading import import_runs
from toolplanner_core.runs.log.stored_runs import list_runs
from toolplanner_core.workspace import Workspace


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("api=", "api has no value"),
        ("api=x,toolkit=", "toolkit has no value"),
        ("api=' '", "api has no value"),
        ("api=x,if=", "if has no value"),
        ("api=x,hits=0", "begins at 1"),
        ("api=*,log='{nonsense}'", "knows no field nonsense"),
        ("api=*,log='{argument.city}'", "knows no field argument.city"),
        ("api=*,log='{title'", "bracket"),
        ("api=*,log='title}'", "bracket"),
        ("api=*,log='{}'", "bracket"),
        ("api=*,log='{title:>3}'", "bracket"),
    ],
)
def test_breakpoint_when_a_part_means_nothing_then_says_which(text: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        parse_breakpoint(text)


def test_log_point_when_all_its_fields_exist_then_read() -> None:
    message = "{title}: {error} {arguments.city.0} {toolkit}"
    assert parse_breakpoint(f"api=*,log='{message}'").log == message


TOOLKIT = (
    "INSERT INTO toolkits(name, description, name_author, description_author, created_us)"
    " VALUES('Fuel prices', '', 'rule', 'rule', 0)"
)


def test_faults_when_their_names_fit_nothing_then_warned_of(
    workspace: Workspace, tmp_path: Path
) -> None:
    import_small_catalogue(workspace, tmp_path)
    workspace.writer.run(lambda db: db.conn.execute(TOOLKIT))
    wrong = ["500:api=NoSuchApi", "timeout:toolkit=nowhere,next=2"]
    right = ["500:all", "429:api=GET_FORE*", "slow:toolkit=fuel*", "500:api=*convert*"]
    warnings = warn_of_rules(workspace, RuleKind.FAULT, [*wrong, *right])
    assert list(warnings) == wrong
    with pytest.raises(BadInput):
        warn_of_rules(workspace, RuleKind.FAULT, ["bang:all"])


def test_breakpoints_when_their_names_fit_nothing_then_warned_of(
    workspace: Workspace, tmp_path: Path
) -> None:
    import_small_catalogue(workspace, tmp_path)
    workspace.writer.run(lambda db: db.conn.execute(TOOLKIT))
    wrong = ["api=NoSuchApi", "toolkit=nowhere,at=before_call"]
    right = ["api=GET_FORE*", "toolkit=fuel*", "failure=exhausted", "kind=call,if='true'"]
    warnings = warn_of_rules(workspace, RuleKind.BREAKPOINT, [*wrong, *right])
    assert list(warnings) == wrong
    assert "no API here is called NoSuchApi" in warnings["api=NoSuchApi"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "w.toolplanner"
    Workspace.create(made).close()
    return made


def test_run_when_a_fault_fits_nothing_then_warns_and_goes_on(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def command(*arguments: str) -> tuple[Any, str]:
        assert run_command_line(arguments) == 1, "an empty workspace solves nothing"
        said = capsys.readouterr()
        return json.loads(said.out), said.err

    fault = ("--fault", "500:api=NoSuchApi", "--json")
    data, err = command("run", str(path), "Convert 10 USD to EUR", *fault)
    assert "NoSuchApi" in err
    assert len(data["warnings"]) == 1
    data, _ = command("runs", "fork", str(path), str(data["run"]), "--at", "2", "--json")
    assert len(data["warnings"]) == 1
    data, err = command("run", str(path), "Convert 10 USD to EUR", "--break", "api=No*", "--json")
    assert "The breakpoint api=No* stops nowhere" in err
    assert len(data["warnings"]) == 1
    data, _ = command("run", str(path), "Convert 10 USD to EUR", "--json")
    assert data["warnings"] == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("",),
        ("   \n",),
        ("q", "--max-seconds", "nan"),
        ("q", "--max-seconds", "inf"),
        ("q", "--break", "api="),
        ("q", "--break", "api=*,log='{bad}'"),
    ],
)
def test_run_when_input_means_nothing_then_exit_2_and_no_run(
    path: Path, arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command_line(["run", str(path), *arguments]) == 2
    assert capsys.readouterr().err.strip()
    with Workspace.open(path) as workspace:
        assert list_runs(workspace) == []


def test_prepare_when_the_query_is_empty_then_refused(workspace: Workspace) -> None:
    catalogue = WorkspaceCatalogue(workspace)
    try:
        with pytest.raises(BadInput, match="empty"):
            prepare(workspace, RunSpec(query=" "), catalogue)
    finally:
        catalogue.close()


def test_runs_when_imported_or_forked_then_the_list_says_so(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_command_line(["run", str(path), "Convert 10 USD to EUR", "--json"])
    run = json.loads(capsys.readouterr().out)["run"]
    with Workspace.open(path) as workspace:
        file = tmp_path / "run.jsonl"
        file.write_text("".join(export_jsonl(workspace, [run])), encoding="utf-8")
        (imported,) = import_runs(workspace, file).runs
    run_command_line(["runs", "fork", str(path), str(run), "--at", "2", "--json"])
    forked = json.loads(capsys.readouterr().out)["run"]
    run_command_line(["runs", "list", str(path), "--json"])
    rows = {row["run"]: row for row in json.loads(capsys.readouterr().out)}
    assert [rows[n]["is_imported"] for n in (run, imported, forked)] == [False, True, False]
    assert [rows[n]["parent_run"] for n in (run, imported, forked)] == [None, None, run]
    run_command_line(["runs", "list", str(path)])
    listed = capsys.readouterr().out
    assert "imported" in listed
    assert f"fork of {run}" in listed
    run_command_line(["runs", "show", str(path), str(imported)])
    assert "(imported)" in capsys.readouterr().out
