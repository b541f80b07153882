"""Demonstrations: solved tasks that a strategy may show to its model; search, edit, tag, delete.

A run becomes one by its menu. All together can be written as a training set for a planner.
"""

import dataclasses
from collections.abc import Sequence
from pathlib import Path

import platformdirs
from PySide6.QtWidgets import QPlainTextEdit, QToolButton, QWidget

from toolplanner_core.domain.demonstration import Demonstration, DemonstrationStep
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.words.formatting import counted, one_line
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.demonstrations import (
    add_demonstration,
    change_demonstration,
    list_demonstrations,
    remove_demonstration,
)
from toolplanner_gui.bridge.standard_dialogs import choose_new_file
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.panel import Panel
from toolplanner_gui.theme.tokens import EDGE, GAP
from toolplanner_gui.viewmodels.item_models import KEY_ROLE, Row, TableModel
from toolplanner_gui.widgets.box_layouts import column_of, page_of, pages_of, row_of
from toolplanner_gui.widgets.buttons import icon_button, push_button
from toolplanner_gui.widgets.empty_state import EmptyState
from toolplanner_gui.widgets.input_fields import SearchField, TextLine
from toolplanner_gui.widgets.labels import named, text_label
from toolplanner_gui.widgets.views import QuietTable, scrolled

_FILTERS = "Training sets (*.jsonl)"


def export_training_set(context: AppContext) -> None:
    """Ask for a file, and write a training set there."""
    workspace = context.file
    place = platformdirs.user_documents_path() / "training-set.jsonl"

    async def flow() -> None:
        parent = context.shell.window_widget
        for chosen in await choose_new_file(parent, "Export", place, _FILTERS):
            write_training_set(context, workspace, chosen)

    context.tasks.spawn(flow(), owner=context)


def write_training_set(context: AppContext, workspace: Workspace, place: Path) -> None:
    """Write a training set as a job, and say what is in it."""

    def work(progress: Progress) -> list[str]:
        from toolplanner_core.training.finetuning import tuning_lines, tuning_set
        from toolplanner_core.workspace.export_file import write_file

        progress.report("Writing a training set", 0, None)
        lines, report = tuning_set(workspace)
        write_file((f"{line}\n" for line in lines), place)
        return list(tuning_lines(report))

    def tell(said: list[str]) -> None:
        context.show_message(f"Wrote {place}: {'. '.join(said)}")

    context.start_job(f"Writing {place.name}", work, tell)


def save_all_solved(context: AppContext) -> None:
    """Save every solved run as a demonstration, and say which were left out and why."""
    workspace = context.file

    def work(progress: Progress) -> str:
        from toolplanner_core.runs.export.demonstrations import save_solved_runs

        progress.report("Saving demonstrations", 0, None)
        return save_solved_runs(workspace).words

    def tell(said: str) -> None:
        context.run_view.refresh()  # who lists demonstrations reads them again
        context.show_message(said)

    context.start_job("Saving solved runs as demonstrations", work, tell)


_TITLES = ("Query", "Tags", "Steps", "Run")
_WIDTHS = {2: 60, 3: 52}
_SHARES = {1: 0.2}
_SIDE_WIDTH = 420
_ANSWER_HEIGHT = 64
_NONE_YET = (
    "No demonstrations yet. Save a solved run as one by its menu, or all of them here; a strategy"
    " that learns from examples shows those that are like the query to its model."
)


class DemonstrationsPanel(Panel):
    """The list at the left, the one that is looked at right of it."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._found: list[Demonstration] = []
        self._removed: Demonstration | None = None
        self.search = SearchField("Search in demonstrations")
        self.model = TableModel(_TITLES, self, numbers=(2, 3))
        self.view = QuietTable("Demonstrations")
        self.view.set_model(self.model, _WIDTHS, shares=_SHARES)
        self.query = named(TextLine(), "Query of the demonstration")
        self.tags = named(TextLine(), "Tags, separated by commas")
        self.tags.setPlaceholderText("Tags, separated by commas")
        self.answer = named(QPlainTextEdit(), "Answer of the demonstration")
        self.answer.setFixedHeight(_ANSWER_HEIGHT)
        self.steps = text_label(is_wrapped=True, name="Steps")
        self.save_button = push_button("Save", self._save)
        self.delete_button = push_button("Delete", self._delete)
        self.undo_button = icon_button(
            "undo-variant", "Bring back what was deleted last", self._bring_back
        )
        self.undo_button.setEnabled(False)
        self.save_all_button = icon_button(
            "school-outline",
            "Save all solved runs as demonstrations, the newest of each query",
            lambda: save_all_solved(context),
        )
        self.export_button = icon_button(
            "export-variant",
            "Write a training set for a planner, made of all demonstrations",
            lambda: export_training_set(context),
        )
        self.empty = EmptyState("school-outline")
        self.empty.say(_NONE_YET, button="Save all solved runs", run=self.save_all_button.click)
        self.pages = pages_of(self.empty, self._content(), of=self)
        self.search.searched.connect(lambda _text: self._show(self._found))
        self.view.selectionModel().currentChanged.connect(lambda *_: self._on_current())
        for field in (self.query, self.tags, self.answer):
            field.textChanged.connect(self._on_edited)
        context.run_view.runs_changed.connect(self.mark_outdated)

    def _content(self) -> QWidget:
        page, left, right = QWidget(), QWidget(), QWidget()
        column_of(self.search, (self.view, 1), of=left, margins=(EDGE, 0, 0, 0), gap=GAP)
        parts = (
            text_label("Query", role="dim"), self.query,
            text_label("Steps", role="dim"), self.steps,
            text_label("Answer", role="dim"), self.answer,
            text_label("Tags", role="dim"), self.tags,
        )  # fmt: skip
        texts = page_of(*parts, 1, gap=GAP, role="page")
        buttons = row_of(self.save_button, self.delete_button, 1, gap=GAP)
        margins = (EDGE, 0, EDGE, GAP)
        column_of((scrolled(texts), 1), buttons, of=right, margins=margins, gap=GAP)
        right.setMaximumWidth(_SIDE_WIDTH)
        row_of((left, 2), (right, 1), of=page, gap=0)
        return page

    def buttons(self) -> Sequence[QToolButton]:
        return (self.save_all_button, self.undo_button, self.export_button)

    def focus_list(self) -> None:
        """Go to the list, or to the button of the empty one."""
        (self.view if self._found else self.empty).setFocus()

    def renew(self) -> None:
        workspace = self.context.workspace
        if workspace is not None:
            self.newest.ask(lambda: list_demonstrations(workspace), self._show)

    def _show(self, found: list[Demonstration]) -> None:
        self._found = found
        words = self.search.text().lower().split()
        shown = [each for each in found if all(word in _words_of(each) for word in words)]
        chosen = self.view.currentIndex().data(KEY_ROLE)
        self.model.set_rows([_row(each) for each in shown])
        self.export_button.setEnabled(bool(found))
        self.pages.setCurrentIndex(1 if found else 0)
        numbers = [each.id for each in shown]
        place = numbers.index(chosen) if chosen in numbers else 0
        self.view.setCurrentIndex(self.model.index(place, 0))
        self._on_current()

    @property
    def current(self) -> Demonstration | None:
        """The one that is looked at."""
        number = self.view.currentIndex().data(KEY_ROLE)
        return next((each for each in self._found if each.id == number), None)

    def _on_current(self) -> None:
        shown = self.current
        for widget in (self.query, self.tags, self.answer, self.delete_button):
            widget.setEnabled(shown is not None)
        self.query.setText(shown.query if shown else "")
        self.tags.setText(", ".join(shown.tags) if shown else "")
        self.answer.setPlainText(shown.answer if shown else "")
        lines = [_step(number, step) for number, step in enumerate(shown.steps, 1)] if shown else []
        self.steps.setText("\n".join(lines))
        self.query.setCursorPosition(0)
        self._on_edited()

    def _edited(self) -> Demonstration | None:
        """What the fields say, None if nothing is looked at or the query is missing."""
        shown = self.current
        query = self.query.text().strip()
        if shown is None or not query:
            return None
        tags = tuple(tag.strip() for tag in self.tags.text().split(",") if tag.strip())
        answer = self.answer.toPlainText()
        return dataclasses.replace(shown, query=query, tags=tags, answer=answer)

    def _on_edited(self) -> None:
        edited = self._edited()
        self.save_button.setEnabled(edited is not None and edited != self.current)

    def _save(self) -> None:
        edited = self._edited()
        if edited is not None:
            self.write(lambda file: change_demonstration(file, edited))

    def _delete(self) -> None:
        shown = self.current
        if shown is None:
            return
        self._removed = shown
        self.undo_button.setEnabled(True)
        self.write(lambda file: remove_demonstration(file, shown.id))

    def _bring_back(self) -> None:
        removed, self._removed = self._removed, None
        self.undo_button.setEnabled(False)
        if removed is not None:
            self.write(lambda file: add_demonstration(file, removed))


def _words_of(each: Demonstration) -> str:
    """What a search looks through."""
    steps = " ".join(f"{step.goal} {step.title}" for step in each.steps)
    return f"{each.query} {each.answer} {' '.join(each.tags)} {steps}".lower()


def _step(number: int, step: DemonstrationStep) -> str:
    return f"{number}  {step.title}" + (f": {one_line(step.goal, 120)}" if step.goal else "")


def _row(each: Demonstration) -> Row:
    run = str(each.run) if each.run else ""
    return Row(
        cells=(one_line(each.query, 200), ", ".join(each.tags), str(len(each.steps)), run),
        key=each.id,
        tooltip=f"{each.query}\n{counted(len(each.steps), 'step')}",
    )
