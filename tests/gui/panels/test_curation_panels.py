"""Panels and dialogs of curation over the demo workspace: what is pressed, what comes of it."""

import numpy as np
import pytest
from PySide6.QtCore import Qt

from toolplanner_core.curation.edits.describe import Rename
from toolplanner_core.curation.edits.history_reading import list_history
from toolplanner_core.curation.edits.move import Merge, Move
from toolplanner_core.curation.looking.toolkit_columns import ToolkitColumn
from toolplanner_core.domain.toolkit import Author, Toolkit
from toolplanner_gui.actions import toolkit_actions as curate
from toolplanner_gui.actions.action import all_actions
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.drag_and_drop import drop_selection
from toolplanner_gui.panels.staging_panel import StagingPanel
from toolplanner_gui.panels.toolkits_panel import ToolkitsPanel, UngroupedApisRow
from toolplanner_gui.viewmodels.curate.staging import StagedModel
from toolplanner_gui.viewmodels.curate.toolkit_model import ROWID_ROLE
from toolplanner_gui.viewmodels.item_models import KEY_ROLE
from toolplanner_gui.windows import split_dialog as split
from toolplanner_gui.windows.edit_dialogs import ExcludeDialog, MoveDialog, NewToolkitDialog
from toolplanner_gui.windows.split_dialog import SplitDialog


def largest(context: AppContext, n: int) -> list[Toolkit]:
    return sorted(context.catalogue.toolkits, key=lambda t: (-t.size, t.id))[:n]


def by_rule(context: AppContext) -> None:
    """Let the rule have named all toolkits; those of the demo are a person's."""
    kits = context.catalogue.toolkits
    for kit in kits:
        context.curation.do(Rename(toolkit=kit.id, name=kit.name, author=Author.RULE.value))


def settle(context: AppContext, qtbot) -> None:
    qtbot.waitUntil(lambda: context.curation.is_idle and context.tasks.is_idle, timeout=20_000)


@pytest.fixture
def toolkits(opened: AppContext, qtbot) -> ToolkitsPanel:
    panel = ToolkitsPanel(opened)
    qtbot.addWidget(panel)
    panel.resize(320, 600)
    panel.show()
    settle(opened, qtbot)
    return panel


def labels(context: AppContext) -> list[str]:
    assert context.workspace is not None
    return [entry.label for entry in list_history(context.workspace)]


def test_toolkit_list_after_an_edit_keeps_order_place_and_what_is_open(
    toolkits: ToolkitsPanel, qtbot
) -> None:
    context, tree, model = toolkits.context, toolkits.tree, toolkits.model
    order = [t.id for t in model.toolkits]
    opened = order[12]
    tree.expand(model.index_of(opened))
    tree.verticalScrollBar().setValue(90)
    context.curation.do(Merge(toolkits=(order[3],), into=order[20]))
    settle(context, qtbot)
    others = [t for t in order if t not in (order[3], order[20])]
    assert [t.id for t in model.toolkits if t.id != order[20]] == others
    sizes = [t.size for t in model.toolkits]
    assert sizes == sorted(sizes, reverse=True), "what has grown stands where the order wants it"
    assert tree.isExpanded(model.index_of(opened))
    assert tree.verticalScrollBar().value() == 90
    context.curation.undo()
    settle(context, qtbot)
    assert model.index_of(order[3]).isValid()
    assert tree.isExpanded(model.index_of(opened))


def test_toolkit_list_when_an_open_toolkit_grows_shows_its_new_members(
    toolkits: ToolkitsPanel, qtbot, qtmodeltester
) -> None:
    context, model = toolkits.context, toolkits.model
    one, other = largest(context, 2)
    toolkits.tree.expand(model.index_of(one.id))
    assert model.rowCount(model.index_of(one.id)) == one.size
    context.curation.do(Merge(toolkits=(other.id,), into=one.id))
    settle(context, qtbot)
    assert model.rowCount(model.index_of(one.id)) == one.size + other.size
    assert toolkits.tree.isExpanded(model.index_of(one.id))
    qtmodeltester.check(model)


def test_toolkits_when_chosen_in_the_list_then_staged_by_m(toolkits: ToolkitsPanel) -> None:
    context, model = toolkits.context, toolkits.model
    selection = toolkits.tree.selectionModel()
    flag = selection.SelectionFlag
    for row in (2, 5, 6):
        selection.select(model.index(row, 0), flag.Select | flag.Rows)
    wanted = [model.toolkits[row].id for row in (2, 5, 6)]
    assert sorted(t.id for t in context.chosen.toolkits) == sorted(wanted)
    curate.stage(context)
    assert sorted(context.staging.staged.toolkits) == sorted(wanted)


def test_search_lists_toolkits_and_apis_and_selects_all_that_hold_the_words(
    toolkits: ToolkitsPanel, qtbot
) -> None:
    toolkits.field.setText("weather")
    qtbot.waitUntil(lambda: toolkits.search.model.rowCount() > 0, timeout=30_000)
    n = len(toolkits.search._search.matching)
    found = toolkits.search.model
    keys = [found.row(i).key for i in range(found.rowCount())]
    listed = [key for key in keys if isinstance(key, int)]
    said = toolkits.search.note.text()
    assert said.startswith(f"{len(listed)} APIs of 196, best first, in ")
    assert f" · {n} with all the words" in said
    assert toolkits.search.all_button.text() == f"Select all {n} with the words"
    points = toolkits.context.catalogue.points_of(np.array(listed))
    ringed = toolkits.context.map_look.found
    assert ringed is not None and ringed[points].all()
    toolkits.search.all_button.click()
    assert toolkits.context.selection.count == n
    assert toolkits.context.selection.made == {"by": "search", "text": "weather"}


def test_search_when_the_theme_has_other_colours_then_what_was_found_has_them_too(
    toolkits: ToolkitsPanel, qtbot
) -> None:
    context, model = toolkits.context, toolkits.search.model
    ids = [toolkit.id for toolkit in context.catalogue.toolkits]
    assert context.opened is not None
    context.opened.set_colours(dict.fromkeys(ids, "#6f81fe"))
    toolkits.field.setText("weather")
    qtbot.waitUntil(lambda: model.rowCount() > 5, timeout=30_000)
    last = model.index(model.rowCount() - 1, 0)  # toolkits come first

    def colour() -> str:
        icon = last.data(Qt.ItemDataRole.DecorationRole)
        return icon.pixmap(16, 16).toImage().pixelColor(8, 8).name()

    assert colour() == "#6f81fe"
    context.opened.set_colours(dict.fromkeys(ids, "#8c84df"))
    assert colour() == "#8c84df"


def test_staging_tray_previews_leaves_out_and_merges(opened: AppContext, qtbot) -> None:
    panel = StagingPanel(opened)
    qtbot.addWidget(panel)
    panel.show()
    one, other = largest(opened, 2)
    settle(opened, qtbot)
    opened.staging.add([one.id])
    assert "needs two" in panel.preview.text()
    opened.staging.add([other.id])
    settle(opened, qtbot)
    target = opened.staging.staged.into
    source = other if target == one.id else one
    parent = panel.model.index_of(source.id)
    panel.model.fetchMore(parent)
    left_out = panel.model.index(0, 0, parent)
    rowid = left_out.data(ROWID_ROLE)
    assert panel.model.setData(left_out, Qt.CheckState.Unchecked, Qt.ItemDataRole.CheckStateRole)
    settle(opened, qtbot)
    assert f"{one.size + other.size - 1} APIs afterwards" in panel.preview.text()
    assert "fit" in panel.preview.text()
    panel.name.selectAll()
    qtbot.keyClicks(panel.name, "Both")
    settle(opened, qtbot)
    qtbot.keyClick(panel.tree, Qt.Key.Key_Return)
    assert panel.confirm_button.text() == "Merge all the same", "a person named what ends"
    qtbot.keyClick(panel.tree, Qt.Key.Key_Return)
    settle(opened, qtbot)
    merged = opened.catalogue.toolkit(target)
    assert merged is not None
    assert (merged.name, merged.size) == ("Both", one.size + other.size - 1)
    rest = opened.catalogue.toolkit(source.id)
    assert rest is not None and rest.size == 1
    assert opened.catalogue.points_of_toolkit(source.id).tolist() == (
        opened.catalogue.points_of(np.array([rowid])).tolist()
    )
    assert opened.staging.staged.toolkits == ()
    assert opened.selection.toolkit == target


def test_staged_model_is_a_faithful_item_model(opened: AppContext, qtbot, qtmodeltester) -> None:
    panel = StagingPanel(opened)
    qtbot.addWidget(panel)
    opened.staging.add(t.id for t in largest(opened, 3))
    panel.model.fetchMore(panel.model.index(0, 0))
    assert isinstance(panel.model, StagedModel)
    qtmodeltester.check(panel.model)


def test_move_dialog_ranks_by_similarity_narrows_by_name_and_moves(
    opened: AppContext, qtbot
) -> None:
    settle(opened, qtbot)
    one, other = largest(opened, 2)
    rowids = opened.catalogue.rowids[opened.catalogue.points_of_toolkit(one.id)][:2]
    opened.selection.select_apis(rowids)
    dialog = MoveDialog(opened, opened.shell.window_widget)
    qtbot.addWidget(dialog)
    dialog.open()
    settle(opened, qtbot)
    scores = [dialog._model.row(i).cells[2] for i in range(5)]
    assert scores == sorted(scores, reverse=True) and scores[0]
    assert dialog._model.position_of(one.id) is None
    dialog.field.setText(other.name)
    settle(opened, qtbot)
    assert dialog.list.currentIndex().data(KEY_ROLE) == other.id
    assert f"Move 2 APIs to “{other.name}”. 2 APIs move" in dialog.preview.text()
    dialog.confirm_button.click()
    settle(opened, qtbot)
    moved = opened.catalogue.toolkit(other.id)
    assert moved is not None and moved.size == other.size + 2


def test_split_dialog_by_number_selection_and_text(opened: AppContext, qtbot) -> None:
    settle(opened, qtbot)
    (toolkit,) = largest(opened, 1)
    opened.selection.select_toolkit(toolkit.id)
    dialog = SplitDialog(opened, opened.shell.window_widget, toolkit)
    qtbot.addWidget(dialog)
    dialog.open()
    dialog.way.setCurrentIndex(dialog.way.findData("kmeans"))
    dialog.k.setValue(3)
    qtbot.waitUntil(lambda: "into 3 parts" in dialog.preview.text(), timeout=30_000)
    assert " · " in dialog.members.row(0).cells[0]
    sizes = [int(dialog._model.row(i).cells[1]) for i in range(3)]
    assert sum(sizes) == toolkit.size
    assert "Fit 0." in dialog.preview.text()
    assert split.PLUGIN.is_beside
    dialog.way.setCurrentIndex(dialog.way.findData("text"))
    assert not dialog.confirm_button.isEnabled()
    assert "Write what" in dialog.preview.text()
    dialog.way.setCurrentIndex(dialog.way.findData("kmeans"))
    qtbot.waitUntil(dialog.confirm_button.isEnabled, timeout=30_000)
    n_before = len(opened.catalogue.toolkits)
    dialog.confirm_button.click()
    qtbot.waitUntil(lambda: len(opened.catalogue.toolkits) == n_before + 2, timeout=30_000)


def test_split_when_a_part_is_renamed_and_an_api_left_out_then_it_is_made_so(
    opened: AppContext, qtbot
) -> None:
    settle(opened, qtbot)
    (toolkit,) = largest(opened, 1)
    opened.selection.select_toolkit(toolkit.id)
    dialog = SplitDialog(opened, opened.shell.window_widget, toolkit)
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.way.setCurrentIndex(dialog.way.findData("kmeans"))
    qtbot.waitUntil(lambda: dialog._model.rowCount() > 1)
    assert not dialog.name.isEnabled()
    dialog.parts.setCurrentIndex(dialog._model.index(1, 0))
    part = [dialog.members.row(i).key for i in range(dialog.members.rowCount())]
    assert sorted(opened.selection.rowids().tolist()) == sorted(part)
    dialog.member_list.setCurrentIndex(dialog.members.index(0, 0))
    dialog.move_chosen(0)
    qtbot.waitUntil(lambda: dialog.members.rowCount() == len(part) - 1)
    dialog.name.setText("Ada's own")
    qtbot.keyClick(dialog.name, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: any(t.name == "Ada's own" for t in opened.catalogue.toolkits))
    settle(opened, qtbot)
    (made,) = [t for t in opened.catalogue.toolkits if t.name == "Ada's own"]
    assert (made.size, made.name_author) == (len(part) - 1, Author.PERSON)


def test_new_toolkit_when_return_comes_before_the_preview_then_it_is_made_and_called_so(
    opened: AppContext, qtbot
) -> None:
    opened.selection.select_apis(opened.catalogue.rowids[:101])
    dialog = NewToolkitDialog(opened, opened.shell.window_widget)
    dialog.show()
    dialog.name.setText("Everything of mine")
    assert dialog._previewed is None
    with qtbot.waitSignal(dialog.accepted):
        qtbot.keyClick(dialog.name, Qt.Key.Key_Return)
    settle(opened, qtbot)
    (made,) = [t for t in opened.catalogue.toolkits if t.name == "Everything of mine"]
    assert made.size == 101


def test_staging_when_a_name_is_written_then_each_letter_counts_and_return_before_the_preview(
    opened: AppContext, qtbot
) -> None:
    settle(opened, qtbot)
    panel = StagingPanel(opened)
    qtbot.addWidget(panel)
    panel.show()
    large, small = largest(opened, 2)
    opened.staging.add([small.id])
    opened.staging.add([large.id])
    assert opened.staging.staged.into == large.id, "not what was staged first"
    assert f"It is called “{large.name}”" in panel.preview.text()
    panel.name.selectAll()
    qtbot.keyClicks(panel.name, "My own ")
    assert panel.name.text() == "My own "
    assert "It is called “My own”" in panel.preview.text()
    panel.name.selectAll()
    qtbot.keyClick(panel.name, Qt.Key.Key_Delete)
    assert panel.name.text() == ""
    assert panel.name.placeholderText() == large.name
    qtbot.keyClicks(panel.name, "Currencies of all")
    assert panel._ready is None
    qtbot.keyClick(panel.name, Qt.Key.Key_Return)
    qtbot.keyClick(panel.name, Qt.Key.Key_Return)  # a person named the one that ends
    settle(opened, qtbot)
    made = opened.catalogue.toolkit(large.id)
    assert made is not None
    assert (made.name, made.name_author) == ("Currencies of all", Author.PERSON)


def test_staging_when_the_name_in_the_field_is_the_targets_then_it_comes_as_it_stands(
    opened: AppContext, qtbot
) -> None:
    settle(opened, qtbot)
    panel = StagingPanel(opened)
    qtbot.addWidget(panel)
    first, second, third = largest(opened, 3)
    opened.staging.add([third.id, second.id, first.id])
    name = panel.name.text()
    panel.confirm()
    panel.confirm()
    settle(opened, qtbot)
    made = opened.catalogue.toolkit(first.id)
    assert made is not None
    assert made.name == name == first.name


def test_staging_when_a_toolkit_that_a_person_named_would_end_then_asks_once(
    opened: AppContext, qtbot
) -> None:
    settle(opened, qtbot)
    panel = StagingPanel(opened)
    qtbot.addWidget(panel)
    large, small = largest(opened, 2)
    by_rule(opened)
    opened.curation.do(Rename(toolkit=small.id, name="Mine by hand"))
    settle(opened, qtbot)
    opened.staging.add([large.id, small.id])
    assert opened.staging.staged.into == small.id
    marks = panel.model.index(1, ToolkitColumn.MARKS)
    assert "written by a person" in marks.data(Qt.ItemDataRole.AccessibleTextRole)
    assert not panel.tree.isColumnHidden(ToolkitColumn.MARKS)
    opened.staging.merge_into(large.id)
    panel.confirm()
    assert "“Mine by hand”, which a person named, ends" in panel.preview.text()
    assert panel.confirm_button.text() == "Merge all the same"
    assert opened.staging.staged.toolkits, "nothing was done yet"
    panel.confirm()
    settle(opened, qtbot)
    assert opened.catalogue.toolkit(small.id) is None


def test_new_toolkit_dialog_proposes_a_name_and_makes_it(opened: AppContext, qtbot) -> None:
    (toolkit,) = largest(opened, 1)
    rowids = opened.catalogue.rowids[opened.catalogue.points_of_toolkit(toolkit.id)][:3]
    opened.selection.select_apis(rowids, made={"by": "lasso", "points": [[0, 0], [1, 1], [1, 0]]})
    dialog = NewToolkitDialog(opened, opened.shell.window_widget)
    qtbot.addWidget(dialog)
    dialog.open()
    qtbot.waitUntil(lambda: dialog._previewed is not None, timeout=30_000)
    name = dialog.name.text()
    assert name
    dialog.confirm_button.click()
    settle(opened, qtbot)
    made = [t for t in opened.catalogue.toolkits if t.name == name]
    assert [t.size for t in made] == [3]
    assert opened.workspace is not None
    assert list_history(opened.workspace)[-1].origin["by"] == "lasso"


def test_exclude_asks_why_and_include_takes_it_back(opened: AppContext, qtbot) -> None:
    rowids = opened.catalogue.rowids[:3]
    opened.selection.select_apis(rowids)
    dialog = ExcludeDialog(opened, opened.shell.window_widget)
    qtbot.addWidget(dialog)
    dialog.open()
    dialog.reason.setCurrentText("Only for tests")
    qtbot.waitUntil(dialog.confirm_button.isEnabled, timeout=20_000)
    dialog.confirm_button.click()
    settle(opened, qtbot)
    assert opened.catalogue.excluded[:3].all()
    assert curate.is_excluded(opened)
    curate.exclude(opened)
    settle(opened, qtbot)
    assert not opened.catalogue.excluded.any()
    assert labels(opened)[0] == "Exclude 3 APIs: Only for tests"


def test_pin_pins_then_unpins_toolkits_and_apis(opened: AppContext, qtbot) -> None:
    (toolkit,) = largest(opened, 1)
    opened.selection.select_toolkit(toolkit.id)
    for _ in range(2):
        curate.pin(opened)
        settle(opened, qtbot)
    opened.selection.select_apis(opened.catalogue.rowids[:2])
    for _ in range(2):
        curate.pin(opened)
        settle(opened, qtbot)
    assert labels(opened) == [
        f"Pin “{toolkit.name}”",
        f"Unpin “{toolkit.name}”",
        "Pin 2 APIs",
        "Unpin 2 APIs",
    ]


def test_take_out_brings_a_merged_api_back(opened: AppContext, qtbot) -> None:
    one, other = largest(opened, 2)
    rowid = int(opened.catalogue.rowids[opened.catalogue.points_of_toolkit(other.id)][0])
    opened.curation.do(Merge(toolkits=(other.id,), into=one.id))
    settle(opened, qtbot)
    opened.selection.select_apis([rowid])
    curate.take_out(opened)
    settle(opened, qtbot)
    back = opened.catalogue.toolkit(other.id)
    assert back is not None and (back.name, back.size) == (other.name, 1)


def test_dropped_apis_move_and_dropped_toolkits_are_staged(opened: AppContext, qtbot) -> None:
    one, other, third = largest(opened, 3)
    rowids = opened.catalogue.rowids[opened.catalogue.points_of_toolkit(one.id)][:1]
    opened.selection.select_apis(rowids)
    drop_selection(opened, other.id)
    settle(opened, qtbot)
    assert labels(opened) == [f"Move 1 API to “{other.name}”"]
    opened.selection.select_toolkit(one.id)
    drop_selection(opened, third.id)
    assert set(opened.staging.staged.toolkits) == {one.id, third.id}
    assert opened.staging.staged.into == third.id


WITHOUT_SELECTION = {"curate.changes", "curate.protocols"}
"""They open lists of their own."""


def test_every_curation_action_says_why_it_cannot_be_done_without_a_selection(
    opened: AppContext,
) -> None:
    opened.selection.clear()
    for _, action in all_actions():
        if action.id.startswith("curate.") and action.id not in WITHOUT_SELECTION:
            assert action.refused_when(opened), action.id
            assert not action.is_enabled(opened)
    assert next(a for _, a in all_actions() if a.id == "edit.undo").refused_when(opened)


def test_toolkits_when_apis_have_none_then_the_last_row_counts_and_selects_them(
    opened: AppContext, qtbot
) -> None:
    row = UngroupedApisRow(opened)
    qtbot.addWidget(row)
    before = int((opened.catalogue.labels < 0).sum())
    toolkit = opened.catalogue.toolkits[0]
    gone = opened.catalogue.rowids[opened.catalogue.points_of_toolkit(toolkit.id)][:1].tolist()
    opened.curation.do(Move(rowids=tuple(gone), to=None))
    qtbot.waitUntil(lambda: opened.curation.is_idle)
    assert row.text() == f"Without a toolkit · {before + 1}"
    assert not row.isHidden()
    row.click()
    assert set(gone) <= set(opened.selection.rowids().tolist())
    assert len(opened.selection.rowids()) == before + 1


def test_list_when_colours_and_figures_change_then_painted_without_asking_for_each_row(
    toolkits: ToolkitsPanel, qtbot
) -> None:
    told: list[object] = []
    toolkits.model.dataChanged.connect(lambda *where: told.append(where))
    for change in (lambda: toolkits.model.set_colours({}), toolkits.model.figures_changed):
        with qtbot.waitSignal(toolkits.model.looks_changed):
            change()
    # Upon this a view of Qt's asks for the place of each row that is named, open or not.
    assert told == []
