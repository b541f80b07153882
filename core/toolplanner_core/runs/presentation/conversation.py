"""Questions and dialogues as people read them: who said what, each function call as a card.

Told from the log alone. The result of a call stands in its card; turns that go on from one another
are one conversation; what only one request saw, what a person replaced and what went wrong is told
as an aside.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.prompts.conversation import FunctionCall, Message
from toolplanner_core.prompts.functions import function_title
from toolplanner_core.runs.events.event import Event, Record
from toolplanner_core.runs.events.question import (
    AnswerRejected,
    ModelAsked,
    ModelFailed,
    ModelReplied,
)
from toolplanner_core.runs.presentation.sections import pretty
from toolplanner_core.runs.tree.formatting import failure_words, title_of_segment

HIDDEN = "only this turn saw it"
REPLACED = "replaced by you"
SILENT = "it said nothing"
_FAILED = "no answer"
_BROKEN_OFF = "broken off"
_TOLD = (ModelAsked, ModelReplied, ModelFailed, AnswerRejected)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallCard:
    """A function that a model called.

    Attributes:
        arguments: an object; the text as it came when it is none.
        result: what the model was told of it; None = nothing yet.
    """

    id: str
    name: str
    arguments: Mapping[str, Any] | str
    result: str | None = None

    @property
    def title(self) -> str:
        """Of its API where it is one."""
        return function_title(self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """One message, or something that happened beside them.

    Attributes:
        role: "system", "user", "assistant", "tool" (a result whose call is not there), "note".
        aside: why later turns do not have it, in words; "" = it is part of what follows.
        thought: what the model thought before; shown folded.
    """

    role: str
    text: str
    cards: tuple[CallCard, ...] = ()
    aside: str = ""
    thought: str = ""

    def is_same(self, other: "Spoken") -> bool:
        """Whether the same was said, whatever came of its calls."""
        return self._identity() == other._identity()

    def with_thought(self, known: "Spoken") -> "Spoken":
        """This message, as a later request has it, with what its turn thought: requests tell no
        thoughts."""
        return replace(self, thought=known.thought or self.thought)

    def _identity(self) -> tuple[object, ...]:
        return self.role, self.text, [(c.id, c.name, c.arguments) for c in self.cards]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """What was said up to a turn, and the turn.

    Attributes:
        path: node of the last turn; title: of that turn.
        spoken: in order.
        n_before: how many at the beginning earlier turns had already.
        tools: names of the functions on offer.
    """

    path: NodePath
    title: str
    spoken: tuple[Spoken, ...]
    n_before: int = 0
    tools: tuple[str, ...] = ()

    @property
    def shared(self) -> tuple[Spoken, ...]:
        """What went on from here, without asides."""
        return tuple(each for each in self.spoken if not each.aside)

    def goes_on_from(self, other: "Conversation") -> bool:
        """Whether it begins with all that was said in another one, and says more."""
        before, ours = other.shared, self.shared
        if len(before) >= len(ours) or not before or before[-1].role != "assistant":
            return False
        return all(a.is_same(b) for a, b in zip(before, ours, strict=False))

    def after(self, other: "Conversation") -> "Conversation":
        """Both as one: the other's asides in their places, then what is new here."""
        ours = iter(self.spoken)
        told = [each if each.aside else next(ours).with_thought(each) for each in other.spoken]
        return replace(self, spoken=(*told, *ours), n_before=other.n_before)


def conversations(records: Iterable[Record], later: Iterable[Record] = ()) -> list[Conversation]:
    """All that was asked and said at some nodes, in order; turns of one dialogue as one.

    Args:
        records: with all texts.
        later: of turns that may have gone on from these; they know what came of the last calls.
    """
    found: list[Conversation] = []
    for turn in _turns(records):
        former = next((each for each in found if turn.goes_on_from(each)), None)
        if former is None:
            found.append(turn)
        else:
            found[found.index(former)] = turn.after(former)
    following = list(_turns(later))
    return [_with_results(each, following) for each in found]


def _with_results(told: Conversation, following: Sequence[Conversation]) -> Conversation:
    known = next((each for each in following if each.goes_on_from(told)), None)
    if known is None:
        return told
    ours = iter(known.shared)
    return replace(
        told, spoken=tuple(s if s.aside else next(ours).with_thought(s) for s in told.spoken)
    )


@dataclass(slots=True)
class _Asking:
    """A question while its events are read: the last request, and what came of it."""

    asked: ModelAsked | None = None
    failures: list[Spoken] = field(default_factory=list[Spoken])
    answers: list[Spoken] = field(default_factory=list[Spoken])

    def take(self, event: Event) -> None:
        match event:
            case ModelAsked():
                self.asked = event  # what was sent back before stands in its messages
                self.answers = []
            case ModelReplied():
                self.answers = [replace(each, aside=REPLACED) for each in self.answers]
                self.answers.append(reply_of(event))
            case ModelFailed():
                if event.text:
                    self.failures.append(
                        Spoken(role="assistant", text=event.text, aside=_BROKEN_OFF)
                    )
                words = f"No answer: {failure_words(event.error)}: {event.message}"
                self.failures.append(Spoken(role="note", text=words, aside=_FAILED))
            case AnswerRejected():
                words = f"The answer cannot be used: at {event.where}: {event.what}"
                self.answers.append(Spoken(role="note", text=words, aside=_FAILED))
            case _:
                pass

    def at(self, path: NodePath) -> Conversation:
        told = Conversation(path=path, title=title_of_segment(path), spoken=())
        if self.asked is not None:
            told = asked_with(self.asked, path)
        return replace(told, spoken=(*told.spoken, *self.failures, *self.answers))


def _turns(records: Iterable[Record]) -> Iterable[Conversation]:
    """One for each question."""
    asking: dict[NodePath, _Asking] = {}
    for record in records:
        if isinstance(record.event, _TOLD):
            asking.setdefault(record.path, _Asking()).take(record.event)
    return [each.at(path) for path, each in asking.items()]


def asked_with(event: ModelAsked, path: NodePath) -> Conversation:
    """What a model was asked with. New in it is what begins with its last turn."""
    spoken = spoken_of([Message.from_json(message) for message in event.messages])
    turns = [position for position, each in enumerate(spoken) if each.role == "assistant"]
    return Conversation(
        path=path,
        title=event.title,
        spoken=tuple(spoken),
        n_before=turns[-1] if turns else 0,
        tools=tuple(str(tool.get("name", "")) for tool in event.tools),
    )


def reply_of(event: ModelReplied) -> Spoken:
    """What a model answered; a typed answer as JSON."""
    calls = [FunctionCall.from_json(call) for call in event.calls]
    is_typed = event.data is not None
    return Spoken(
        role="assistant",
        text=pretty(event.data) if is_typed else event.text,
        cards=tuple(_card(call) for call in calls),
        aside="" if is_typed or event.text or calls else SILENT,
        thought=thought_of(event),
    )


def thought_of(event: ModelReplied) -> str:
    """What the model thought before this reply, as far as it is kept; "" = nothing is known."""
    return str(event.raw.get("reasoning") or "")


class Thought(NamedTuple):
    """What a model thought before it replied at a node."""

    node: NodePath
    text: str


def thoughts_in(records: Iterable[Record]) -> list[Thought]:
    """All that models thought, in the order of their replies."""
    replies = ((r.path, r.event) for r in records if isinstance(r.event, ModelReplied))
    found = (Thought(path, thought_of(reply)) for path, reply in replies)
    return [each for each in found if each.text]


def spoken_of(messages: Iterable[Message]) -> list[Spoken]:
    """Messages as they are read; a result stands in the card of its call."""
    found: list[Spoken] = []
    for message in messages:
        if message.role == "tool" and _takes_result(found, message):
            continue
        found.append(
            Spoken(
                role=message.role,
                text=message.content,
                cards=tuple(_card(call) for call in message.calls),
                aside=HIDDEN if message.is_hidden else "",
            )
        )
    return found


def _takes_result(found: list[Spoken], message: Message) -> bool:
    """Put a result into the card of the last turn that it belongs to, if there is one."""
    at = next((i for i in reversed(range(len(found))) if found[i].role == "assistant"), None)
    for position, card in enumerate(found[at].cards if at is not None else ()):
        if at is not None and card.id == message.call and card.result is None:
            cards = list(found[at].cards)
            cards[position] = replace(card, result=message.content)
            found[at] = replace(found[at], cards=tuple(cards))
            return True
    return False


def _card(call: FunctionCall) -> CallCard:
    values = call.values()
    return CallCard(
        id=call.id, name=call.name, arguments=call.arguments if values is None else values
    )
