"""Where a run is held and why, what breakpoints stop at, what faults do: in words for people."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from toolplanner_core.domain.stop_points import (
    AFTER_CALL,
    AFTER_QUESTION,
    BEFORE_CALL,
    BEFORE_QUESTION,
)
from toolplanner_core.errors import BadInput
from toolplanner_core.runs.debugging.breakpoints import Breakpoint, parse_breakpoint
from toolplanner_core.runs.debugging.faults import DrawnBy, FaultKind, FaultRule, parse_fault
from toolplanner_core.runs.debugging.stops import Stop
from toolplanner_core.runs.events.debug import FaultInjected
from toolplanner_core.runs.tree.formatting import failure_words
from toolplanner_core.strategies.interface.strategy import stop_point, stop_points
from toolplanner_core.words.formatting import duration, one_line

if TYPE_CHECKING:
    from toolplanner_core.runs.debugging.debugger import Held

FAULT_WORDS: Mapping[FaultKind, str] = {
    FaultKind.TIMEOUT: "No reply in time",
    FaultKind.SLOW: "Slow reply",
    FaultKind.UNAUTHORISED: "401 invalid key",
    FaultKind.FORBIDDEN: "403 forbidden",
    FaultKind.NOT_FOUND: "404 not found",
    FaultKind.RATE_LIMITED: "429 too many requests",
    FaultKind.SERVER_ERROR: "500 server error",
    FaultKind.RESET: "Connection reset",
    FaultKind.MALFORMED: "Malformed JSON",
    FaultKind.WRONG_SCHEMA: "Wrong shape",
    FaultKind.EMPTY: "Empty reply",
    FaultKind.POISONED: "Poisoned text",
}

_KIND_WORDS: Mapping[str, str] = {
    "call": "any call",
    "question": "any question to the model",
}


def failure_words_of_breakpoints() -> dict[str, str]:
    """The failures that a breakpoint can be about, in words."""
    found = {"always": "a call fails"}
    return found | {p.failure: p.event for p in stop_points().values() if p.failure}


class HeldWords(NamedTuple):
    """Where a run stands, and why it stopped there."""

    where: str
    why: str


def describe_held(held: "Held") -> str:
    """One sentence: where the run stands and why it stopped."""
    return ": ".join(held_words(held))


def held_words(held: "Held") -> HeldWords:
    """The two parts of that sentence: where room is short the reason must not be lost."""
    where = _where(held.stop)
    why = _REASONS.get(held.reason, "")
    if held.reason == "breakpoint":
        why = f"breakpoint “{_breakpoint_words(held.breakpoint)}”"
    return HeldWords(f"Stopped {where}", why) if why else HeldWords(f"Waits {where}", held.reason)


_REASONS: Mapping[str, str] = {
    "begin": "begun step by step",
    "pause": "you paused it",
    "step": "after a step",
    "run to here": "you ran it to here",
}


def _where(stop: Stop) -> str:
    title = one_line(stop.title, 80)
    toolkit = f" ({stop.toolkit})" if stop.toolkit else ""
    if stop.point is BEFORE_CALL:
        return f"before the call {title}{toolkit}"
    if stop.point is AFTER_CALL:
        # Before the title, behind which a short line is cut.
        if stop.error:
            return f"after {failure_words(stop.error)} of the call {title}{toolkit}"
        return f"after the call {title}{toolkit}"
    if stop.point is BEFORE_QUESTION:
        return f"before the question “{title}” to the model"
    if stop.point is AFTER_QUESTION:
        return f"after the model's answer to “{title}”"
    if stop.point.failure:
        return f"because {stop.point.event}{toolkit}"
    return f"because {stop.point.event}: {title}{toolkit}"


def _breakpoint_words(text: str) -> str:
    """Which breakpoint it is, beside where it stopped: that says what happened there."""
    parts = parse_breakpoint(text).parts
    return _named_place(parts) or what_of(parts)


def describe_breakpoint(item: Breakpoint) -> str:
    """The whole of a breakpoint as a sentence, for tooltips and previews."""
    parts = item.parts
    verb = "Says" if item.log else "Stops"
    said = [f"{verb} when {_event_words(parts)}{_place_words(parts)}"]
    if "if" in parts:
        said.append(f"if {parts['if']}")
    if parts.get("hits", "1") != "1":
        said.append(f"from hit {parts['hits']} on")
    text = ", ".join(said)
    return f"{text}: “{item.log}”" if item.log else text


def what_of(parts: Mapping[str, str]) -> str:
    """What a breakpoint is about in a few words, such as "Fuel prices: a call is about to be sent":
    the place first, which tells it from others where the line is cut."""
    event, place = _event_words(parts), _named_place(parts)
    return f"{place}: {event}" if place else f"{event[:1].upper()}{event[1:]}"


def _event_words(parts: Mapping[str, str]) -> str:
    if "failure" in parts:
        return failure_words_of_breakpoints()[parts["failure"]]
    if "at" in parts:
        return stop_point(parts["at"]).event
    if "kind" in parts:
        kind = parts["kind"]
        return f"{_KIND_WORDS.get(kind, f'any {kind}')} begins or ends"
    return (
        "a call begins or ends"
        if parts.keys() & {"api", "risk", "arg", "client"}
        else "anything happens"
    )


def _named_place(parts: Mapping[str, str]) -> str:
    """The place alone, "" for anywhere; a name keeps its letters."""
    place = _place_words(parts)
    if place.startswith(", "):
        return f"{place[2:3].upper()}{place[3:]}"
    return place.removeprefix(": ") if "api" in parts else place.removeprefix(" in ")


def _place_words(parts: Mapping[str, str]) -> str:
    found: list[str] = []
    if "api" in parts:
        found.append(f": {parts['api']}")
    if "toolkit" in parts:
        found.append(f" in {parts['toolkit']}")
    if "risk" in parts:
        found.append(f", risk {parts['risk']}")
    if "arg" in parts:
        found.append(f", with the argument {parts['arg']}")
    if "client" in parts:
        found.append(f", of the agent {parts['client']}")
    return "".join(found)


def target_words(rule: FaultRule) -> str:
    """The calls a fault is for."""
    if rule.api:
        return rule.api
    return f"Toolkit {rule.toolkit}" if rule.toolkit else "All calls"


_DRAWN_FROM = {
    DrawnBy.PLACE: "calls",
    DrawnBy.API: "APIs, down for the whole run",
    DrawnBy.TOOLKIT: "toolkits, down for the whole run with all their APIs",
    DrawnBy.CALL: "calls, the same in every strategy",
}


def how_often(rule: FaultRule) -> str:
    """How often a fault strikes."""
    if rule.next is not None:
        calls = "call" if rule.next == 1 else f"{rule.next:,} calls"
        return f"The next {calls}" if rule.is_once else f"The first {calls} of each run"
    if rule.every is not None:
        return "Every call" if rule.every == 1 else f"Every {_nth(rule.every)} call"
    if rule.p is not None:
        return f"{rule.p * 100:g} % of the {_DRAWN_FROM[rule.by]} (seed {rule.seed})"
    return "Every call"


def describe_fault(rule: FaultRule) -> str:
    """The whole of a fault as a sentence."""
    words = FAULT_WORDS[rule.kind]
    if rule.kind in (FaultKind.SLOW, FaultKind.RATE_LIMITED):
        meaning = "later by" if rule.kind is FaultKind.SLOW else "Retry-After"
        words += f" ({meaning} {duration(rule.after_s)})"
    often = how_often(rule)
    return f"{words}: {often[:1].lower()}{often[1:]} of {_of(rule)}"


def describe_faults(text: str) -> list[str]:
    """What faults, one a line, would do, or what is wrong with it."""
    said: list[str] = []
    for line in filter(None, (line.strip() for line in text.splitlines())):
        try:
            said.append(describe_fault(parse_fault(line)))
        except BadInput as error:
            said.append(f"{error.where}: {error.what}.")
    return said


def describe_struck_call(event: FaultInjected) -> str:
    """That a fault was injected just now, and whether it is used up."""
    rule = parse_fault(event.rule)
    words = FAULT_WORDS[rule.kind]
    used_up = rule.is_once and event.nth >= (rule.next or 1)
    end = "; it was for once and is gone" if used_up else ""
    return f"A fault struck {one_line(event.title, 60)}: {words[:1].lower()}{words[1:]}{end}"


def _of(rule: FaultRule) -> str:
    words = target_words(rule)
    return "any API" if words == "All calls" else words.replace("Toolkit ", "the toolkit ", 1)


def _nth(number: int) -> str:
    words = {2: "second", 3: "third"}
    return words.get(number, f"{number}th")
