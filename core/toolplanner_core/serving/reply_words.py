"""What is said to an agent beside data: who answered in whose place, what was not called, why."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from toolplanner_core.domain.api import Api, Risk
from toolplanner_core.domain.observation import Observation
from toolplanner_core.serving.api_health import health_word
from toolplanner_core.serving.catalogue import ServedApi
from toolplanner_core.strategies.served import OfferedApi, ServedReply
from toolplanner_core.tool_schemas.portable import PortableSchema
from toolplanner_core.words.formatting import counted, one_line
from toolplanner_core.workspace.call_statistics import CallFigures

_MOST_OTHERS = 5


def failure_words(api: Api, seen: Observation) -> str:
    """Whose call failed, and what happened, for the agent."""
    return f"{api.title} failed: {one_line(seen.message, 600).rstrip('.')}."


def stand_in_words(reply: ServedReply, given: Mapping[str, Any]) -> str:
    """Who answered in whose place, why, and what was sent, for the agent."""
    first, seen = reply.failed[0]
    also = "".join(f" {api.title} failed, too." for api, _ in reply.failed[1:])
    sent = ", ".join(f"{k}={_shown(v)}" for k, v in (reply.seen.arguments or {}).items())
    why = one_line(seen.message, 160).rstrip(".")
    how = f"in the place of {first.title}, which failed"
    if reply.answered_by.id == first.id:
        how = "asked again by a person when it had failed"
    return (
        f"Answered by {reply.answered_by.title}, {how}: {why}.{also}\n"
        f"Sent: {sent or 'nothing'} (you gave {', '.join(given) or 'nothing'})."
    )


def filled_words(reply: ServedReply) -> str:
    """What was called for a need, with what a model found in it, for the agent."""
    sent = ", ".join(f"{k}={_shown(v)}" for k, v in (reply.seen.arguments or {}).items())
    return f"Called {reply.answered_by.title} for your need. Sent: {sent or 'nothing'}."


def offer_words(offered: OfferedApi, name: str) -> str:
    """A call that was not made: what is known of its arguments, and what is not."""
    carried = offered.carried
    values = {**carried.arguments, **dict.fromkeys(carried.missing, "?")}
    said = f"{offered.api.title} may do it, and was not called:"
    call = f"call_tool(name={_shown(name)}, arguments={_shown(values)})."
    lost = ", ".join(f"{k}={_shown(v)}" for k, v in carried.lost.items())
    missing = f" To be filled in: {', '.join(carried.missing)}." if carried.missing else ""
    other = "" if offered.is_same else " It may answer something else: see describe_tool."
    return f"{said} {call}{missing}{f' Has no sure place in it: {lost}.' if lost else ''}{other}"


def more_offers_words(names: Sequence[str]) -> list[str]:
    """What else of the toolkit was not called: a line, or none where nothing is left."""
    if not names:
        return []
    more = len(names) - _MOST_OTHERS
    and_more = f" and {more} more" if more > 0 else ""
    return [f"Of the same toolkit, too: {', '.join(names[:_MOST_OTHERS])}{and_more}."]


def ticket_words(ticket: str) -> str:
    """That a call was not made yet, and how its reply is got, for the agent."""
    return (
        "Nothing was done yet: this call may change something, and waits for the leave of a person."
        f" They decide with `toolplanner approvals decide {ticket}` in a terminal of their own."
        f' Tell them that, then ask for the reply: more(ticket="{ticket}").'
    )


def going_on_words(name: str, doing: str) -> str:
    """That a call takes longer than a client waits, and how its reply is got, for the agent."""
    return (
        f"The call goes on: it {doing}. Nothing is lost, do not call again."
        f' Ask for its reply: more(ticket="{name}").'
    )


def _shown(value: Any) -> str:
    return one_line(json.dumps(value, ensure_ascii=False, default=str), 400)


def hit_words(
    found: ServedApi, arguments_of: PortableSchema, *, figures: CallFigures | None, others: int
) -> str:
    """A hit of a search in a line: its name, its arguments, what it does, its risk, how its calls
    went, and how many of its toolkit stand in for it."""
    api, schema = found.api, arguments_of.schema
    required = set(schema.get("required", ()))
    arguments = ", ".join(
        f"{name}{'*' if name in required else ''}: {part.get('type', 'any')}"
        for name, part in schema["properties"].items()
    )
    text = one_line(api.description or api.tool_description or api.title, 120)
    told = ["reads" if api.risk is Risk.READ else "may change something", health_word(figures)]
    told.append(f"stands in: {counted(others, 'other')}" if others else "")
    about = " · ".join(filter(None, told))
    return f"{found.name} ({one_line(arguments, 240)}): {text} [{about}]"


def description_words(found: ServedApi, figures: CallFigures | None, others: list[str]) -> str:
    """What is known of a tool beside its schema: risk, how its calls went, what stands in."""
    reads = found.api.risk is Risk.READ
    told = ["It only reads." if reads else "It may change something; a person is asked."]
    if figures is not None:
        ago = f", last failed with: {figures.last_error}" if figures.last_error else ""
        told.append(f"Of late: {figures.words}{ago}.")
    if others:
        shown = ", ".join(others[:_MOST_OTHERS])
        more = len(others) - _MOST_OTHERS
        told.append(f"Stands in for it: {shown}{f' and {more} more' if more > 0 else ''}.")
    return " ".join(told)
