"""The console: call one API by the form of its schema, see what is sent and what comes back.

Stays beside the map. Pressing the button is the person's leave for this one call, so what is sent
stands there before, with the names of keys in their places.
"""

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPlainTextEdit, QSplitter, QWidget

from toolplanner_core.domain.api import Api, Risk, example_arguments
from toolplanner_core.providers.provider import providers
from toolplanner_core.runs.preview.single_call import (
    CallTrial,
    ToSend,
    TriedCall,
    keep_example,
    what_is_sent,
)
from toolplanner_core.words.formatting import duration
from toolplanner_core.workspace.catalogue import apis_by_rowid
from toolplanner_gui import dialog_commands
from toolplanner_gui.context import AppContext
from toolplanner_gui.theme.tokens import GAP, SPACE
from toolplanner_gui.widgets.argument_form import ArgumentForm
from toolplanner_gui.widgets.box_layouts import page_of, row_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.widgets.section_list import SectionList
from toolplanner_gui.widgets.views import code_view, scrolled
from toolplanner_gui.windows.dialog import Dialog, DialogPlugin

_SIZE = (760, 640)


class ConsoleDialog(Dialog):
    """Calls of one API."""

    def __init__(self, context: AppContext, parent: QWidget, api: Api) -> None:
        super().__init__(context, parent, f"Call {api.title}")
        self.resize(*_SIZE)
        self._api = api
        self._trial: CallTrial | None = None
        self._to_send = ToSend(text="")
        self.arguments = ArgumentForm()
        self.request, self.reply = code_view("What is sent"), code_view("What came back")
        self.beside = SectionList(tasks=context.tasks)
        self.beside.hide()
        self.outcome = text_label("Nothing has been sent yet.", role="dim", is_wrapped=True)
        self.outcome.setTextFormat(Qt.TextFormat.PlainText)
        self.paragraph(api.description[:300], role="dim").setTextFormat(Qt.TextFormat.PlainText)
        sides = QSplitter(Qt.Orientation.Vertical)
        sides.addWidget(scrolled(page_of(self.arguments, role="page")))
        sides.addWidget(_titled("What is sent", self.request))
        sides.addWidget(_titled("What came back", self.reply))
        sides.addWidget(self.beside)
        sides.setSizes([260, 130, 190, 190])
        self.add(self.banner, (sides, 1), self.outcome)
        self.curl_button = push_button("Copy as curl", self._copy)
        self.example_button = push_button("Save as example", self._keep)
        self.example_button.setToolTip("Keeps the reply as a recorded call of this workspace")
        self.example_button.setEnabled(False)
        self._done: tuple[dict[str, Any], TriedCall] | None = None
        self.add(row_of(self.curl_button, self.example_button, 1, gap=GAP))
        self.call_button = push_button(_button_words(api), self._on_call)
        self.add_buttons(self.call_button, "Close")
        self.arguments.changed.connect(self._show_request)
        self.finished.connect(self._cancel)
        self.arguments.show_arguments(api.parameters, example_arguments(api))
        self._show_request()

    @property
    def is_calling(self) -> bool:
        """Whether a call is on its way."""
        return self._trial is not None

    def _show_request(self) -> None:
        values = self.arguments.values
        self._to_send = what_is_sent(self.context.file, self._api, values)
        misfit = self.arguments.misfit or self._to_send.misfit
        self.arguments.show_problem(misfit if values else "")
        self.request.setPlainText(self._to_send.text)
        self.curl_button.setEnabled(bool(self._to_send.curl) and not misfit)
        self.call_button.setEnabled(self.is_calling or not misfit)
        self.call_button.setToolTip(misfit)

    def _on_call(self) -> None:
        if self._trial is not None:
            self._cancel()
            return
        self.banner.hide()
        self._trial = CallTrial(self.context.file, self._api, self.arguments.values)
        self.call_button.setText("Stop")
        self.outcome.setText("Waiting for the reply …")
        self.reply.clear()
        self.beside.hide()
        self.example_button.setEnabled(False)
        given = dict(self.arguments.values)
        self.context.tasks.spawn(self._call(self._trial, given), owner=self)

    async def _call(self, trial: CallTrial, given: dict[str, Any]) -> None:
        try:
            done = await self.context.tasks.in_thread(trial.run)
        except Exception as error:  # noqa: BLE001 - shown where the person looks
            self.show_error(error, doing="Calling")
            self.outcome.setText("")
        else:
            self._show_reply(done)
            self._done = given, done
            self.example_button.setEnabled(done.observation.ok)
        finally:
            trial.cancel()
            self._trial = None
        self.call_button.setText(_button_words(self._api))
        self._show_request()

    def _show_reply(self, done: TriedCall) -> None:
        seen = done.observation
        said = "It worked" if seen.ok else seen.message or "It failed"
        by = providers.title_of(done.provider)
        self.outcome.setText(f"{said.rstrip('.')} · {by}, {duration(done.elapsed_ms / 1e3)}")
        self.reply.setPlainText(done.text)
        self.beside.show_sections([part.shown for part in done.beside])
        self.beside.setVisible(bool(done.beside))

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._to_send.curl)
        self.context.show_message("Copied the call as curl")

    def _keep(self) -> None:
        if self._done is None:
            return
        file, api, (given, done) = self.context.file, self._api, self._done

        async def keep() -> None:
            why = await self.context.tasks.in_thread(lambda: keep_example(file, api, given, done))
            self.outcome.setText(f"{why}." if why else "Saved as an example: a recorded call.")

        self.context.tasks.spawn(keep(), owner=self)

    def _cancel(self) -> None:
        if self._trial is not None:
            self._trial.cancel()


def _button_words(api: Api) -> str:
    match api.risk:
        case Risk.READ:
            return "Call"
        case Risk.WRITE:
            return "Call: it may change something"
        case Risk.DESTRUCTIVE:
            return "Call: it may delete something"


def _titled(title: str, view: QPlainTextEdit) -> QWidget:
    return page_of(text_label(title, role="section"), (view, 1), gap=SPACE)


def _make(
    context: AppContext, parent: QWidget, *, rowid: int | None = None
) -> ConsoleDialog | None:
    """Of one API; without `rowid` of the selected one."""
    rowids = [int(each) for each in context.chosen.rowids[:2]] if rowid is None else [rowid]
    found = apis_by_rowid(context.file, rowids) if len(rowids) == 1 else {}
    return ConsoleDialog(context, parent, found[rowids[0]]) if found else None


PLUGIN = DialogPlugin.of(dialog_commands.call_api, _make, is_beside=True)
