"""The inspector: what a node of a run asked, got, and why it stands as it does."""

import asyncio
from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QStackedWidget,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.nodes import NodeKind
from toolplanner_core.runs.events.event import Record
from toolplanner_core.runs.node import Node
from toolplanner_core.workspace.catalogue import rowids_of
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.panel import Panel, PanelPlugin
from toolplanner_gui.theme.tokens import EDGE, GAP, SPACE
from toolplanner_gui.viewmodels.node_report import NodeReport, Section, make_report
from toolplanner_gui.viewmodels.table_model import Columns, Row, TableModel
from toolplanner_gui.viewmodels.texts import one_line, score
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.empty_state import EmptyState
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.widgets.sections import SectionList
from toolplanner_gui.widgets.views import QuietTree

_WITH_CHILDREN = (NodeKind.ATTEMPT, NodeKind.STEP, NodeKind.PLAN, NodeKind.RUN)
_LEAVES = (NodeKind.QUESTION, NodeKind.CALL)


class InspectorPanel(Panel):
    """Title, facts, and a tab for each kind of thing that is known."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._empty = EmptyState("Choose a step, an attempt or a call of the run.")
        self._title = text_label(role="heading", is_wrapped=True)
        self._facts = text_label(role="dim", is_wrapped=True)
        self._cause = push_button("", self._on_cause, role="link")
        self._on_map = push_button("Show on the map", self._show_on_map, role="link")
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.setAccessibleName("What is known of the node")
        self.tabs.tabBar().setExpanding(False)
        self.tabs.tabBar().setDrawBase(False)
        self._question = SectionList()
        self._arguments = TableModel(Columns(titles=("Argument", "Value")), self)
        self._arguments_view = QuietTree("Arguments", is_flat=True)
        self._arguments_view.set_model(self._arguments, {0: 130})
        self._result = SectionList()
        self._why = SectionList()
        self._candidates = TableModel(
            Columns(titles=("Candidates", "Score"), numbers=frozenset({1})), self
        )
        self._candidates_view = QuietTree("Candidates, best first", is_flat=True)
        self._candidates_view.set_model(self._candidates, {1: 64})
        self._pages = {
            "Result": self._result,
            "Question": self._question,
            "Arguments": self._arguments_view,
            "Why": self._why,
            "Candidates": self._candidates_view,
        }
        self._wanted_tab = ""
        self._is_filling = False
        self._report: NodeReport | None = None
        self._reading: asyncio.Task[None] | None = None
        self.pages = QStackedWidget()
        self.pages.addWidget(self._empty)
        self.pages.addWidget(self._make_page())
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.pages)
        view = context.run_view
        view.node_changed.connect(lambda _origin: self._read())
        view.nodes_changed.connect(self._on_nodes_changed)
        self.tabs.currentChanged.connect(self._on_tab_changed)
        self.retheme()
        self._read()

    @property
    def is_idle(self) -> bool:
        return self._reading is None or self._reading.done()

    @property
    def report(self) -> NodeReport | None:
        """What is shown."""
        return self._report

    def retheme(self) -> None:
        self._empty.set_icon(self.icon("magnify-scan"))

    def _make_page(self) -> QWidget:
        page = QWidget()
        head = QVBoxLayout()
        head.setContentsMargins(EDGE, SPACE, EDGE, 0)
        head.setSpacing(SPACE)
        head.addWidget(self._title)
        head.addWidget(self._facts)
        for button in (self._cause, self._on_map):
            head.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GAP)
        column.addLayout(head)
        column.addWidget(self.tabs, 1)
        return page

    def _on_nodes_changed(self, paths: Sequence[NodePath]) -> None:
        path = self.context.run_view.node
        if path is not None and any(p == path or p.startswith(f"{path}/") for p in paths):
            self._read()

    def _read(self) -> None:
        view = self.context.run_view
        if self._reading is not None:
            self._reading.cancel()
        node = None if view.node is None else view.nodes.get(view.node)
        if node is None or view.run is None:
            self._report = None
            self.pages.setCurrentIndex(0)
            return
        self._reading = self.context.tasks.spawn(self._read_node(node), owner=self)

    async def _read_node(self, node: Node) -> None:
        from toolplanner_core.runs.reading import load_records

        view = self.context.run_view
        workspace, run = view.workspace, view.run
        if workspace is None or run is None:
            return
        paths = [node.path]
        if node.kind in _WITH_CHILDREN:
            paths += [c for c in node.children if view.nodes[c].kind in _LEAVES]

        def read() -> list[Record]:
            found = [r for path in paths for r in load_records(workspace, run, path)]
            return sorted(found, key=lambda r: r.seq)

        records = await self.context.tasks.in_thread(read)
        if node.path == view.node:
            cause = None if node.cause is None else view.node_of_event(node.cause)
            steps = [
                f"{position}  {view.nodes[c].title}  ({view.nodes[c].state.value})"
                for position, c in enumerate(
                    (c for c in node.children if view.nodes[c].kind is NodeKind.STEP), 1
                )
            ]
            self._show(make_report(node, records, cause=cause, steps=steps))

    def _show(self, report: NodeReport) -> None:
        self._report = report
        self._title.setText(one_line(report.title, 300))
        self._facts.setText(report.facts)
        self._cause.setText(f"↰ {one_line(report.cause_text, 70)}")
        self._cause.setToolTip("Show what made this necessary")
        self._cause.setVisible(bool(report.cause_text) and report.cause is not None)
        self._on_map.setVisible(report.api is not None or report.toolkit is not None)
        self._question.show_sections(_triples(report.question))
        self._result.show_sections(_triples(report.result))
        self._why.show_sections(_triples(report.why))
        self._arguments.set_rows(
            [
                Row(
                    cells=(a.name, one_line(a.value + (f"  ({a.origin})" if a.origin else ""))),
                    key=a.name,
                    tooltip=f"{a.name}\n{a.value}\n{a.origin}".strip(),
                )
                for a in report.arguments
            ]
        )
        self._candidates.set_rows(
            [
                Row(
                    cells=(one_line(c.title), score(c.score)),
                    key=position,
                    tooltip=f"{c.title}\n{c.parts}".strip(),
                )
                for position, c in enumerate(report.candidates)
            ]
        )
        known = {
            "Result": bool(report.result),
            "Question": bool(report.question),
            "Arguments": bool(report.arguments),
            "Why": bool(report.why),
            "Candidates": bool(report.candidates),
        }
        self._show_tabs([name for name, is_known in known.items() if is_known])
        self.pages.setCurrentIndex(1)

    def _show_tabs(self, names: Sequence[str]) -> None:
        self._is_filling = True
        if [self.tabs.tabText(i) for i in range(self.tabs.count())] != list(names):
            self.tabs.clear()
            for name in names:
                self.tabs.addTab(self._pages[name], name)
        if self._wanted_tab in names:
            self.tabs.setCurrentIndex(list(names).index(self._wanted_tab))
        self.tabs.setVisible(bool(names))
        self._is_filling = False

    def _on_tab_changed(self, position: int) -> None:
        # The tab a person chose stays chosen for the next node that has it.
        if not self._is_filling and position >= 0:
            self._wanted_tab = self.tabs.tabText(position)

    def _on_cause(self) -> None:
        if self._report is not None and self._report.cause is not None:
            self.context.run_view.select_node(self._report.cause)

    def _show_on_map(self) -> None:
        workspace, report = self.context.workspace, self._report
        if workspace is None or report is None:
            return
        if report.api is not None:
            self.context.selection.select_apis(rowids_of(workspace, [report.api]).values())
        elif report.toolkit is not None:
            self.context.selection.select_toolkit(report.toolkit)


def _triples(sections: Sequence[Section]) -> list[tuple[str, str, bool]]:
    return [(s.title, s.text, s.is_code) for s in sections]


PLUGIN = PanelPlugin(
    id="inspector",
    title="Inspector",
    icon="magnify-scan",
    area="right",
    order=3,
    make=InspectorPanel,
)
