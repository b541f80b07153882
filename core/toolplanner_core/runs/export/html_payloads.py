"""What the events of a node say, as collapsed blocks of an HTML file.

Payloads are shown whole up to a limit; beyond it the page says how much is left out, and the JSON
lines hold it all.
"""

import json
from collections.abc import Iterator
from typing import Any

from toolplanner_core.domain.failure import EXPLANATIONS
from toolplanner_core.domain.ids import NodePath
from toolplanner_core.runs.events.call import CallFailed, CallRefused, CallReturned, CallSent
from toolplanner_core.runs.events.decision import ClockRead, Decided, LookedUp, Noted
from toolplanner_core.runs.events.event import Event, UnknownEvent
from toolplanner_core.runs.events.node import NodeClosed, NodeOpened
from toolplanner_core.runs.events.question import (
    AnswerRejected,
    ModelAsked,
    ModelFailed,
    ModelReplied,
)
from toolplanner_core.runs.events.run import RunFinished, RunInterrupted, RunStarted
from toolplanner_core.runs.export.html_text import one_line, safe
from toolplanner_core.runs.telling.conversation import (
    CallCard,
    Conversation,
    Spoken,
    asked_with,
    reply_of,
)
from toolplanner_core.runs.telling.section import pretty
from toolplanner_core.words.wording import counted

LONGEST = 64_000
"""Characters of one payload on the page."""


def show_event(event: Event) -> Iterator[str]:
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


def _call(event: CallSent | CallReturned | CallFailed | CallRefused) -> Iterator[str]:
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


def _question(event: ModelAsked | ModelReplied | ModelFailed | AnswerRejected) -> Iterator[str]:
    match event:
        case ModelAsked():
            yield _asked(asked_with(event, NodePath("")))
            if event.schema:
                yield payload("What the answer must look like", event.schema)
        case ModelReplied(data=None):
            yield _said(reply_of(event))
        case ModelReplied():
            yield payload("Answer of the model", event.data)
            if event.text:
                yield payload("Answer as received", event.text)
        case ModelFailed():
            yield line(f"The model failed: {event.message}")
            if event.text:
                yield payload("What had come of its answer", event.text)
        case AnswerRejected():
            yield line(f"The answer cannot be used: {event.where} {event.what}")


def _decision(event: Event) -> Iterator[str]:
    match event:
        case Decided():
            yield line(event.said())
            if event.alternatives:
                yield payload("Alternatives", event.alternatives)
        case LookedUp():
            yield payload(f"Looked up: {event.what}", {"for": event.request, "found": event.found})
        case ClockRead():
            yield line(f"Read the clock: {event.iso}")
        case Noted():
            yield line(event.text)
        case _:
            yield payload(f"Event {event.type}", event.to_body())


def payload(name: str, value: Any) -> str:
    """A collapsed block; its line says how large it is."""
    text = value if isinstance(value, str) else pretty(value)
    if not text:
        return line(f"{name}: empty")
    return (
        f'<details class="payload"><summary>{one_line(name)} · {len(text):,} characters</summary>'
        f"{_block(text)}</details>"
    )


def line(text: str) -> str:
    """A paragraph."""
    return f"<p>{safe(text)}</p>"


def _block(text: str) -> str:
    shown = f"<pre>{safe(text[:LONGEST])}</pre>"
    if len(text) <= LONGEST:
        return shown
    return shown + line(
        f"{len(text) - LONGEST:,} more characters are left out here; the JSONL export holds them."
    )


def _asked(told: Conversation) -> str:
    """The messages of a request; those of earlier turns are only counted."""
    if not told.spoken:
        return line("The prompt was not recorded.")
    new = told.spoken[told.n_before :]
    before = f" · {told.n_before} before, as in earlier turns" if told.n_before else ""
    size = sum(len(each.text) for each in new)
    words = f"Prompt · {counted(len(new), 'message')}{before} · {size:,} characters"
    blocks = "".join(_said(each) for each in new)
    return f'<details class="payload"><summary>{words}</summary>{blocks}</details>'


def _said(spoken: Spoken) -> str:
    """A message with its calls as cards."""
    aside = f" · {spoken.aside}" if spoken.aside else ""
    text = _block(spoken.text) if spoken.text else ""
    cards = "".join(_card(card) for card in spoken.cards)
    return f'<p class="role">{one_line(spoken.role)}{aside}</p>{text}{cards}'


def _card(card: CallCard) -> str:
    given = card.arguments if isinstance(card.arguments, str) else pretty(card.arguments)
    head = f'<div class="call"><p class="role">Calls {one_line(card.title)}</p>{_block(given)}'
    result = "" if card.result is None else f'<p class="role">Result</p>{_block(card.result)}'
    return f"{head}{result}</div>"


def _explain(error: str) -> Iterator[str]:
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
