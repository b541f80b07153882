"""Say in words, and line by line, where a run leaves its tape."""

import difflib
import json
from dataclasses import dataclass
from typing import Any

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.plain_data import plain_mapping
from toolplanner_core.runs.events.call import CallRefused, CallSent
from toolplanner_core.runs.events.event import Event, Record
from toolplanner_core.runs.events.question import ModelAsked


@dataclass(frozen=True, slots=True, kw_only=True)
class Divergence:
    """The first difference.

    Attributes:
        path: where in the tree.
        seq: number of the recorded event, 0 when the tape has none there.
        what: one sentence.
        diff: unified diff of the recorded and the new question, call or decision.
    """

    path: NodePath
    seq: int
    what: str
    diff: str


def explain(recorded: Record | None, event: Event | None, path: NodePath) -> Divergence:
    """Describe a difference; one of `recorded` and `event` may be missing."""
    old = recorded.event if recorded is not None else None
    lines = difflib.unified_diff(
        _lines(old), _lines(event), "on the tape", "in this run", lineterm="", n=2
    )
    return Divergence(
        path=path,
        seq=recorded.seq if recorded is not None else 0,
        what=_sentence(old, event, path),
        diff="\n".join(lines),
    )


def _sentence(old: Event | None, new: Event | None, path: NodePath) -> str:
    where = path or "the run itself"
    if new is None:
        done = _name(old) if old is not None else "what the request returned"
        return f"At {where}, the tape holds {done}, which does not happen any more"
    if old is None:
        return f"At {where}, {_name(new)} is new: the tape has nothing there"
    if old.type != new.type:
        return f"At {where}, the tape holds {_name(old)}, but {_name(new)} comes"
    return f"At {where}, {_name(new)} is not what it was"


def _name(event: Event) -> str:
    match event:
        case ModelAsked(title=title):
            return f'the question "{title}"'
        case CallSent(title=title) | CallRefused(title=title):
            return f"the call of {title}"
        case _:
            return f"the event {event.type}"


def _lines(event: Event | None) -> list[str]:
    if event is None:
        return []
    if isinstance(event, ModelAsked):
        lines = [f"question: {event.question} (version {event.version})"]
        for message in event.messages:
            lines += [f"{message['role']}:", *message["content"].splitlines()]
        return [*lines, "schema:", *_json_lines(event.schema)]
    return [f"{event.type}:", *_json_lines(event.to_body())]


def _json_lines(value: Any) -> list[str]:
    text = json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True, default=plain_mapping)
    return text.splitlines()
