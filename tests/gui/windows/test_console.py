"""The console: one call by its form, over the demo world and over a server that says nothing."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fixtures.hostile_pictures import GOOD
from fixtures.http_world import http_api
from fixtures.rough_site import HttpSite, WebAnswer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QMessageBox

from toolplanner_core.domain.api import Risk
from toolplanner_core.domain.operation import ArgumentPlace, Operation, Origin, RequestPart
from toolplanner_core.net.addresses import allow_origin, forbid_origin
from toolplanner_core.risk_overrides import risk_overrides
from toolplanner_core.sources.importing import import_apis
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.recordings import recording_count
from toolplanner_gui import dialog_commands
from toolplanner_gui.actions.api_actions import cannot_check, check_health, risk_entries
from toolplanner_gui.actions.workspace_files import open_later
from toolplanner_gui.panels.details_panel import DetailsPanel
from toolplanner_gui.widgets.picture_view import PictureView
from toolplanner_gui.windows.console_dialog import ConsoleDialog
from toolplanner_gui.windows.main_window import MainWindow

SCHEMA = {
    "type": "object",
    "properties": {"q": {"type": "string", "examples": ["Lyon"]}},
    "required": ["q"],
}


@pytest.fixture
def site() -> Iterator[HttpSite]:
    with HttpSite() as made:
        allow_origin(Origin.of(made.origin))
        yield made
        forbid_origin(Origin.of(made.origin))


def console(
    window: MainWindow, file: Path, site: HttpSite, qtbot, **fields: object
) -> ConsoleDialog:
    """The console of the one API of a small workspace."""
    with Workspace.create(file) as workspace:
        places = {"q": ArgumentPlace(within=RequestPart.QUERY)}
        operation = Operation(method="GET", servers=(site.origin,), path="/a", places=places)
        api = http_api(operation, parameters=SCHEMA, **fields)
        import_apis(workspace, [api], source_name="shop", format_id="openapi", location="a test")
    context = window._context
    open_later(context, file)
    qtbot.waitUntil(lambda: context.catalogue.n_apis == 1)
    window.open(dialog_commands.call_api, rowid=1)
    (dialog,) = window.findChildren(ConsoleDialog)
    return dialog


def test_console_when_called_then_request_and_reply_are_shown(
    window: MainWindow, tmp_path: Path, site: HttpSite, qtbot
) -> None:
    site.on("/a", WebAnswer({"weather": "<b>sunny</b>"}))
    dialog = console(window, tmp_path / "one.toolplanner", site, qtbot)
    assert dialog.request.toPlainText() == f"GET {site.origin}/a?q=Lyon"
    dialog.call_button.click()
    assert dialog.call_button.text() == "Stop"
    qtbot.waitUntil(lambda: not dialog.is_calling)
    assert dialog.outcome.text().startswith("It worked · HTTP, ")
    assert '"weather": "<b>sunny</b>"' in dialog.reply.toPlainText()
    dialog.example_button.click()
    file = window._context.file
    qtbot.waitUntil(lambda: recording_count(file) == 1)
    qtbot.waitUntil(lambda: dialog.outcome.text().startswith("Saved as an example"))
    dialog.example_button.click()
    qtbot.waitUntil(lambda: "example already" in dialog.outcome.text())
    dialog.curl_button.click()
    assert QGuiApplication.clipboard().text().startswith("curl --globoff -X GET")


def test_console_when_a_picture_comes_then_drawn_below_its_text(
    window: MainWindow, tmp_path: Path, site: HttpSite, qtbot
) -> None:
    site.on("/a", WebAnswer(GOOD, headers={"Content-Type": "image/png"}))
    dialog = console(window, tmp_path / "one.toolplanner", site, qtbot)
    assert dialog.beside.isHidden()
    dialog.call_button.click()
    qtbot.waitUntil(lambda: not dialog.is_calling)
    assert "bytes of image/png" in dialog.reply.toPlainText()
    (view,) = dialog.beside.findChildren(PictureView)
    qtbot.waitUntil(lambda: not view.image.isNull())
    assert (view.image.width(), view.image.height()) == (320, 180)


def test_console_when_arguments_do_not_fit_then_nothing_can_be_sent(
    window: MainWindow, tmp_path: Path, site: HttpSite, qtbot
) -> None:
    dialog = console(window, tmp_path / "one.toolplanner", site, qtbot)
    dialog.arguments.json.field.setPlainText('{"q": 5}')
    qtbot.waitUntil(lambda: not dialog.call_button.isEnabled())
    assert "type string" in dialog.call_button.toolTip()
    assert not site.asked


def test_console_when_stopped_then_over_at_once(
    window: MainWindow, tmp_path: Path, site: HttpSite, qtbot
) -> None:
    site.on("/a", site.never)
    dialog = console(window, tmp_path / "one.toolplanner", site, qtbot, risk=Risk.DESTRUCTIVE)
    assert dialog.call_button.text() == "Call: it may delete something"
    dialog.call_button.click()
    qtbot.waitUntil(site.was_asked.is_set)
    dialog.call_button.click()
    qtbot.waitUntil(lambda: not dialog.is_calling)
    assert "You cancelled it" in dialog.outcome.text()


def test_console_when_closed_during_a_call_then_the_call_ends(
    window: MainWindow, tmp_path: Path, site: HttpSite, qtbot
) -> None:
    site.on("/a", site.endless)
    dialog = console(window, tmp_path / "one.toolplanner", site, qtbot)
    site.on("/a", site.never)
    dialog.call_button.click()
    qtbot.waitUntil(site.was_asked.is_set)
    dialog.reject()
    qtbot.waitUntil(lambda: not window.findChildren(ConsoleDialog))


def test_health_when_checked_from_the_menu_then_a_run_calls_what_reads_after_a_yes(
    window: MainWindow, demo: Path, qtbot
) -> None:
    context = window._context
    open_later(context, demo)
    qtbot.waitUntil(lambda: context.catalogue.n_apis > 0 and window.is_idle, timeout=20_000)
    assert cannot_check(context) == "Select APIs or toolkits first"
    context.selection.select_apis([1, 2])
    check_health(context)
    qtbot.waitUntil(lambda: bool(window.findChildren(QMessageBox)))
    (box,) = window.findChildren(QMessageBox)
    assert box.text() == "Call 2 APIs, once each?"
    assert "by demo" in box.informativeText()
    next(each for each in box.buttons() if each.text() == "Call").click()
    view = context.run_view
    qtbot.waitUntil(lambda: not view.is_live and len(view.summaries) == 1, timeout=20_000)
    qtbot.waitUntil(lambda: context.figures.has_health, timeout=20_000)
    assert context.figures.health_of_api(1) is not None


def test_risk_when_raised_and_lowered_from_the_menu_then_it_is_shown_and_lowering_asks(
    window: MainWindow, demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot
) -> None:
    monkeypatch.setenv("TOOLPLANNER_SETTINGS", str(tmp_path / "settings.json"))
    context = window._context
    open_later(context, demo)
    qtbot.waitUntil(lambda: context.catalogue.n_apis > 0 and window.is_idle, timeout=20_000)
    context.selection.select_apis([1])
    entries = {each.id: each for each in risk_entries(context)}
    assert entries["curate.risk.documented"].title == "As documented: only reads"
    entries["curate.risk.write"].run(context)
    qtbot.waitUntil(lambda: [*risk_overrides().values()] != [], timeout=20_000)
    qtbot.waitUntil(lambda: context.tasks.is_idle, timeout=20_000)
    (details,) = window.findChildren(DetailsPanel)
    said = [label.text().replace("\u200b", "") for label in details.api_page.findChildren(QLabel)]
    assert "writes, as you said; documented: only reads" in said
    entries["curate.risk.read"].run(context)
    qtbot.waitUntil(lambda: bool(window.findChildren(QMessageBox)))
    (box,) = window.findChildren(QMessageBox)
    assert "ask less" in box.text()
    next(each for each in box.buttons() if each.text() == "Lower the risk").click()
    qtbot.waitUntil(lambda: [*risk_overrides().values()] == [], timeout=20_000)
    qtbot.waitUntil(lambda: context.tasks.is_idle, timeout=20_000)
