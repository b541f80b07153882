"""What a person can do while the run is held: edit, answer, let fail, skip, fall back, give up.

Only what `runs/debugging/stops.py` allows at the place is offered; what is written for it stands on
a page of its own (`decision_pages.py`). A decision is checked as it is written, off the GUI thread,
and again when it is sent; why it does not fit stands at the place it is about.
"""

from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from toolplanner_core.domain.ids import ROOT
from toolplanner_core.domain.stop_points import AFTER_QUESTION, BEFORE_QUESTION, Choice
from toolplanner_core.errors import BadInput, UserError
from toolplanner_core.runs.debugging.debugger import Held, StepCommand
from toolplanner_core.runs.debugging.stops import StopDecision
from toolplanner_core.runs.presentation.stop_choices import (
    Offer,
    asked_first,
    heading,
    offers,
    stop_sections,
    stop_spoken,
)
from toolplanner_gui.bridge.latest_request import LatestRequest
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.inspector.decision_pages import (
    AlternativesPage,
    AnswerPage,
    CallPage,
    DecisionPage,
    FailurePage,
    MessagesPage,
)
from toolplanner_gui.panels.inspector.messages import message_bubbles
from toolplanner_gui.theme.tokens import EDGE, GAP, SPACE
from toolplanner_gui.widgets.box_layouts import column_of, page_of, row_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.conversation_view import ConversationView, ShownConversation
from toolplanner_gui.widgets.input_fields import GrowingText
from toolplanner_gui.widgets.labels import rule, text_label
from toolplanner_gui.widgets.section_list import SectionList
from toolplanner_gui.widgets.segmented_control import Segment, SegmentedControl
from toolplanner_gui.widgets.tab_order import follow_layout
from toolplanner_gui.widgets.views import scrolled


class StopButtons(QWidget):
    """Half the row each, whatever their words are: nothing moves under the mouse."""

    def __init__(self, send: Callable[[], None], send_and_step: Callable[[], None]) -> None:
        super().__init__()
        self.send: QPushButton = push_button("Send", send, role="primary")
        self.step: QPushButton = push_button("Step", send_and_step)
        self._words: dict[QPushButton, tuple[str, ...]] = {}
        """Of each button, from the longest to the shortest."""
        for button in (self.step, self.send):
            policy = button.sizePolicy()
            policy.setHorizontalPolicy(QSizePolicy.Policy.Ignored)
            policy.setRetainSizeWhenHidden(True)
            button.setSizePolicy(policy)
        row_of((self.step, 1), (self.send, 1), of=self, gap=GAP)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Say it in fewer words where they would be cut; the tooltips say all."""
        for button, words in self._words.items():
            for said in words:
                button.setText(said)
                if button.sizeHint().width() <= button.width():
                    break

    def show_offer(self, offer: Offer) -> None:
        """Say what each does with what is chosen."""
        self._words[self.send] = (offer.verb, offer.word)
        self.send.setToolTip(f"{offer.verb} and continue (Ctrl+Return)")
        is_plain = offer.choice is None
        stepped = ("Step",) if is_plain else (f"{offer.word} and step", "… and step")
        self._words[self.step] = stepped
        self._fit()
        self.step.setToolTip(f"{offer.verb} and stop again (Ctrl+Shift+Return)")
        self.step.setAccessibleName(f"{offer.verb} and stop again")
        self.step.setVisible(offer.choice is not Choice.GIVE_UP)

    def show_changes(self, offer: Offer, *, is_same: bool) -> None:
        """Say whether what would be sent is what the run would have sent."""
        changed = (f"{offer.word} with changes", f"{offer.word} edited")
        self._words[self.send] = (offer.verb, offer.word) if is_same else changed
        self._fit()


_CHECK_PAUSE_MS = 200
_SHOWN_HEIGHT = 140
_MEND = "Change it in the inspector"
_RESTORE = f"{_MEND}, or restore what it was"
_LAST = 2
"""Messages of a conversation that are seen at first."""


class StopPage(QWidget):
    """Follows the held branch that is looked at. Ctrl+Return does what the button says."""

    decided = Signal()
    """The run goes on."""

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._context = context
        self.held: Held | None = None
        """What is decided upon."""
        self._offers: tuple[Offer, ...] = ()
        self._is_touched = False
        """Whether a person chose or wrote something since the run was held."""
        self._checking = LatestRequest(context.tasks, self)
        self._title = text_label(role="heading", is_wrapped=True)
        self._explanation = text_label(role="dim", is_wrapped=True)
        self.switches = SegmentedControl()
        self.switches.switched.connect(lambda _position: self._on_chosen())
        self.call = CallPage(context)
        self.messages = MessagesPage()
        self.alternatives = AlternativesPage()
        self.answer = AnswerPage()
        self.failure = FailurePage()
        self._pages: tuple[DecisionPage, ...] = (
            self.call, self.messages, self.alternatives, self.answer, self.failure,
        )  # fmt: skip
        for page in self._pages:
            page.changed.connect(self._on_written)
            page.listed.connect(self._on_edited)
        self.asked = GrowingText("What would be sent")  # long addresses break anywhere
        self.asked.setProperty("role", "code")
        self.asked.setReadOnly(True)
        self.shown = SectionList()
        self.whole = SectionList()
        """All of what would be sent, below the choice of what is allowed."""
        self.conversation = ConversationView("What was said")
        for seen in (self.shown, self.whole, self.conversation):
            seen.setMinimumHeight(_SHOWN_HEIGHT)
        # Its hint is that of any scrolled text, however little there is to see.
        self.shown.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        self._problem = text_label(role="problem", is_wrapped=True, name="Why it does not fit")
        self.buttons = StopButtons(self.send, self.send_and_step)
        self._timer = QTimer(self, singleShot=True, interval=_CHECK_PAUSE_MS)
        self._timer.timeout.connect(self._check)
        for keys, act in (("Ctrl+Return", self.send), ("Ctrl+Shift+Return", self.send_and_step)):
            shortcut = QShortcut(QKeySequence(keys), self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(act)
        self._lay_out()
        context.debug.chosen = self.chosen

    @property
    def is_idle(self) -> bool:
        """Whether nothing is being checked or read."""
        is_there = all(page.is_idle for page in self._pages)
        return is_there and self._checking.is_idle and not self._timer.isActive()

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
        if held is self.held:
            return
        self.held = held
        if held is None:
            return
        stop = held.stop
        self._title.setText(heading(stop))
        root = self._context.run_view.nodes.get(ROOT)
        model = "" if root is None else str(root.data.get("model", ""))
        self._offers = offers(stop, model=model)
        self.switches.set_words([Segment(o.word, o.verb, o.explanation) for o in self._offers])
        for page in {self._page_for(offer) for offer in self._offers}:
            if page is not None:
                page.show_stop(stop)
        self.asked.setPlainText(asked_first(stop))
        self.asked.setVisible(stop.point.needs_person)
        told = self.whole if stop.point.needs_person else self.shown
        for seen in (self.shown, self.whole):
            seen.show_sections(stop_sections(stop) if seen is told else [])
        bubbles = message_bubbles(stop_spoken(stop))
        # An answer is what is decided upon: what was asked is a click away.
        n_seen = 1 if stop.point is AFTER_QUESTION else _LAST
        self.conversation.show_talks(
            [ShownConversation(stop.title, bubbles, max(0, len(bubbles) - n_seen))]
        )
        self._on_switched()
        self._is_touched = False

    def choose(self, word: str) -> None:
        """Switch to what has this word."""
        self.switches.choose(self.offered.index(word))

    def chosen(self, held: Held) -> StopDecision | None:
        """What is chosen and written for a stop, None to go on as it is.

        Raises:
            BadInput: it does not fit.
        """
        # A yes or no is only ever given at the question itself.
        if not self._is_touched or held is not self.held or held.stop.point.needs_person:
            return None
        if misfit := self._misfit():
            self._say(misfit)
            raise BadInput(misfit, todo=self._todo)
        return self._decision()

    def send(self) -> None:
        """Do what is chosen, and let the run go on."""
        self._resume(StepCommand.CONTINUE)

    def send_and_step(self) -> None:
        """Do what is chosen, and hold at the next stop point."""
        self._resume(StepCommand.STEP_INTO)

    def focus_first(self) -> None:
        """Put the keyboard where one begins."""
        self._order_tabs()
        self.switches.focus_chosen()

    def _order_tabs(self) -> None:
        last = (self.shown, self.whole, self.conversation, self.buttons.step, self.buttons.send)
        follow_layout(self._area, self.switches, self.asked, *self._pages, *last)

    def _lay_out(self) -> None:
        # All of it scrolls but the buttons: in a low panel nothing else has room above them.
        head = column_of(self._title, margins=(EDGE, GAP, EDGE, SPACE))
        row = row_of(self.switches, margins=(EDGE - SPACE, 0, EDGE, 0))
        # What would be sent stands above the choice of what is allowed.
        seen = ((self.whole, 100), (self.conversation, 100), 1)
        parts = (self.asked, self._explanation, (self.shown, 100), *self._pages, *seen)
        below = column_of(*parts, margins=(EDGE, SPACE, EDGE, EDGE), gap=GAP)
        self._area = scrolled(page_of(head, row, (below, 1), role="page"))
        foot = column_of(self._problem, self.buttons, margins=(EDGE, GAP, EDGE, GAP), gap=GAP)
        column_of((self._area, 1), rule(), foot, of=self, gap=0)

    def _offer(self) -> Offer:
        return self._offers[max(0, self.switches.chosen)]

    def _page_for(self, offer: Offer) -> DecisionPage | None:
        """Where a person writes what an offer needs, None where it needs nothing."""
        point = None if self.held is None else self.held.stop.point
        match offer.choice:
            case _ if point is None:
                return None
            case Choice.EDIT:
                return self.messages if point is BEFORE_QUESTION else self.call
            case Choice.TAKE:
                return self.call if point.takes_any_api else self.alternatives
            case Choice.ANSWER:
                return self.answer
            case Choice.FAIL:
                return self.failure
            case _:
                return None

    @property
    def _page(self) -> DecisionPage | None:
        return self._page_for(self._offer())

    def _on_switched(self) -> None:
        offer, current = self._offer(), self._page
        assert self.held is not None
        self._explanation.setText(offer.explanation)
        for page in self._pages:
            page.setVisible(page is current)
        # Beside an answer stays in view what is answered.
        is_question, asks = self.held.stop.kind == "question", self.held.stop.point.needs_person
        is_shown = offer.choice is None or (offer.choice is Choice.ANSWER and is_question)
        self.whole.setVisible(asks)
        self.shown.setVisible(is_shown and not is_question and bool(self.shown.text))
        self.conversation.setVisible(is_shown and is_question)
        self.buttons.show_offer(offer)
        self._on_edited()

    def _on_chosen(self) -> None:
        self._is_touched = True
        self._on_switched()

    def _on_written(self) -> None:
        self._is_touched = True
        self._on_edited()

    def _on_edited(self) -> None:
        self._say("")
        offer = self._offer()
        if offer.choice is Choice.EDIT:
            page = self._page
            is_same = page is None or (not page.misfit and page.decision() is None)
            self.buttons.show_changes(offer, is_same=is_same)
        self._timer.start()

    def _decision(self) -> StopDecision | None:
        """What is chosen, None to go on as it is."""
        page, choice = self._page, self._offer().choice
        if page is not None:
            return page.decision()
        return None if choice is None else StopDecision(choice=choice)

    def _misfit(self) -> str:
        """What stands in the way before anybody is asked."""
        page = self._page
        return "" if page is None else page.misfit

    @property
    def _todo(self) -> str:
        return _RESTORE if self._page is self.call else _MEND

    def _check(self) -> None:
        """Ask the stop whether the decision fits, and say why not."""
        held = self.held
        self._order_tabs()  # an editor may have been added
        if held is None or self._misfit():
            return
        decision = self._decision()
        self._checking.forget()
        if decision is not None:
            self._checking.ask(
                lambda: held.check(decision),
                lambda misfit: self._say(misfit) if held is self.held else None,
            )

    def _resume(self, action: StepCommand) -> None:
        held = self.held
        if held is None:
            return
        try:
            if misfit := self._misfit():
                raise BadInput(misfit, todo=self._todo)
            self._context.debug.resume(action, decision=self._decision())
        except UserError as error:
            # In place, which may be out of sight, and as a key or a menu entry says it.
            self._say(error.what)
            self._context.report(error, about=held)
            if (wrong := self.call.form.wrong) is not None and wrong.isVisible():
                self._area.ensureWidgetVisible(wrong)
                wrong.setFocus(Qt.FocusReason.OtherFocusReason)
            return
        self.decided.emit()

    def _say(self, sentence: str) -> None:
        page = self._page
        is_in_place = page is not None and page.shows_problem(sentence)
        self._problem.setText("" if is_in_place else sentence)
        self._problem.setVisible(bool(sentence) and not is_in_place)
