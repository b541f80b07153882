"""The last rows of the toolkit list after an import: what has no place yet, and what waits."""

from dataclasses import replace

from fixtures.catalogues import add_apis, made_up_apis

from toolplanner_core.curation.edits.describe import Rename
from toolplanner_core.curation.edits.move import NewToolkit
from toolplanner_core.curation.looking.waiting import acceptance_of, read_waiting
from toolplanner_core.domain.toolkit import Author
from toolplanner_core.sources.importing import import_apis
from toolplanner_core.workspace.catalogue import apis_by_rowid
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.toolkits_panel import (
    ChangedDocumentationRow,
    ProposedNamesRow,
    UngroupedApisRow,
)
from toolplanner_gui.windows.proposed_names_dialog import ProposedNamesDialog


def test_row_when_apis_came_in_and_were_not_placed_then_it_leads_to_preparing(
    opened: AppContext, qtbot
) -> None:
    qtbot.waitUntil(lambda: opened.tasks.is_idle)
    row = UngroupedApisRow(opened)
    qtbot.addWidget(row)
    assert row.isHidden() or row.text().startswith("Without a toolkit")
    assert opened.workspace is not None
    add_apis(opened.workspace, made_up_apis(1)[:3])
    n = opened.catalogue.n_apis
    opened.reload_catalogue()
    qtbot.waitUntil(lambda: opened.catalogue.n_apis == n + 3)
    assert row.text() == "3 new APIs without a place · Prepare …"
    assert not row.isHidden()
    asked: list[str] = []
    opened.shell.open = lambda dialog, **_: asked.append(dialog.id)
    row.click()
    assert asked == ["prepare"]


def test_row_when_an_import_changed_documentation_then_it_is_told_until_that_is_accepted(
    opened: AppContext, qtbot
) -> None:
    qtbot.waitUntil(lambda: opened.tasks.is_idle)
    row = ChangedDocumentationRow(opened)
    qtbot.addWidget(row)
    assert row.isHidden()
    file = opened.file
    rowid = int(opened.catalogue.rowids[0])
    was = apis_by_rowid(file, [rowid])[rowid]
    now = replace(was, description="It costs money now.", doc_hash="other")
    import_apis(
        file, [now], source_name=was.source, format_id="demo", location="a test", is_whole=False
    )
    opened.reload_catalogue()
    qtbot.waitUntil(lambda: not row.isHidden())
    assert row.text() == "1 API with changed documentation · Look …"
    asked: list[str] = []
    opened.shell.open = lambda dialog, **_: asked.append(dialog.id)
    row.click()
    assert asked == ["changes"]
    opened.curation.do(acceptance_of(read_waiting(file)))
    qtbot.waitUntil(row.isHidden)


def test_row_when_names_are_proposed_then_it_leads_to_all_of_them_and_one_undo_brings_them_back(
    opened: AppContext, qtbot
) -> None:
    qtbot.waitUntil(lambda: opened.tasks.is_idle)
    for kit in opened.catalogue.toolkits:
        opened.curation.do(Rename(toolkit=kit.id, name=kit.name, author=Author.RULE.value))
    qtbot.waitUntil(lambda: opened.curation.is_idle)
    row = ProposedNamesRow(opened)
    qtbot.addWidget(row)
    assert row.isHidden()
    names = {one.id: one.name for one in opened.catalogue.toolkits}
    largest = sorted(opened.catalogue.toolkits, key=lambda one: -one.size)[:3]
    members = [opened.catalogue.rowids[opened.catalogue.points_of_toolkit(t.id)] for t in largest]
    taken = tuple(int(r) for rowids in members for r in rowids[: len(rowids) // 2])
    opened.curation.do(NewToolkit(rowids=taken, name="Mine"))
    qtbot.waitUntil(lambda: not row.isHidden())
    assert all(one.name == names.get(one.id, "Mine") for one in opened.catalogue.toolkits)

    dialog = ProposedNamesDialog(opened, row)
    n = sum(bool(one.proposed_name) for one in opened.catalogue.toolkits)
    assert n > 1
    assert dialog.take_button.text() == f"Take {n} proposed"
    wanted = {one.id: one.proposed_name or one.name for one in opened.catalogue.toolkits}
    dialog.take_button.click()
    qtbot.waitUntil(row.isHidden)
    assert {one.id: one.name for one in opened.catalogue.toolkits} == wanted
    opened.curation.undo()
    qtbot.waitUntil(lambda: not row.isHidden())
    dialog.field.setText("no such words")
    assert not dialog.keep_button.isEnabled()
    dialog.field.setText("")
    dialog.keep_button.click()
    qtbot.waitUntil(row.isHidden)
    assert all(one.name == names.get(one.id, "Mine") for one in opened.catalogue.toolkits)
