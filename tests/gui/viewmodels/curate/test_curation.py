"""Edits through the window's queue: in order, on disk, shown by a patch."""

from pathlib import Path

from toolplanner_core.curation.edits import history
from toolplanner_core.curation.edits.describe import Rename
from toolplanner_core.curation.edits.history_reading import list_history
from toolplanner_core.curation.edits.move import Merge
from toolplanner_core.curation.looking.patching import CatalogueEdit
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.toolkits import list_toolkits
from toolplanner_gui.context import AppContext


def _largest(context: AppContext, n: int) -> list:
    return sorted(context.catalogue.toolkits, key=lambda t: (-t.size, t.id))[:n]


def _settle(context: AppContext, qtbot) -> None:
    qtbot.waitUntil(lambda: context.curation.is_idle, timeout=10_000)


def test_do_patches_the_catalogue_and_names_undo(opened: AppContext, qtbot) -> None:
    one, other = _largest(opened, 2)
    before = opened.catalogue
    heard: list[CatalogueEdit] = []
    opened.catalogue_edited.connect(heard.append)
    opened.curation.do(Merge(toolkits=(other.id,), into=one.id))
    _settle(opened, qtbot)
    merged = opened.catalogue.toolkit(one.id)
    assert merged is not None and merged.size == one.size + other.size
    assert opened.catalogue.toolkit(other.id) is None
    assert opened.catalogue.xy is before.xy
    assert opened.curation.undo_label == f"Merge “{other.name}” into “{one.name}”"
    assert [edit.touched for edit in heard] == [{one.id, other.id}]
    assert heard[0].before is before


def test_undo_and_redo_bring_back_and_make_again(opened: AppContext, qtbot) -> None:
    one, other = _largest(opened, 2)
    opened.curation.do(Merge(toolkits=(other.id,), into=one.id))
    opened.curation.undo()
    _settle(opened, qtbot)
    assert opened.catalogue.toolkit(other.id) == other
    assert opened.curation.undo_label == ""
    assert opened.curation.redo_label.startswith("Merge")
    opened.curation.redo()
    _settle(opened, qtbot)
    assert opened.catalogue.toolkit(other.id) is None


def test_edits_asked_for_at_once_are_made_in_order(opened: AppContext, qtbot) -> None:
    (toolkit,) = _largest(opened, 1)
    for name in ("First", "Second", "Third"):
        opened.curation.do(Rename(toolkit=toolkit.id, name=name))
    _settle(opened, qtbot)
    assert opened.workspace is not None
    labels = [entry.label for entry in list_history(opened.workspace)]
    assert labels == [
        f"Rename “{toolkit.name}” to “First”",
        "Rename “First” to “Second”",
        "Rename “Second” to “Third”",
    ]


def test_an_edit_that_is_refused_says_why_and_changes_nothing(opened: AppContext, qtbot) -> None:
    (toolkit,) = _largest(opened, 1)
    problems: list[object] = []
    opened.problem_reported.connect(problems.append)
    answer = opened.curation.do(Rename(toolkit=toolkit.id, name=toolkit.name))
    _settle(opened, qtbot)
    assert answer.result() is None
    assert len(problems) == 1
    assert opened.catalogue.toolkit(toolkit.id) == toolkit


def test_closing_right_after_an_edit_keeps_it(opened: AppContext, demo: Path, qtbot) -> None:
    (toolkit,) = _largest(opened, 1)
    opened.curation.do(Rename(toolkit=toolkit.id, name="Kept"))
    opened.tasks.spawn(opened.close_workspace(), owner=opened)
    qtbot.waitUntil(lambda: opened.tasks.is_idle, timeout=10_000)
    with Workspace.open(demo) as workspace:
        assert "Kept" in [t.name for t in list_toolkits(workspace)]
    assert opened.opened is None


def test_an_edit_by_another_program_makes_the_window_read_anew(
    opened: AppContext, demo: Path, qtbot
) -> None:
    one, other = _largest(opened, 2)
    with Workspace.open(demo) as elsewhere:
        history.do(elsewhere, Rename(toolkit=other.id, name="From elsewhere"))
    with qtbot.waitSignal(opened.catalogue_changed, timeout=10_000):
        opened.curation.do(Rename(toolkit=one.id, name="From here"))
    assert {"From elsewhere", "From here"} <= {t.name for t in opened.catalogue.toolkits}


def test_edit_made_elsewhere_is_shown_with_its_undo(opened: AppContext, qtbot) -> None:
    (toolkit,) = _largest(opened, 1)
    _rename_elsewhere(opened, toolkit.id)
    opened.curation.look_elsewhere()
    qtbot.waitUntil(lambda: opened.curation.undo_label.endswith("“Elsewhere”"), timeout=10_000)
    shown = opened.catalogue.toolkit(toolkit.id)
    assert shown is not None and shown.name == "Elsewhere"


def test_undo_of_an_edit_that_the_window_does_not_show_is_refused(
    opened: AppContext, qtbot
) -> None:
    (toolkit,) = _largest(opened, 1)
    opened.curation.do(Rename(toolkit=toolkit.id, name="Mine"))
    _settle(opened, qtbot)
    _rename_elsewhere(opened, toolkit.id)
    problems: list[object] = []
    opened.problem_reported.connect(problems.append)
    answer = opened.curation.undo()
    _settle(opened, qtbot)
    assert answer.result() is None and len(problems) == 1
    assert opened.workspace is not None
    names = [t.name for t in list_toolkits(opened.workspace) if t.id == toolkit.id]
    assert names == ["Elsewhere"]
    opened.curation.look_elsewhere()
    qtbot.waitUntil(lambda: opened.curation.undo_label.endswith("“Elsewhere”"), timeout=10_000)
    opened.curation.undo()
    _settle(opened, qtbot)
    shown = opened.catalogue.toolkit(toolkit.id)
    assert shown is not None and shown.name == "Mine"


def _rename_elsewhere(context: AppContext, toolkit: ToolkitId) -> None:
    assert context.workspace is not None
    with Workspace.open(context.workspace.path) as other:
        history.do(other, Rename(toolkit=toolkit, name="Elsewhere"))
