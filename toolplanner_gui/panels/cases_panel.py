"""Cases: queries that are kept with what must be true of their runs; run some or all of them.

A run becomes one by its menu. At the left the list with how each stands, right of it the one that
is looked at: what must be true, what its last run did not show, its last runs.
"""

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QToolButton, QWidget

from toolplanner_core.cases.case_results import (
    CaseStandings,
    StandingCase,
    expectation_lines,
    read_standing,
    result_line,
    standing_lines,
)
from toolplanner_core.curation.edits.history_reading import list_history
from toolplanner_core.domain.cases import Case
from toolplanner_core.words.formatting import counted, one_line, when
from toolplanner_core.words.glossary import explain_concept
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.cases import remove_case, save_cases
from toolplanner_gui import dialog_commands, panel_commands
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.panel import Panel
from toolplanner_gui.theme.icons import make_icon
from toolplanner_gui.theme.tokens import EDGE, GAP, ROW_HEIGHT, SPACE
from toolplanner_gui.viewmodels.item_models import KEY_ROLE, Row, TableModel
from toolplanner_gui.widgets.box_layouts import column_of, page_of, pages_of, row_of
from toolplanner_gui.widgets.buttons import icon_button, push_button
from toolplanner_gui.widgets.empty_state import EmptyState
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.widgets.views import QuietTable, QuietTree, scrolled

_TITLES = ("Case", "Stands", "Last run")
_WIDTHS = {1: 136, 2: 84}
_SIDE_WIDTH = 520
_MOST_RUNS = 12
_LOOKS = {
    "passes": ("check-circle", "ok"),
    "passes again": ("check-circle", "ok"),
    "fails": ("close-circle", "failed"),
    "fails now": ("close-circle", "failed"),
    "not run": ("circle-outline", "waiting"),
    "not run since": ("circle-outline", "waiting"),
}
_NONE_YET = (
    "No cases yet. Save a run as a case by its menu, with what must be true of it; after edits of"
    " toolkits all cases can be run again here."
)


class CasesPanel(Panel):
    """Follows the list of cases, their results and the history of edits."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._standings: CaseStandings | None = None
        self._head = 0
        self._labels: dict[int, str] = {}
        self._removed: list[Case] = []
        self._order: list[str] = []
        self.model = TableModel(_TITLES, self, numbers=(2,))
        self.view = QuietTable("Cases")
        self.view.set_model(self.model, _WIDTHS, shares={})
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.rate = text_label(is_wrapped=True, name="How the cases stand")
        self.rate.setToolTip(f"<p>{explain_concept('case')}</p>")
        tip = "<p>Run every case with the toolkits as they are; calls are really made</p>"
        self.all_button = push_button("Run all", self.run_all, role="primary", tip=tip)
        tip = "<p>Run those that are selected (Return)</p>"
        self.some_button = push_button("Run selected", self.run_selected, tip=tip)
        self.stop_button = push_button("Stop", context.case_runs.stop)
        self.stop_button.hide()
        self.title = text_label(role="heading", is_wrapped=True)
        self.query = text_label(is_wrapped=True, is_selectable=True, name="Query of the case")
        self.demands = text_label(is_wrapped=True, name="What must be true")
        self.why = text_label(is_wrapped=True, role="dim", name="What its last run did not show")
        self.runs_model = TableModel(("Its last runs",), self)
        self.runs = QuietTree("Last runs of the case", is_flat=True)
        self.runs.set_model(self.runs_model, {})
        self.runs.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.runs.setToolTip("<p>Return or a double click opens the run</p>")
        self.edit_button = icon_button("pencil-outline", "Change the case (F2)", self._change)
        self.delete_button = icon_button(
            "delete-outline", "Delete the selected cases (Del); their runs stay", self._delete
        )
        self.undo_button = icon_button(
            "undo-variant", "Bring back the cases deleted last", self._bring_back
        )
        self.undo_button.setEnabled(False)
        self.empty = EmptyState("clipboard-list-outline")
        self.empty.say(_NONE_YET, button="Go to the runs", run=self._go_to_runs)
        self.pages = pages_of(self.empty, self._content(), of=self)
        self.view.selectionModel().currentChanged.connect(lambda *_: self._on_current())
        self.view.selectionModel().selectionChanged.connect(lambda *_: self._on_selected())
        self.runs.activated.connect(lambda index: self._open_run(index.data(KEY_ROLE)))
        context.run_view.runs_changed.connect(self.mark_outdated)
        context.curation.history_changed.connect(self.mark_outdated)
        context.case_runs.changed.connect(self._on_running)

    def _content(self) -> QWidget:
        page, left, right = QWidget(), QWidget(), QWidget()
        bar = row_of(self.all_button, self.some_button, self.stop_button, (self.rate, 1), gap=GAP)
        column_of(bar, (self.view, 1), of=left, margins=(EDGE, SPACE, 0, 0), gap=GAP)
        texts = page_of(
            self.title, self.query, text_label("Must be true", role="dim"), self.demands,
            self.why, self.runs, 1, gap=SPACE, role="page",
        )  # fmt: skip
        column_of((scrolled(texts), 1), of=right, margins=(EDGE, SPACE, EDGE, GAP))
        right.setMaximumWidth(_SIDE_WIDTH)
        row_of((left, 3), (right, 2), of=page, gap=0)
        return page

    def buttons(self) -> Sequence[QToolButton]:
        return (self.edit_button, self.delete_button, self.undo_button)

    def focus_list(self) -> None:
        """Go to the list, or to the button of the empty one."""
        (self.view if self.model.rowCount() else self.empty).setFocus()

    def renew(self) -> None:
        workspace = self.context.workspace
        if workspace is not None:
            self.newest.ask(lambda: _read(workspace), lambda found: self._show(*found))

    @property
    def current(self) -> StandingCase | None:
        """The case that is looked at."""
        return self._of(self.view.currentIndex().data(KEY_ROLE))

    def run_all(self) -> None:
        """Run every case."""
        if self._standings is not None:
            self._run([each.case for each in self._standings.cases])

    def run_selected(self) -> None:
        """Run the cases that are selected."""
        self._run([each.case for each in self._selected()])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if not self.view.hasFocus():
            super().keyPressEvent(event)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.run_selected()
        elif key == Qt.Key.Key_Delete:
            self._delete()
        elif key == Qt.Key.Key_F2:
            self._change()
        else:
            super().keyPressEvent(event)

    def _run(self, cases: Sequence[Case]) -> None:
        self.context.case_runs.start(cases)

    def _on_running(self) -> None:
        is_running = self.context.case_runs.is_running
        self.stop_button.setVisible(is_running)
        self.all_button.setVisible(not is_running)
        self.some_button.setVisible(not is_running)
        self.mark_outdated()

    def _show(self, standings: CaseStandings, head: int, labels: dict[int, str]) -> None:
        self._standings, self._head, self._labels = standings, head, labels
        self.pages.setCurrentIndex(1 if standings.cases else 0)
        if not self.context.case_runs.is_running:  # while they run, no row moves
            self._order = [each.case.id for each in standings.worst_first]
        known = {case: place for place, case in enumerate(self._order)}
        listed = sorted(standings.cases, key=lambda each: known.get(each.case.id, len(known)))
        self.model.update_rows([_row(each) for each in listed])
        self.rate.setText(standings.words)
        self._go_to_saved()
        if standings.cases and not self.view.currentIndex().isValid():
            self.view.selectRow(0)
        self._on_current()
        self._on_selected()

    def _go_to_saved(self) -> None:
        """Select the case alone that was saved last, as soon as it is listed."""
        saved = self.context.case_runs.saved
        keys = [self.model.row(at).key for at in range(self.model.rowCount())]
        if saved is not None and saved.id in keys:
            self.context.case_runs.saved = None
            self.view.selectRow(keys.index(saved.id))
            self.view.scrollTo(self.view.currentIndex())

    def _on_current(self) -> None:
        shown = self.current
        for button in (self.edit_button, self.delete_button):
            button.setEnabled(shown is not None)
        case = None if shown is None else shown.case
        self.title.setText(case.title if case else "")
        self.query.setText(case.query if case and case.query != case.title else "")
        self.query.setVisible(bool(self.query.text()))
        lines = expectation_lines(case.expected) if case else []
        self.demands.setText("\n".join(f"• {line}" for line in lines) or "Nothing yet")
        why = standing_lines(shown) if shown else []
        self.why.setText("\n".join(f"✗ {line}" for line in why))
        self.why.setVisible(bool(why))
        results = shown.results[:_MOST_RUNS] if shown else ()
        self.runs_model.set_rows(
            [
                Row(
                    cells=(result_line(each, head=self._head, labels=self._labels),),
                    key=each.run_id,
                    icon=lambda ok=each.passed: make_icon(*_LOOKS["passes" if ok else "fails"]),
                    tooltip="\n".join(each.why),
                )
                for each in results
            ]
        )
        self.runs.setFixedHeight((len(results) + 1) * ROW_HEIGHT + SPACE)
        self.runs.setVisible(bool(results))

    def _on_selected(self) -> None:
        self.some_button.setEnabled(bool(self._selected()))

    def _selected(self) -> list[StandingCase]:
        rows = self.view.selectionModel().selectedRows()
        found = (self._of(index.data(KEY_ROLE)) for index in rows)
        return [each for each in found if each is not None]

    def _of(self, case_id: object) -> StandingCase | None:
        cases = self._standings.cases if self._standings is not None else ()
        return next((each for each in cases if each.case.id == case_id), None)

    def _open_run(self, run: object) -> None:
        if isinstance(run, int):
            self.context.run_view.show_run(run)  # type: ignore[arg-type]
            self.context.shell.show_layout("debug")

    def _go_to_runs(self) -> None:
        self.context.shell.call_panel(panel_commands.find_runs)

    def _change(self) -> None:
        shown = self.current
        if shown is not None:
            self.context.shell.open(dialog_commands.edit_case, case=shown.case)

    def _delete(self) -> None:
        removed = [each.case for each in self._selected()]
        if removed:
            self._removed = removed
            self.undo_button.setEnabled(True)
            self._write(lambda file: [remove_case(file, case.id) for case in removed])
            self.context.show_message(f"Deleted {counted(len(removed), 'case')}; its runs stay")

    def _bring_back(self) -> None:
        back, self._removed = self._removed, []
        self.undo_button.setEnabled(False)
        if back:
            self._write(lambda file: save_cases(file, back))

    def _write(self, work: Callable[[Workspace], object]) -> None:
        """Change the file in a thread; who lists cases reads them again."""
        context = self.context
        workspace = context.workspace
        if workspace is None:
            return

        async def flow() -> None:
            await context.tasks.in_thread(lambda: work(workspace))
            context.run_view.refresh()

        context.tasks.spawn(flow(), owner=self)


def _read(workspace: Workspace) -> tuple[CaseStandings, int, dict[int, str]]:
    edits = list_history(workspace)
    head = next((int(edit.id) for edit in edits if edit.is_head), 0)
    return read_standing(workspace), head, {int(edit.id): edit.label for edit in edits}


def _row(each: StandingCase) -> Row:
    last = each.results[0] if each.results else None
    icon, token = _LOOKS[each.word]
    why = [f"✗ {line}" for line in each.now.why] if each.now is not None else []
    return Row(
        cells=(
            one_line(each.case.title, 160),
            each.word,
            "" if last is None else when(last.made_us / 1e6, is_short=True),
        ),
        key=each.case.id,
        icon=lambda: make_icon(icon, token),
        tooltip="\n".join((each.case.query, *why)),
    )
