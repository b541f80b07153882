"""Breakpoints: where a run is to be held, under which condition, and how often it was met.

api=PumpWatch*                           before and after calls of these APIs
toolkit="Fuel prices",at=before_call     only before they are sent
kind=question  ·  risk=write  ·  arg=location.city
failure=always | exhausted | fatal       any failed call; no fallback left; plan given up
...,if='error == "timeout"',hits=3       condition, and only from the third time on
...,log="called {title}: {error}"        say it in the log and go on
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from toolplanner_core.domain.stop_points import AFTER_CALL, BEFORE_CALL, BEFORE_QUESTION
from toolplanner_core.errors import BadInput
from toolplanner_core.runs.debugging.conditions import Condition, look_up, parse_condition
from toolplanner_core.runs.debugging.stops import STOP_FIELDS, Stop
from toolplanner_core.strategies.declared import stop_points

_OF_OUTCOMES = frozenset({"error", "value", "data"})
"""Fields that are known only once a call or question came back."""
AS_TEXT = "Write it like api=NAME*,if='error == \"timeout\"',hits=2"
"""What to do about one that is wrong, for who writes it as a text."""
_PART = re.compile(r"""\s*(\w+)\s*=\s*("[^"]*"|'[^']*'|[^,]*?)\s*(?:,|$)""")
_NAMES = frozenset({"api", "toolkit", "kind", "risk", "arg", "at", "failure", "if", "hits", "log"})
_FIELD = re.compile(r"\{([\w.]+)\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Breakpoint:
    """One breakpoint.

    Attributes:
        text: as it was written; its identity.
        parts: its parts by name.
    """

    text: str
    parts: Mapping[str, str]
    condition: Condition | None = field(default=None, compare=False)

    @property
    def log(self) -> str:
        """The message of a log point, "" if it stops."""
        return self.parts.get("log", "")

    def fits(self, stop: Stop) -> bool:
        """Whether a stop is one of those it is about; hit counts are the debugger's."""
        if not self._fits_place(stop) or not self._fits_failure(stop):
            return False
        return self.condition is None or bool(self.condition(stop.fields()))

    def _fits_place(self, stop: Stop) -> bool:
        parts = self.parts
        exact = {"at": stop.point.id, "kind": stop.kind, "risk": stop.risk}
        if any(parts.get(name, value) != value for name, value in exact.items()):
            return False
        if "arg" in parts and look_up(stop.arguments, parts["arg"]) is None:
            return False
        if "toolkit" in parts and not _like(stop.toolkit, parts["toolkit"]):
            return False
        return "api" not in parts or any(_like(name, parts["api"]) for name in stop.api_names)

    def _fits_failure(self, stop: Stop) -> bool:
        failure = self.parts.get("failure")
        if failure is None:
            return stop.point.is_stepped or "at" in self.parts
        if failure == "always":
            return stop.point is AFTER_CALL and stop.error is not None
        return stop.point.failure == failure

    def message(self, stop: Stop) -> str:
        """The log point's message with the stop's fields filled in."""
        fields = stop.fields()
        return _FIELD.sub(lambda m: str(look_up(fields, m[1])), self.log)


def parse_breakpoint(text: str) -> Breakpoint:
    """A breakpoint from its text.

    Raises:
        BadInput: it is not one; says what is wrong.
    """
    parts: dict[str, str] = {}
    position = 0
    while position < len(text):
        match = _PART.match(text, position)
        if match is None or match.end() == position:
            raise _wrong(f"Cannot read {text[position:]!r}", text)
        value = match[2]
        parts[match[1].lower()] = value[1:-1] if value[:1] in ('"', "'") else value
        position = match.end()
    empty = next((name for name, value in parts.items() if not value.strip()), None)
    if empty is not None:
        raise _wrong(f"{empty} has no value", text)
    unknown = sorted(parts.keys() - _NAMES)
    if unknown or not parts:
        raise _wrong(f"Unknown part {unknown[0]!r}" if unknown else "It is empty", text)
    failures = ["always", *dict.fromkeys(p.failure for p in stop_points().values() if p.failure)]
    if parts.get("failure", "always") not in failures:
        raise _wrong(f"failure is one of {', '.join(failures)}", text)
    if parts.get("at", BEFORE_CALL.id) not in stop_points():
        raise _wrong(f"at is one of {', '.join(stop_points())}", text)
    if not parts.get("hits", "1").isdigit():
        raise _wrong("hits is a number", text)
    if int(parts.get("hits", "1")) < 1:
        raise _wrong("hits begins at 1", text)
    _check_message(parts.get("log", ""), text)
    condition = parse_condition(parts["if"], known=STOP_FIELDS) if "if" in parts else None
    return Breakpoint(text=text, parts=parts, condition=condition)


def _check_message(message: str, text: str) -> None:
    """Refuse a log point's message that names what no stop has."""
    for name in _FIELD.findall(message):
        if name.partition(".")[0] not in STOP_FIELDS:
            known = ", ".join(sorted(STOP_FIELDS))
            raise _wrong(f"A log point knows no field {name}; it knows {known}", text)
    rest = _FIELD.sub("", message)
    if "{" in rest or "}" in rest:
        raise _wrong("A bracket of the log point's message names no field", text)


def write_breakpoint(parts: Mapping[str, str]) -> str:
    """The text of a breakpoint with these parts; empty ones are left out.

    Raises:
        BadInput: a part holds both kinds of quotation marks, or the whole is no breakpoint.
    """
    written: list[str] = []
    for name, value in parts.items():
        if not value:
            continue
        if '"' in value and "'" in value:
            raise BadInput("Use one kind of quotation marks only", where=value)
        mark = "'" if '"' in value else '"'
        is_plain = re.fullmatch(r"[\w.*?-]+", value) is not None
        written.append(f"{name}={value}" if is_plain else f"{name}={mark}{value}{mark}")
    text = ",".join(written)
    parse_breakpoint(text)
    return text


def _like(name: str, pattern: str) -> bool:
    return fnmatchcase(name.casefold(), pattern.casefold())


def never_known(parts: Mapping[str, str]) -> list[str]:
    """Fields of a breakpoint's condition that are empty wherever it could stop."""
    if parts.get("at") not in (BEFORE_CALL.id, BEFORE_QUESTION.id):
        return []
    condition = re.sub(r""""[^"]*"|'[^']*'""", "", parts.get("if", ""))
    names = re.findall(r"(?<![\w.])[A-Za-z_]\w*", condition)
    return [name for name in dict.fromkeys(names) if name in _OF_OUTCOMES]


def _wrong(what: str, text: str) -> BadInput:
    return BadInput(what, where=text, todo=AS_TEXT)
