"""Decisions of a file are listed one by one, before they are applied and after."""

from pathlib import Path

import pytest

from toolplanner_core.curation.edits import history
from toolplanner_core.curation.edits.describe import Rename
from toolplanner_core.curation.edits.move import Merge
from toolplanner_core.curation.sharing.decisions.applying import apply_decisions
from toolplanner_core.curation.sharing.decisions.collecting import collect
from toolplanner_core.curation.sharing.decisions.file import read_decisions, write_decisions
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.toolkits import list_toolkits
from toolplanner_gui import dialog_commands
from toolplanner_gui.actions.workspace_files import open_later
from toolplanner_gui.windows.decisions_dialog import DecisionsDialog
from toolplanner_gui.windows.main_window import MainWindow


@pytest.fixture
def decided(demo: Path, tmp_path: Path) -> Path:
    """A file with a merge and a new name, made in a copy of the demo."""
    copy = tmp_path / "copy.toolplanner"
    copy.write_bytes(demo.read_bytes())
    with Workspace.open(copy) as workspace:
        one, other, third = (toolkit.id for toolkit in list_toolkits(workspace)[:3])
        history.do(workspace, Merge(toolkits=(one, other), into=one))
        history.do(workspace, Rename(toolkit=third, name="Renamed there"))
        write_decisions(collect(workspace, who="Ada"), tmp_path / "mine.jsonl")
    return tmp_path / "mine.jsonl"


def shown_rows(dialog: DecisionsDialog) -> list[tuple[str, ...]]:
    rows = [dialog.model.row(i) for i in range(dialog.model.rowCount())]
    return [(row.cells[0], row.cells[1], row.tooltip) for row in rows]


def test_decisions_when_opened_then_each_says_what_it_would_do_and_then_what_it_did(
    window: MainWindow, demo: Path, decided: Path, qtbot
) -> None:
    with Workspace.open(demo) as workspace:
        third = list_toolkits(workspace)[2]
        history.do(workspace, Rename(toolkit=third.id, name="Renamed here"))
    context = window._context
    open_later(context, demo)
    qtbot.waitUntil(lambda: context.catalogue.n_apis > 0 and window.is_idle)
    file = read_decisions(decided)
    expected = apply_decisions(context.file, file, who="Bob", dry_run=True)
    window.open(dialog_commands.apply_decisions, place=decided, expected=expected)
    (dialog,) = window.findChildren(DecisionsDialog)
    assert dialog.summary.text() == "2 decisions: 1 can be applied, 1 does not fit."
    merge, rename = shown_rows(dialog)
    assert merge[1] == "can be applied"
    assert rename[1] == "does not fit" and "A person called it “Renamed here”" in rename[2]

    dialog.view.setCurrentIndex(dialog.model.index(1, 0))
    assert dialog.details.text() == rename[2]

    dialog.apply_button.click()
    qtbot.waitUntil(lambda: not dialog.apply_button.isVisible() and window.is_idle)
    assert dialog.summary.text() == "2 decisions: 1 applied, 1 did not fit."
    merge, rename = shown_rows(dialog)
    assert (merge[1], rename[1]) == ("applied", "did not fit")
    dialog.close()
