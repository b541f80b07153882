"""Conditions of breakpoints: a small language over the fields of a stop; never Python's eval.

    error == "timeout" and toolkit == "Fuel prices"
    arguments.city in ["Zagreb", "Split"] or not (value.price < 500)
    "beach" in arguments.query

or, and, not, ( ), == != < <= > >=, in; numbers, "texts", lists, true, false, null; field paths with
dots and numbers (`value.items.0.name`). Python's parser reads it, and whatever is none of these is
refused. A field that is not there is null; what cannot be compared
is false.
"""

import ast
import operator
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, cast

from toolplanner_core.errors import BadInput

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
