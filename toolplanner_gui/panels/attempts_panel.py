"""The calls of all runs in one table: which API, for which toolkit, how it went, in which run.

Filtered by words, outcome and what the list of runs shows; Return or a double click opens the run
at the call.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QComboBox, QToolButton, QWidget

from toolplanner_core.domain.ids import NodePath, RunId
from toolplanner_core.runs.config.spec import RunSummary
from toolplanner_core.strategies.interface.strategy import strategies
from toolplanner_core.words.formatting import counted, duration, one_line, when
from toolplanner_core.words.glossary import explain_concept
from toolplanner_core.workspace.catalogue import rowids_of
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.panel import Panel
from toolplanner_gui.theme.icons import make_icon
from toolplanner_gui.theme.tokens import EDGE, GAP, SPACE
from toolplanner_gui.viewmodels.item_models import KEY_ROLE, Row, TableModel
from toolplanner_gui.widgets.box_layouts import column_of, pages_of, row_of
from toolplanner_gui.widgets.buttons import icon_button
from toolplanner_gui.widgets.empty_state import EmptyState
from toolplanner_gui.widgets.input_fields import ElidingCombo, SearchField
from toolplanner_gui.widgets.labels import named, text_label
from toolplanner_gui.widgets.views import QuietTable

if TYPE_CHECKING:
    from toolplanner_core.workspace.call_statistics import AttemptRow

_TITLES = ("API", "Toolkit", "Outcome", "Time", "Run", "When")
_WIDTHS = {3: 72, 4: 52, 5: 76}
_SHARES = {1: 0.2, 2: 0.18}
_SEARCH_WIDTH = 140
_MOST_SHOWN = 5_000
_ALL, _FAILED, _OK = "", "failed", "ok"


class AttemptsPanel(Panel):
    """A table with its filters above."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._found: Sequence[AttemptRow] = ()
        self.search = SearchField("Search in APIs and toolkits")
        self.search.setMinimumWidth(_SEARCH_WIDTH)
        self.outcome = named(ElidingCombo(), "Outcome of the calls")
        self.strategy = named(ElidingCombo(), "Strategy of the runs")
        self.label = named(ElidingCombo(), "Label of the runs")
        self.count = text_label(role="dim", name="Calls shown", is_wrapped=True)
        self.count.setToolTip(f"<p>Health: {explain_concept('health')}</p>")
        self.model = TableModel(_TITLES, self, numbers=(3, 4, 5))
        self.view = QuietTable("Calls of all runs, newest first")
        self.view.set_model(self.model, _WIDTHS, shares=_SHARES)
        self.clear_button = icon_button("filter-remove-outline", "Show all calls", self._clear)
        self.empty = EmptyState("phone-outgoing-outline")
        self.empty.say("No calls yet. Every call of an API in any run is listed here.")
        self.pages = pages_of(self.empty, self._content(), of=self)
        self.search.searched.connect(lambda _text: self._show())
        for box in (self.outcome, self.strategy, self.label):
            box.activated.connect(lambda _place: self._show())
        self.view.activated.connect(lambda index: self._open(*index.data(KEY_ROLE)))
        context.run_view.runs_changed.connect(self.mark_outdated)

    def _content(self) -> QWidget:
        page = QWidget()
        filters = row_of((self.search, 1), self.outcome, self.strategy, self.label, gap=GAP)
        margins = (EDGE, SPACE, EDGE, 0)
        column_of(filters, self.count, (self.view, 1), of=page, margins=margins, gap=SPACE)
        return page

    def buttons(self) -> Sequence[QToolButton]:
        return (self.clear_button,)

    def focus_list(self) -> None:
        """Go to the table, or to what stands in its place."""
        (self.view if self._found else self.empty).setFocus()

    def renew(self) -> None:
        workspace = self.context.workspace
        if workspace is None:
            return

        catalogue = self.context.catalogue

        def read() -> "Sequence[AttemptRow]":
            from toolplanner_core.workspace.call_statistics import read_attempts

            found = read_attempts(workspace)
            rowids = rowids_of(workspace, {row.api for row in found if not row.toolkit})
            kits = catalogue.toolkits_of([*rowids.values()])
            names = {api: kit.name for api, kit in zip(rowids, kits, strict=True) if kit}
            # A strategy that knows no toolkits called an API that is in one all the same.
            return [replace(row, toolkit=row.toolkit or names.get(row.api, "")) for row in found]

        self.newest.ask(read, self._take)

    def _take(self, found: "Sequence[AttemptRow]") -> None:
        self._found = found
        summaries = self.context.run_view.summaries
        ids = sorted({s.strategy for s in summaries})
        self._offer(self.strategy, "All strategies", ids, strategies.title_of)
        self._offer(self.label, "All labels", sorted({s.label for s in summaries if s.label}))
        self.label.setVisible(self.label.count() > 1)
        failures = sorted({row.outcome for row in found} - {_OK})
        self._offer(self.outcome, "All outcomes", [_OK, _FAILED, *failures])
        self.pages.setCurrentIndex(1 if found else 0)
        self._show()

    def _offer(
        self,
        box: QComboBox,
        everything: str,
        values: Sequence[str],
        words_of: Callable[[str], str] = lambda value: value.replace("_", " "),
    ) -> None:
        chosen = box.currentData()
        box.clear()
        box.addItem(everything, _ALL)
        for value in values:
            words = "failed, in any way" if value == _FAILED else words_of(value)
            box.addItem(words, value)
        box.setCurrentIndex(max(0, box.findData(chosen)))

    def _clear(self) -> None:
        for box in (self.outcome, self.strategy, self.label):
            box.setCurrentIndex(0)
        self.search.clear()
        self._show()

    def _show(self) -> None:
        runs = {each.run: each for each in self.context.run_view.summaries}
        fitting = [row for row in self._found if self._fits(row, runs.get(row.run))]
        self.model.set_rows([_row(row) for row in fitting[:_MOST_SHOWN]])
        cut = f", the newest {_MOST_SHOWN:,} shown" if len(fitting) > _MOST_SHOWN else ""
        said = f"{len(fitting):,} of {counted(len(self._found), 'call')}{cut}"
        unsent = sum(not row.was_sent for row in fitting)
        said += f", {unsent:,} not sent" if unsent else ""
        n_failed = sum(row.failed_by is not None for row in fitting)
        said += f", {n_failed:,} failed" if n_failed else ""
        counting = sum(not row.uncounted for row in fitting)
        others = "" if counting == len(fitting) else f" · {counting:,} count as health"
        self.count.setText(f"{said}{others}")

    def _fits(self, row: "AttemptRow", of: RunSummary | None) -> bool:
        outcome, strategy, label = (
            box.currentData() for box in (self.outcome, self.strategy, self.label)
        )
        if outcome == _FAILED and row.failed_by is None:
            return False
        if outcome not in (_ALL, _FAILED, None, row.outcome):
            return False
        if strategy and (of is None or of.strategy != strategy):
            return False
        if label and (of is None or of.label != label):
            return False
        said = f"{row.title} {row.toolkit}".casefold()
        return all(word in said for word in self.search.text().casefold().split())

    def _open(self, run: RunId, path: NodePath) -> None:
        async def flow() -> None:
            await self.context.run_view.shown(run)
            self.context.run_view.select_node(path)

        self.context.tasks.spawn(flow(), owner=self)


def _row(row: "AttemptRow") -> Row:
    icon, token = ("minus-circle-outline", "waiting")
    if row.outcome == _OK or row.failed_by is not None:
        icon, token = ("check-circle", "ok") if row.outcome == _OK else ("close-circle", "failed")
    outcome = row.words
    taken = "" if row.elapsed_ms is None else duration(row.elapsed_ms / 1e3)
    began = when(row.started_us / 1e6, is_short=True)
    title = one_line(row.title, 120)
    uncounted = f"Does not count as health: {row.uncounted}" if row.uncounted else ""
    return Row(
        cells=(title, one_line(row.toolkit, 80), outcome, taken, str(row.run), began),
        key=(row.run, row.path),
        icon=lambda: make_icon(icon, token),
        tooltip="\n".join(filter(None, (row.title, row.toolkit, outcome, row.origin, uncounted))),
    )
