"""What every panel must keep, those of other distributions included."""

import gc
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest
import shiboken6
from fixtures.foreign_plugins import install_sample
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractButton, QLabel, QWidget

from toolplanner_core.curation.edits.marks import PinToolkits
from toolplanner_core.domain.ids import NodePath
from toolplanner_core.registry import installed_entry_points
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_gui.actions.workspace_files import close_workspace, open_later
from toolplanner_gui.context import AppContext
from toolplanner_gui.layouts import BY_ID
from toolplanner_gui.panel_commands import PanelCommand, PanelKey
from toolplanner_gui.panels.panel import Panel, panels, places_in
from toolplanner_gui.theme.icons import make_icon
from toolplanner_gui.windows.command_palette import CommandPalette
from toolplanner_gui.windows.main_window import MainWindow

IDS = sorted(plugin.id for plugin in panels)


@pytest.fixture
def acme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The id of a panel that another distribution brings."""
    install_sample(tmp_path / "site", "panels")
    monkeypatch.syspath_prepend(tmp_path / "site")
    monkeypatch.setattr(panels, "_found", None)
    installed_entry_points.cache_clear()
    yield "acme"
    installed_entry_points.cache_clear()


def show_demo(window: MainWindow, demo: Path, qtbot) -> AppContext:
    context = window._context
    open_later(context, demo)
    qtbot.waitUntil(lambda: context.catalogue.n_apis > 0)
    return context


def texts_of(panel: Panel) -> list[str]:
    shown = (*panel.findChildren(QLabel), *panel.findChildren(QAbstractButton))
    return [widget.text() for widget in shown if widget.isVisible() and widget.text()]


def takes_keys(panel: Panel) -> bool:
    """Whether Tab comes to something in it."""
    inside = (panel, *panel.findChildren(QWidget))
    return any(
        w.isVisible() and w.isEnabled() and w.focusPolicy() & Qt.FocusPolicy.TabFocus
        for w in inside
    )


@pytest.mark.parametrize("panel", IDS)
def test_panel_when_declared_then_named_and_placed(context: AppContext, panel: str) -> None:
    plugin = panels.get(panel)
    assert plugin.title
    assert not make_icon(plugin.icon).isNull()
    assert plugin.places
    assert plugin.places.keys() <= BY_ID.keys()
    assert all(0 <= place.share <= 100 for place in plugin.places.values())


@pytest.mark.parametrize("layout", BY_ID)
def test_layout_when_arranged_then_something_is_in_its_middle(layout: str) -> None:
    assert "centre" in [place.side for place in places_in(layout).values()]


@pytest.mark.parametrize("panel", IDS)
def test_panel_when_the_workspace_is_empty_then_says_something(
    context: AppContext, tmp_path: Path, panel: str, qtbot
) -> None:
    context.tasks.spawn(context.new_workspace(tmp_path / "empty.toolplanner"), owner=context)
    qtbot.waitUntil(lambda: context.opened is not None and context.tasks.is_idle)
    made = panels.get(panel).make(context)
    qtbot.addWidget(made)
    made.show()
    qtbot.waitUntil(lambda: bool(made.is_idle))
    assert texts_of(made)


def test_panels_when_shown_with_the_demo_then_reached_by_keys_and_gone_with_it(
    window: MainWindow, demo: Path, qtbot
) -> None:
    context = show_demo(window, demo, qtbot)
    one, other = (toolkit.id for toolkit in context.catalogue.toolkits[:2])
    context.selection.select_toolkit(one)
    context.staging.add((one, other))
    context.curation.do(PinToolkits(toolkits=(one,), is_pinned=True))
    context.run_view.start(RunSpec(query="Convert 26.2 miles to kilometres.", provider="demo"))
    qtbot.waitUntil(lambda: not context.run_view.is_live and bool(context.run_view.summaries))
    context.run_view.select_node(NodePath("plan.1"))
    made: dict[str, Panel] = {}
    silent: list[str] = []
    for layout in BY_ID:
        window.show_layout(layout)
        for panel in places_in(layout):
            made[panel] = window.workspace_view.docks.reveal(panel)
            qtbot.waitUntil(lambda: window.is_idle)
            assert made[panel].isVisible(), panel
            if not takes_keys(made[panel]):
                silent.append(panel)
            assert all(b.toolTip() or b.text() for b in made[panel].buttons()), panel
    assert sorted(made) == IDS
    assert silent == []
    kept = {panel: weakref.ref(widget) for panel, widget in made.items()}
    close_workspace(context)
    qtbot.waitUntil(lambda: context.opened is None and context.tasks.is_idle)
    assert not any(shiboken6.isValid(widget) for widget in made.values())
    made.clear()
    gc.collect()
    assert [panel for panel, ref in kept.items() if ref() is not None] == []


def test_panel_when_another_distribution_brings_it_then_placed_and_listed(
    window: MainWindow, demo: Path, acme: str, qtbot
) -> None:
    context = show_demo(window, demo, qtbot)
    assert panels.origin(acme) == "acme-panels"
    window.show_layout("curate")
    panel = window.workspace_view.docks.panel(acme)
    assert panel.isVisible()
    assert texts_of(panel) == ["196 APIs in 35 toolkits"]
    palette = CommandPalette(context, window)
    palette.field.setText("acme counts")
    assert palette.model.index(0, 0).data() == "View: Panels: Acme counts"
    palette.run_current()
    assert not panel.isVisible()
    palette.reject()
    window.call_panel(PanelCommand(PanelKey[Panel](acme), lambda panel: panel.show()))
    assert panel.isVisible()
    window.show_layout("review")
    assert not panel.isVisible()
    menu = next(entry for entry in window.findChildren(QAction) if entry.text() == "&Panels")
    assert menu.isEnabled()
