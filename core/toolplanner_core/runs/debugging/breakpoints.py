"""Breakpoints: where a run is to be held, under which condition, and how often it was met.

    api=PumpWatch*                           before and after calls of these APIs
    toolkit="Fuel prices",at=before_call     only before they are sent
    kind=question  ·  risk=write  ·  arg=location.city
    failure=always | exhausted | fatal       any failed call; no fallback left; plan given up
    client=cursor                            only in what this client of the gateway asks for
    ...,if='error == "timeout"',hits=3       condition, and only from the third time on
    ...,log="called {title}: {error}"        say it in the log and go on

Conditions are a small language over the fields of a stop; never Python's eval:

    error == "timeout" and toolkit == "Fuel prices"
    arguments.city in ["Zagreb", "Split"] or not (value.price < 500)
    "beach" in arguments.query

or, and, not, ( ), == != < <= > >=, in; numbers, "texts", lists, true, false, null; field paths with
dots and numbers (`value.items.0.name`). Python's parser reads it, and whatever is none of these is
refused. A field that is not there is null; what cannot be compared is false.
"""

import ast
import operator
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, cast

from toolplanner_core.domain.stop_points import AFTER_CALL, BEFORE_CALL, BEFORE_QUESTION
from toolplanner_core.errors import BadInput
from toolplanner_core.runs.debugging.stops import STOP_FIELDS, Stop
from toolplanner_core.strategies.interface.strategy import stop_points

Condition = Callable[[Mapping[str, Any]], Any]

_DOT = "\u00b7"
"""Stands for the dots of a path while Python reads it: to its eyes a path is one name then, and
every place in the text stays where it is."""
_PATH = re.compile(r""""(?:[^"\\]|\\.)*"|\'[^\']*\'|([A-Za-z_]\w*(?:\.\w+)+)""")
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda one, many: one in many,
}
_CONSTANTS: dict[str, Any] = {"true": True, "false": False, "null": None}
_MAX_LENGTH = 1000


def parse_condition(text: str, *, known: Collection[str] = ()) -> Condition:
    """A function of a stop's fields.

    Args:
        known: the names that a field path may begin with; any, if none are given.

    Raises:
        BadInput: not a condition; says from where on it cannot be read, or what nobody knows.
    """
    if len(text) > _MAX_LENGTH:
        raise BadInput("The condition is too long", where=text[:40])
    text = re.sub(r"\s", " ", text).strip()
    source = _PATH.sub(lambda m: m[0].replace(".", _DOT) if m[1] else m[0], text)
    try:
        body = ast.parse(source, mode="eval").body
        condition = _read(body, source)
    except SyntaxError as error:
        at = error.offset - 1 if error.offset else len(text)
        raise _unreadable(text[at:] or "its end", text) from None
    except (ValueError, RecursionError, MemoryError):
        raise _unreadable("so many brackets", text) from None
    _check_names(body, known, text)
    return condition


def _check_names(body: ast.expr, known: Collection[str], text: str) -> None:
    names = (node.id for node in ast.walk(body) if isinstance(node, ast.Name))
    for name in (name.partition(_DOT)[0] for name in names if name not in _CONSTANTS):
        if known and name not in known:
            listed = ", ".join(sorted(known))
            raise BadInput(f"A condition knows no field {name}; it knows {listed}", where=text)


def look_up(fields: Any, path: str) -> Any:
    """The value at a dotted path, None if it is not there."""
    value: Any = fields
    for part in path.split("."):
        if isinstance(value, Mapping):
            value = cast("Mapping[str, Any]", value).get(part)
        elif isinstance(value, Sequence) and not isinstance(value, str) and part.isdigit():
            items = cast("Sequence[Any]", value)
            value = items[int(part)] if int(part) < len(items) else None
        else:
            return None
    return value


def _read(node: ast.expr, source: str) -> Condition:
    match node:
        case ast.Constant(value=str() | int() | float() | None as value):
            return lambda _: value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return lambda _: -number
        case ast.Name(id=name) if name in _CONSTANTS:
            return lambda _: _CONSTANTS[name]
        case ast.Name(id=name):
            path = name.replace(_DOT, ".")
            return lambda fields: look_up(fields, path)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            inner = _read(operand, source)
            return lambda fields: not inner(fields)
        case ast.BoolOp(op=op, values=values):
            parts = [_read(value, source) for value in values]
            enough = all if isinstance(op, ast.And) else any
            return lambda fields: enough(part(fields) for part in parts)
        case ast.List(elts=values):
            parts = [_read(value, source) for value in values]
            return lambda fields: [part(fields) for part in parts]
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARE:
            return _compared(_read(left, source), _COMPARE[type(op)], _read(right, source))
        case _:
            refused = SyntaxError()
            refused.offset = len(source.encode()[: node.col_offset].decode()) + 1
            raise refused


def _unreadable(what: str, text: str) -> BadInput:
    return BadInput(
        f"The condition cannot be read at {what}",
        where=text,
        todo='Write it like error == "timeout" and arguments.city in ["Zagreb", "Split"]',
    )


def _compared(left: Condition, compare: Callable[[Any, Any], Any], right: Condition) -> Condition:
    def test(fields: Mapping[str, Any]) -> bool:
        try:
            return bool(compare(left(fields), right(fields)))
        except TypeError:
            return False

    return test


_OF_OUTCOMES = frozenset({"error", "value", "data"})
"""Fields that are known only once a call or question came back."""
AS_TEXT = "Write it like api=NAME*,if='error == \"timeout\"',hits=2"
"""What to do about one that is wrong, for who writes it as a text."""
_PART = re.compile(r"""\s*(\w+)\s*=\s*("[^"]*"|'[^']*'|[^,]*?)\s*(?:,|$)""")
_NAMES = frozenset(
    {"api", "toolkit", "kind", "risk", "arg", "client", "at", "failure", "if", "hits", "log"}
)
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

    def fits(self, stop: Stop, *, client: str = "") -> bool:
        """Whether a stop is one of those it is about; hit counts are the debugger's.

        Args:
            client: name and version of the agent's program that drives the run, "" without one.
        """
        if not self._fits_client(client):
            return False
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

    def _fits_client(self, client: str) -> bool:
        """With its version or without it."""
        pattern = self.parts.get("client")
        names = (client, client.rpartition(" ")[0])
        return pattern is None or any(name and _like(name, pattern) for name in names)

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
