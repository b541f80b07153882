"""The call of an agent that would change something and waits for a person: shown whole, with a yes,
a no and a way into the debugger; others that wait come after it."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QWidget

from toolplanner_core.errors import UserError
from toolplanner_core.words.formatting import counted
from toolplanner_gui.context import AppContext
from toolplanner_gui.theme.icons import make_icon
from toolplanner_gui.theme.tokens import GAP, SPACE
from toolplanner_gui.viewmodels.debug.served_clients import WaitingCall
from toolplanner_gui.widgets.box_layouts import column_of, row_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.labels import ElidedLabel, IconLabel, breakable, text_label
from toolplanner_gui.widgets.views import scrolled

_STEP_TIP = "Look at it in the run, where its arguments can be changed before you give leave"
_ELSEWHERE = "Another process serves it: it can only be allowed or refused here"


class WaitingCalls(QWidget):
    """The call that has waited longest; takes no room without any."""

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._context = context
        self.card: _Card | None = None
        self._column = column_of(of=self)
        self.hide()

    def show_calls(self, calls: Sequence[WaitingCall]) -> None:
        """Show the first of these; one that stays is not made anew, so that no click meets another
        call."""
        first = calls[0] if calls else None
        if self.card is not None and (first is None or self.card.call.id != first.id):
            self.card.hide()
            self.card.deleteLater()
            self.card = None
        if self.card is None and first is not None:
            self.card = _Card(self._context, first)
            self._column.addWidget(self.card)
        if self.card is not None:
            self.card.say_others(len(calls) - 1)
        self.setVisible(bool(calls))

    def focus_first(self) -> None:
        """Put the keyboard on the call: a key pressed by mistake refuses it."""
        if self.card is not None:
            self.card.refuse_button.setFocus(Qt.FocusReason.ShortcutFocusReason)


class _Card(QFrame):
    """One call: who asks, what exactly is sent, and what can be done."""

    def __init__(self, context: AppContext, call: WaitingCall) -> None:
        super().__init__()
        self._context, self.call = context, call
        self.setProperty("role", "card")
        self._title, _, rest = call.shown.partition("\n")
        self._said = ElidedLabel()
        self.shown = text_label(breakable(rest, after="/,"), role="dim", is_wrapped=True)
        self.shown.setAccessibleName(call.shown)
        self.shown.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.allow_button = push_button("Allow once", lambda: self._decide(True))
        self.refuse_button = push_button("Refuse", lambda: self._decide(False))
        self.step_button = push_button("Step", self._step)
        self.step_button.setEnabled(call.stop is not None)
        self.step_button.setToolTip(_STEP_TIP if call.stop is not None else _ELSEWHERE)
        icon = IconLabel(make_icon("pause-circle", "paused"))
        keys = (self.allow_button, self.refuse_button, self.step_button)
        row = row_of(icon, (self._said, 1), *keys, gap=GAP)
        # However long the arguments are, all of them can be read.
        parts = (row, (scrolled(self.shown), 1))
        column_of(*parts, of=self, margins=(GAP, SPACE, GAP, SPACE), gap=SPACE)

    def say_others(self, count: int) -> None:
        """Say how many more wait."""
        tail = f" · {counted(count, 'call')} more to decide" if count else ""
        self._said.set_text(f"{self.call.client} asks for {self._title}", tail=tail)

    def _decide(self, is_allowed: bool) -> None:
        try:
            self.call.decide(is_allowed)
        except UserError as error:
            self._context.report(error, doing="Deciding about the call of an agent")

    def _step(self) -> None:
        stop = self.call.stop
        if stop is None:
            return
        run = self._context.debug.run_of(stop)
        self._context.debug.look_at(stop)
        if run is not None:
            self._context.run_view.show_run(run)
        self._context.shell.show_layout("debug")
