"""Exports of toolkits from the window: what is told of the file."""

from pathlib import Path

from fixtures.answers import answered_no

from toolplanner_core.curation.sharing.exports.export_forms import export_forms
from toolplanner_core.workspace.verdicts import put_verdict
from toolplanner_gui.actions.toolkits_menu import export_entries, export_to
from toolplanner_gui.context import AppContext


def test_export_when_decisions_leave_something_out_then_the_window_says_what(
    opened: AppContext, tmp_path: Path, qtbot
) -> None:
    opened.file.writer.run(lambda db: put_verdict(db, answered_no()))
    told: list[str] = []
    opened.message_shown.connect(told.append)
    for form, is_told in (("decisions", True), ("json", False)):
        told.clear()
        export_to(opened, form, tmp_path / f"export.{form}")
        qtbot.waitUntil(lambda: bool(told))
        assert ("Not in it: 1 answer “no” of the review" in told[-1]) == is_told


def test_menu_when_opened_then_offers_the_forms_of_the_terminal(opened: AppContext) -> None:
    entries = [action.id for action in export_entries(opened)]
    assert entries == [f"toolkits.export.{form}" for form in export_forms()]
