"""The panel of cases over the demo: save a run, run some, what stands before and after an edit."""

import pytest
from PySide6.QtCore import Qt

from toolplanner_core.cases.case_drafts import draft_case
from toolplanner_core.curation.edits.marks import PinToolkits
from toolplanner_core.domain.cases import Case, Expectation
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.workspace.cases import list_cases, remove_case, save_cases
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.cases_panel import _LOOKS, CasesPanel
from toolplanner_gui.theme.tokens import GAP, ICON_SIZE
from toolplanner_gui.windows.case_dialog import CaseDialog

QUERY = "Convert 26.2 miles to kilometres."


@pytest.fixture
def panel(opened: AppContext, qtbot) -> CasesPanel:
    for case in list_cases(opened.file):
        remove_case(opened.file, case.id)
    made = CasesPanel(opened)
    qtbot.addWidget(made)
    made.resize(1000, 260)
    made.show()
    qtbot.waitUntil(lambda: made.is_idle)
    return made


@pytest.fixture
def filled(panel: CasesPanel, qtbot) -> CasesPanel:
    right = Case(
        id="right",
        title="Right",
        query=QUERY,
        options={"provider": "demo"},
        expected=Expectation(status="solved", answer_contains=("42.16",)),
    )
    wrong = Case(
        id="wrong",
        title="Wrong",
        query=QUERY,
        options={"provider": "demo"},
        expected=Expectation(answer_contains=("by ship",)),
    )
    save_cases(panel.context.file, [right, wrong])
    panel.mark_outdated()
    qtbot.waitUntil(lambda: panel.is_idle and panel.model.rowCount() == 2)
    return panel


def states(panel: CasesPanel) -> list[str]:
    return [panel.model.index(row, 1).data() for row in range(panel.model.rowCount())]


def settled(panel: CasesPanel) -> bool:
    context = panel.context
    return panel.is_idle and not context.case_runs.is_running and context.tasks.is_idle


def test_cases_when_there_are_none_then_says_how_to_make_one(panel: CasesPanel) -> None:
    assert panel.pages.currentIndex() == 0
    assert "Save a run as a case" in panel.empty.sentence


def test_states_of_cases_when_they_are_listed_then_the_longest_is_seen_whole(
    filled: CasesPanel,
) -> None:
    longest = max(_LOOKS, key=len)
    need = filled.view.fontMetrics().horizontalAdvance(longest) + ICON_SIZE + 2 * GAP
    assert filled.view.columnWidth(1) >= need


def test_cases_when_all_are_run_then_each_says_how_it_stands_and_why(
    filled: CasesPanel, qtbot
) -> None:
    assert states(filled) == ["not run", "not run"]
    filled.run_all()
    assert filled.stop_button.isVisible()
    qtbot.waitUntil(lambda: settled(filled) and states(filled) == ["fails", "passes"])
    assert filled.rate.text() == "1 of 2 pass now"
    filled.view.selectRow(0)  # what fails comes first
    assert "by ship" in filled.why.text()
    assert "the answer says “by ship”" in filled.demands.text()
    assert filled.runs_model.rowCount() == 1
    run = filled.runs_model.row(0).key
    filled.runs.activated.emit(filled.runs_model.index(0, 0))
    qtbot.waitUntil(lambda: filled.context.run_view.run == run)


def test_cases_when_toolkits_were_edited_then_before_is_beside_now(
    filled: CasesPanel, qtbot
) -> None:
    filled.run_all()
    qtbot.waitUntil(lambda: settled(filled) and "pass now" in filled.rate.text())
    toolkit = filled.context.catalogue.toolkits[0].id
    filled.context.curation.do(PinToolkits(toolkits=(toolkit,), is_pinned=True))
    qtbot.waitUntil(lambda: states(filled) == ["not run since", "not run since"])
    filled.view.selectRow(0)
    filled.view.setFocus()
    qtbot.keyClick(filled, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: settled(filled) and states(filled) == ["not run since", "passes"])
    assert filled.rate.text() == (
        "1 of 1 pass now · 1 of 1 before the last edits · 1 not run since"
    )
    assert "before the first edit" in filled.runs_model.row(1).cells[0]


def test_cases_when_deleted_then_they_can_be_brought_back(filled: CasesPanel, qtbot) -> None:
    filled.view.selectAll()
    filled.view.setFocus()
    qtbot.keyClick(filled, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: settled(filled) and filled.model.rowCount() == 0)
    filled.undo_button.click()
    qtbot.waitUntil(lambda: settled(filled) and filled.model.rowCount() == 2)
    assert not filled.undo_button.isEnabled()


def test_list_when_a_case_is_saved_then_it_alone_is_selected_and_run(
    filled: CasesPanel, qtbot
) -> None:
    context = filled.context
    context.run_view.start(RunSpec(query=QUERY, provider="demo"))
    qtbot.waitUntil(lambda: not context.run_view.is_live and bool(context.run_view.summaries))
    filled.view.selectAll()
    draft = draft_case(context.file, context.run_view.summaries[0].run)
    dialog = CaseDialog(context, context.shell.window_widget, draft=draft)
    qtbot.addWidget(dialog)
    dialog.name.setText("Miles")
    dialog.save_button.click()
    qtbot.waitUntil(lambda: settled(filled) and filled.model.rowCount() == 3)
    assert filled.title.text() == "Miles"
    filled.run_selected()
    qtbot.waitUntil(lambda: settled(filled) and "pass now" in filled.rate.text())
    assert filled.rate.text() == "1 of 1 pass now · 2 not run yet"


def test_run_when_saved_as_case_then_what_is_ticked_must_be_true(panel: CasesPanel, qtbot) -> None:
    context = panel.context
    context.run_view.start(RunSpec(query=QUERY, provider="demo"))
    qtbot.waitUntil(lambda: not context.run_view.is_live and bool(context.run_view.summaries))
    draft = draft_case(context.file, context.run_view.summaries[0].run)
    dialog = CaseDialog(context, context.shell.window_widget, draft=draft)
    qtbot.addWidget(dialog)
    assert dialog.toolkits.item(0).checkState() is Qt.CheckState.Checked
    dialog.apis.item(0).setCheckState(Qt.CheckState.Checked)
    dialog.answer.setPlainText("42.16\n")
    dialog.save_button.click()
    qtbot.waitUntil(lambda: panel.is_idle and panel.model.rowCount() == 1)
    expected = list_cases(context.file)[0].expected
    assert expected == Expectation(
        status="solved",
        answer_contains=("42.16",),
        toolkits=("Unit conversion",),
        succeeded_apis=draft.apis,
    )
    panel.run_all()
    qtbot.waitUntil(lambda: settled(panel) and states(panel) == ["passes"])
