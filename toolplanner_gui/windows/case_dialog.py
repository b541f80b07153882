"""What must be true of the runs of a case: outcome, answer, toolkits and APIs that were used.

Opened with what a run showed, of which a person ticks what is demanded, or with a case as it is.
"""

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QComboBox,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QWidget,
)

from toolplanner_core.cases.case_drafts import CaseDraft
from toolplanner_core.cases.case_results import expectation_lines
from toolplanner_core.domain.cases import Case
from toolplanner_core.domain.plan import Status
from toolplanner_core.runs.presentation.states import RUN_LOOKS
from toolplanner_core.workspace.cases import save_cases
from toolplanner_gui import dialog_commands
from toolplanner_gui.context import AppContext
from toolplanner_gui.theme.tokens import ROW_HEIGHT
from toolplanner_gui.widgets.box_layouts import form_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.labels import named
from toolplanner_gui.windows.dialog import Dialog, DialogPlugin

_WIDTH = 560
_ANSWER_HEIGHT = 52
_MOST_ROWS = 4
_HANDLED = ("status", "answer_contains", "toolkits", "succeeded_apis")
_OUTCOMES = (
    "",
    Status.SOLVED.value,
    Status.ANSWERED.value,
    Status.UNSOLVED.value,
    Status.OVER_BUDGET.value,
)


class CaseDialog(Dialog):
    """A title, and what must be true.

    Args:
        draft: what a run showed; a new case is made of it.
        case: one that is changed.
    """

    asks_to_drop = True

    def __init__(
        self,
        context: AppContext,
        parent: QWidget,
        *,
        draft: CaseDraft | None = None,
        case: Case | None = None,
    ) -> None:
        super().__init__(context, parent, "Save as a case" if draft else "Change the case")
        self.setMinimumWidth(_WIDTH)
        shown = case or (draft.case if draft else None)
        assert shown is not None
        self._case, expected = shown, shown.expected
        words = "Runs of this query are checked against what you demand here, before and after"
        self.paragraph(f"{words} edits of toolkits.", role="dim")
        self.name = named(QLineEdit(shown.title), "Title of the case")
        self.query = named(QLineEdit(shown.query), "Query of the case")
        self.query.setCursorPosition(0)
        self.outcome = named(QComboBox(), "How it must end")
        for each in dict.fromkeys((*_OUTCOMES, expected.status)):
            self.outcome.addItem(RUN_LOOKS[Status(each)].word if each else "As it likes", each)
        self.outcome.setCurrentIndex(self.outcome.findData(expected.status))
        self.answer = named(QPlainTextEdit(), "Texts that the answer must say, one per line")
        self.answer.setPlaceholderText("Texts that it must say, one per line; any if none")
        self.answer.setProperty("role", "field")
        self.answer.setFixedHeight(_ANSWER_HEIGHT)
        self.answer.setTabChangesFocus(True)
        self.answer.setPlainText("\n".join(expected.answer_contains))
        if draft is not None and draft.answer:
            self.answer.setToolTip(f"It said: {draft.answer[:400]}")
        rows: list[tuple[str, QWidget]] = [
            ("Title", self.name),
            ("Query", self.query),
            ("It ends", self.outcome),
            ("The answer says", self.answer),
        ]
        offered = draft.toolkits if draft else ()
        self.toolkits = _ticks("Toolkits that must answer", offered, expected.toolkits)
        offered = draft.apis if draft else ()
        self.apis = _ticks("APIs that must answer", offered, expected.succeeded_apis)
        for title, ticks in (("Toolkits used", self.toolkits), ("APIs used", self.apis)):
            if ticks.count():
                rows.append((title, ticks))
        self.column.addLayout(form_of(*rows))
        kept = expectation_lines(replace(expected, **dict.fromkeys(_HANDLED, "")))  # type: ignore[arg-type]
        if kept:
            self.paragraph(f"Also demanded: {'; '.join(kept)}.", role="dim")
        self.add(self.banner)
        self.save_button = push_button("Save", self._on_save, role="primary")
        self.add_buttons(self.save_button)
        self.name.textChanged.connect(self._check)
        self.query.textChanged.connect(self._check)
        self.name.selectAll()

    def case(self) -> Case:
        """The case as the fields say it."""
        lines = self.answer.toPlainText().splitlines()
        expected = replace(
            self._case.expected,
            status=str(self.outcome.currentData()),
            answer_contains=tuple(line.strip() for line in lines if line.strip()),
            toolkits=_ticked(self.toolkits),
            succeeded_apis=_ticked(self.apis),
        )
        title, query = self.name.text().strip(), self.query.text().strip()
        return replace(self._case, title=title, query=query, expected=expected)

    def _check(self) -> None:
        has_words = bool(self.name.text().strip() and self.query.text().strip())
        self.save_button.setEnabled(has_words)

    def _on_save(self) -> None:
        self.context.tasks.spawn(self._save(), owner=self)

    async def _save(self) -> None:
        case, workspace = self.case(), self.context.file
        await self.context.tasks.in_thread(lambda: save_cases(workspace, [case]))
        self.context.case_runs.saved = case
        self.context.run_view.refresh()  # who lists cases reads them again
        self.context.show_message(f"Saved the case “{case.title}”: run it in the panel Cases")
        self.accept()


def _ticks(name: str, offered: Sequence[str], chosen: Sequence[str]) -> QListWidget:
    found = list(dict.fromkeys((*offered, *chosen)))
    ticks = named(QListWidget(), name)
    for each in found:
        item = QListWidgetItem(each, ticks)
        item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
        item.setSizeHint(QSize(0, ROW_HEIGHT))
        is_on = each in chosen
        item.setCheckState(Qt.CheckState.Checked if is_on else Qt.CheckState.Unchecked)
    ticks.setFixedHeight(min(len(found), _MOST_ROWS) * ROW_HEIGHT + 4)
    if found:
        ticks.setCurrentRow(0)
    return ticks


def _ticked(ticks: QListWidget) -> tuple[str, ...]:
    items = (ticks.item(row) for row in range(ticks.count()))
    return tuple(item.text() for item in items if item.checkState() is Qt.CheckState.Checked)


PLUGIN = DialogPlugin.of(dialog_commands.edit_case, CaseDialog)
