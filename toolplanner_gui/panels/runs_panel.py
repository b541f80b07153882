"""The runs of the workspace, newest first, forks below their parents; found by words and fields."""

from collections.abc import Sequence

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPoint, Qt, QTimer
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QMenu,
    QToolButton,
    QWidget,
)

from toolplanner_core.domain.ids import RunId
from toolplanner_core.runs.config.spec import RunSummary
from toolplanner_core.runs.presentation.run_columns import (
    MODEL_COLUMNS,
    OUTCOME_COLUMNS,
    VERDICT_COLUMNS,
)
from toolplanner_core.runs.presentation.run_list import (
    describe_run,
    in_families,
    run_line,
    run_look,
    what_differs,
)
from toolplanner_core.runs.presentation.search_filters import filter_choices, toggled
from toolplanner_core.runs.searching.query import completions, last_word
from toolplanner_core.words.formatting import counted, when
from toolplanner_core.workspace.runs import unfinished_reason
from toolplanner_gui.bridge.latest_request import LatestRequest
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.panel import Panel
from toolplanner_gui.theme.icons import make_icon
from toolplanner_gui.theme.tokens import EDGE, GAP, SPACE
from toolplanner_gui.viewmodels.debug.run_search import FoundRuns, find_runs
from toolplanner_gui.viewmodels.item_models import KEY_ROLE, Row, TableModel
from toolplanner_gui.widgets.box_layouts import column_of, page_of, pages_of
from toolplanner_gui.widgets.buttons import icon_button, on_menu, popup_menu, push_button
from toolplanner_gui.widgets.empty_state import EmptyState
from toolplanner_gui.widgets.input_fields import SearchField, WordCompleter
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.widgets.views import QuietTree

_WHEN_WIDTH = 76
_ROOM_FOR_WHEN = 230
_ROOM_FOR = [(VERDICT_COLUMNS, 420), (OUTCOME_COLUMNS, 600), (MODEL_COLUMNS, 800)]
_NEVER = 16_777_215
"""No widget is as wide."""
_COLUMNS = (*OUTCOME_COLUMNS, *VERDICT_COLUMNS, *MODEL_COLUMNS)
"""Shown where they say something, and the list is wide enough; they stand in tooltips, too."""
_FIRST_OF_COLUMNS = 2
_TITLES = ("Runs", "When", *(column.title for column in _COLUMNS))
_MINUTE_MS = 60_000
_HINT = (
    "Words in query, answer, calls, results and failures; and fields:\n"
    'status:solved   error:timeout   toolkit:"Fuel prices"   api:NAME\n'
    'label:"golden petrol", the whole label   is:starred\n'
    "  strategy:   model:   provider:\n"
    "since:2026-11-01   before:\n"
    "tokens>1000   cost>0.01   fallbacks>0   replans>0"
)


class RunsPanel(Panel):
    """Follows the list of runs; the chosen one is shown in tree and inspector."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._empty = EmptyState("play-circle-outline")
        self._nothing = EmptyState("magnify")
        self.field = SearchField("Search in all runs (Ctrl+Shift+R)")
        self.field.setToolTip(_HINT)
        self.completer = WordCompleter(self.field, self._suggest, last_word)
        self.filter_button = icon_button("filter-variant", "Filter the runs", self._offer_filters)
        self._count = text_label(role="dim", is_wrapped=True)
        self._count.setAccessibleName("Runs found")
        self.cases_button = push_button("", self._on_cases, role="link")
        self._shows_cases = False
        self._search = LatestRequest(context.tasks, self)
        self._answer: FoundRuns | None = None
        self.model = TableModel(_TITLES, self, numbers=(1,))
        self.view = QuietTree("Runs, newest first", is_flat=True)
        self.view.keep_both_ends()  # the query, and what is special about the run
        widths = dict.fromkeys(range(1, len(_TITLES)), _WHEN_WIDTH)
        self.view.set_model(self.model, widths)
        self.view.show_from(1, _ROOM_FOR_WHEN)
        # As wide as the longest of the times in view: the rest is for the query.
        self.view.header().setResizeContentsPrecision(0)
        for column in widths:
            to_contents = QHeaderView.ResizeMode.ResizeToContents
            self.view.header().setSectionResizeMode(column, to_contents)
        # Two runs can be selected, to compare them; the one clicked last is looked at.
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        on_menu(self.view, self._show_menu)
        delete = QShortcut(QKeySequence(QKeySequence.StandardKey.Delete), self.view)
        delete.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        delete.activated.connect(self._delete_selected)
        self._lists = pages_of(self.view, self._nothing)
        self.pages = pages_of(self._empty, self._make_page(), of=self)
        self.field.searched.connect(self._on_searched)
        self.field.left_down.connect(self._on_left_down)
        self.view.selectionModel().currentChanged.connect(self._on_current)
        self.minute = QTimer(self, interval=_MINUTE_MS)
        self.minute.timeout.connect(self._show_times)
        self.minute.start()
        context.run_view.runs_changed.connect(self._refresh)
        context.run_view.run_changed.connect(self._on_run_changed)
        context.debug.held_changed.connect(self._show_again)
        self._refresh()

    @property
    def is_idle(self) -> bool:
        return self._search.is_idle

    def buttons(self) -> Sequence[QToolButton]:
        return (self.filter_button,)

    def filters(self) -> QMenu:
        """A menu of what runs can be filtered by: each entry is a field of the search."""
        menu = popup_menu(self)
        summaries = self.context.run_view.summaries
        text = self.field.text()
        for title, offered in filter_choices(summaries):
            below = menu.addMenu(title)
            below.setEnabled(bool(offered))
            for choice in offered:
                action = below.addAction(choice.words.replace("&", "&&"))
                action.setCheckable(True)
                action.setChecked(choice.term in text)
                action.triggered.connect(
                    lambda _=False, term=choice.term: self.field.setText(
                        toggled(self.field.text(), term)
                    )
                )
        return menu

    def _offer_filters(self) -> None:
        button = self.filter_button
        self.filters().popup(button.mapToGlobal(button.rect().bottomLeft()))

    def find(self) -> None:
        """Put the cursor into the search field."""
        self.field.find()

    def selected(self) -> list[RunId]:
        """The runs that are selected."""
        return [index.data(KEY_ROLE) for index in self.view.selectionModel().selectedRows()]

    def compare_selected(self) -> None:
        """Compare the two runs that are selected, or say how they are chosen."""
        runs = self.selected()
        if len(runs) == 2:
            self.context.compare_runs(runs[0], runs[1])
        else:
            self.view.setFocus()
            self.context.show_message(
                "Select two runs in the list to compare them: Ctrl+click adds one"
            )

    def menu(self) -> QMenu:
        """The menu of the selected runs."""
        menu = popup_menu(self)
        shell = self.context.shell
        runs = self.selected()
        if len(runs) == 1:
            shell.fill_menu(menu, "run", runs[0])
        else:
            shell.fill_menu(menu, "runs", tuple(runs))
        return menu

    def _make_page(self) -> QWidget:
        self._count.hide()
        cases = (self.cases_button, 0, Qt.AlignmentFlag.AlignLeft)
        head = column_of(
            self.field, self._count, cases, margins=(EDGE, GAP, EDGE, SPACE), gap=SPACE
        )
        return page_of(head, (self._lists, 1))

    def _refresh(self) -> None:
        """The list of runs is another one."""
        shell = self.context.shell
        view = self.context.run_view
        if shell.has_examples:
            self._empty.say("No runs yet.", button="Run an example", run=shell.run_example)
        else:
            self._empty.say("No runs yet.")
        self.pages.setCurrentIndex(1 if view.summaries else 0)
        if self.field.text().strip():
            self._on_searched(self.field.text().strip())
        else:
            self._show_all()
        if view.is_none_chosen and view.summaries:
            view.show_run(view.summaries[0].run)

    def _show_all(self) -> None:
        self._fill()
        self._lists.setCurrentWidget(self.view)
        self._show_current()

    def _show_times(self) -> None:
        """A minute went by: "1 min" is "2 min" now."""
        if self.isVisible():
            self._show_again()

    def _show_again(self) -> None:
        self._fill()

    def _on_run_changed(self) -> None:
        """A run of a case stands in the list while it is looked at."""
        if self._answer is None and self._of_cases():
            self._show_again()
        self._show_current()

    def _of_cases(self) -> list[RunSummary]:
        return [summary for summary in self.context.run_view.summaries if summary.case]

    def _on_cases(self) -> None:
        self._shows_cases = not self._shows_cases
        self._show_all()

    def _listed(self) -> list[RunSummary]:
        """All runs; those of cases, dozens at a time, only if a person wants them."""
        view, found = self.context.run_view, len(self._of_cases())
        verb = "Hide" if self._shows_cases else "Show"
        self.cases_button.setText(f"{verb} {counted(found, 'run')} of cases")
        self.cases_button.setVisible(bool(found))
        return [s for s in view.summaries if self._shows_cases or not s.case or s.run == view.run]

    def _fill(self) -> None:
        """Show the rows, with the columns that say something."""
        rows = self._rows()
        self.model.update_rows(rows)
        for at, column in enumerate(_COLUMNS, _FIRST_OF_COLUMNS):
            room = next(width for columns, width in _ROOM_FOR if column in columns)
            is_filled = any(row.cells[at] for row in rows)
            self.view.show_from(at, room if is_filled else _NEVER)

    def _rows(self) -> list[Row]:
        if self._answer is not None:
            self.cases_button.hide()
            hits = self._answer.runs
            differs = what_differs([hit.summary for hit in hits])
            return [self._row(hit.summary, differs, snippet=hit.snippet) for hit in hits]
        listed = self._listed()
        differs = what_differs(listed)
        return [self._row(one.summary, differs, depth=one.depth) for one in in_families(listed)]

    def _row(
        self, summary: RunSummary, differs: dict[RunId, str], *, depth: int = 0, snippet: str = ""
    ) -> Row:
        is_held = summary.run in self.context.debug.held_runs
        look, began_s = run_look(summary, is_held=is_held), summary.started_us / 1e6
        line = run_line(summary, depth=depth, is_held=is_held, differs=differs.get(summary.run, ""))
        return Row(
            cells=(
                line,
                when(began_s, is_short=True),
                *(column.told(summary) for column in _COLUMNS),
            ),
            key=summary.run,
            icon=lambda: make_icon(look.icon, look.token),
            tooltip=f"{describe_run(summary, snippet=snippet)}\nBegan {when(began_s)}",
        )

    def _on_searched(self, text: str) -> None:
        # Not the context's: while the file is closed, its runs are gone already.
        workspace = self.context.run_view.workspace
        if text and workspace is not None:
            self._search.ask(lambda: find_runs(workspace, text), self._on_found)
            return
        self._search.forget()
        self._answer = None
        self._count.hide()
        self._count.clear()
        self._show_all()

    def _on_found(self, answer: FoundRuns) -> None:
        self._answer = answer
        self._count.setText(answer.words)
        self._count.show()
        if answer.problem:
            return  # half a word is being typed: the runs found before stay in view
        self._fill()
        self._nothing.say("No run fits.", button="Show all runs", run=self.field.clear)
        self._lists.setCurrentWidget(self.view if answer.runs else self._nothing)
        self._show_current()

    def _on_left_down(self) -> None:
        self.view.setFocus(Qt.FocusReason.TabFocusReason)
        if self.model.rowCount() and not self.view.currentIndex().isValid():
            self.view.setCurrentIndex(self.model.index(0, 0))

    def _suggest(self, text: str) -> Sequence[str]:
        summaries = self.context.run_view.summaries
        strategies = sorted({s.strategy for s in summaries})
        labels = sorted({s.label for s in summaries if s.label})
        toolkits = [toolkit.name for toolkit in self.context.catalogue.toolkits]
        return completions(text, toolkits=toolkits, strategies=strategies, labels=labels)

    def _on_current(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if current.isValid():
            self.context.run_view.show_run(current.data(KEY_ROLE))

    def _show_menu(self, _place: QPoint, at: QPoint) -> None:
        if self.selected():
            self.menu().popup(at)

    def _delete_selected(self) -> None:
        """As in the menu: what must not be deleted is disabled there, and says why."""
        for action in self.menu().actions():
            if action.objectName() not in ("run.delete", "runs.delete"):
                continue
            if action.isEnabled():
                action.trigger()
            else:
                self.context.show_message(unfinished_reason(self.selected()[0]))

    def _show_current(self) -> None:
        position = self.model.position_of(self.context.run_view.run)
        if position is None or self.context.run_view.run in self.selected():
            return
        chosen, index = self.view.selectionModel(), self.model.index(position, 0)
        chosen.blockSignals(True)
        try:
            flag = QItemSelectionModel.SelectionFlag
            chosen.setCurrentIndex(index, flag.ClearAndSelect | flag.Rows)
        finally:
            chosen.blockSignals(False)
        self.view.scrollTo(index)  # the view did not hear of it
        self.view.viewport().update()
