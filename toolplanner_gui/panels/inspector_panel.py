"""The inspector: what a node of a run asked, got, and why; at a stop, where a person decides."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from toolplanner_core.domain.ids import NodePath, nearest_known
from toolplanner_core.workspace.catalogue import rowids_of
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.panel import Panel
from toolplanner_gui.widgets.box_layouts import pages_of
from toolplanner_gui.widgets.empty_state import EmptyState

if TYPE_CHECKING:
    from toolplanner_core.runs.presentation.node_report import NodeReport
    from toolplanner_core.runs.tree.node import Node

_AGAIN_S = 0.1


class InspectorPanel(Panel):
    """Follows the node that is looked at and the branch that is held."""

    def __init__(self, context: AppContext) -> None:
        # Here, not above: its pages take 30 ms that no start waits for.
        from toolplanner_gui.panels.inspector.node_page import NodePage
        from toolplanner_gui.panels.inspector.stop_page import StopPage

        super().__init__(context)
        self._empty = EmptyState("magnify-scan", "Choose a row of the run.")
        self.stop = StopPage(context)
        self.node = NodePage(self.stop, context.tasks)
        self.report: NodeReport | None = None
        """What is shown."""
        self._reading: asyncio.Task[None] | None = None
        self._is_outdated = False
        self.pages = pages_of(self._empty, self.node, of=self)
        view = context.run_view
        view.node_changed.connect(self._on_node_changed)
        view.nodes_changed.connect(self._on_nodes_changed)
        view.words.grown.connect(self._show_growing)
        context.debug.held_changed.connect(self._on_held_changed)
        self.node.cause_clicked.connect(self._on_cause)
        self.node.map_clicked.connect(self._show_on_map)
        self._on_held_changed()
        self._read()

    @property
    def is_idle(self) -> bool:
        is_read = self._reading is None or self._reading.done()
        return is_read and not self._is_outdated and self.stop.is_idle

    def decide(self) -> None:
        """Show what can be decided at the stop, and put the keyboard there."""
        self.node.go_to_decision(is_there=True)
        self.stop.focus_first()

    def _on_held_changed(self) -> None:
        held = self.context.debug.current
        is_another = held is not self.stop.held
        self.stop.show_held(held)
        self.node.show_stop(is_held=held is not None)
        if is_another:
            self.node.go_to_decision(is_there=held is not None)
        self._choose_page()

    def _on_node_changed(self, _origin: object) -> None:
        held = self.context.debug.current
        path = self.context.run_view.node
        if held is not None and path is not None:
            is_there = path == nearest_known(held.stop.path, self.context.run_view.nodes)
            self.node.go_to_decision(is_there=is_there)
        self._read()

    def _on_nodes_changed(self, paths: Sequence[NodePath]) -> None:
        path = self.context.run_view.node
        if path is None or not any(p == path or p.startswith(f"{path}/") for p in paths):
            return
        if self._reading is None or self._reading.done():
            self._read()
        else:  # once more when it has ended: a long run changes faster than it can be read
            self._is_outdated = True

    def _show_growing(self) -> None:
        """What a model says right now; it stays until the page has the whole reply."""
        path = self.context.run_view.node
        if self.report is not None and path is not None:
            self.node.show_growing(self.context.run_view.speech_at(path))

    def _choose_page(self) -> None:
        is_empty = self.report is None and self.context.debug.current is None
        self.pages.setCurrentIndex(0 if is_empty else 1)

    def _read(self) -> None:
        view = self.context.run_view
        self._is_outdated = False
        if self._reading is not None:
            self._reading.cancel()
        node = None if view.node is None else view.nodes.get(view.node)
        if node is None or view.run is None:
            self.report = None
            self._choose_page()
            return
        self._reading = self.context.tasks.spawn(self._read_node(node), owner=self)

    async def _read_node(self, node: Node) -> None:
        from toolplanner_core.runs.presentation.node_report import read_node_records, report_of

        view = self.context.run_view
        workspace, run = view.workspace, view.run
        if workspace is None or run is None:
            return
        nodes = view.nodes
        told = await self.context.tasks.in_thread(
            lambda: read_node_records(workspace, run, node, nodes)
        )
        if node.path == view.node:
            cause = None if node.cause is None else view.node_of_event(node.cause)
            report = report_of(node, nodes, told, cause=cause)
            if run in (view.compared or ()):
                report = replace(report, facts=f"Run {run} · {report.facts}")
            if report != self.report:
                self.report = report
                self.node.show_report(report)
            self._show_growing()
            self._choose_page()
        if self._is_outdated:
            # In the task, so that it ends with the window, not after it.
            await self.context.tasks.pause(_AGAIN_S)
            self._read()

    def _on_cause(self) -> None:
        if self.report is not None and self.report.cause is not None:
            self.context.run_view.select_node(self.report.cause)

    def _show_on_map(self) -> None:
        workspace, report = self.context.workspace, self.report
        if workspace is None or report is None:
            return
        if report.api is not None:
            self.context.selection.select_apis(rowids_of(workspace, [report.api]).values())
        elif report.toolkit is not None:
            self.context.selection.select_toolkit(report.toolkit)
