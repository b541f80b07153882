"""Blind judging: one answer at a time, in random order, without arm, strategy or model.

1, 2 and 3 grade it; Space writes a reason first. Whoever stops goes on later where they were.
"""

from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from toolplanner_core.domain.experiment import Grade
from toolplanner_core.lab.panel import BlindPanel, ShownAnswer
from toolplanner_core.prompts.judge_answer import trajectory_text
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace.lab_store import LabStore
from toolplanner_gui import dialog_commands
from toolplanner_gui.bridge.latest_request import LatestRequest
from toolplanner_gui.context import AppContext
from toolplanner_gui.theme.tokens import GAP, SPACE
from toolplanner_gui.widgets.box_layouts import column_of, form_of, page_of, pages_of, row_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.labels import breakable, named, text_label
from toolplanner_gui.widgets.views import code_view, scrolled
from toolplanner_gui.windows.dialog import Dialog, DialogPlugin

_SIZE = (720, 560)
_KEYS = {Qt.Key.Key_1: Grade.SOLVED, Qt.Key.Key_2: Grade.UNSURE, Qt.Key.Key_3: Grade.UNSOLVED}
_BEGIN, _JUDGE, _END = range(3)


class JudgingDialog(Dialog):
    """First the name of who judges, then answers until none is left."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(context, parent, "Judge blindly")
        self.resize(*_SIZE)
        store = context.lab.store
        assert store is not None
        self._path: Path = store.path
        self._asking = LatestRequest(context.tasks, self)
        self._panel: BlindPanel | None = None
        self._left: Iterator[ShownAnswer] = iter(())
        self.shown: ShownAnswer | None = None
        self.given = 0
        self.person = named(QLineEdit(), "Your name, as it stands in tables")
        self.begin_button = push_button("Begin", self._on_begin, role="primary")
        self.place = text_label(role="dim", name="How far you are")
        self.query = text_label(is_wrapped=True, is_selectable=True, role="heading")
        self.way = code_view("What was called and what came back")
        self.answer = text_label(is_wrapped=True, is_selectable=True, name="Answer to judge")
        self.reason = named(QLineEdit(), "Reason (Space)")
        self.reason.setPlaceholderText("A reason, if you like (Space)")
        self.grades = [
            push_button(f"{number} {grade.value.capitalize()}", self._grader(grade))
            for number, grade in enumerate(_KEYS.values(), 1)
        ]
        self.end = text_label(is_wrapped=True)
        self.pages = pages_of(self._first_page(), self._judging_page(), page_of(self.end, 1))
        self.add((self.pages, 1), self.banner)
        self.add_buttons(self.begin_button, "Close")
        self.person.textChanged.connect(
            lambda text: self.begin_button.setEnabled(bool(text.strip()))
        )
        self.begin_button.setEnabled(False)
        self.reason.returnPressed.connect(self._leave_reason)
        self.finished.connect(lambda _code: self._on_finished())

    def _first_page(self) -> QWidget:
        words = (
            "You see a query, what was called, what came back and the answer, and neither arm,"
            " strategy nor model. One in ten comes twice, which shows how steady you are."
        )
        page = QWidget()
        name = form_of(("Your name", self.person))
        column_of(text_label(words, is_wrapped=True), name, 1, of=page, gap=GAP)
        return page

    def _judging_page(self) -> QWidget:
        texts = page_of(self.answer, 1, gap=SPACE, role="page")
        buttons = QWidget()
        row_of(*((each, 1) for each in self.grades), of=buttons, gap=GAP)
        return page_of(
            self.place, self.query, text_label("Done", role="dim"), (self.way, 3),
            text_label("Answer", role="dim"), (scrolled(texts), 2), self.reason, buttons, gap=SPACE,
        )  # fmt: skip

    def keyPressEvent(self, event: QKeyEvent) -> None:
        grade = _KEYS.get(Qt.Key(event.key()))
        if self.shown is None or self.reason.hasFocus():
            super().keyPressEvent(event)
        elif grade is not None:
            self.give(grade)
        elif event.key() == Qt.Key.Key_Space:
            self.reason.setFocus(Qt.FocusReason.ShortcutFocusReason)
        else:
            super().keyPressEvent(event)

    def give(self, grade: Grade) -> None:
        """Store what the person says of the answer that is shown, then show the next one."""
        panel, shown, reason = self._panel, self.shown, self.reason.text().strip()
        if panel is None or shown is None:
            return
        self.shown = None

        def work() -> ShownAnswer | None:
            panel.give(shown, grade, reason)
            return next(self._left, None)

        self.given += 1
        self._asking.ask(work, self._show)

    def _grader(self, grade: Grade):
        return lambda: self.give(grade)

    def _on_begin(self) -> None:
        person = self.person.text().strip()
        if not person or self._panel is not None:
            return
        path = self._path

        def work() -> tuple[BlindPanel, Iterator[ShownAnswer], ShownAnswer | None]:
            store = self.context.lab.store
            panel = BlindPanel(store or LabStore.open(path), person)
            left = panel.left()
            return panel, left, next(left, None)

        def begin(found: tuple[BlindPanel, Iterator[ShownAnswer], ShownAnswer | None]) -> None:
            self._panel, self._left, first = found
            self.begin_button.hide()
            self._show(first)

        self._asking.ask(work, begin, self.show_error)

    def _show(self, shown: ShownAnswer | None) -> None:
        self.shown = shown
        if shown is None:
            self.end.setText(
                f"All is judged: {counted(self.given, 'verdict')} given. The page Judges of the"
                " results shows how far you agree with the other judges."
            )
            self.pages.setCurrentIndex(_END)
            return
        self.pages.setCurrentIndex(_JUDGE)
        self.place.setText(f"{shown.place:,} of {shown.of:,}")
        self.query.setText(breakable(shown.query))
        self.way.setPlainText(trajectory_text(shown.way) or "Nothing was called.")
        self.answer.setText(breakable(shown.answer or "It gave no answer."))
        self.reason.clear()
        self.way.setFocus()

    def _leave_reason(self) -> None:
        self.way.setFocus()

    def _on_finished(self) -> None:
        if self.given:
            self.context.lab.refresh()


def _make(context: AppContext, parent: QWidget) -> JudgingDialog | None:
    return JudgingDialog(context, parent) if context.lab.store is not None else None


PLUGIN = DialogPlugin.of(dialog_commands.judge_blindly, _make)
