"""Faults to inject into calls: what goes wrong, for which calls, how often.

    KIND:TARGET[,OPTION]...

    500:api=PumpWatch*                     every call of APIs whose name fits
    timeout:toolkit="Fuel prices",next=2   the next two calls in that toolkit
    404:api=PumpWatch*,once                its next call in whatever run, and then no more
    429:all,p=0.2,seed=7,after=5           one call in five, with Retry-After: 5
    slow:all,every=3,after=2               each third call takes 2 s longer
    500:all,p=0.3,by=api                   three APIs in ten are down, the same for every strategy
    500:all,p=0.1,by=toolkit               one toolkit in ten is down with all its APIs

`by` says what chance hangs on: "place" in the tree (each attempt has a chance of its own), "api"
(one that is down is down for the whole run), "toolkit" (with it all APIs that belong to it, so
that none can stand in for another; one in no toolkit is down alone) or "call" (the n-th call of an
API with the same arguments). With all but "place" runs of the same query meet the same failures
whatever strategy they follow, and what fails at a chance of 0.1 fails at 0.3 too, so that they can
be compared in pairs. Source: design/lab.md section 4.

Faults act at the gate by code; no model is ever asked to fail. Patterns know `*` and `?` and no
case; they are compared with the name, title, tool, key and id of an API or the name of a toolkit.
"""

import json
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from math import inf, nan
from random import Random
from typing import Any, NamedTuple

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.ids import NodePath, ToolkitId
from toolplanner_core.errors import BadInput
from toolplanner_core.runs.events.call import CallSent
from toolplanner_core.runs.events.debug import FaultInjected
from toolplanner_core.runs.events.event import Record

_PART = re.compile(r'\s*(\w+)\s*(?:=\s*("[^"]*"|[^,]*))?\s*(?:,|$)')
_HOW_TO = 'Write it like 500:api=NAME*, or timeout:toolkit="Fuel prices",next=2, or 429:all,p=0.2'
_OPTIONS_ARE = (
    "Options are next=N, every=N, once, p=CHANCE, by=place|api|toolkit|call, seed=N and"
    " after=SECONDS"
)


class _Range(NamedTuple):
    """What a number of an option may be."""

    words: str
    least: float
    most: float = inf
    is_whole: bool = True


_NUMBERS = {
    "next": _Range("a number of calls, from 1 on", 1),
    "every": _Range("a number of calls, from 1 on", 1),
    "p": _Range("a chance from 0 to 1", 0, 1, is_whole=False),
    "seed": _Range("a whole number", -inf),
    "after": _Range("seconds from 0 to a day", 0, 86_400, is_whole=False),
}
_TARGETS = ("all", "api", "toolkit")
_NAMES = (*_TARGETS, *_NUMBERS, "once", "by")


class FaultKind(StrEnum):
    """The twelve ways in which a call can be made to fail."""

    TIMEOUT = "timeout"
    SLOW = "slow"
    UNAUTHORISED = "401"
    FORBIDDEN = "403"
    NOT_FOUND = "404"
    RATE_LIMITED = "429"
    SERVER_ERROR = "500"
    RESET = "reset"
    MALFORMED = "malformed"
    WRONG_SCHEMA = "schema"
    EMPTY = "empty"
    POISONED = "poisoned"


class DrawnBy(StrEnum):
    """What the chance of a fault hangs on."""

    PLACE = "place"
    API = "api"
    TOOLKIT = "toolkit"
    CALL = "call"


_KINDS_ARE = f"Kinds are {', '.join(FaultKind)}"
HOW_TO_WRITE = f"{_HOW_TO}. {_KINDS_ARE}. {_OPTIONS_ARE}."


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultRule:
    """One fault and the calls it is for.

    Attributes:
        text: as it was written.
        api, toolkit: patterns; both "" = all calls.
        next: only the first so many calls of a run; every: only each k-th; p: only with this
            probability.
        by: what chance hangs on.
        is_once: taken from the kept faults as soon as a run has used it up.
        after_s: seconds of "slow", Retry-After of "429".
    """

    text: str
    kind: FaultKind
    api: str = ""
    toolkit: str = ""
    next: int | None = None
    every: int | None = None
    p: float | None = None
    by: DrawnBy = DrawnBy.PLACE
    seed: int = 0
    after_s: float = 2.0
    is_once: bool = False

    def is_about(self, api: Api, toolkit: str) -> bool:
        """Whether a call is one of those the rule counts."""
        if self.api:
            return any(
                _fits(name, self.api) for name in (api.name, api.title, api.tool, api.key, api.id)
            )
        return _fits(toolkit, self.toolkit) if self.toolkit else True

    def strikes(self, nth: int, draw: str) -> bool:
        """Whether the `nth` of its calls (1, 2, ...) fails.

        Args:
            draw: what chance hangs on; never the order in which parallel branches arrive.
        """
        if self.next is not None and nth > self.next:
            return False
        if self.every is not None and nth % self.every:
            return False
        return self.p is None or Random(f"{self.seed}:{draw}").random() < self.p


def parse_fault(text: str) -> FaultRule:
    """A rule from its text.

    Raises:
        BadInput: it is not one; the message says what is wrong with which part.
    """
    kind, mark, rest = text.partition(":")
    try:
        parsed = FaultKind(kind.strip().lower())
    except ValueError:
        what = f"There is no fault {kind.strip()!r}"
        raise BadInput(what, where=text, why=_KINDS_ARE, todo=_HOW_TO) from None
    parts = _parts(rest, text) if mark else {}
    if unknown := next((name for name in parts if name not in _NAMES), None):
        what = f"{unknown!r} is neither a target (all, api=NAME, toolkit=NAME) nor an option"
        raise BadInput(what, where=text, why=_OPTIONS_ARE, todo=_HOW_TO)
    targets = [name for name in parts if name in _TARGETS]
    if len(targets) != 1:
        raise BadInput("A fault needs one target: all, api or toolkit", where=text, todo=_HOW_TO)
    if targets[0] != "all" and not parts[targets[0]]:
        raise BadInput(f"{targets[0]} has no name", where=text, todo=_HOW_TO)
    found = {name: _number(name, parts[name], text) for name in _NUMBERS if name in parts}
    times, every = found.get("next", 1 if "once" in parts else None), found.get("every")
    return FaultRule(
        text=text,
        kind=parsed,
        api=parts.get("api", ""),
        toolkit=parts.get("toolkit", ""),
        is_once="once" in parts,
        by=_drawn_by(parts, text),
        next=None if times is None else int(times),
        every=None if every is None else int(every),
        p=found.get("p"),
        seed=int(found.get("seed", 0)),
        after_s=found.get("after", 2.0),
    )


def _drawn_by(parts: Mapping[str, str], rule: str) -> DrawnBy:
    wanted = parts.get("by", DrawnBy.PLACE)
    if wanted not in list(DrawnBy):
        known = ", ".join(DrawnBy)
        raise BadInput(f"by={wanted} is none of {known}", where=rule, todo=_HOW_TO)
    if "by" in parts and "p" not in parts:
        raise BadInput("by says what chance hangs on, and there is no p", where=rule, todo=_HOW_TO)
    return DrawnBy(wanted)


def _number(name: str, text: str, rule: str) -> float:
    of = _NUMBERS[name]
    try:
        found = (int if of.is_whole else float)(text)
    except ValueError:
        found = nan
    if not of.least <= found <= of.most:
        raise BadInput(f"{name}={text} is not {of.words}", where=rule, todo=_HOW_TO)
    return found


def _parts(rest: str, text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    position = 0
    while position < len(rest):
        match = _PART.match(rest, position)
        if match is None or match.end() == position:
            raise BadInput(f"Cannot read {rest[position:]!r}", where=text, todo=_HOW_TO)
        name = match[1].lower()
        found[name if name in _NAMES else match[1]] = (match[2] or "").strip().strip('"')
        position = match.end()
    return found


def _fits(name: str, pattern: str) -> bool:
    return fnmatchcase(name.casefold(), pattern.casefold())


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultTarget:
    """The calls a fault is for: of one API, of the APIs of one toolkit, or all (both "")."""

    api: str = ""
    toolkit: str = ""

    @property
    def text(self) -> str:
        """As it stands in a rule; names are quoted so that they fit nothing else."""
        if self.api:
            return f'api="{exact_pattern(self.api)}"'
        return f'toolkit="{exact_pattern(self.toolkit)}"' if self.toolkit else "all"


def exact_pattern(name: str) -> str:
    """A pattern that fits a name and no other; `?` stands for quotation marks, which neither a
    fault nor a breakpoint can hold."""
    escaped = "".join(f"[{mark}]" if mark in "*?[" else mark for mark in name)
    return escaped.replace('"', "?").replace("'", "?")


class FaultPlan:
    """The rules of one run and how often each was met. First rule that strikes wins.

    The run asks on its own thread; any thread may change the rules.

    Args:
        query: of the run: what chance hangs on beside the API.
    """

    def __init__(self, rules: Iterable[FaultRule] = (), *, query: str = "") -> None:
        self._lock = threading.Lock()
        self._query = query
        self._called: Counter[str] = Counter()
        self._rules = tuple(rules)
        self._met: dict[str, int] = {rule.text: 0 for rule in self._rules}

    def set_rules(self, rules: Iterable[FaultRule]) -> None:
        """Replace the rules from the next call on. A rule that stays goes on counting; one that
        comes back begins anew."""
        with self._lock:
            self._rules = tuple(rules)
            self._met = {rule.text: self._met.get(rule.text, 0) for rule in self._rules}

    @property
    def used_up(self) -> frozenset[str]:
        """Texts of those that are for once and have struck as often as they should."""
        with self._lock:
            return frozenset(
                rule.text
                for rule in self._rules
                if rule.is_once and self._met[rule.text] >= (rule.next or 1)
            )

    def take_over(self, records: Iterable[Record]) -> None:
        """Count what a fork's prefix has used up already."""
        with self._lock:
            for record in records:
                event = record.event
                if isinstance(event, FaultInjected) and event.rule in self._met:
                    self._met[event.rule] = max(self._met[event.rule], event.nth)
                elif isinstance(event, CallSent):
                    self._called[self._call(event.api, event.arguments)] += 1

    def _call(self, api: str, arguments: Mapping[str, Any]) -> str:
        return f"{self._query}:{api}:{json.dumps(arguments, sort_keys=True, default=str)}"

    def fault_for(
        self,
        api: Api,
        toolkit: str,
        path: NodePath,
        arguments: Mapping[str, Any],
        *,
        toolkit_of: Callable[[Api], ToolkitId | None] = lambda _api: None,
    ) -> tuple[FaultRule, int] | None:
        """The rule that strikes this call, and the how-many-eth of its calls it is.

        Args:
            toolkit: name of the toolkit that the step is about, "" for none.
            toolkit_of: the toolkit that an API belongs to, whatever the step is about.
        """
        struck: tuple[FaultRule, int] | None = None
        of_call = self._call(api.id, arguments)
        with self._lock:
            self._called[of_call] += 1
            draws = {
                DrawnBy.PLACE: str(path),
                DrawnBy.API: f"{self._query}:{api.id}",
                DrawnBy.TOOLKIT: f"{self._query}:{api.id}",
                DrawnBy.CALL: f"{of_call}:{self._called[of_call]}",
            }
            if any(rule.by is DrawnBy.TOOLKIT for rule in self._rules):
                own = toolkit_of(api)
                if own is not None:
                    draws[DrawnBy.TOOLKIT] = f"{self._query}:toolkit {own}"
            for rule in self._rules:
                if not rule.is_about(api, toolkit):
                    continue
                self._met[rule.text] += 1
                if struck is None and rule.strikes(self._met[rule.text], draws[rule.by]):
                    struck = rule, self._met[rule.text]
        return struck
