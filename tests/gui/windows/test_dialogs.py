"""What every dialog must keep: opened by its id, named, gone by Escape or with the workspace."""

from pathlib import Path
from typing import Any

import pytest
from fixtures.judged_experiment import judged_experiment
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QWidget

from toolplanner_core.curation.edits.move import Merge
from toolplanner_core.curation.grouping.what_is_new import WhatIsNew
from toolplanner_core.curation.sharing.decisions.outcome import ApplyReport
from toolplanner_core.domain.cases import Case
from toolplanner_core.domain.ids import NodePath, RunId, ToolkitId
from toolplanner_core.errors import BadInput
from toolplanner_core.llm.default_model import language_model
from toolplanner_core.runs.replay.replay import ReplayReport
from toolplanner_core.sources.import_report import ImportReport
from toolplanner_core.workspace.edit_history import ROOT
from toolplanner_gui import dialog_commands
from toolplanner_gui.actions.workspace_files import close_workspace, open_later
from toolplanner_gui.dialog_commands import DialogCommand
from toolplanner_gui.windows.dialog import Dialog, DialogPlugin, dialogs
from toolplanner_gui.windows.main_window import MainWindow
from toolplanner_gui.windows.preferences_dialog import PreferencesDialog

IDS = sorted(plugin.id for plugin in dialogs)
REPORT = ReplayReport(
    run=RunId(1),
    identical=True,
    status="solved",
    answer="42",
    events=1,
    model_calls=0,
    api_calls=0,
    seconds=0.0,
    divergence=None,
)
IMPORTED = ImportReport(
    source="s", format_id="table", added=1, updated=0, unchanged=0, missing=0, seconds=1.0
)
ASKED: dict[str, dict[str, Any]] = {
    "case": {"case": Case(id="miles", title="Miles", query="How far?")},
    "console": {"rowid": 1},
    "edit_effects": {"edit": Merge(toolkits=(ToolkitId(1), ToolkitId(2)), into=ToolkitId(1))},
    "decisions": {"place": Path("mine.jsonl"), "expected": ApplyReport(point=ROOT, outcomes=())},
    "crash": {"report": "ValueError at app.py:1"},
    "fork": {"run": RunId(1), "path": NodePath("")},
    "import_report": {"report": IMPORTED},
    "run_mark": {"run": RunId(1)},
    "replay": {"report": REPORT},
    "what_is_new": {"new": WhatIsNew(rowids=(1,), gained=(), doubtful=())},
}


@pytest.fixture
def shown(
    window: MainWindow, demo: Path, tmp_path: Path, request: pytest.FixtureRequest, qtbot
) -> MainWindow:
    """The window over the demo, the largest toolkit selected; an experiment where one is judged."""
    context = window._context
    open_later(context, demo)
    qtbot.waitUntil(lambda: context.catalogue.n_apis > 0)
    largest = max(context.catalogue.toolkits, key=lambda toolkit: toolkit.size)
    context.selection.select_toolkit(largest.id)
    if request.node.name.endswith("[judging]"):
        context.lab.open(judged_experiment(tmp_path / "try.lab", {"one": ["x", "y"]}))
        qtbot.waitUntil(lambda: context.lab.store is not None)
    return window


def open_ones(window: MainWindow) -> list[QDialog]:
    return [dialog for dialog in window.findChildren(QDialog) if dialog.isVisible()]


@pytest.mark.parametrize("dialog", IDS)
def test_dialog_when_opened_then_named_and_gone_by_escape(
    shown: MainWindow, dialog: str, qtbot
) -> None:
    shown.open(DialogCommand(dialog), **ASKED.get(dialog, {}))
    (made,) = open_ones(shown)
    assert made.windowTitle()
    assert made.parentWidget() is shown
    qtbot.keyClick(made, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not open_ones(shown))


def test_dialog_when_larger_than_the_screen_then_fits_and_its_buttons_are_on_it(
    shown: MainWindow,
) -> None:
    dialog = PreferencesDialog(shown._context, shown)
    dialog.resize(3_000, 3_000)
    dialog.show()
    room = dialog.screen().availableGeometry().size()
    assert dialog.width() <= room.width() and dialog.height() < room.height()
    dialog.close()


def test_dialogs_when_the_workspace_is_closed_then_gone(shown: MainWindow, qtbot) -> None:
    for dialog in ("proposals", "split", "breakpoint"):
        shown.open(DialogCommand(dialog))
    assert len(open_ones(shown)) == 3
    close_workspace(shown._context)
    qtbot.waitUntil(lambda: shown._context.opened is None)
    qtbot.waitUntil(lambda: not open_ones(shown))


def test_dialog_when_no_model_was_chosen_then_it_offers_the_preferences(
    shown: MainWindow, monkeypatch: pytest.MonkeyPatch, qtbot
) -> None:
    monkeypatch.setattr("toolplanner_core.llm.default_model.default_model", lambda: "")
    shown.open(dialog_commands.describe)
    (made,) = open_ones(shown)
    assert isinstance(made, Dialog)
    with pytest.raises(BadInput) as raised:
        language_model(None, "Describing")
    made.show_error(raised.value)
    assert "No model was chosen" in made.banner.text
    assert made.banner.offer_buttons[0].text().replace("&", "").startswith("Preferences")
    qtbot.waitUntil(lambda: shown._menus is not None)
    made.banner.offer_buttons[0].click()
    qtbot.waitUntil(lambda: any(isinstance(d, PreferencesDialog) for d in open_ones(shown)))
    for dialog in open_ones(shown):
        dialog.reject()


def test_dialog_when_there_is_nothing_to_ask_then_none(shown: MainWindow) -> None:
    shown._context.selection.clear()
    shown.open(dialog_commands.split_toolkit)
    assert not open_ones(shown)


def test_dialog_when_another_distribution_brings_one_then_opened(
    shown: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    def make(_context: object, parent: QWidget, *, title: str) -> QDialog:
        made = QDialog(parent)
        made.setWindowTitle(title)
        return made

    acme = DialogPlugin(id="acme", make=make)
    monkeypatch.setattr(dialogs, "_found", {**dialogs.plugins, "acme": acme})
    shown.open(DialogCommand("acme"), title="From Acme")
    assert [dialog.windowTitle() for dialog in open_ones(shown)] == ["From Acme"]
