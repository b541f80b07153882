"""The timeline: when a run asked its model and called APIs, one lane per parallel branch."""

import threading
from collections.abc import Mapping, Sequence
from importlib import import_module

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QToolButton

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.runs.presentation.timeline import Timeline
from toolplanner_core.runs.tree.node import Node
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.panel import Panel
from toolplanner_gui.panels.timeline.view import TimelineView
from toolplanner_gui.widgets.box_layouts import pages_of
from toolplanner_gui.widgets.buttons import icon_button
from toolplanner_gui.widgets.empty_state import EmptyState

_TICK_MS = 100
_ZOOM = 1.5
_MANY = 2000
"""Nodes whose bars are not placed on the GUI thread: more would hold it up for over 10 ms."""


class TimelinePanel(Panel):
    """Follows the run that is looked at; shares the chosen node with tree and inspector.

    Bars are placed when somebody looks, those of a long stored run beside the GUI thread.
    """

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        # Its import takes a turn of the window's thread otherwise: 100 ms.
        threading.Thread(target=import_module, args=("pyqtgraph",), daemon=True).start()
        self._empty = EmptyState(
            "chart-gantt", "Calls and questions of a run are shown here, in time."
        )
        self.view = TimelineView()
        self._zoom_in = icon_button(
            "magnify-plus-outline", "Zoom in", lambda: self.view.zoom(_ZOOM)
        )
        self._zoom_out = icon_button(
            "magnify-minus-outline", "Zoom out", lambda: self.view.zoom(1 / _ZOOM)
        )
        self._fit = icon_button("arrow-expand-horizontal", "Show the whole run", self.view.fit)
        self.pages = pages_of(self._empty, self.view, of=self)
        self._timer = QTimer(self, interval=_TICK_MS)
        self._timer.timeout.connect(self._on_tick)
        run_view = context.run_view
        self.view.bar_chosen.connect(lambda path: run_view.select_node(path, self))
        run_view.run_changed.connect(self._on_run_changed)
        run_view.nodes_changed.connect(self._on_nodes_changed)
        run_view.node_changed.connect(self._on_node_changed)
        run_view.live_changed.connect(self._on_live_changed)
        self._on_run_changed()

    def buttons(self) -> Sequence[QToolButton]:
        return (self._zoom_in, self._zoom_out, self._fit)

    def focus_bars(self) -> None:
        """Put the keyboard into the timeline."""
        self.view.setFocus()

    def _on_run_changed(self) -> None:
        self.newest.forget()
        self.view.set_timeline(Timeline())
        self.mark_outdated()
        self._show_page()
        self._on_live_changed()

    def renew(self) -> None:
        run_view = self.context.run_view
        nodes = run_view.nodes
        if len(nodes) > _MANY and not run_view.is_run_live:
            self.newest.ask(lambda: _placed(nodes), self._show)
        else:
            self._show(_placed(nodes))

    def _show(self, timeline: Timeline) -> None:
        self.view.set_timeline(timeline)
        self._show_page()
        self.view.grow(self.context.run_view.now_ns())
        self.view.choose(self.context.run_view.node)

    def _on_nodes_changed(self, paths: Sequence[NodePath]) -> None:
        if not self.isVisible():
            self.mark_outdated()
            return
        self.view.timeline.add(paths)
        self._show_page()
        self.view.grow(self.context.run_view.now_ns())

    def _on_node_changed(self, origin: object) -> None:
        if origin is not self:
            self.view.choose(self.context.run_view.node)

    def _on_live_changed(self) -> None:
        if self.context.run_view.is_run_live:
            self._timer.start()
        else:
            self._timer.stop()
        self.view.grow(self.context.run_view.now_ns())

    def _on_tick(self) -> None:
        if self.view.isVisible():
            self.view.grow(self.context.run_view.now_ns())

    def _show_page(self) -> None:
        has_bars = self.view.timeline.n_bars > 0
        self.pages.setCurrentWidget(self.view if has_bars else self._empty)


def _placed(nodes: Mapping[NodePath, Node]) -> Timeline:
    timeline = Timeline()
    timeline.set_nodes(nodes)
    return timeline
