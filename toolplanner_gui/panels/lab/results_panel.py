"""The figures of an experiment: one page is seen, of one judge; all are tables, too, and copied."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QMenu, QToolButton, QWidget

from toolplanner_gui import dialog_commands
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.lab.cost_page import CostPage
from toolplanner_gui.panels.lab.effects_page import EffectsPage
from toolplanner_gui.panels.lab.failures_page import FailuresPage
from toolplanner_gui.panels.lab.figure_page import FORMS, FigurePage
from toolplanner_gui.panels.lab.judges_page import JudgesPage
from toolplanner_gui.panels.lab.matrix_page import MatrixPage
from toolplanner_gui.panels.lab.paired_page import PairedPage
from toolplanner_gui.panels.lab.resilience_page import ResiliencePage
from toolplanner_gui.panels.lab.sweep_page import SweepPage
from toolplanner_gui.panels.panel import READING, Panel
from toolplanner_gui.theme.tokens import EDGE, GAP, SPACE
from toolplanner_gui.widgets.box_layouts import page_of, pages_of, row_of
from toolplanner_gui.widgets.buttons import icon_button, popup_menu
from toolplanner_gui.widgets.empty_state import EmptyState
from toolplanner_gui.widgets.labels import ElidedLabel, named
from toolplanner_gui.widgets.segmented_control import Segment, SegmentedControl

_EXPLAINED = {
    "matrix": "Share of solved trials, by two settings of the arms",
    "paired": "Two arms over the same queries",
    "cost": "What arms solve against what they take",
    "failures": "Why trials were not solved",
    "resilience": "How success falls as more calls fail",
    "sweep": "How success hangs on the number of toolkits",
    "effects": "What each tool is worth, where chance decides which are down",
    "judges": "How far those agree who judge",
}


class ResultsPanel(Panel):
    """Follows the experiment and the judge of the session."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self.matrix, self.paired = MatrixPage(context), PairedPage(context)
        self.failures = FailuresPage(context)
        self.figures: Sequence[FigurePage] = (
            self.matrix, self.paired, CostPage(context), self.failures,
            ResiliencePage(context), SweepPage(context), EffectsPage(context),
            JudgesPage(context),
        )  # fmt: skip
        self.tabs = SegmentedControl()
        self.tabs.set_words(
            [Segment(each.title, each.title, _EXPLAINED[each.id]) for each in self.figures]
        )
        self.name = ElidedLabel(role="heading")
        self.judge = named(QComboBox(), "Judge", tip="Whose verdicts are shown")
        self.table_button = icon_button(
            "table", "Show the figure as a table, or as a picture (T)", self.turn_table
        )
        self.copy_button = icon_button("content-copy", "Copy the figure", self._offer_copies)
        self.stack = pages_of(*self.figures)
        self.empty = EmptyState("flask-outline")
        self.pages = pages_of(self.empty, self._content(), of=self)
        self.tabs.switched.connect(self._on_switched)
        self.judge.activated.connect(lambda _at: context.lab.choose_judge(self.judge.currentData()))
        self.matrix.compare_wanted.connect(self._compare)
        lab = context.lab
        for signal in (lab.listed, lab.opened, lab.renewed, lab.judge_changed):
            signal.connect(self.mark_outdated)
        self.empty.say(READING)

    @property
    def is_idle(self) -> bool:
        return super().is_idle and self.figure.newest.is_idle

    @property
    def figure(self) -> FigurePage:
        """The page that is seen."""
        return self.figures[max(0, self.tabs.chosen)]

    def _content(self) -> QWidget:
        head = row_of((self.name, 1), self.judge, margins=(EDGE, GAP, EDGE, SPACE), gap=GAP)
        tabs = row_of((self.tabs, 1), margins=(EDGE, 0, EDGE, 0))
        return page_of(head, tabs, (self.stack, 1))

    def buttons(self) -> Sequence[QToolButton]:
        return (self.table_button, self.copy_button)

    def show_page(self, page: str) -> None:
        """Show the figure of this id."""
        self.tabs.choose(next(at for at, each in enumerate(self.figures) if each.id == page))

    def turn_table(self) -> None:
        """Show the figure as a table, or as a picture again."""
        self.figure.turn_table()
        self.figure.focus_figure()

    def copy_as(self, form: str) -> None:
        """Copy the figure: "png", "svg", "csv" or "latex"."""
        self.context.show_message(self.figure.copy_as(form))

    def send_stand_ins(self) -> None:
        """Let the review ask about APIs that answered in the place of others."""
        self.failures.send_stand_ins()

    def copies(self) -> QMenu:
        """A menu of the forms in which the figure is copied."""
        menu = popup_menu(self)
        for form, words in FORMS.items():
            menu.addAction(f"Copy as {words}").triggered.connect(self._copier(form))
        return menu

    def renew(self) -> None:
        lab = self.context.lab
        current, reading = lab.current, lab.reading
        if reading is None:
            self.pages.setCurrentIndex(0)
            new: Callable[[], None] = lambda: self.context.shell.open(  # noqa: E731
                dialog_commands.new_experiment
            )
            if current is None:
                self.empty.say(
                    "Is it better, and why? An experiment asks the same queries of several arms.",
                    button="New experiment …", run=new,
                )  # fmt: skip
            elif lab.problem:
                self.empty.say(lab.problem)
            else:
                self.empty.say("It has not been started. Start it at the left, or with F4.")
            return
        self.pages.setCurrentIndex(1)
        experiment = reading.results.experiment
        label = f" ({experiment.label})" if experiment.label else ""
        self.name.set_text(f"{experiment.name}{label}")
        judges = list(reading.results.judges)
        if [self.judge.itemData(at) for at in range(self.judge.count())] != judges:
            self.judge.clear()
            for judge in judges:
                self.judge.addItem(f"Judged by: {judge}", judge)
        self.judge.setCurrentIndex(self.judge.findData(lab.judge))
        self.figure.renew()

    def setFocus(self, reason: Qt.FocusReason = Qt.FocusReason.OtherFocusReason) -> None:
        """Put the keyboard on the figure."""
        self.figure.focus_figure()

    def _on_switched(self, position: int) -> None:
        self.stack.setCurrentIndex(position)
        if self.context.lab.reading is not None:
            self.figure.renew()

    def _compare(self, a: str, b: str) -> None:
        self.show_page(self.paired.id)
        self.paired.compare(a, b)

    def _copier(self, form: str) -> Callable[[], None]:
        return lambda: self.copy_as(form)

    def _offer_copies(self) -> None:
        button = self.copy_button
        self.copies().popup(button.mapToGlobal(button.rect().bottomLeft()))
