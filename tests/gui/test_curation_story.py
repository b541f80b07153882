"""A newcomer's hour by script, keys and dialogs only where a person would use them.

Import, prepare, lasso, merge, undo, restart, redo, pin, cluster again, export, apply elsewhere.
"""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from qasync import QEventLoop

from tests.gui.conftest import end
from toolplanner_core.clustering.kmeans import KMeansOptions
from toolplanner_core.domain.toolkit import Toolkit
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.toolkits import list_toolkits
from toolplanner_gui import dialog_commands
from toolplanner_gui.actions.toolkits_menu import effect_of_answer, export_to
from toolplanner_gui.bridge.user_settings import UserSettings
from toolplanner_gui.context import AppContext
from toolplanner_gui.theme.theme import Theme
from toolplanner_gui.windows.decisions_dialog import DecisionsDialog
from toolplanner_gui.windows.import_dialog import ImportDialog
from toolplanner_gui.windows.main_window import MainWindow
from toolplanner_gui.windows.prepare_dialog import PrepareDialog, start_preparing
from toolplanner_gui.windows.proposals_dialog import ProposalsDialog

SUBJECTS = {
    "weather": ("forecast of rain and wind", "temperature of a city today", "storm warnings"),
    "currency": ("exchange rate of two currencies", "convert money", "list of currencies"),
    "recipe": ("find recipes by ingredient", "calories of a meal", "cooking instructions"),
    "parcel": ("track a parcel", "price of sending a package", "nearest post office"),
}


def catalogue(place: Path) -> Path:
    """Four subjects of nine functions each."""
    functions = [
        {
            "name": f"{subject}_{number}",
            "description": f"{subject.capitalize()}: {words[number % 3]}, variant {number}.",
            "parameters": {"type": "object", "properties": {}},
        }
        for subject, words in SUBJECTS.items()
        for number in range(9)
    ]
    place.write_text(json.dumps(functions))
    return place


def grouping(workspace: Path) -> set[frozenset[str]]:
    """Which functions are together, by name."""
    with Workspace.open(workspace) as opened:
        rows = opened.reader().execute(
            "SELECT m.toolkit_id, a.name FROM toolkit_members m JOIN apis a"
            " ON a.rowid = m.api_rowid"
        )
        groups: dict[int, set[str]] = {}
        for toolkit, name in rows:
            groups.setdefault(toolkit, set()).add(name)
    return {frozenset(group) for group in groups.values()}


class Desk:
    """A window on a workspace, opened and closed as a person does."""

    def __init__(self, loop: QEventLoop, theme: Theme, choices: UserSettings, qtbot) -> None:
        self.context = AppContext(loop, theme=theme, choices=choices)
        self.window = MainWindow(self.context)
        self.qtbot = qtbot
        self.is_open = True
        self.window.resize(1280, 720)
        self.window.show()
        self.window.finish_start()
        self.settle()

    def open(self, place: Path) -> None:
        self.context.tasks.spawn(self.context.open_workspace(place), owner=self.context)
        self.qtbot.waitUntil(lambda: self.context.workspace is not None, timeout=20_000)
        self.settle()

    def settle(self) -> None:
        context = self.context
        self.qtbot.waitUntil(
            lambda: (
                (context.opened is None or context.opened.curation.is_idle)
                and context.tasks.is_idle
                and not context.jobs.running
            ),
            timeout=120_000,
        )

    def job(self, start: Callable[[], object]) -> None:
        with self.qtbot.waitSignal(self.context.jobs.ended, timeout=120_000):
            start()
        self.settle()

    def press(self, keys: str) -> None:
        """What a shortcut does, through the menu entry that has it."""
        self.window._menus.refresh()
        actions = self.window.actions()
        entry = next(a for a in actions if keys in [k.toString() for k in a.shortcuts()])
        assert entry.isEnabled(), f"{keys}: {entry.toolTip()}"
        entry.trigger()
        self.settle()

    def close(self) -> None:
        if not self.is_open:
            return
        self.is_open = False
        end(self.context, self.qtbot)
        self.window.close()
        self.window.deleteLater()
        QApplication.processEvents()


def applies(desk: Desk, decisions: Path) -> None:
    expected = effect_of_answer(desk.context.file, decisions)
    desk.window.open(dialog_commands.apply_decisions, place=decisions, expected=expected)
    (dialog,) = desk.window.findChildren(DecisionsDialog)
    desk.job(dialog.apply_button.click)
    dialog.close()


@pytest.fixture
def new_desk(
    loop: QEventLoop, theme: Theme, choices: UserSettings, qtbot
) -> Iterator[Callable[[], Desk]]:
    """Makes desks; one that a failed test left open would go on in the next ones."""
    made: list[Desk] = []

    def make() -> Desk:
        made.append(Desk(loop, theme, choices, qtbot))
        return made[-1]

    yield make
    for desk in made:
        desk.close()


def imports(desk: Desk, file: Path) -> None:
    imported = ImportDialog(desk.context, desk.window, paths=[file])
    imported.open()
    desk.qtbot.waitUntil(imported.start_button.isEnabled, timeout=20_000)
    desk.job(imported.start_button.click)
    assert desk.context.catalogue.n_apis == 36


def prepares(desk: Desk, *, n_toolkits: int) -> None:
    workspace, how = desk.context.workspace, KMeansOptions(k=n_toolkits)
    assert workspace is not None
    desk.job(
        lambda: start_preparing(desk.context, workspace, embedder="lsa", clustering_options=how)
    )
    assert desk.context.catalogue.xy is not None


def closes_workspace(desk: Desk) -> None:
    desk.context.tasks.spawn(desk.context.close_workspace(), owner=desk.context)
    desk.settle()


def merges_two_by_lasso(desk: Desk) -> None:
    """A lasso around two toolkits, into the tray, Return; then it is undone."""
    context = desk.context
    n_start = len(context.catalogue.toolkits)
    one, two = context.catalogue.toolkits[:2]
    mask = context.catalogue.mask_of_toolkits([one.id, two.id])
    context.selection.set_mask(mask, {"by": "lasso", "points": [[0, 0], [1, 0], [1, 1]]})
    desk.press("Ctrl+G")
    tray = desk.window.workspace_view.docks.panel("staging")
    assert f"{one.size + two.size} APIs afterwards" in tray.preview.text()
    desk.qtbot.keyClick(tray.tree, Qt.Key.Key_Return)
    desk.qtbot.keyClick(tray.tree, Qt.Key.Key_Return)  # a person named the one that ends
    desk.settle()
    assert len(context.catalogue.toolkits) == n_start - 1
    desk.press("Ctrl+Z")
    assert len(context.catalogue.toolkits) == n_start


def redoes_what_was_undone(desk: Desk) -> None:
    n_start = len(desk.context.catalogue.toolkits)
    assert desk.context.curation.redo_label.startswith("Merge")
    desk.press("Ctrl+Shift+Z")
    assert len(desk.context.catalogue.toolkits) == n_start - 1


def pins_the_largest(desk: Desk) -> Toolkit:
    largest = max(desk.context.catalogue.toolkits, key=lambda t: t.size)
    desk.context.selection.select_toolkit(largest.id)
    desk.press("Ctrl+Shift+P")
    return largest


def clusters_again(desk: Desk) -> None:
    """It makes a proposal and changes nothing; then all of it is accepted."""
    context = desk.context
    before = list_toolkits(context.file)
    prepare = PrepareDialog(context, desk.window, is_anew=True)
    prepare.open()
    desk.qtbot.waitUntil(prepare.start_button.isEnabled, timeout=20_000)
    assert prepare._kept.isVisible()
    prepare.reject()
    prepares(desk, n_toolkits=9)
    assert list_toolkits(context.file) == before
    proposals = ProposalsDialog(context, desk.window)
    proposals.show()
    desk.settle()
    assert proposals.model.rowCount() > 0
    assert "API" in proposals.preview.text()
    proposals.all_button.click()
    desk.settle()
    assert context.curation.undo_label
    proposals.close()


def members_of(desk: Desk, toolkit: Toolkit) -> set[int]:
    catalogue = desk.context.catalogue
    return set(catalogue.rowids[catalogue.points_of_toolkit(toolkit.id)].tolist())


def exports_everything(desk: Desk, folder: Path) -> Path:
    """The file of decisions, the last of all."""
    for form in ("json", "openai", "csv", "markdown", "decisions"):
        desk.job(lambda f=form: export_to(desk.context, f, folder / f"export.{f}"))
        assert (folder / f"export.{form}").stat().st_size > 100
    return folder / "export.decisions"


def test_a_newcomer_curates_and_nothing_is_lost(
    new_desk: Callable[[], Desk], tmp_path: Path
) -> None:
    place, other = tmp_path / "first.toolplanner", tmp_path / "second.toolplanner"
    Workspace.create(place).close()
    desk = new_desk()
    desk.open(place)
    imports(desk, catalogue(tmp_path / "tools.json"))
    prepares(desk, n_toolkits=6)
    closes_workspace(desk)
    shutil.copy(place, other)
    desk.open(place)
    merges_two_by_lasso(desk)

    desk.close()
    desk = new_desk()
    desk.open(place)
    redoes_what_was_undone(desk)
    pinned = pins_the_largest(desk)
    members = members_of(desk, pinned)
    clusters_again(desk)
    kept = desk.context.catalogue.toolkit(pinned.id)
    assert kept is not None and kept.pinned
    assert members_of(desk, pinned) == members

    decisions = exports_everything(desk, tmp_path)
    closes_workspace(desk)
    desk.open(other)
    applies(desk, decisions)
    assert desk.context.curation.undo_label
    applied = desk.context.catalogue.toolkit(pinned.id)
    assert applied is not None and applied.size == len(members)
    assert np.count_nonzero(desk.context.catalogue.labels >= 0) == 36
    desk.close()
    assert grouping(place) == grouping(other)
