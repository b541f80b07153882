"""Two arms over the same queries: their difference, the table of pairs, and the queries that only
one of them solved, with both answers."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QSplitter, QWidget

from toolplanner_core.lab.looking.pairs import (
    ArmPair,
    DiscordantPair,
    pair_lines,
    pair_table,
    read_pair,
)
from toolplanner_core.lab.looking.reading import ExperimentReading
from toolplanner_core.lab.looking.trials import read_details, run_of_trial
from toolplanner_core.words.formatting import one_line
from toolplanner_core.workspace.lab_store import JudgedTrial
from toolplanner_gui.bridge.latest_request import LatestRequest
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.lab.figure_page import FigurePage
from toolplanner_gui.theme.tokens import GAP, SPACE
from toolplanner_gui.viewmodels.item_models import KEY_ROLE, Row, TableModel
from toolplanner_gui.widgets.box_layouts import page_of, row_of
from toolplanner_gui.widgets.input_fields import ElidingCombo
from toolplanner_gui.widgets.labels import breakable, named, text_label
from toolplanner_gui.widgets.views import QuietTree, scrolled

_LOWEST = 110


class PairedPage(FigurePage):
    """A is compared with B; Return on a query opens both runs as one tree."""

    id, title, icon = "paired", "Paired", "compare"

    def __init__(self, context: AppContext) -> None:
        self.a, self.b = (named(ElidingCombo(), f"Arm {name}") for name in "AB")
        self.counts = TableModel(("", "B solved", "B not solved"), numbers=(1, 2))
        self.counts.meanings = ("", "Pairs that B solved", "Pairs that B did not solve")
        self.count_view = QuietTree("Pairs by who solved them", is_flat=True)
        self.pairs = TableModel(("Query that parts them", "Solved by", "Seed"), numbers=(2,))
        self.view = QuietTree("Queries that part the arms", is_flat=True)
        self.view.set_model(self.pairs, {1: 130, 2: 52})
        self.answers = [text_label(is_wrapped=True, is_selectable=True) for _ in "AB"]
        self.heads = [text_label(is_wrapped=True, role="dim") for _ in "AB"]
        super().__init__(context, self._body(), text_label("A"), self.a, text_label("B"), self.b)
        self.controls.setStretch(1, 1)
        self.controls.setStretch(3, 1)
        self._details = LatestRequest(context.tasks, self)
        self._chosen = ("", "", "")
        self.pair: ArmPair | None = None
        for combo in (self.a, self.b):
            combo.activated.connect(lambda _at: self.renew())
        self.view.selectionModel().currentChanged.connect(lambda *_: self._show_answers())
        self.view.activated.connect(lambda _index: self.open_both())

    def _body(self) -> QWidget:
        self.count_view.set_model(self.counts, {}, shares={1: 0.3, 2: 0.3})
        self.count_view.setFixedHeight(3 * 24 + GAP)
        columns = [
            scrolled(page_of(head, answer, 1, gap=SPACE, role="page"))
            for head, answer in zip(self.heads, self.answers, strict=True)
        ]
        below = QWidget()
        row_of(*((each, 1) for each in columns), of=below, gap=GAP)
        below.setMinimumHeight(_LOWEST)
        split = QSplitter(Qt.Orientation.Vertical)
        split.addWidget(self.view)
        split.addWidget(below)
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 2)
        split.setChildrenCollapsible(False)
        return page_of(self.count_view, (split, 1), gap=GAP)

    def compare(self, a: str, b: str) -> None:
        """Compare these two arms."""
        self._fill()
        self.a.setCurrentIndex(self.a.findData(a))
        self.b.setCurrentIndex(self.b.findData(b))
        self.renew()

    def prepare(self, reading: ExperimentReading) -> None:
        self._fill()
        self._chosen = (
            self.a.currentData() or "", self.b.currentData() or "", self.context.lab.judge
        )  # fmt: skip

    def read(self, reading: ExperimentReading) -> ArmPair | None:
        a, b, judge = self._chosen
        return read_pair(reading, a, b, judge) if a and b and a != b and judge else None

    def draw(self, found: ArmPair | None) -> None:
        self.pair = found
        if found is None:
            has_two = self.a.count() > 1
            self.say_empty(
                "Choose two different arms." if has_two else "There is one arm: nothing to compare."
            )
            return
        self.table = pair_table(found)
        self.say("\n".join(pair_lines(found)))
        self._show_counts(found)
        kept = self.view.currentIndex().data(KEY_ROLE)
        self.pairs.set_rows(
            [
                Row(
                    cells=(one_line(each.query), _winner(found, each), str(each.seed)),
                    key=each.a,
                    tooltip=each.query,
                )
                for each in found.discordant
            ]
        )
        position = self.pairs.position_of(kept)
        if found.discordant:
            self.view.setCurrentIndex(self.pairs.index(position or 0, 0))
        self._show_answers()

    def focus_figure(self) -> None:
        self.view.setFocus()

    def open_both(self) -> None:
        """Take both runs into the workspace and show them as one tree."""
        current, workspace, store = self.current, self.context.workspace, self.context.lab.store
        if current is None or workspace is None or store is None:
            return
        trials = [self._trial(number) for number in (current.a, current.b)]

        async def flow() -> None:
            one, other = await self.context.tasks.in_thread(
                lambda: [run_of_trial(workspace, store, trial) for trial in trials]
            )
            self.context.run_view.refresh()
            self.context.compare_runs(one, other)

        self.context.tasks.spawn(flow(), owner=self)

    @property
    def current(self) -> DiscordantPair | None:
        """The query that is looked at."""
        key = self.view.currentIndex().data(KEY_ROLE)
        pairs = self.pair.discordant if self.pair is not None else ()
        return next((each for each in pairs if each.a == key), None)

    def _trial(self, number: int) -> JudgedTrial:
        reading = self.context.lab.reading
        assert reading is not None
        return next(t for t in reading.results.trials() if t.trial.number == number)

    def _fill(self) -> None:
        reading = self.context.lab.reading
        if reading is None:
            return
        experiment = reading.results.experiment
        arms = [arm.name for arm in experiment.arms]
        if [self.a.itemData(at) for at in range(self.a.count())] == arms:
            return
        for combo in (self.a, self.b):
            combo.clear()
            for arm in arms:
                combo.addItem(arm, arm)
        baseline = experiment.baseline or arms[0]
        a, b = next(iter(experiment.compare), (_other(arms, baseline), baseline))
        _choose(self.a, a)
        _choose(self.b, b)

    def _show_counts(self, pair: ArmPair) -> None:
        if pair.found is None:
            self.counts.set_rows([])
            return
        table = pair.found.table
        self.counts.set_rows(
            [
                Row(cells=(f"{pair.a} solved", f"{table.both:,}", f"{table.only_a:,}"), key="a"),
                Row(
                    cells=(f"{pair.a} not solved", f"{table.only_b:,}", f"{table.neither:,}"),
                    key="not a",
                ),
            ]
        )
        self.counts.titles = ("", f"{pair.b} solved", f"{pair.b} not solved")
        self.counts.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, 2)

    def _show_answers(self) -> None:
        current, pair, store = self.current, self.pair, self.context.lab.store
        if current is None or pair is None or store is None:
            for label in (*self.heads, *self.answers):
                label.setText("")
            if pair is not None and not pair.discordant:
                self.heads[0].setText("No query parts them.")
            return
        numbers = (current.a, current.b)

        def show(found: list[str]) -> None:
            for label, text in zip(self.answers, found, strict=True):
                label.setText(breakable(text))

        for head, arm, solved in zip(
            self.heads, (pair.a, pair.b), (current.a_solved, current.b_solved), strict=True
        ):
            head.setText(f"{arm}: {100 * solved:.0f} % solved")
        self._details.ask(
            lambda: [
                (facts.answer or facts.reason or "It gave no answer.")
                if (facts := read_details(store, number).facts) is not None
                else "It has not run."
                for number in numbers
            ],
            show,
        )


def _winner(pair: ArmPair, each: DiscordantPair) -> str:
    return pair.a if each.a_solved > each.b_solved else pair.b


def _other(arms: list[str], baseline: str) -> str:
    return next((arm for arm in arms if arm != baseline), baseline)


def _choose(combo: QComboBox, data: str) -> None:
    combo.setCurrentIndex(max(0, combo.findData(data)))
