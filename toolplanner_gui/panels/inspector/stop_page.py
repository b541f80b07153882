"""What a person can do while the run is held: edit, answer, let fail, skip, fall back, give up.

Only what `runs/debugging/stops.py` allows at the place is offered. A decision is checked as it is
written, off the GUI thread, and again when it is sent; why it does not fit stands at the place it
is about.
"""

import asyncio
from itertools import pairwise

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QHBoxLayout,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.stop_points import Choice
from toolplanner_core.errors import UserError
from toolplanner_core.runs.debugging.debugger import Action, Held
from toolplanner_core.runs.debugging.stops import StopDecision
from toolplanner_core.runs.telling.stop_choices import (
    Offer,
    failures,
    first_answer,
    goal_of,
    heading,
    offers,
    stop_sections,
)
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.inspector.call_page import CallPage
from toolplanner_gui.theme.tokens import EDGE, GAP, SPACE
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.json_editor import JsonEditor
from toolplanner_gui.widgets.labels import rule, text_label
from toolplanner_gui.widgets.sections import SectionList
from toolplanner_gui.widgets.switch_row import SwitchRow, Word

_CHECK_PAUSE_MS = 200
_SHOWN_HEIGHT = 140


class StopPage(QWidget):
    """Follows the held branch that is looked at. Ctrl+Return does what the button says."""

    decided = Signal()
    """The run goes on."""

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._context = context
        self._held: Held | None = None
        self._offers: tuple[Offer, ...] = ()
        self._checking: asyncio.Task[None] | None = None
        self._title = text_label(role="heading", is_wrapped=True)
        self._explanation = text_label(role="dim", is_wrapped=True)
        self.switches = SwitchRow()
        self.switches.switched.connect(lambda _position: self._on_switched())
        self.call = CallPage(context)
        self.call.changed.connect(self._on_edited)
        self.answer = JsonEditor("What the run goes on with", takes_text=True)
        self.answer.edited.connect(self._on_edited)
        self._errors = failures()
        self.error = QComboBox()
        self.error.setAccessibleName("Error class")
        for error, _ in self._errors:
            self.error.addItem(error.value.replace("_", " ").capitalize(), error)
        self.error.setCurrentIndex(self.error.findData(ErrorClass.SERVER_ERROR))
        self.error.currentIndexChanged.connect(lambda _: self._on_edited())
        self._about_error = text_label(role="dim", is_wrapped=True)
        self.shown = SectionList()
        self.shown.setMinimumHeight(_SHOWN_HEIGHT)
        self._problem = text_label(role="problem", is_wrapped=True)
        self._problem.setAccessibleName("Why it does not fit")
        self.send_button = push_button("Send", self.send, role="primary")
        self.step_button = push_button("Step", self.send_and_step)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_CHECK_PAUSE_MS)
        self._timer.timeout.connect(self._check)
        for keys, act in (("Ctrl+Return", self.send), ("Ctrl+Shift+Return", self.send_and_step)):
            shortcut = QShortcut(QKeySequence(keys), self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(act)
        self._lay_out()
        self.retheme()

    @property
    def is_idle(self) -> bool:
        """Whether nothing is being checked or read."""
        is_checked = self._checking is None or self._checking.done()
        return self.call.is_idle and is_checked and not self._timer.isActive()

    @property
    def held(self) -> Held | None:
        """What is decided upon."""
        return self._held

    @property
    def offered(self) -> list[str]:
        """The words on the switches."""
        return [offer.word for offer in self._offers]

    @property
    def problem(self) -> str:
        """Why the decision does not fit, as it is said in place."""
        return " ".join(t for t in (self.call.form.problem, self._problem.text()) if t)

    def show_held(self, held: Held | None) -> None:
        """Begin anew with a held branch; the same one again changes nothing."""
        if held is self._held:
            return
        self._held = held
        if held is None:
            return
        stop = held.stop
        self._title.setText(heading(stop))
        self._offers = offers(stop)
        self.switches.set_words([Word(o.word, o.verb, o.explanation) for o in self._offers])
        if any(o.choice in (Choice.EDIT, Choice.TAKE) for o in self._offers):
            self.call.show_stop(stop, goal=goal_of(self._context.run_view.nodes, stop.path))
        value = first_answer(stop)
        self.answer.set_value(value) if value is not None else self.answer.set_text("")
        self.shown.show_sections(stop_sections(stop))
        self._on_switched()

    def choose(self, word: str) -> None:
        """Switch to what has this word."""
        self.switches.choose(self.offered.index(word))

    def send(self) -> None:
        """Do what is chosen, and let the run go on."""
        self._resume(Action.CONTINUE)

    def send_and_step(self) -> None:
        """Do what is chosen, and hold at the next stop point."""
        self._resume(Action.STEP_INTO)

    def focus_first(self) -> None:
        """Put the keyboard where one begins."""
        self.switches.follow_in_tab_order(self._area)
        for before, after in pairwise((self.error, self.shown, self.step_button, self.send_button)):
            QWidget.setTabOrder(before, after)
        self.switches.focus_chosen()

    def retheme(self) -> None:
        """Take the icons of another theme."""
        self.call.retheme()

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setContentsMargins(EDGE - SPACE, 0, EDGE, 0)
        row.addWidget(self.switches)
        body = QWidget()
        body.setProperty("role", "page")
        inside = QVBoxLayout(body)
        inside.setContentsMargins(EDGE, SPACE, EDGE, EDGE)
        inside.setSpacing(GAP)
        for widget in (
            self._explanation,
            self.call,
            self.answer,
            self.error,
            self._about_error,
        ):
            inside.addWidget(widget)
        inside.addWidget(self.shown, 100)
        inside.addStretch(1)
        self._area = QScrollArea()
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setWidget(body)
        foot = QVBoxLayout()
        foot.setContentsMargins(EDGE, GAP, EDGE, GAP)
        foot.setSpacing(GAP)
        foot.addWidget(self._problem)
        buttons = QHBoxLayout()
        buttons.setSpacing(GAP)
        buttons.addStretch(1)
        buttons.addWidget(self.step_button)
        buttons.addWidget(self.send_button)
        foot.addLayout(buttons)
        head = QVBoxLayout()
        head.setContentsMargins(EDGE, GAP, EDGE, SPACE)
        head.addWidget(self._title)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addLayout(row)
        column.addWidget(self._area, 1)
        column.addWidget(rule())
        column.addLayout(foot)

    def _offer(self) -> Offer:
        return self._offers[max(0, self.switches.chosen)]

    def _on_switched(self) -> None:
        offer = self._offer()
        assert self._held is not None
        is_api = offer.choice in (Choice.EDIT, Choice.TAKE)
        self._explanation.setText(offer.explanation)
        self.call.setVisible(is_api)
        self.answer.setVisible(offer.choice is Choice.ANSWER)
        self.error.setVisible(offer.choice is Choice.FAIL)
        self._about_error.setVisible(offer.choice is Choice.FAIL)
        # Beside an answer stays in view what is answered.
        is_question = self._held.stop.kind == "question"
        is_shown = offer.choice is None or (offer.choice is Choice.ANSWER and is_question)
        self.shown.setVisible(is_shown and bool(self.shown.text))
        self.send_button.setText(offer.verb)
        self.send_button.setToolTip(f"{offer.verb} and continue (Ctrl+Return)")
        is_plain = offer.choice is None
        self.step_button.setText("Step" if is_plain else f"{offer.word} and step")
        self.step_button.setToolTip(f"{offer.verb} and stop again (Ctrl+Shift+Return)")
        self.step_button.setAccessibleName(f"{offer.verb} and stop again")
        self.step_button.setVisible(offer.choice is not Choice.GIVE_UP)
        self._on_edited()

    def _on_edited(self) -> None:
        self._about_error.setText(dict(self._errors).get(self.error.currentData(), ""))
        self._say("")
        if self._offer().choice is Choice.EDIT:
            is_same = not self.call.misfit and self.call.decision() is None
            self.send_button.setText("Send" if is_same else "Send changed call")
        self._timer.start()

    def _decision(self) -> StopDecision | None:
        """What is chosen, None to go on as it is."""
        offer = self._offer()
        match offer.choice:
            case None:
                return None
            case Choice.EDIT | Choice.TAKE:
                return self.call.decision()
            case Choice.ANSWER:
                return StopDecision(choice=Choice.ANSWER, value=self.answer.value)
            case Choice.FAIL:
                return StopDecision(choice=Choice.FAIL, error=self.error.currentData())
            case _:
                return StopDecision(choice=offer.choice)

    def _misfit(self) -> str:
        """What stands in the way before anybody is asked."""
        match self._offer().choice:
            case Choice.EDIT | Choice.TAKE:
                return self.call.misfit
            case Choice.ANSWER:
                return self.answer.problem
            case _:
                return ""

    def _check(self) -> None:
        """Ask the stop whether the decision fits, and say why not."""
        held = self._held
        if held is None or self._misfit():
            return
        decision = self._decision()
        if self._checking is not None:
            self._checking.cancel()
        if decision is not None:
            self._checking = self._context.tasks.spawn(self._check_at(held, decision), owner=self)

    async def _check_at(self, held: Held, decision: StopDecision) -> None:
        misfit = await self._context.tasks.in_thread(lambda: held.check(decision))
        if held is self._held:
            self._say(misfit)

    def _resume(self, action: Action) -> None:
        held = self._held
        if held is None:
            return
        misfit = self._misfit()
        if misfit:
            self._say(misfit)
            return
        try:
            self._context.debug.resume(action, decision=self._decision())
        except UserError as error:
            self._say(error.what)
            return
        self.decided.emit()

    def _say(self, sentence: str) -> None:
        is_call = self._offer().choice is Choice.EDIT
        self.call.show_problem(sentence if is_call else "")
        self._problem.setText("" if is_call else sentence)
        self._problem.setVisible(bool(sentence) and not is_call)
