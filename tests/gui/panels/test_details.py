"""Details: texts edited in place, members with marks, similar toolkits, why an API is here."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton

from toolplanner_core.curation.edits.describe import Describe
from toolplanner_core.curation.edits.marks import Exclude, PinApis
from toolplanner_core.curation.edits.move import Merge, Move
from toolplanner_core.domain.operation import ArgumentPlace, Operation, RequestPart
from toolplanner_core.domain.toolkit import Author, Toolkit
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.workspace.catalogue import apis_by_rowid
from toolplanner_core.workspace.settings import get_setting
from toolplanner_core.workspace.toolkits import ranked_members
from toolplanner_core.workspace.vectors import count_without_vector
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.details.api_page import ApiPage
from toolplanner_gui.panels.details_panel import DetailsPanel
from toolplanner_gui.viewmodels.item_models import KEY_ROLE


def largest(context: AppContext, n: int) -> list[Toolkit]:
    return sorted(context.catalogue.toolkits, key=lambda t: (-t.size, t.id))[:n]


def settle(context: AppContext, qtbot) -> None:
    qtbot.waitUntil(lambda: context.curation.is_idle and context.tasks.is_idle, timeout=20_000)


@pytest.fixture
def details(opened: AppContext, qtbot) -> DetailsPanel:
    panel = DetailsPanel(opened)
    qtbot.addWidget(panel)
    panel.resize(340, 700)
    panel.show()
    settle(opened, qtbot)
    return panel


def test_name_edited_in_place_becomes_an_edit_and_says_who_wrote_it(
    details: DetailsPanel, qtbot
) -> None:
    context = details.context
    (toolkit,) = largest(context, 1)
    context.selection.select_toolkit(toolkit.id)
    details.edit_name()
    field = details.toolkit_page.name.field
    assert details.toolkit_page.name.is_editing
    qtbot.keyClicks(field, "Our own name")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    settle(context, qtbot)
    renamed = context.catalogue.toolkit(toolkit.id)
    assert renamed is not None
    assert (renamed.name, renamed.name_author) == ("Our own name", Author.PERSON)
    assert details.toolkit_page.name.text() == "Our own name"
    assert not details.toolkit_page.name.is_editing


def test_description_of_a_person_when_an_api_leaves_then_may_be_out_of_date_until_said_otherwise(
    details: DetailsPanel, qtbot
) -> None:
    context, page = details.context, details.toolkit_page
    toolkit, other = largest(context, 2)
    context.selection.select_toolkit(toolkit.id)
    context.curation.do(Describe(toolkit=toolkit.id, description="Our own words."))
    settle(context, qtbot)
    assert page.old_text.isHidden()

    rowid = ranked_members(context.workspace, toolkit.id)[0][0]
    context.curation.do(Move(rowids=(rowid,), to=other.id))
    settle(context, qtbot)
    assert page.old_text.isVisible()
    assert page.description.text() == "Our own words."

    qtbot.mouseClick(page.still_true, Qt.MouseButton.LeftButton)
    settle(context, qtbot)
    assert page.old_text.isHidden()
    assert page.description.text() == "Our own words."


def test_name_given_up_with_escape_changes_nothing(details: DetailsPanel, qtbot) -> None:
    context = details.context
    (toolkit,) = largest(context, 1)
    context.selection.select_toolkit(toolkit.id)
    details.edit_name()
    field = details.toolkit_page.name.field
    qtbot.keyClicks(field, "Nonsense")
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    settle(context, qtbot)
    assert context.catalogue.toolkit(toolkit.id) == toolkit
    assert context.curation.undo_label == ""


def test_note_is_kept_and_shown_again(details: DetailsPanel, qtbot) -> None:
    context = details.context
    one, other = largest(context, 2)
    context.selection.select_toolkit(one.id)
    details.edit_note()
    field = details.toolkit_page.note.field
    qtbot.keyClicks(field, "Ask Ada")
    qtbot.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    settle(context, qtbot)
    context.selection.select_toolkit(other.id)
    settle(context, qtbot)
    assert details.toolkit_page.note.text() == ""
    context.selection.select_toolkit(one.id)
    settle(context, qtbot)
    assert details.toolkit_page.note.text() == "Ask Ada"


def test_toolkit_page_shows_marks_similar_ones_and_history(details: DetailsPanel, qtbot) -> None:
    context = details.context
    one, other = largest(context, 2)
    members = context.catalogue.rowids[context.catalogue.points_of_toolkit(one.id)]
    context.curation.do(PinApis(rowids=(int(members[0]),)))
    context.curation.do(Exclude(rowids=(int(members[1]),), reason="Broken"))
    context.curation.do(Merge(toolkits=(other.id,), into=one.id))
    context.selection.select_toolkit(one.id)
    settle(context, qtbot)
    page = details.toolkit_page
    assert page.members_model.rowCount() == one.size + other.size
    tips = [page.members_model.row(i).tooltip for i in range(page.members_model.rowCount())]
    assert sum("Pinned in this toolkit" in tip for tip in tips) == 1
    assert sum("Excluded from planning" in tip for tip in tips) == 1
    assert "1 excluded from planning" in page._facts.text()
    assert page.tabs.tabText(2) == f"History ({page.history_model.rowCount()})"
    assert any("Exclude" in page.history_model.row(i).cells[0] for i in range(2))
    scores = [page.similar_model.row(i).cells[1] for i in range(5)]
    assert scores == sorted(scores, reverse=True)
    assert page.history_model.row(0).cells[0] == f"Merge “{other.name}” into “{one.name}”"
    assert f"From: {other.name}" in page.history_model.row(0).tooltip
    wanted = page.similar_model.index(0, 0).data(KEY_ROLE)
    page.similar.activated.emit(page.similar_model.index(0, 0))
    assert context.selection.toolkit == wanted


def test_api_page_says_why_it_is_here_and_links_to_similar_ones(
    details: DetailsPanel, qtbot
) -> None:
    context = details.context
    one, other = largest(context, 2)
    rowid = int(context.catalogue.rowids[context.catalogue.points_of_toolkit(one.id)][0])
    context.selection.select_apis([rowid])
    settle(context, qtbot)
    page = details.api_page
    assert "Here since the toolkits were first made." in page._why.text()
    context.curation.do(Move(rowids=(rowid,), to=other.id))
    context.curation.do(Exclude(rowids=(rowid,), reason="Broken"))
    settle(context, qtbot)
    assert f"Move 1 API to “{other.name}”" in page._why.text()
    assert "Pinned" in page._why.text()
    assert "Excluded from planning: Broken." in page._why.text()
    assert other.name in [b.text() for b in page.findChildren(QPushButton)]
    sections = [label.text() for label in page.findChildren(QLabel)]
    assert "Similar APIs" in sections
    link = next(b for b in page.findChildren(QPushButton) if "Similarity" in b.toolTip())
    link.click()
    assert context.selection.count == 1
    assert int(context.selection.rowids()[0]) != rowid


def test_api_page_says_in_one_line_how_the_api_is_called(opened: AppContext, qtbot) -> None:
    workspace = opened.workspace
    assert workspace is not None
    rowid = int(opened.catalogue.rowids[0])
    api = apis_by_rowid(workspace, [rowid])[rowid]
    place = ArgumentPlace(within=RequestPart.QUERY)
    called = Operation(method="GET", servers=("https://x.example",), path="/a", places={"q": place})
    page = ApiPage()
    qtbot.addWidget(page)
    page.show_api(replace(api, operation=called), None, None)
    texts = [label.text().replace("\u200b", "") for label in page.findChildren(QLabel)]
    assert "GET https://x.example/a · 1 in query" in texts
    page.show_api(api, None, None)
    texts = [label.text().replace("\u200b", "") for label in page.findChildren(QLabel)]
    assert f"{api.method} {api.url}" in texts


def test_text_of_an_api_when_a_person_writes_it_then_kept_embedded_and_undone(
    details: DetailsPanel, qtbot
) -> None:
    context = details.context
    workspace = context.workspace
    assert workspace is not None
    embedder = get_setting(workspace, "active_embedder")
    (toolkit,) = largest(context, 1)
    rowid, other = (rowid for rowid, _ in ranked_members(workspace, toolkit.id)[:2])
    hashes = dict(workspace.reader().execute("SELECT text_hash, rowid FROM apis"))
    context.selection.select_apis([rowid])
    settle(context, qtbot)
    text = details.api_page.text
    by_rule = text.text()
    assert by_rule and "Written by rule" in words_on(details.api_page)
    text.begin()
    text.field.selectAll()
    qtbot.keyClicks(text.field, "Finds songs by their first line")
    details.refresh()
    assert details.api_page.text is text and text.is_editing, "what is being written stays"
    context.selection.select_apis([other])
    settle(context, qtbot)
    assert details.api_page.text.text() != "Finds songs by their first line"
    context.selection.select_apis([rowid])
    qtbot.waitUntil(lambda: not context.jobs.running)
    settle(context, qtbot)
    assert details.api_page.text.text() == "Finds songs by their first line"
    assert "Written by a person" in words_on(details.api_page)
    assert context.curation.undo_label == "Write the text of 1 API"
    assert count_without_vector(workspace, embedder) == 0
    now = dict(workspace.reader().execute("SELECT text_hash, rowid FROM apis"))
    assert [now[new] for new in now.keys() - hashes.keys()] == [rowid]
    context.curation.undo()
    settle(context, qtbot)
    assert details.api_page.text.text() == by_rule


def words_on(page: ApiPage) -> str:
    return " ".join(label.text() for label in page.findChildren(QLabel))


def test_toolkit_and_api_when_runs_used_them_then_listed_with_how_it_went_and_opened_by_a_click(
    details: DetailsPanel, qtbot
) -> None:
    context = details.context
    spec = RunSpec(query="Convert 26.2 miles to kilometres.", provider="demo")
    context.run_view.start(replace(spec, faults=("500:all,next=1",)))
    qtbot.waitUntil(lambda: not context.run_view.is_live and bool(context.run_view.summaries))
    settle(context, qtbot)
    run = context.run_view.summaries[0].run
    toolkit = next(t for t in context.catalogue.toolkits if t.name == "Unit conversion")
    context.selection.select_toolkit(toolkit.id)
    page = details.toolkit_page
    qtbot.waitUntil(lambda: details.is_idle and page.runs.model.rowCount() == 1)
    assert page.tabs.tabText(3) == "Runs (1)"
    assert page.runs.model.row(0).cells[0].startswith("1 of 2 calls failed: server error")
    page.runs.view.clicked.emit(page.runs.model.index(0, 0))
    qtbot.waitUntil(lambda: context.run_view.run == run and bool(context.run_view.node))
    node = context.run_view.nodes[context.run_view.node]
    assert node.error == "server_error"
    for row in page.members_model._rows:
        context.selection.select_apis([row.key])
        qtbot.waitUntil(lambda: details.is_idle)
        if details.api_page.runs.model.rowCount():
            break
    else:
        pytest.fail("no API of the toolkit was called")
    assert "call" in details.api_page.runs.model.row(0).cells[0]
    unused = next(t for t in context.catalogue.toolkits if t.name == "Helicopters")
    context.selection.select_toolkit(unused.id)
    qtbot.waitUntil(lambda: details.is_idle and page.runs.model.rowCount() == 0)


def test_details_when_a_line_has_no_space_then_nothing_is_wider_than_the_panel(
    details: DetailsPanel, qtbot
) -> None:
    context = details.context
    rowid = int(context.catalogue.rowids[0])
    (api,) = apis_by_rowid(context.file, [rowid]).values()
    page = ApiPage()
    qtbot.addWidget(page)
    page.resize(320, 600)
    page.show_api(replace(api, description="=" * 60, tool_description="#" * 80), None, None)
    page.text.set_text("-" * 90)
    page.show()
    assert page.widget().minimumSizeHint().width() <= 320
    assert page.widget().width() <= page.viewport().width()


def test_similar_apis_when_their_titles_are_long_then_they_end_in_an_ellipsis(
    details: DetailsPanel, qtbot
) -> None:
    context = details.context
    context.selection.select_apis([int(context.catalogue.rowids[0])])
    settle(context, qtbot)
    links = [b for b in details.api_page.findChildren(QPushButton) if b.text()[:2] == "0."]
    assert links
    details.resize(200, 700)
    qtbot.waitUntil(lambda: any(link.text().endswith("…") for link in links))
    for link in links:
        room = link.width() - link.sizeHint().width()
        assert link.text() == link.accessibleName() or room < 0
        assert link.mapTo(details, link.rect().topRight()).x() < details.width()


@pytest.mark.parametrize(
    "given",
    [
        {"url": "https://2factor.example/API/V1/293832-67745-11e5-88de-5600000c6b13-74/SMS"},
        {"key": "0123456789abcdef" * 4},
        {"tool": "A tool with a title that says all that it can do", "tool_description": "Text."},
        {
            "parameters": {
                "type": "object",
                "properties": {"0123456789abcdef" * 4: {"default": "f" * 60}},
            }
        },
    ],
)
def test_api_page_when_a_word_is_long_then_the_page_is_no_wider_than_its_place(
    details: DetailsPanel, given: dict[str, object], qtbot
) -> None:
    assert details.context.workspace is not None
    (api,) = apis_by_rowid(details.context.workspace, [1]).values()
    page = ApiPage()
    qtbot.addWidget(page)
    page.resize(300, 700)
    page.show()
    page.show_api(replace(api, **given), None, None)
    assert page.widget().minimumSizeHint().width() <= page.viewport().width()
