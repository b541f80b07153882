"""Proposals in the window: members, fit before and after, changed before they are accepted."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from toolplanner_core.clustering.kmeans import KMeansOptions
from toolplanner_core.curation.edits import history
from toolplanner_core.curation.edits.marks import PinApis
from toolplanner_core.curation.grouping.recluster import propose_clustering
from toolplanner_core.domain.toolkit import Author
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.workspace.toolkits import list_toolkits, member_rowids
from toolplanner_gui.context import AppContext
from toolplanner_gui.viewmodels.item_models import KEY_ROLE
from toolplanner_gui.windows.proposals_dialog import PLUGIN, ProposalsDialog

CHECKED = Qt.ItemDataRole.CheckStateRole


@pytest.fixture
def dialog(opened: AppContext, qtbot) -> Iterator[ProposalsDialog]:
    propose_clustering(opened.file, options=KMeansOptions(k=60), progress=Progress())
    made = ProposalsDialog(opened, opened.shell.window_widget)
    made.show()
    qtbot.waitUntil(lambda: made.model.rowCount() > 3)
    yield made
    made.reject()


def test_proposals_when_there_are_none_then_no_empty_choice_is_shown(opened, qtbot):
    empty = ProposalsDialog(opened, opened.shell.window_widget)
    empty.show()
    qtbot.waitUntil(lambda: empty.summary.text().startswith("Nothing is proposed"))
    assert not empty.which.isVisible()
    empty.reject()


def look_at(dialog: ProposalsDialog, qtbot, position: int) -> None:
    row = dialog.model.position_of(position)
    dialog.view.setCurrentIndex(dialog.model.index(row, 0))
    wait(dialog, qtbot)


def wait(dialog: ProposalsDialog, qtbot) -> None:
    qtbot.waitUntil(lambda: dialog.context.tasks.is_idle and dialog.context.curation.is_idle)


def new_part(dialog: ProposalsDialog):
    items = dialog._items.values()
    return next(i for i in items if i.target is None and i.name and len(i.rowids) > 1)


def test_proposals_when_a_part_is_looked_at_then_its_apis_and_fits_are_shown_beside_the_map(
    dialog, qtbot
):
    item = new_part(dialog)
    look_at(dialog, qtbot, item.position)
    part = dialog.part
    assert PLUGIN.is_beside
    assert not dialog.isModal()
    assert part.members_model.rowCount() == len(item.rowids)
    assert sorted(dialog.context.selection.rowids()) == sorted(item.rowids)
    first = [part.fits_model.index(0, column).data() for column in range(3)]
    assert first[0] == f"{item.name} (new)"
    assert first[1] == f"0 → {len(item.rowids)}"
    assert first[2].startswith("– → 0.")
    assert part.fit.text().startswith(f"Fit: {item.name} {first[2]}")
    part.members.setCurrentIndex(part.members_model.index(1, 0))
    chosen = part.members_model.index(1, 0).data(KEY_ROLE)
    assert dialog.context.selection.rowids().tolist() == [chosen]


def test_proposals_when_a_part_is_renamed_and_an_api_unticked_then_that_is_accepted(dialog, qtbot):
    item, context = new_part(dialog), dialog.context
    look_at(dialog, qtbot, item.position)
    part = dialog.part
    part.name.setText("What I call it")
    QTest.keyClick(part.name, Qt.Key.Key_Return)
    wait(dialog, qtbot)
    assert part.description.text() == item.description
    part.description.begin()
    part.description.field.selectAll()
    QTest.keyClicks(part.description.field, "What I say of it")
    QTest.keyClick(part.description.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    wait(dialog, qtbot)
    assert part.description.text() == "What I say of it"
    left = part.members_model.index(0, 0).data(KEY_ROLE)
    part.members_model.setData(
        part.members_model.index(0, 0), Qt.CheckState.Unchecked.value, CHECKED
    )
    wait(dialog, qtbot)
    row = dialog.model.position_of(item.position)
    assert "“What I call it”" in dialog.model.index(row, 1).data()
    assert dialog.model.index(row, 2).data() == str(len(item.rowids) - 1)
    assert part.members_model.rowCount() == len(item.rowids)
    dialog.accept_button.click()
    wait(dialog, qtbot)
    made = next(t for t in list_toolkits(context.file) if t.name == "What I call it")
    assert made.description == "What I say of it"
    assert made.description_author is Author.PERSON
    assert sorted(member_rowids(context.file, made.id)) == sorted({*item.rowids} - {left})


def test_proposals_when_no_api_is_left_then_it_says_why_not_and_the_tick_comes_back(dialog, qtbot):
    item = next(i for i in dialog._items.values() if len(i.rowids) == 1)
    look_at(dialog, qtbot, item.position)
    part = dialog.part
    part.members_model.setData(
        part.members_model.index(0, 0), Qt.CheckState.Unchecked.value, CHECKED
    )
    wait(dialog, qtbot)
    assert dialog.banner.isVisible()
    assert part.members_model.index(0, 0).data(CHECKED) == Qt.CheckState.Checked


def test_proposals_when_the_window_is_wide_then_they_open_at_its_right_edge(window, qtbot, demo):
    context = window._context
    context.tasks.spawn(context.open_workspace(demo), owner=context)
    qtbot.waitUntil(lambda: context.catalogue.n_apis > 0)
    made = ProposalsDialog(context, window)
    made.show()
    around = window.geometry()
    assert around.contains(made.geometry().topLeft())
    assert around.right() - made.geometry().right() < 40
    map_panel = window._desk.docks.panel("map")
    middle = map_panel.mapToGlobal(map_panel.rect().center())
    assert not made.geometry().contains(middle)
    made.reject()


def test_proposals_when_an_edit_by_hand_ends_a_part_then_it_is_over_and_not_counted(
    dialog, qtbot
) -> None:
    context = dialog.context
    item = next(i for i in dialog._items.values() if i.target is None and i.name and i.rowids)
    look_at(dialog, qtbot, item.position)
    n = dialog.model.rowCount()
    assert dialog.all_button.text() == f"Accept all {n}"
    assert dialog.accept_button.isEnabled()
    assert f" · {n} parts waiting · " in dialog.which.currentText()
    context.curation.do(PinApis(rowids=item.rowids, is_pinned=True))
    qtbot.waitUntil(lambda: item.position in dialog._dead)
    wait(dialog, qtbot)
    row = dialog.model.row(dialog.model.position_of(item.position))
    assert row.cells[0] == "over"
    assert not dialog.accept_button.isEnabled()
    n_dead = len(dialog._dead)
    assert dialog.all_button.text() == f"Accept all {n - n_dead}"
    assert dialog.summary.text().startswith(f"{n - n_dead} parts")
    assert f" · {n - n_dead} parts waiting · " in dialog.which.currentText()
    assert "cannot be done any more" in dialog.summary.text()
    context.curation.undo()
    qtbot.waitUntil(lambda: not dialog._dead)
    assert dialog.accept_button.isEnabled()


def test_proposals_when_accepting_is_refused_then_the_dialog_says_so(dialog, qtbot) -> None:
    context = dialog.context
    item = new_part(dialog)
    look_at(dialog, qtbot, item.position)
    # By others, whose edit the window has not seen yet.
    history.do(context.file, PinApis(rowids=item.rowids, is_pinned=True))
    dialog.accept_button.click()
    qtbot.waitUntil(dialog.banner.isVisible)
    assert "Nothing of this can be done any more" in dialog.banner.text
    wait(dialog, qtbot)
    qtbot.waitUntil(lambda: item.position in dialog._dead)


def test_proposals_when_accepted_by_key_then_the_key_accepts_no_more(dialog, qtbot):
    look_at(dialog, qtbot, new_part(dialog).position)
    dialog.accept_button.setFocus()
    qtbot.keyClick(dialog.accept_button, Qt.Key.Key_Space)
    assert dialog.focusWidget() is dialog.view
    wait(dialog, qtbot)


def test_proposals_when_very_many_are_accepted_then_it_is_asked_first_and_buttons_are_off(
    dialog, qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    answers = [False, True]

    async def answer(_parent: QWidget, question: str, *, why: str, yes: str) -> bool:
        asked.extend((question, why, yes))
        assert "Saving" not in dialog.preview.text(), "nothing is saved while it is asked"
        assert not dialog.all_button.isEnabled() and not dialog.reject_button.isEnabled()
        return answers.pop(0)

    monkeypatch.setattr("toolplanner_gui.windows.proposals_dialog.confirm", answer)
    monkeypatch.setattr("toolplanner_gui.windows.proposals_dialog._LARGE", 4)
    wait(dialog, qtbot)
    n, before = dialog.model.rowCount(), dialog.context.catalogue.toolkits
    dialog.all_button.click()
    wait(dialog, qtbot)
    assert asked[0] == f"Accept {n} parts together?"
    assert "move" in asked[1] and "begin" in asked[1]
    assert dialog.context.catalogue.toolkits == before, "nothing without a yes"
    assert dialog.all_button.isEnabled()
    dialog.all_button.click()
    assert not dialog.all_button.isEnabled()
    assert dialog.preview.text() == f"Working out what {n} parts would change …"
    qtbot.waitUntil(lambda: dialog.context.catalogue.toolkits != before)
    wait(dialog, qtbot)
    assert dialog.model.rowCount() == 0
    assert len(asked) == 6


def test_proposals_when_few_are_accepted_then_nothing_is_asked(
    dialog, qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_args: object, **_words: object) -> None:
        raise AssertionError("asked")

    monkeypatch.setattr("toolplanner_gui.windows.proposals_dialog.confirm", never)
    before = dialog.context.catalogue.toolkits
    look_at(dialog, qtbot, new_part(dialog).position)
    dialog.accept_button.click()
    wait(dialog, qtbot)
    assert dialog.context.catalogue.toolkits != before


def test_proposals_when_a_part_is_accepted_then_it_never_says_that_it_was_already(
    dialog, qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    say = dialog.preview.setText

    def note(text: str) -> None:
        said.append(text)
        say(text)

    monkeypatch.setattr(dialog.preview, "setText", note)
    item = new_part(dialog)
    look_at(dialog, qtbot, item.position)
    # What is open is read anew, in a thread, only after what waits still is shown.
    monkeypatch.setattr(dialog, "_read", lambda: None)
    dialog.accept_button.click()
    wait(dialog, qtbot)
    assert dialog.model.position_of(item.position) is None
    assert not [text for text in said if "already" in text]
    assert said[-1].startswith("All of it: ")
