"""What the events of a node say, as collapsed blocks of an HTML page.

Payloads are shown whole up to a limit; beyond it the page says how much is left out, and the JSON
lines hold it all.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from toolplanner_core.domain.failure import EXPLANATIONS
from toolplanner_core.domain.ids import NodePath
from toolplanner_core.html_templates import one_line
from toolplanner_core.runs.events.call import CallFailed, CallRefused, CallReturned, CallSent
from toolplanner_core.runs.events.decision import CatalogueLookup, ClockRead, Decided, Noted
from toolplanner_core.runs.events.event import Event, UnknownEvent
from toolplanner_core.runs.events.node import NodeClosed, NodeOpened
from toolplanner_core.runs.events.question import (
    AnswerRejected,
    ModelAsked,
    ModelFailed,
    ModelReplied,
)
from toolplanner_core.runs.events.run import RunFinished, RunInterrupted, RunStarted
from toolplanner_core.runs.presentation.conversation import (
    CallCard,
    Conversation,
    Spoken,
    asked_with,
    reply_of,
    thought_of,
)
from toolplanner_core.runs.presentation.sections import pretty
from toolplanner_core.words.formatting import counted

LONGEST = 64_000
"""Characters of one payload on the page."""


class Excerpt(NamedTuple):
    """A text as far as the page shows it, and how many characters are left out."""

    shown: str
    n_left: int


class PageMessage(NamedTuple):
    """What somebody said to or as a model.

    Attributes:
        role: who, and why later turns do not have it where that is so.
        thought: what it thought before, collapsed; None = nothing is known.
        text: None = none.
        calls: title, arguments and result of each function that it calls; None = no result yet.
    """

    role: str
    thought: Excerpt | None
    text: Excerpt | None
    calls: list[tuple[str, Excerpt, Excerpt | None]]


class PageBlock(NamedTuple):
    """Something that an event says, as the template writes it.

    A tuple, since a page has a hundred thousand: a template takes it apart three times as fast as
    it reads attributes.

    Attributes:
        name: under which it is collapsed; "" = it is seen at once.
        text: of a paragraph, or below the name.
        n_left: characters of the text that are left out.
        messages: what it is instead of a text.
    """

    name: str
    text: str
    n_left: int = 0
    messages: Sequence[PageMessage] = ()

    @property
    def size(self) -> int:
        """Characters that it brings to the page."""
        size = len(self.name) + len(self.text)
        for each in self.messages:
            texts = [each.thought, each.text, *(cut for _, *cuts in each.calls for cut in cuts)]
            size += sum(len(text.shown) for text in texts if text)
        return size


def show_event(event: Event) -> Iterator[PageBlock]:
    """The blocks of one event; nothing for what the node's own line says already."""
    match event:
        case RunStarted():
            settings = {"options": event.options, "limits": event.limits, "seed": event.seed}
            yield payload("Settings", settings)
        case RunFinished() | NodeClosed():
            pass
        case RunInterrupted():
            yield line(f"The program ended during the run; calls in doubt: {len(event.in_doubt)}.")
        case NodeOpened(data=data):
            needs = [f"step {number}" for number in data.get("needs") or ()]
            if needs:
                yield line(f"Needs the results of {' and '.join(needs)}.")
        case CallSent() | CallReturned() | CallFailed() | CallRefused():
            yield from _call(event)
        case ModelAsked() | ModelReplied() | ModelFailed() | AnswerRejected():
            yield from _question(event)
        case UnknownEvent():
            yield payload(f"Event {event.unknown_type}", event.fields)
        case _:
            yield from _decision(event)


def _call(event: CallSent | CallReturned | CallFailed | CallRefused) -> Iterator[PageBlock]:
    match event:
        case CallSent():
            yield payload("Arguments", event.arguments)
            if event.bindings:
                yield payload("Where arguments come from", event.bindings)
            yield line(f"Sent through {event.provider}, {event.risk}, try {event.retry + 1}.")
        case CallRefused():
            yield line(f"Not sent: {event.message}")
            yield from _explain(event.error)
            yield payload("Arguments", event.arguments)
        case CallReturned() | CallFailed():
            if isinstance(event, CallFailed):
                yield line(event.message)
                yield from _explain(event.error)
            status = f", status {event.status}" if event.status is not None else ""
            name = f"Reply from {event.origin}{status}" if event.origin else f"Reply{status}"
            yield payload(name, _parsed(event.body, event.content_type))
            if event.headers:
                yield payload("Reply headers", event.headers)


def _question(
    event: ModelAsked | ModelReplied | ModelFailed | AnswerRejected,
) -> Iterator[PageBlock]:
    match event:
        case ModelAsked():
            yield _asked(asked_with(event, NodePath("")))
            if event.schema:
                yield payload("What the answer must look like", event.schema)
        case ModelReplied(data=None):
            yield PageBlock("", "", messages=[_message(reply_of(event))])
        case ModelReplied():
            if thought := thought_of(event):
                yield payload("Thoughts", thought)
            yield payload("Answer of the model", event.data)
            if event.text:
                yield payload("Answer as received", event.text)
        case ModelFailed():
            yield line(f"The model failed: {event.message}")
            if event.text:
                yield payload("What had come of its answer", event.text)
        case AnswerRejected():
            yield line(f"The answer cannot be used: {event.where} {event.what}")


def _decision(event: Event) -> Iterator[PageBlock]:
    match event:
        case Decided():
            yield line(event.describe())
            if event.alternatives:
                yield payload("Alternatives", event.alternatives)
        case CatalogueLookup():
            yield payload(f"Looked up: {event.what}", {"for": event.request, "found": event.found})
        case ClockRead():
            yield line(f"Read the clock: {event.iso}")
        case Noted():
            yield line(event.text)
        case _:
            yield payload(f"Event {event.type}", event.to_body())


def payload(name: str, value: Any) -> PageBlock:
    """A collapsed block, whose name says how large it is."""
    text = value if isinstance(value, str) else pretty(value)
    if not text:
        return line(f"{name}: empty")
    return PageBlock(f"{one_line(name)} · {len(text):,} characters", *_cut(text))


def line(text: str) -> PageBlock:
    """A paragraph."""
    return PageBlock("", text)


def _cut(text: str) -> Excerpt:
    return Excerpt(text[:LONGEST], max(0, len(text) - LONGEST))


def _asked(told: Conversation) -> PageBlock:
    """The messages of a request; those of earlier turns are only counted."""
    if not told.spoken:
        return line("The prompt was not recorded.")
    new = told.spoken[told.n_before :]
    before = f" · {told.n_before} before, as in earlier turns" if told.n_before else ""
    size = sum(len(each.text) for each in new)
    name = f"Prompt · {counted(len(new), 'message')}{before} · {size:,} characters"
    return PageBlock(name, "", messages=[_message(each) for each in new])


def _message(spoken: Spoken) -> PageMessage:
    aside = f" · {spoken.aside}" if spoken.aside else ""
    return PageMessage(
        role=f"{one_line(spoken.role)}{aside}",
        thought=_cut(spoken.thought) if spoken.thought else None,
        text=_cut(spoken.text) if spoken.text else None,
        calls=[_call_in(card) for card in spoken.cards],
    )


def _call_in(card: CallCard) -> tuple[str, Excerpt, Excerpt | None]:
    given = card.arguments if isinstance(card.arguments, str) else pretty(card.arguments)
    result = None if card.result is None else _cut(card.result)
    return one_line(card.title), _cut(given), result


def _explain(error: str) -> Iterator[PageBlock]:
    for known, sentence in EXPLANATIONS.items():
        if known == error:
            yield line(sentence)


def _parsed(body: str, content_type: str) -> Any:
    if len(body) <= LONGEST and ("json" in content_type or body[:1] in ("{", "[")):
        try:
            return json.loads(body)
        except (ValueError, RecursionError):
            return body
    return body
