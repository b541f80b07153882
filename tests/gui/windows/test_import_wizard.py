"""The import from preview to report: what is chosen comes in, what changed waits."""

import json
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QComboBox, QLabel, QSpinBox

from toolplanner_core.curation.looking.waiting import read_waiting
from toolplanner_core.sources.documentation_changes import ApiChange, PartChange
from toolplanner_core.sources.import_preview import preview_source
from toolplanner_core.sources.import_report import ImportReport
from toolplanner_core.sources.importing import import_source
from toolplanner_core.sources.source import Rejected
from toolplanner_gui.actions import workspace_files
from toolplanner_gui.actions.workspace_files import close_workspace, open_later
from toolplanner_gui.dialog_commands import DialogCommand
from toolplanner_gui.windows.changes_dialog import ChangesDialog
from toolplanner_gui.windows.import_dialog import ImportDialog, ImportPreviewTabs, on_imported
from toolplanner_gui.windows.import_report_dialog import ImportReportDialog
from toolplanner_gui.windows.main_window import MainWindow
from toolplanner_gui.windows.prepare_dialog import PrepareDialog


@pytest.fixture
def with_demo(window: MainWindow, demo: Path, qtbot) -> MainWindow:
    open_later(window._context, demo)
    qtbot.waitUntil(lambda: window._context.catalogue.n_apis > 0, timeout=20_000)
    qtbot.waitUntil(lambda: window.is_idle, timeout=20_000)
    return window


def catalogue(folder: Path, **texts: str) -> Path:
    """A folder of tools: one file each, with a reading and a deleting API."""
    for name, text in texts.items():
        entries = [
            {"name": f"{method} {name}", "method": method, "url": "", "description": text}
            for method in ("GET", "DELETE")
        ]
        place = folder / name.capitalize() / f"{name}.json"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(json.dumps({"tool_name": name, "api_list": entries}))
    return folder


def opened(window: MainWindow, path: Path, qtbot) -> ImportDialog:
    dialog = ImportDialog(window._context, window, paths=[path])
    dialog.open()
    qtbot.waitUntil(dialog.start_button.isEnabled, timeout=20_000)
    qtbot.waitUntil(lambda: dialog.is_idle, timeout=20_000)
    return dialog


def imported(window: MainWindow, dialog: ImportDialog, qtbot) -> None:
    with qtbot.waitSignal(window._context.message_shown, timeout=30_000):
        dialog.start_button.click()


def test_wizard_when_parts_are_switched_off_then_only_the_rest_comes_in(
    with_demo: MainWindow, tmp_path: Path, qtbot
) -> None:
    context = with_demo._context
    before = context.catalogue.n_apis
    folder = catalogue(tmp_path / "tools", sea="Tides.", air="Wind.", land="Hills.")
    dialog = opened(with_demo, folder, qtbot)
    choice = dialog.tabs.choice
    assert dialog.format is not None
    lefts = {f.mapTo(dialog, QPoint()).x() for f in (dialog.name, dialog.format.combo)}
    assert len(lefts) == 1, "fields stand one below the other"
    assert "6 APIs, 3 tools, 3 categories" in dialog.summary.text()
    assert choice.model.rowCount() == 3
    choice.model.switched.emit("tools/Sea/sea.json", False)
    choice.ways.setCurrentIndex(2)
    choice.model.switched.emit("destructive", False)
    assert dialog.start_button.text() == "Import 2"
    assert "You leave out 4 APIs." in dialog.summary.text()
    choice.words.setText("hills")
    qtbot.waitUntil(lambda: dialog.start_button.text() == "Import 1", timeout=20_000)
    imported(with_demo, dialog, qtbot)
    qtbot.waitUntil(lambda: context.catalogue.n_apis == before + 1, timeout=20_000)


def test_wizard_when_imported_again_then_the_difference_is_shown_waits_and_is_accepted(
    with_demo: MainWindow, tmp_path: Path, qtbot
) -> None:
    context = with_demo._context
    folder = catalogue(tmp_path / "tools", sea="Tides of a day.", air="Wind.")
    first = opened(with_demo, folder, qtbot)
    assert not first.tabs.isTabVisible(2), "all are new: there is no difference to look at"
    imported(with_demo, first, qtbot)
    qtbot.waitUntil(lambda: not context.running_work, timeout=30_000)
    catalogue(folder, sea="Tides of a year.")
    dialog = opened(with_demo, folder, qtbot)
    assert "0 new, 2 unchanged, 2 changed" in dialog.summary.text()
    assert "2 APIs wait then for your acceptance." in dialog.summary.text()
    dialog.tabs.setCurrentIndex(2)
    assert dialog.tabs.isTabVisible(2)
    assert dialog.tabs.tabText(2) == "Difference (2)"
    assert dialog.tabs._changes.row(0).cells[1:] == ("description", "waits for you")
    assert "Tides of a [-day.-] {+year.+}" in dialog.tabs._changes.row(0).key
    imported(with_demo, dialog, qtbot)
    qtbot.waitUntil(lambda: bool(with_demo.findChildren(ImportReportDialog)), timeout=20_000)
    qtbot.waitUntil(with_demo.findChildren(ImportReportDialog)[0].isVisible)
    qtbot.waitUntil(lambda: bool(context.catalogue.unaccepted), timeout=20_000)
    changes = ChangesDialog(context, with_demo)
    changes.open()
    qtbot.waitUntil(lambda: changes.model.rowCount() == 2, timeout=20_000)
    assert "description: Tides of a [-day.-] {+year.+}" in changes.details.toPlainText()
    qtbot.keyClick(changes, Qt.Key.Key_Return)  # takes what is chosen, never all
    qtbot.waitUntil(lambda: changes.model.rowCount() == 1, timeout=20_000)
    assert changes.summary.text().startswith("1 API waits: ")
    assert "accept that, it is neither planned with" in changes.summary.text()
    changes.all_button.click()
    qtbot.waitUntil(lambda: changes.model.rowCount() == 0, timeout=20_000)
    assert not changes.all_button.isEnabled()
    assert context.workspace is not None
    assert read_waiting(context.workspace) == []
    context.curation.undo()
    qtbot.waitUntil(lambda: changes.model.rowCount() == 1, timeout=20_000)


def test_path_when_return_is_pressed_then_its_preview_comes_first_and_return_again_imports(
    with_demo: MainWindow, tmp_path: Path, qtbot
) -> None:
    context, before = with_demo._context, with_demo._context.catalogue.n_apis
    folder = catalogue(tmp_path / "tools", sea="Tides.")
    dialog = ImportDialog(context, with_demo)
    dialog.open()
    line = dialog.source.line
    qtbot.waitUntil(dialog.isActiveWindow)
    line.setFocus()
    qtbot.keyClicks(line, str(folder))
    qtbot.keyClick(line, Qt.Key.Key_Return)
    view = dialog.tabs.currentWidget()
    qtbot.waitUntil(view.hasFocus)
    assert dialog.isVisible() and not context.jobs.running
    assert context.catalogue.n_apis == before
    assert dialog.start_button.isEnabled()
    qtbot.keyClicks(dialog.name, "mine")
    assert not dialog.start_button.isEnabled(), "what is shown is not of this name"
    qtbot.waitUntil(dialog.start_button.isEnabled)
    line.setFocus()
    qtbot.keyClick(line, Qt.Key.Key_Return)
    qtbot.waitUntil(view.hasFocus)
    assert dialog.isVisible()
    with qtbot.waitSignal(context.message_shown):
        qtbot.keyClick(view, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: context.catalogue.n_apis == before + 2)


@pytest.mark.parametrize("is_read", [True, False])
def test_report_when_closed_then_preparing_asks_and_not_before(
    with_demo: MainWindow, tmp_path: Path, is_read: bool, qtbot
) -> None:
    context = with_demo._context
    workspace = context.workspace
    assert workspace is not None
    # Nothing of this was ever prepared, so what follows the import is a question.
    report = import_source(workspace, catalogue(tmp_path, sea="Tides.", air="Wind."))
    report.rejected.append(Rejected(where="b.json", why="no name"))
    asked: list[str] = []
    shown = context.shell.open

    def note(dialog: DialogCommand[Any], **what: object) -> None:
        asked.append(dialog.id)
        shown(dialog, **what)

    context.shell.open = note
    on_imported(context, workspace, report)
    assert asked == ["import_report"] and not context.jobs.running
    (made,) = with_demo.findChildren(ImportReportDialog)
    if is_read:
        made.reject()
        qtbot.waitUntil(lambda: "prepare" in asked or bool(context.jobs.running))
    else:
        close_workspace(context)
        qtbot.waitUntil(lambda: context.workspace is None and context.tasks.is_idle)
        assert asked == ["import_report"] and not context.jobs.running


def test_prepare_after_the_first_import_then_it_counts_what_came_and_no_field_is_stuck(
    window: MainWindow, tmp_path: Path, qtbot
) -> None:
    context = window._context
    context.tasks.spawn(context.new_workspace(tmp_path / "first.toolplanner"), owner=context)
    qtbot.waitUntil(lambda: context.opened is not None and window.is_idle)
    imported(
        window, opened(window, catalogue(tmp_path / "in", sea="Tides.", air="Wind."), qtbot), qtbot
    )
    qtbot.waitUntil(lambda: bool(window.findChildren(PrepareDialog)))
    (dialog,) = window.findChildren(PrepareDialog)
    qtbot.waitUntil(dialog.start_button.isEnabled)
    assert dialog._what.text().startswith("4 APIs become toolkits")
    stuck = [
        box.accessibleName()
        for box in dialog.findChildren(QAbstractSpinBox)
        if box.isVisible() and isinstance(box, QSpinBox) and box.minimum() == box.maximum()
    ]
    assert stuck == []
    dialog.reject()


def test_import_without_a_workspace_then_one_is_made_by_importing_and_not_before(
    window: MainWindow, tmp_path: Path, qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    context, documents = window._context, tmp_path / "documents"
    monkeypatch.setattr(workspace_files.platformdirs, "user_documents_path", lambda: documents)
    workspace_files.import_into_workspace(context)
    qtbot.waitUntil(lambda: bool(window.findChildren(ImportDialog)))
    (dialog,) = window.findChildren(ImportDialog)
    qtbot.waitUntil(lambda: dialog.is_idle)
    dialog.reject()
    assert context.workspace is None
    assert not documents.exists()
    path = catalogue(tmp_path / "tools", sea="Tides.")
    opened(window, path, qtbot).start_button.click()
    qtbot.waitUntil(lambda: context.catalogue.n_apis == 2)
    assert [file.name for file in documents.glob("*.toolplanner")] == ["tools.toolplanner"]


def test_difference_while_the_rest_is_read_then_it_has_no_number(
    with_demo: MainWindow, tmp_path: Path, qtbot
) -> None:
    workspace = with_demo._context.file
    path = catalogue(tmp_path, sea="Tides.", air="Wind.")
    import_source(workspace, path)
    catalogue(tmp_path, air="Breezes.")
    tabs = ImportPreviewTabs()
    qtbot.addWidget(tabs)
    begun = preview_source(path, workspace=workspace, limit=1)
    assert not begun.is_complete
    tabs.show_preview(begun)
    assert tabs.tabText(2) == "Difference (…)"
    tabs.show_preview(preview_source(path, workspace=workspace))
    assert tabs.tabText(2) == "Difference (2)"


HOSTILE = '<img src="http://evil/x.png"><b>=HYPERLINK("http://evil")</b>'


def test_table_when_its_columns_are_picked_from_a_list_then_the_preview_follows(
    with_demo: MainWindow, tmp_path: Path, qtbot
) -> None:
    table = tmp_path / "tools.csv"
    table.write_text("Name,Ding,Description,Type\nA,find,Finds,pump\nB,fill,Fills,pump\n")
    dialog = opened(with_demo, table, qtbot)
    assert dialog.format is not None and dialog.format.plugin_id == ""
    editors = dialog.format.form.editors
    name, kind = editors["name"].field, editors["category"].field
    assert isinstance(name, QComboBox) and isinstance(kind, QComboBox)
    assert [name.itemText(n) for n in range(name.count())] == [
        "Name (guessed)", "Name", "Ding", "Description", "Type",
    ]  # fmt: skip
    assert kind.currentText() == "Type (guessed)"
    assert dialog.height() <= 680, "a title bar and a panel of 1280 x 720 leave no more"
    assert [api.name for api in dialog._preview.first] == ["A", "B"]
    name.setCurrentIndex(2)
    kind.setCurrentIndex(kind.count() - 1)
    qtbot.waitUntil(lambda: dialog._preview.first[0].name == "find", timeout=20_000)
    qtbot.waitUntil(lambda: dialog.is_idle, timeout=20_000)
    assert kind.currentText() == "none"
    assert dialog._preview.categories == 1 and dialog._preview.first[0].category == ""
    assert name.currentText() == "Ding", "what is chosen stays when the preview is there"
    other = tmp_path / "others.csv"
    other.write_text("Title,Summary\nC,Sees\n")
    dialog.source.take(other)
    qtbot.waitUntil(lambda: dialog._preview.first[0].name == "C", timeout=20_000)
    assert name.currentText() == "Title (guessed)", "columns of another file are not kept"
    dialog.source.take(catalogue(tmp_path / "tools", sea="Tides."))
    qtbot.waitUntil(lambda: dialog._preview.format_id == "toolbench", timeout=20_000)
    assert not name.isVisible()
    dialog.close()


def test_table_when_no_column_is_guessed_then_named_by_hand(
    with_demo: MainWindow, tmp_path: Path, qtbot
) -> None:
    table = tmp_path / "list.csv"
    table.write_text("Ding,Wozu\nfind,Finds things\n")
    dialog = ImportDialog(with_demo._context, with_demo, paths=[table])
    dialog.open()
    qtbot.waitUntil(lambda: dialog.format is not None and dialog.is_idle, timeout=20_000)
    dialog.format.put("table", {})
    qtbot.waitUntil(lambda: dialog._preview is not None, timeout=20_000)
    assert not dialog.start_button.isEnabled()
    dialog.format.form.editors["name"].field.setCurrentIndex(1)
    qtbot.waitUntil(dialog.start_button.isEnabled, timeout=20_000)
    assert [api.name for api in dialog._preview.first] == ["find"]
    dialog.close()


@pytest.mark.parametrize("ending", ["md", "csv"])
def test_report_when_saved_then_the_file_says_what_the_window_says(
    with_demo: MainWindow, tmp_path: Path, qtbot, ending: str
) -> None:
    change = ApiChange(
        id="a", title="Shop · list",
        details=(PartChange(part="description", before="old", now=HOSTILE),),
    )  # fmt: skip
    report = ImportReport(
        source="shop", format_id="openapi", added=1, updated=1, unchanged=0, missing=0, waiting=1,
        changes=[change], rejected=[Rejected(where=HOSTILE, why="=1+1")], seconds=1.0,
    )  # fmt: skip
    dialog = ImportReportDialog(with_demo._context, with_demo, report=report)
    dialog.show()
    assert dialog.model.rowCount() == 2
    path = tmp_path / f"report.{ending}"
    with qtbot.waitSignal(with_demo._context.message_shown, timeout=20_000):
        dialog.save(path)
    text = path.read_text(encoding="utf-8-sig")
    assert "Shop · list" in text
    said = [label.text() for label in dialog.findChildren(QLabel)]
    assert any(words.startswith("1 added, 1 changed, 1 rejected.") for words in said)
    assert "- 1 changed\n" in text or ending == "csv"
    assert "<img" not in text.replace("\\<", "") or ending == "csv"
    assert ",=1+1" not in text


def test_import_when_the_screen_has_600_pixels_then_all_of_the_dialog_is_on_it(
    with_demo: MainWindow, tmp_path: Path, qtbot
) -> None:
    table = tmp_path / "tools.csv"
    table.write_text("name,description,category\n" + "rates,Exchange rates.,Money\n" * 30)
    dialog = opened(with_demo, table, qtbot)
    assert dialog.minimumSizeHint().height() <= 540
    assert dialog.minimumSizeHint().width() <= 780
    dialog.resize(780, 540)
    bottom = dialog.start_button.mapTo(dialog, dialog.start_button.rect().bottomRight())
    assert dialog.rect().contains(bottom)
    dialog.reject()


def test_path_when_typed_after_one_that_failed_then_return_shows_it_and_imports_nothing_unseen(
    with_demo: MainWindow, tmp_path: Path, qtbot
) -> None:
    context, before = with_demo._context, with_demo._context.catalogue.n_apis
    folder = catalogue(tmp_path / "tools", sea="Tides.")
    dialog = ImportDialog(context, with_demo)
    dialog.open()
    line = dialog.source.line
    qtbot.waitUntil(dialog.isActiveWindow)
    qtbot.waitUntil(lambda: dialog.is_idle)
    line.setFocus()
    qtbot.keyClicks(line, str(tmp_path / "nowhere"))
    qtbot.keyClick(line, Qt.Key.Key_Return)
    qtbot.waitUntil(dialog.banner.isVisible)
    line.selectAll()
    qtbot.keyClicks(line, str(folder))
    qtbot.waitUntil(dialog.start_button.isEnabled)
    qtbot.waitUntil(lambda: dialog.is_idle)
    QApplication.processEvents()  # what would go to the preview by itself
    assert line.hasFocus(), "Return was not pressed for this path yet"
    qtbot.keyClick(dialog.focusWidget(), Qt.Key.Key_Return)
    qtbot.waitUntil(dialog.tabs.currentWidget().hasFocus)
    assert dialog.isVisible() and not context.jobs.running
    assert context.catalogue.n_apis == before
    dialog.reject()
