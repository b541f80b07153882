"""What people decided at a node, and what else was done to it from outside, in words.

Both versions stand there: what would have been, and what a person wanted instead.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any, cast

from toolplanner_core.domain.ids import ApiId
from toolplanner_core.prompts.conversation import Message
from toolplanner_core.runs.events.call import CallInDoubt
from toolplanner_core.runs.events.debug import FaultInjected
from toolplanner_core.runs.events.event import Event, Record
from toolplanner_core.runs.events.fork import ForkOrigin, PersonDecided
from toolplanner_core.runs.presentation.sections import Section
from toolplanner_core.words.formatting import one_line, when

_CHOICES = {
    "edit": "You changed the call",
    "answer": "You answered instead",
    "fail": "You let it fail",
    "skip": "You skipped it",
    "take": "You chose what is tried next",
    "fallback": "You chose what is tried next",
    "give_up": "You ended the run",
}
_TURN = {"text", "calls"}
"""The parts of a turn of a dialogue as a person writes it."""
_NOT_GIVEN = "not given"


def decided_apis(records: Sequence[Record]) -> list[ApiId]:
    """The APIs that decisions name by their ids."""
    found: list[ApiId] = []
    for record in records:
        if isinstance(record.event, PersonDecided):
            either = (record.event.before, record.event.after)
            both = [version.get(name) for version in either for name in ("api", "taken")]
            found += [ApiId(api) for api in both if isinstance(api, str)]
    return found


def describe_edit(record: Record, names: Mapping[ApiId, str]) -> Section | None:
    """A decision of a person, or a fork; None for other events.

    Args:
        names: titles of the APIs in `decided_apis`.
    """
    moment = when(record.wall_us / 1e6)
    match record.event:
        case PersonDecided() as event:
            words = _CHOICES.get(event.choice, event.choice)
            if "messages" in event.after:
                words = "You changed the messages"
            title = f"{words} · {one_line(event.title, 80)} · {moment}"
            text = _versions(_named(event.before, names), _named(event.after, names))
            return Section(title=title, text=text, is_code=True)
        case ForkOrigin() as event:
            place = f" at {event.at}" if event.at else ""
            verb = "Goes on from" if event.reason == "go on" else "Forked from"
            origin = f"{verb} run {event.parent_run} after event {event.fork_seq}{place}"
            changes = [f"{name}: {_value(value)}" for name, value in event.changes.items()]
            return Section(
                title=f"{origin} · {moment}",
                text="\n".join(changes) or "Nothing was changed",
                is_code=True,
            )
        case _:
            return None


def describe_remarks(event: Event) -> Section | None:
    """What was done to a call that neither strategy nor API did; None for other events."""
    match event:
        case FaultInjected():
            text = f"{event.kind}, by the rule {event.rule}"
            return Section(title="A fault was injected", text=text)
        case CallInDoubt():
            return Section(title="In doubt", text=event.message)
        case _:
            return None


def _named(values: Mapping[str, Any], names: Mapping[ApiId, str]) -> dict[str, Any]:
    """With the title of an API in the place of its id."""
    named = {name: value for name, value in values.items() if name != "api_title"}
    for name in ("api", "taken"):
        if name in named:
            known = values.get("api_title") if name == "api" else None
            named[name] = known or names.get(named[name], named[name])
    return named


def _versions(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """What differs; the parts of an object one by one."""
    lines: list[str] = []
    for name in after:
        old, new = before.get(name), after[name]
        if old == new and name in before:
            continue
        if name == "messages":
            lines += _messages(old or (), new)
            continue
        turns = [_as_message(old), _as_message(new)]
        if all(turns):
            lines += _messages(turns[:1], turns[1:])
        elif isinstance(old, Mapping) and isinstance(new, Mapping):
            lines += parts_changed(old, new)
        else:
            lines.append(
                f"{name}: {_value(old)} → {_value(new)}" if old else f"{name}: {_value(new)}"
            )
    return "\n".join(lines) or "As it was"


def _messages(old: Sequence[Mapping[str, Any]], new: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The messages that are others, as they were and as they are."""
    was, now = [_message(each) for each in old], [_message(each) for each in new]
    for tag, a, b, c, d in SequenceMatcher(a=was, b=now, autojunk=False).get_opcodes():
        if tag != "equal":
            yield from (f"− {said}" for said in was[a:b])
            yield from (f"+ {said}" for said in now[c:d])


def _as_message(value: Any) -> Mapping[str, Any]:
    """A turn of a dialogue as a message; {} for any other value."""
    turn = cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}
    if set(turn) != _TURN:
        return {}
    return {"role": "assistant", "content": turn["text"], "calls": turn["calls"]}


def _message(data: Mapping[str, Any]) -> str:
    message = Message.from_json(data)
    calls = [f"{call.name}({call.arguments})" for call in message.calls]
    return f"{message.role}: {' '.join(part for part in (message.content, *calls) if part)}"


def parts_changed(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """The parts that are others, such as "amount: 330.35 → 1"."""
    found: list[str] = []
    for key in dict.fromkeys([*old, *new]):
        was = _value(old[key]) if key in old else _NOT_GIVEN
        now = _value(new[key]) if key in new else _NOT_GIVEN
        if was != now:
            found.append(f"{key}: {was} → {now}")
    return found


def _value(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
