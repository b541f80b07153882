"""What a node of a run asked, got, and why it stands as it does: title, facts, and tabs."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QTabWidget, QWidget

from toolplanner_core.runs.presentation.live_lines import progress_line
from toolplanner_core.runs.presentation.node_report import NodeReport
from toolplanner_core.runs.stages.live_replies import LiveReply
from toolplanner_core.words.formatting import one_line, score
from toolplanner_gui.bridge.tasks import Tasks
from toolplanner_gui.panels.inspector.messages import conversation_of, growing_message
from toolplanner_gui.theme.tokens import EDGE, SPACE
from toolplanner_gui.viewmodels.item_models import Row, TableModel, plain_tooltip
from toolplanner_gui.widgets.box_layouts import column_of, page_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.conversation_view import ConversationView
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.widgets.section_list import SectionList
from toolplanner_gui.widgets.views import QuietTree

DECIDE = "Decide"
_MOST_GROWING = 4
"""Replies that are shown while they come; a node seldom asks more questions at once."""
_CAUSE_WIDTH = 300
"""Pixels; a longer one would make the panel, and with it the window, wider."""


class NodePage(QWidget):
    """A tab for each kind of thing that is known; while the run is held, one more, to decide.

    Args:
        stop: the page to decide on, shown by `show_stop`.
        tasks: reads the pictures of replies.
    """

    cause_clicked = Signal()
    map_clicked = Signal()

    def __init__(self, stop: QWidget, tasks: Tasks) -> None:
        super().__init__()
        self._stop = stop
        self._title = text_label(role="heading", is_wrapped=True)
        self._facts = text_label(role="dim", is_wrapped=True)
        self._cause = push_button("", self.cause_clicked.emit, role="link")
        self._on_map = push_button("Show on the map", self.map_clicked.emit, role="link")
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.setAccessibleName("What is known of the node")
        self.tabs.tabBar().setExpanding(False)
        self.tabs.tabBar().setDrawBase(False)
        self.conversation = ConversationView("Conversation with the model")
        self._arguments = TableModel(("Argument", "Value"), self)
        self._arguments_view = QuietTree("Arguments", is_flat=True)
        self._arguments_view.set_model(self._arguments, {0: 130})
        self.result = SectionList(tasks=tasks)
        self.why = SectionList()
        self.edits = SectionList()
        self._candidates = TableModel(
            ("Candidates", "Score", "What came of it"), self, numbers=(1,)
        )
        self._candidates_view = QuietTree("Candidates, best first", is_flat=True)
        self._candidates_view.set_model(self._candidates, {1: 64}, shares={2: 0.35})
        self._pages: dict[str, QWidget] = {
            DECIDE: stop,
            "Result": self.result,
            "Conversation": self.conversation,
            "Arguments": self._arguments_view,
            "Why": self.why,
            "Candidates": self._candidates_view,
            "Edits": self.edits,
        }
        for page in self._pages.values():
            # One in no tab would have no parent, and die in whichever thread collects garbage.
            page.setParent(self)
            page.hide()
        self._known: list[str] = []
        self._report: NodeReport | None = None
        self._stale: set[str] = set()
        self._is_held = False
        self._is_deciding = False
        self._wanted = ""
        self._is_filling = False
        left = Qt.AlignmentFlag.AlignLeft
        links = ((self._cause, 0, left), (self._on_map, 0, left))
        margins = (EDGE, SPACE, EDGE, SPACE)
        self._head = page_of(self._title, self._facts, *links, margins=margins, gap=SPACE)
        self._no_tabs = QWidget()
        """Takes the room of the tabs where there are none, which would draw the head apart."""
        column_of(self._head, (self.tabs, 1), (self._no_tabs, 1), of=self, gap=0)
        self.tabs.currentChanged.connect(self._on_tab_changed)

    @property
    def tab_names(self) -> list[str]:
        """The tabs that are there."""
        return [self.tabs.tabText(i) for i in range(self.tabs.count())]

    def show_report(self, report: NodeReport) -> None:
        """Show another node, or the same one as it is now."""
        self._title.setText(one_line(report.title, 300))
        self._facts.setText(report.facts)
        cause = one_line(report.cause_text, 300)
        elided = self._cause.fontMetrics().elidedText(
            f"↰ {cause}", Qt.TextElideMode.ElideRight, _CAUSE_WIDTH
        )
        self._cause.setText(elided)
        self._cause.setToolTip(plain_tooltip(f"Show what made this necessary: {cause}"))
        self._cause.setVisible(bool(report.cause_text) and report.cause is not None)
        self._on_map.setVisible(report.api is not None or report.toolkit is not None)
        known = {
            "Result": report.result,
            "Conversation": report.conversations,
            "Arguments": report.arguments,
            "Why": report.why,
            "Candidates": report.candidates,
            "Edits": report.edits,
        }
        self._known = [name for name, parts in known.items() if parts]
        self._report = report
        self._stale = set(known)
        self._show_tabs()

    def show_growing(self, said: Sequence[LiveReply]) -> None:
        """Show what models say right now, at the end of what was said, and beside the facts how far
        a call has come."""
        facts = self._report.facts if self._report is not None else ""
        self._facts.setText(" · ".join(filter(None, (facts, progress_line(said)))))
        spoken = [each for each in said if not each.progress]
        self.conversation.show_growing([growing_message(each) for each in spoken[:_MOST_GROWING]])

    def show_stop(self, *, is_held: bool) -> None:
        """Offer the page to decide on, or take it away."""
        self._is_held = is_held
        self._show_tabs()

    def go_to(self, name: str) -> None:
        """Show a tab; "" = the one the person chose last, or the first that is known."""
        self._is_deciding = name == DECIDE
        self._wanted = name if name in self._known else self._wanted
        self._show_tabs()

    def go_to_decision(self, *, is_there: bool) -> None:
        """Show where a person decides, or what was shown before if nothing is to be decided."""
        self.go_to(DECIDE if is_there else "")

    def _show_tabs(self) -> None:
        names = [*([DECIDE] if self._is_held else []), *self._known]
        self._is_filling = True
        if self.tab_names != names:
            self.tabs.clear()
            for name in names:
                self.tabs.addTab(self._pages[name], name)
        wanted = DECIDE if self._is_deciding else self._wanted
        if wanted not in names:
            wanted = next(iter(self._known or names), "")
        if wanted:
            self.tabs.setCurrentIndex(names.index(wanted))
        self.tabs.setVisible(bool(names))
        self._no_tabs.setVisible(not names)
        self._is_filling = False
        self._fill_current()
        self._show_head()

    def _fill_current(self) -> None:
        """Fill the tab that is seen: the others wait until somebody looks at them."""
        name = self.tabs.tabText(self.tabs.currentIndex())
        report = self._report
        if report is None or name not in self._stale:
            return
        self._stale.discard(name)
        sections = {
            "Result": (self.result, report.result),
            "Why": (self.why, report.why),
            "Edits": (self.edits, report.edits),
        }
        if name in sections:
            shown, parts = sections[name]
            shown.show_sections([part.shown for part in parts])
        elif name == "Conversation":
            self.conversation.show_talks([conversation_of(each) for each in report.conversations])
        elif name == "Arguments":
            self._fill_arguments(report)
        else:
            self._fill_candidates(report)

    def _fill_arguments(self, report: NodeReport) -> None:
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

    def _fill_candidates(self, report: NodeReport) -> None:
        self._candidates.set_rows(
            [
                Row(
                    cells=(one_line(c.title), score(c.score), one_line(c.became)),
                    key=position,
                    tooltip="\n".join(filter(None, (c.title, c.became, c.parts))),
                )
                for position, c in enumerate(report.candidates)
            ]
        )
        hide = self._candidates_view.setColumnHidden
        hide(1, not any(c.score for c in report.candidates))
        hide(2, not any(c.became for c in report.candidates))

    def _on_tab_changed(self, position: int) -> None:
        # The tab a person chose stays chosen for the next node that has it.
        if not self._is_filling and position >= 0:
            name = self.tabs.tabText(position)
            self._is_deciding = name == DECIDE
            if name != DECIDE:
                self._wanted = name
            self._fill_current()
            self._show_head()

    def _show_head(self) -> None:
        """The page to decide on says itself what it is about."""
        is_deciding = self.tabs.count() > 0 and self.tabs.currentWidget() is self._stop
        self._head.setVisible(not is_deciding)
