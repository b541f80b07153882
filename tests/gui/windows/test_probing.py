"""Probing in the window: what it needs and takes, the run, what was learnt, and its decision."""

import json

import pytest
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QWidget

from toolplanner_core.domain.api import Api, Risk
from toolplanner_core.probing.protocol import ProbedProtocol, protocol_memory
from toolplanner_core.probing.stored_protocols import get_protocol, list_protocols
from toolplanner_core.risk_overrides import override_risk
from toolplanner_core.workspace.catalogue import all_rowids, apis_by_rowid
from toolplanner_core.workspace.memories import decide_memory
from toolplanner_gui.actions.toolkit_actions import ENTRIES
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.details_panel import DetailsPanel
from toolplanner_gui.windows.probe_dialog import ProbeDialog
from toolplanner_gui.windows.probing_results_dialog import ProbingResultsDialog


def apis_of(context: AppContext, risk: Risk) -> dict[int, Api]:
    workspace = context.workspace
    assert workspace is not None
    found = apis_by_rowid(workspace, all_rowids(workspace))
    return {rowid: api for rowid, api in found.items() if api.risk is risk}


def dialog_about(context: AppContext, rowids: list[int], qtbot) -> ProbeDialog:
    context.selection.select_apis(rowids)
    dialog = ProbeDialog(context, context.shell.window_widget)
    dialog.show()
    qtbot.waitUntil(lambda: dialog.plan is not None)
    return dialog


def texts_in(part: QWidget) -> str:
    return "\n".join(label.text() for label in part.findChildren(QLabel))


def test_dialog_when_no_model_is_named_then_says_what_it_needs_and_calls_nothing(
    opened: AppContext, qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_MODEL", raising=False)
    dialog = dialog_about(opened, [*apis_of(opened, Risk.READ)][:3], qtbot)
    assert "needs a language model" in dialog.takes.text()
    assert dialog.takes.text().startswith("3 APIs: 3 questions to the model and 3 calls if each")
    assert {dialog.apis_model.row(i).cells[2] for i in range(3)} == {"Demo world"}
    assert not dialog.start_button.isEnabled()
    dialog.model.setText("offline")
    qtbot.waitUntil(lambda: dialog.plan is not None)
    assert not dialog.start_button.isEnabled()
    dialog.reject()


def test_dialog_when_nothing_is_selected_then_says_so(opened: AppContext, qtbot) -> None:
    opened.selection.clear()
    dialog = ProbeDialog(opened, opened.shell.window_widget)
    assert dialog.which.currentText() == "Nothing is selected"
    assert not dialog.which.isEnabled()
    assert dialog.takes.text().startswith("Select toolkits or APIs first")
    assert not dialog.start_button.isEnabled()
    dialog.reject()


def test_dialog_when_apis_may_change_something_then_left_out_until_said_otherwise(
    opened: AppContext, qtbot
) -> None:
    three = dict([*apis_of(opened, Risk.READ).items()][:3])
    override_risk(next(iter(three.values())), Risk.WRITE)
    dialog = dialog_about(opened, [*three], qtbot)
    dialog.model.setText("any")
    qtbot.waitUntil(lambda: dialog.plan is not None)
    assert "1 API that may change something is left out" in dialog.takes.text()
    assert dialog.apis_model.rowCount() == 2
    dialog.choices.put({"writing": True, "max_api_calls": 7})
    dialog.choices.edited.emit()
    qtbot.waitUntil(lambda: dialog.plan is not None)
    assert dialog.apis_model.rowCount() == 3
    assert "at most" in dialog.takes.text() and "and 7 calls" in dialog.takes.text()
    assert "each call asks first" in dialog.takes.text()
    assert dialog.plan is not None
    spec = dialog.plan.spec("openai:any")
    assert (spec.strategy, spec.options["writing"]) == ("probe", True)
    assert spec.limits.max_api_calls == 7
    dialog.reject()


def test_dialog_when_a_toolkit_is_chosen_then_all_its_apis_are_meant(
    opened: AppContext, qtbot
) -> None:
    largest = max(opened.catalogue.toolkits, key=lambda toolkit: toolkit.size)
    workspace = opened.workspace
    assert workspace is not None
    opened.selection.select_toolkit(largest.id)
    rowid = opened.chosen.ids[0]
    dialog = dialog_about(opened, [rowid], qtbot)
    assert dialog.which.count() == 2
    dialog.which.setCurrentIndex(1)
    qtbot.waitUntil(lambda: dialog.plan is not None)
    assert dialog.plan is not None
    assert len(dialog.plan.apis) + dialog.plan.left_out == largest.size
    dialog.reject()


def test_apis_when_probed_in_the_demo_then_learnt_accepted_shown_and_taken_back(
    opened: AppContext, qtbot
) -> None:
    workspace = opened.workspace
    assert workspace is not None
    asked: list[str] = getattr(opened.shell, "asked")  # noqa: B009 - of the test's own shell
    quotes = [
        rowid
        for rowid, api in apis_of(opened, Risk.READ).items()
        if [p.required for p in api.parameter_list].count(True) == 0
    ][:2]
    dialog = dialog_about(opened, quotes, qtbot)
    dialog.model.setText("example")
    qtbot.waitUntil(dialog.start_button.isEnabled)
    dialog.start_button.click()
    qtbot.waitUntil(lambda: bool(opened.run_view.summaries) and not opened.run_view.is_live)
    qtbot.waitUntil(lambda: "open" in asked)
    kept = list_protocols(workspace)
    assert kept
    learnt = ProbingResultsDialog(opened, opened.shell.window_widget)
    learnt.show()
    qtbot.waitUntil(lambda: learnt.model.rowCount() == len(kept))
    assert learnt.fields_model.rowCount() > 0
    assert "print(" in learnt.example.toPlainText()
    [api] = learnt.chosen

    def status() -> str:
        return get_protocol(workspace, api).protocol.status

    learnt.accept_button.click()
    qtbot.waitUntil(lambda: status() == "accepted" and not learnt.accept_button.isEnabled())
    panel = DetailsPanel(opened)
    [rowid] = [r for r, each in apis_of(opened, Risk.READ).items() if each.id == api]
    opened.selection.select_apis([rowid])
    qtbot.waitUntil(lambda: "Learnt by probing" in texts_in(panel.api_page))
    assert "Accepted; found " in texts_in(panel.api_page)
    panel.resize(300, 600)
    panel.show()
    shown = panel.api_page.findChildren(QPlainTextEdit)
    assert [field.toPlainText()[:6] for field in shown if field.isReadOnly()] == ["print("]
    page, room = panel.api_page.widget(), panel.api_page.viewport()
    assert page is not None
    assert page.minimumSizeHint().width() <= room.width(), "else all its lines are cut off"
    learnt.back_button.click()
    qtbot.waitUntil(lambda: status() == "new" and learnt.accept_button.isEnabled())
    opened.layout_changed.emit()
    qtbot.waitUntil(lambda: "Not decided; found " in texts_in(panel.api_page))
    learnt.reject_button.click()
    qtbot.waitUntil(lambda: status() == "rejected" and not learnt.reject_button.isEnabled())
    panel.deleteLater()
    learnt.close()


def test_learnt_when_the_documentation_says_otherwise_then_each_difference_is_marked(
    opened: AppContext, qtbot
) -> None:
    workspace = opened.workspace
    assert workspace is not None
    [rowid, api], *_ = apis_of(opened, Risk.READ).items()
    said = {"type": "object", "properties": {"name": {"type": "string"}, "old": {}}}
    change = "UPDATE apis SET response_schema = ? WHERE rowid = ?"
    workspace.writer.run(lambda db: db.execute(change, [json.dumps(said), rowid]), durable=True)
    returns = {"properties": {"name": {"type": "array"}, "new": {"type": "string"}}}
    found = ProbedProtocol(
        api=api.id, title=api.title, probed_at="2026-01-02T03:04:05+00:00",
        doc_hash=api.doc_hash, question="?", program="print(1)", returns=returns,
    )  # fmt: skip
    decide_memory(workspace, protocol_memory(api.id), found.to_json())
    dialog = ProbingResultsDialog(opened, opened.shell.window_widget)
    dialog.show()
    qtbot.waitUntil(lambda: dialog.fields_model.rowCount() == 3)
    rows = [dialog.fields_model.row(at) for at in range(dialog.fields_model.rowCount())]
    marks = {row.cells[0]: row.cells[3] for row in rows}
    assert marks == {"name": "another type", "new": "not documented", "old": "not seen"}
    assert all(bool(row.icon) is bool(row.cells[3]) for row in rows)
    assert "2 Jan" in dialog.said.text()
    dialog.close()


def test_menu_when_nothing_is_selected_then_probe_says_what_to_select(opened: AppContext) -> None:
    [entry] = [each for each in ENTRIES if getattr(each, "id", "") == "curate.probing"]
    opened.selection.clear()
    assert "Select" in entry.why_not(opened)
