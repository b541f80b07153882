"""Faults to inject into calls: what goes wrong, for which calls, how often.

    KIND:TARGET[,OPTION]...

    500:api=PumpWatch*                     every call of APIs whose name fits
    timeout:toolkit="Fuel prices",next=2   the next two calls in that toolkit
    404:api=PumpWatch*,once                its next call in whatever run, and then no more
    429:all,p=0.2,seed=7,after=5           one call in five, with Retry-After: 5
    slow:all,every=3,after=2               each third call takes 2 s longer

Faults act at the gate by code; no model is ever asked to fail. Patterns know `*` and `?` and no
case; they are compared with the name, title, tool, key and id of an API or the name of a toolkit.
"""

import re
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from random import Random

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.ids import NodePath
from toolplanner_core.errors import BadInput
from toolplanner_core.runs.events.debug import FaultInjected
from toolplanner_core.runs.events.event import Record

_PART = re.compile(r'\s*(\w+)\s*(?:=\s*("[^"]*"|[^,]*))?\s*(?:,|$)')
_HOW_TO = 'Write it like 500:api=NAME*, or timeout:toolkit="Fuel prices",next=2, or 429:all,p=0.2'


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


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultRule:
    """One fault and the calls it is for.

    Attributes:
        text: as it was written.
        api, toolkit: patterns; both "" = all calls.
        next: only the first so many calls of a run; every: only each k-th; p: only with this
            probability.
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

    def strikes(self, nth: int, path: NodePath) -> bool:
        """Whether the `nth` of its calls (1, 2, ...) fails. Chance hangs on the place, not on the
        order in which parallel branches arrive."""
        if self.next is not None and nth > self.next:
            return False
        if self.every is not None and nth % self.every:
            return False
        return self.p is None or Random(f"{self.seed}:{path}").random() < self.p


def parse_fault(text: str) -> FaultRule:
    """A rule from its text.

    Raises:
        BadInput: it is not one; the message says what is wrong with which part.
    """
    kind, mark, rest = text.partition(":")
    try:
        parsed = FaultKind(kind.strip().lower())
    except ValueError:
        known = ", ".join(FaultKind)
        raise BadInput(
            f"There is no fault {kind.strip()!r}", where=text, todo=f"Faults are: {known}"
        ) from None
    parts = _parts(rest, text) if mark else {}
    targets = [name for name in parts if name in ("all", "api", "toolkit")]
    if len(targets) != 1:
        raise BadInput("A fault needs one target: all, api or toolkit", where=text, todo=_HOW_TO)
    try:
        rule = FaultRule(
            text=text,
            kind=parsed,
            api=parts.pop("api", ""),
            toolkit=parts.pop("toolkit", ""),
            is_once="once" in parts,
            next=int(parts.pop("next")) if "next" in parts else 1 if "once" in parts else None,
            every=int(parts.pop("every")) if "every" in parts else None,
            p=float(parts.pop("p")) if "p" in parts else None,
            seed=int(parts.pop("seed", "0")),
            after_s=float(parts.pop("after", "2")),
        )
    except ValueError as error:
        raise BadInput(f"A number is wrong: {error}", where=text, todo=_HOW_TO) from None
    parts.pop("all", None)
    parts.pop("once", None)
    if parts:
        raise BadInput(f"Unknown option {next(iter(parts))!r}", where=text, todo=_HOW_TO)
    is_count_wrong = any(n is not None and n < 1 for n in (rule.next, rule.every))
    if is_count_wrong or rule.after_s < 0 or not (rule.p is None or 0 <= rule.p <= 1):
        raise BadInput("A number is out of range", where=text, todo=_HOW_TO)
    if (targets[0] == "api" and not rule.api) or (targets[0] == "toolkit" and not rule.toolkit):
        raise BadInput(f"{targets[0]} has no name", where=text, todo=_HOW_TO)
    return rule


def _parts(rest: str, text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    position = 0
    while position < len(rest):
        match = _PART.match(rest, position)
        if match is None or match.end() == position:
            raise BadInput(f"Cannot read {rest[position:]!r}", where=text, todo=_HOW_TO)
        found[match[1].lower()] = (match[2] or "").strip().strip('"')
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
    """

    def __init__(self, rules: Iterable[FaultRule] = ()) -> None:
        self._lock = threading.Lock()
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

    def fault_for(self, api: Api, toolkit: str, path: NodePath) -> tuple[FaultRule, int] | None:
        """The rule that strikes this call, and the how-many-eth of its calls it is."""
        struck: tuple[FaultRule, int] | None = None
        with self._lock:
            for rule in self._rules:
                if not rule.is_about(api, toolkit):
                    continue
                self._met[rule.text] += 1
                if struck is None and rule.strikes(self._met[rule.text], path):
                    struck = rule, self._met[rule.text]
        return struck
