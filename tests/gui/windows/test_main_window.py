"""The main window: welcome, open, layouts, keys, problems, dialogs, status."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QAction, QDropEvent
from PySide6.QtWidgets import QLabel

from toolplanner_core.jobs.compiled_code import COMPILING
from toolplanner_core.jobs.progress import Progress, ProgressReport
from toolplanner_gui import panel_commands
from toolplanner_gui.actions.action import Action, all_actions
from toolplanner_gui.actions.toolkits_menu import PLUGIN as MENU
from toolplanner_gui.actions.workspace_files import open_demo, open_later
from toolplanner_gui.panels.apis_panel import ApisPanel
from toolplanner_gui.panels.details_panel import DetailsPanel
from toolplanner_gui.widgets.labels import ElidedLabel
from toolplanner_gui.windows.docks import PanelDock
from toolplanner_gui.windows.import_dialog import ImportDialog
from toolplanner_gui.windows.import_report_dialog import ImportReportDialog
from toolplanner_gui.windows.main_window import MainWindow
from toolplanner_gui.windows.prepare_dialog import PrepareDialog
from toolplanner_gui.windows.query_bar import QueryBar
from toolplanner_gui.windows.status_bar import describe_report
from toolplanner_gui.windows.what_is_new_dialog import WhatIsNewDialog


@pytest.fixture
def with_demo(window: MainWindow, demo: Path, qtbot) -> MainWindow:
    open_later(window._context, demo)
    qtbot.waitUntil(lambda: window._context.catalogue.n_apis > 0, timeout=10_000)
    qtbot.waitUntil(lambda: window.is_idle, timeout=10_000)
    return window


def trigger(window: MainWindow, action_id: str) -> None:
    action = window.findChild(QAction, action_id)
    assert isinstance(action, QAction), action_id
    assert action.isEnabled(), action_id
    action.trigger()


def test_first_page_names_what_tools_can_be_imported_from(window: MainWindow) -> None:
    said = " ".join(label.text() for label in window._welcome.findChildren(QLabel))
    for name in ("OpenAPI", "MCP", "CSV", "OpenAI", "Anthropic", "ToolBench", "an address"):
        assert name in said


def test_window_without_a_workspace_welcomes(window: MainWindow) -> None:
    assert window._welcome.isVisible()
    assert not window.findChildren(QueryBar)
    assert window.statusBar().file_label.text() == "No workspace open"


def test_opening_shows_the_panels_and_remembers_the_file(
    with_demo: MainWindow, demo: Path, qtbot
) -> None:
    assert with_demo.windowTitle().startswith("demo.toolplanner")
    assert with_demo.workspace_view.docks.panel("map").isVisible()
    assert with_demo.workspace_view.docks.panel("toolkits").isVisible()
    assert [r.path for r in with_demo._context.choices.recent] == [demo.resolve()]
    # Opening may write what it has worked out.
    said = with_demo.statusBar().file_label
    qtbot.waitUntil(lambda: said.text() == "demo.toolplanner · saved")


def test_panel_behind_another_tab_when_opened_then_read_once_it_is_in_front(
    with_demo: MainWindow, qtbot
) -> None:
    table = with_demo.workspace_view.docks.panel("apis")
    assert isinstance(table, ApisPanel)
    assert table.isVisible()  # as Qt means it
    assert not table.is_seen
    assert table.model.total == 0
    with_demo.workspace_view.docks.reveal("apis")
    qtbot.waitUntil(lambda: table.model.total == with_demo._context.catalogue.n_apis)


def test_keys_when_several_are_selected_then_each_belongs_to_one_command(
    with_demo: MainWindow, qtbot
) -> None:
    context = with_demo._context
    details = with_demo.workspace_view.docks.reveal("details")
    assert isinstance(details, DetailsPanel)
    context.selection.select_apis(context.catalogue.rowids[:5], None, made={"by": "list"})
    qtbot.waitUntil(lambda: bool(details.group_page.buttons))
    keys = Counter(
        key.toString()
        for action in with_demo.findChildren(QAction)
        for key in action.shortcuts()
        if action.isEnabled() and action.shortcutContext() == Qt.ShortcutContext.WindowShortcut
    )
    assert [key for key, n in keys.items() if n > 1] == []


def test_closing_a_workspace_shows_the_welcome_page_with_the_file(
    with_demo: MainWindow, qtbot
) -> None:
    trigger(with_demo, "file.close")
    qtbot.waitUntil(with_demo._welcome.isVisible)
    texts = [x.text() for x in with_demo._welcome.findChildren(QLabel)]
    assert "just now" in texts
    assert not with_demo.findChildren(PanelDock)


def test_layouts_switch_and_the_map_moves_along(with_demo: MainWindow) -> None:
    trigger(with_demo, "view.debug")
    assert with_demo.current_layout() == "debug"
    assert with_demo.workspace_view.docks.panel("run_tree").isVisible()
    assert with_demo.workspace_view.docks.panel("map").isVisible()
    assert not with_demo.workspace_view.docks.panel("toolkits").isVisible()
    trigger(with_demo, "view.curate")
    assert with_demo.workspace_view.docks.panel("toolkits").isVisible()
    assert with_demo.workspace_view.docks.panel("map").isVisible()
    assert not with_demo.workspace_view.docks.panel("runs").isVisible()


def test_find_from_the_debug_layout_comes_to_the_search_field(with_demo: MainWindow, qtbot) -> None:
    trigger(with_demo, "view.debug")
    trigger(with_demo, "edit.find")
    assert with_demo.current_layout() == "curate"
    qtbot.waitUntil(with_demo.workspace_view.docks.panel("toolkits").field.hasFocus)


def test_theme_when_switched_live_keeps_everything(with_demo: MainWindow, qtbot) -> None:
    theme = with_demo._context.theme
    theme.set_mode("dark")
    qtbot.waitUntil(lambda: with_demo.is_idle, timeout=10_000)
    assert with_demo.workspace_view.docks.panel("map").canvas._tokens is theme.tokens
    theme.set_mode("light")


def test_theme_when_switched_and_the_map_moved_then_colours_its_captions(
    with_demo: MainWindow, qtbot
) -> None:
    theme = with_demo._context.theme
    theme.set_mode("dark")
    with_demo.show_layout("debug")
    qtbot.waitUntil(lambda: with_demo.is_idle)
    canvas = with_demo.workspace_view.docks.panel("map").canvas
    captions = (canvas.plan.legend, canvas._overlays.legend)
    grounds = {caption.grab().toImage().pixelColor(0, 0).name() for caption in captions}
    assert grounds == {theme.tokens.map}
    theme.set_mode("light")


def test_query_when_run_shows_the_debug_layout_and_the_answer(with_demo: MainWindow, qtbot) -> None:
    context = with_demo._context
    options = with_demo.workspace_view.query_bar.options
    qtbot.waitUntil(lambda: options.form is not None, timeout=20_000)
    assert options.text() == "Tool-Planner · Offline planner · Demo world"
    with_demo.workspace_view.query_bar.query.setText("Convert 26.2 miles to kilometres.")
    trigger(with_demo, "run.start")
    assert with_demo.current_layout() == "debug"
    assert context.run_view.is_live
    qtbot.waitUntil(lambda: not context.run_view.is_live, timeout=20_000)
    tree = with_demo.workspace_view.docks.panel("run_tree")
    qtbot.waitUntil(lambda: "42.1" in tree.head.answer.text(), timeout=5_000)


def test_every_action_has_an_id_and_no_shortcut_twice(qapp) -> None:
    actions = [action for _, action in all_actions()]
    assert len({a.id for a in actions}) == len(actions)
    # A single letter may mean another thing in another layout.
    keys = [each for action in actions for each in action.shortcuts]
    everywhere = {shortcut for shortcut, place in keys if not place}
    assert len(set(keys)) == len(keys)
    assert not everywhere & {shortcut for shortcut, place in keys if place}


def test_wrong_file_is_explained_and_changes_nothing(
    with_demo: MainWindow, tmp_path: Path, qtbot
) -> None:
    wrong = tmp_path / "text.toolplanner"
    wrong.write_text("not a database")
    with qtbot.waitSignal(with_demo._context.problem_reported):
        open_later(with_demo._context, wrong)
    assert "not a ToolPlanner workspace" in with_demo.banner.text
    assert with_demo.banner.isVisible()
    assert with_demo._context.workspace is not None
    with_demo.banner.close_button.click()
    assert not with_demo.banner.isVisible()


def test_a_file_that_is_gone_when_another_is_opened_then_nothing_speaks_of_it_any_more(
    window: MainWindow, demo: Path, tmp_path: Path, qtbot
) -> None:
    with qtbot.waitSignal(window._context.problem_reported):
        open_later(window._context, tmp_path / "gone.toolplanner")
    assert window.banner.isVisible()
    open_later(window._context, demo)
    qtbot.waitUntil(lambda: window._context.catalogue.n_apis > 0)
    assert not window.banner.isVisible()


def test_dropped_workspace_is_opened(window: MainWindow, demo: Path, qtbot) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(demo))])
    event = QDropEvent(
        QPointF(10, 10),
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    window.dropEvent(event)
    qtbot.waitUntil(lambda: window._context.catalogue.n_apis > 0, timeout=10_000)


def test_import_dialog_previews_and_imports(with_demo: MainWindow, tmp_path: Path, qtbot) -> None:
    source = tmp_path / "functions.json"
    source.write_text(
        json.dumps(
            [
                {"name": "tide_table", "description": "Tides.", "parameters": {"type": "object"}},
                {"no_name": True},
            ]
        )
    )
    context = with_demo._context
    before = context.catalogue.n_apis
    dialog = ImportDialog(context, with_demo, paths=[source])
    dialog.open()
    qtbot.waitUntil(dialog.start_button.isEnabled, timeout=10_000)
    assert dialog.summary.text().startswith("1 API, 1 tool")
    assert "1 record would be rejected" in dialog.summary.text()
    places = context.catalogue.xy
    assert places is not None
    with qtbot.waitSignal(context.jobs.ended, timeout=20_000):
        dialog.start_button.click()
    qtbot.waitUntil(lambda: bool(with_demo.findChildren(ImportReportDialog)), timeout=20_000)
    (rejected,) = with_demo.findChildren(ImportReportDialog)
    assert not with_demo.findChildren(WhatIsNewDialog), "it would cover the report"
    rejected.reject()
    # People have curated the demo: one step places what is new and says so.
    qtbot.waitUntil(lambda: bool(with_demo.findChildren(WhatIsNewDialog)), timeout=20_000)
    (new,) = with_demo.findChildren(WhatIsNewDialog)
    assert new.summary.text().startswith("1 new API; nothing else moved. 1 fit no toolkit")
    assert new.model.index(0, 0).data() == "functions · tide_table"
    qtbot.waitUntil(lambda: len(context.catalogue.rowids) == before + 1, timeout=10_000)
    after = context.catalogue.xy
    assert after is not None and after[:before].tobytes() == places.tobytes()
    new.view.setCurrentIndex(new.model.index(0, 0))
    assert context.selection.rowids().tolist() == [before + 1]
    assert new.model.index(0, 3).data() == "0.00"
    for width in (420, 900):
        new.resize(width, 420)
        assert new.view.columnWidth(3) >= 72, "a number is never cut"
    new.reject()
    again = next(e for e in MENU.entries if getattr(e, "id", "") == "toolkits.new")
    assert isinstance(again, Action)
    assert again.refused_when(context) == ""
    again.run(context)
    qtbot.waitUntil(lambda: any(d.isVisible() for d in with_demo.findChildren(WhatIsNewDialog)))


def test_prepare_dialog_when_people_have_curated_then_it_offers_what_is_new_alone(
    with_demo: MainWindow, qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = with_demo._context
    dialog = PrepareDialog(context, with_demo)
    dialog.open()
    qtbot.waitUntil(lambda: dialog.is_only_new, timeout=20_000)
    assert dialog._what.text() == "Nothing is new."
    assert (
        "description" not in dialog._kept.text() and "follows its new APIs" in dialog._kept.text()
    )
    assert dialog.height() < 340, "one button needs no room for three forms"
    kits = context.catalogue.toolkits
    large = max(kits, key=lambda kit: kit.size)
    fewer = tuple(replace(kit, size=0) if kit is large else kit for kit in kits)
    monkeypatch.setattr(context.opened, "_catalogue", replace(context.catalogue, toolkits=fewer))
    assert f"{large.size} APIs belong to no toolkit" in dialog._nothing_new()
    monkeypatch.undo()
    assert dialog.start_button.text() == "Place new APIs"
    assert not dialog.start_button.isEnabled()
    assert not dialog.choices
    dialog.anew_button.click()
    anew = lambda: [d for d in with_demo.findChildren(PrepareDialog) if d is not dialog]  # noqa: E731
    qtbot.waitUntil(lambda: bool(anew()), timeout=10_000)
    qtbot.waitUntil(anew()[0].start_button.isEnabled, timeout=20_000)
    assert "a proposal that says what it would move and end" in anew()[0]._kept.text()


def test_import_dialog_says_in_place_what_is_wrong(
    with_demo: MainWindow, tmp_path: Path, qtbot
) -> None:
    dialog = ImportDialog(with_demo._context, with_demo, paths=[tmp_path / "missing.zip"])
    dialog.open()
    qtbot.waitUntil(dialog.banner.isVisible, timeout=10_000)
    assert "missing.zip" in dialog.banner.text
    assert not dialog.start_button.isEnabled()


def test_import_dialog_when_openapi_in_yaml_is_chosen_then_its_operations_are_shown(
    with_demo: MainWindow, tmp_path: Path, qtbot
) -> None:
    path = tmp_path / "shop.yaml"
    path.write_text("openapi: 3.1.0\ninfo: {title: Shop}\npaths: {/a: {get: {}, post: {}}}\n")
    dialog = ImportDialog(with_demo._context, with_demo, paths=[path])
    dialog.open()
    qtbot.waitUntil(dialog.start_button.isEnabled, timeout=20_000)
    assert any(
        "2 APIs, 1 tool, 1 category in the format openapi" in label.text()
        for label in dialog.findChildren(QLabel)
    )


def test_prepare_dialog_offers_what_is_registered(with_demo: MainWindow, qtbot) -> None:
    dialog = PrepareDialog(with_demo._context, with_demo, is_anew=True)
    dialog.open()
    qtbot.waitUntil(dialog.start_button.isEnabled, timeout=20_000)
    assert {name: choice.spec for name, choice in dialog.choices.items()} == {
        "embedder": "lsa", "clustering": "kmeans", "layout": "umap",
    }  # fmt: skip
    grouping = dialog.choices["clustering"]
    qtbot.waitUntil(lambda: grouping.form.editors["k"].isVisible())  # noqa: PLW0108 - made anew
    grouping.put("dbscan", {"eps": 0.05})
    assert "k" not in grouping.form.editors
    qtbot.waitUntil(lambda: grouping.form.editors["eps"].isVisible())  # noqa: PLW0108 - made anew


def test_status_bar_shows_a_job_and_cancels_it(window: MainWindow, qtbot) -> None:
    def work(progress: Progress) -> None:
        while True:
            progress.report("Embedding", 9_931, 16_000)

    job = window._context.jobs.start("Prepare", work)
    strip = window.statusBar()._strips[job]
    qtbot.waitUntil(lambda: strip.text.startswith("Prepare · Embedding 9,931 of 16,000"))
    with qtbot.waitSignal(job.cancelled, timeout=10_000):
        strip.cancel_button.click()
    qtbot.waitUntil(lambda: job not in window.statusBar()._strips)


def test_demo_button_while_the_demo_is_made_cannot_be_pressed_again(
    window: MainWindow, tmp_path: Path, qtbot
) -> None:
    context = window._context
    place = tmp_path / "deep" / "demo.toolplanner"
    open_demo(context, place)
    open_demo(context, place)
    assert len(context.jobs.running) == 1
    button = window._welcome._cards[0]
    assert (button.text(), button.isEnabled()) == ("Making the demo …", False)
    making = window._welcome.making
    assert making.isVisible()
    qtbot.waitUntil(lambda: making.text != "Beginning …")
    with qtbot.waitSignal(context.jobs.ended, timeout=30_000):
        making.cancel_button.click()
    assert (button.text(), button.isEnabled()) == ("Open the demo", True)
    assert not making.isVisible()
    assert not place.exists()


def test_welcome_when_the_demo_is_made_then_it_says_whole_what_goes_on(
    window: MainWindow, qtbot
) -> None:
    making = window._welcome.making
    making.show()
    making.show_progress(f"{COMPILING} …", 0, None)
    (line,) = making.findChildren(ElidedLabel)
    qtbot.waitUntil(lambda: line.width() > line.height())
    assert line.shown_text() == f"{COMPILING} …"


def test_progress_in_words() -> None:
    report = ProgressReport(
        stage="Embedding", done=9931, total=16000, unit="APIs", rate=104.3, left_s=58.2
    )
    assert describe_report(report) == "Embedding 9,931 of 16,000 · 58.0 s left · 104/s"


def test_shortcuts_and_about_open_without_blocking(window: MainWindow, qtbot) -> None:
    trigger(window, "help.shortcuts")
    trigger(window, "help.about")
    assert len(window.findChildren(QLabel)) > 0


def test_everything_that_can_be_clicked_has_a_name(with_demo: MainWindow) -> None:
    from PySide6.QtWidgets import QAbstractButton, QComboBox, QLineEdit, QTreeView

    for kind in (QAbstractButton, QComboBox, QLineEdit, QTreeView):
        for widget in with_demo.findChildren(kind):
            if widget.isVisible() and widget.focusPolicy() is not Qt.FocusPolicy.NoFocus:
                text = widget.text() if isinstance(widget, QAbstractButton) else ""
                assert text or widget.accessibleName(), widget


def test_docks_that_were_kept_with_other_panels_stand_as_delivered(with_demo: MainWindow) -> None:
    trigger(with_demo, "view.debug")
    timeline, log = (with_demo.workspace_view.docks._docks[i] for i in ("timeline", "event_log"))
    with_demo.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, log)
    assert log not in with_demo.tabifiedDockWidgets(timeline)
    older = with_demo.saveState(1)
    with_demo._context.choices.keep_window("debug", "docks", older)
    with_demo.workspace_view.docks._layout = None
    trigger(with_demo, "view.debug")
    assert log in with_demo.tabifiedDockWidgets(timeline)


def test_comparison_stands_in_the_centre_until_the_run_is_asked_for(with_demo: MainWindow) -> None:
    trigger(with_demo, "view.debug")
    tree, compare = (with_demo.workspace_view.docks.panel(i) for i in ("run_tree", "compare"))
    assert tree.isVisible()
    assert not compare.isVisible()
    with_demo.call_panel(panel_commands.focus_comparison)
    assert compare.isVisible()
    assert not tree.isVisible()
    with_demo.call_panel(panel_commands.focus_run_tree)
    assert tree.isVisible()
