"""Conditions of breakpoints: a small language over the fields of a stop; never Python's eval.

    error == "timeout" and toolkit == "Fuel prices"
    arguments.city in ["Zagreb", "Split"] or not (status < 500)
    "beach" in arguments.query

or, and, not, ( ), == != < <= > >=, in; numbers, "texts", lists, true, false, null; field paths with
dots and numbers (`value.items.0.name`). A field that is not there is null; what cannot be compared
is false.
"""

import json
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, cast

from toolplanner_core.errors import BadInput

Condition = Callable[[Mapping[str, Any]], Any]

_TOKEN = re.compile(
    r"""\s*(?:(?P<text>"(?:[^"\\]|\\.)*"|'[^'\\]*')|(?P<number>-?\d+(?:\.\d+)?)"""
    r"""|(?P<word>[A-Za-z_][\w]*(?:\.\w+)*)|(?P<mark>==|!=|<=|>=|<|>|\(|\)|\[|\]|,))"""
)
_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "in": lambda one, many: one in many,
}
_CONSTANTS: dict[str, Any] = {"true": True, "false": False, "null": None}
_MAX_LENGTH = 1000
_MAX_DEPTH = 40


def parse_condition(text: str) -> Condition:
    """A function of a stop's fields.

    Raises:
        BadInput: not a condition; says from where on it cannot be read.
    """
    if len(text) > _MAX_LENGTH:
        raise BadInput("The condition is too long", where=text[:40])
    parser = _Parser(text)
    found = parser.either()
    parser.expect_end()
    return found


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


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens: list[tuple[str, str]] = []
        self._at = 0
        self._depth = 0
        position = 0
        while text[position:].strip():
            match = _TOKEN.match(text, position)
            if match is None:
                self._fail(text[position:])
            self._tokens.append((str(match.lastgroup), match[match.lastgroup or 0]))
            position = match.end()

    def either(self) -> Condition:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            self._fail("so many brackets")
        parts = [self._both()]
        while self._accept("or"):
            parts.append(self._both())
        self._depth -= 1
        return parts[0] if len(parts) == 1 else lambda f: any(part(f) for part in parts)

    def _both(self) -> Condition:
        parts = [self._negated()]
        while self._accept("and"):
            parts.append(self._negated())
        return parts[0] if len(parts) == 1 else lambda f: all(part(f) for part in parts)

    def _negated(self) -> Condition:
        count = 0
        while self._accept("not"):
            count += 1
        inner = self._comparison()
        return (lambda f: not inner(f)) if count % 2 else inner

    def _comparison(self) -> Condition:
        left = self._value()
        for mark, compare in _COMPARE.items():
            if self._accept(mark):
                return _compared(left, compare, self._value())
        return left

    def _value(self) -> Condition:
        if self._at >= len(self._tokens):
            self._fail("its end")
        kind, token = self._tokens[self._at]
        self._at += 1
        if kind == "number":
            return _constant(json.loads(token))
        if kind == "text":
            return _constant(json.loads(token) if token[0] == '"' else token[1:-1])
        if kind == "word" and token not in ("and", "or", "not", "in"):
            if token in _CONSTANTS:
                return _constant(_CONSTANTS[token])
            return lambda f: look_up(f, token)
        if token == "(":
            inner = self.either()
            self._demand(")")
            return inner
        if token == "[":
            items: list[Condition] = []
            while not self._accept("]"):
                items.append(self._value())
                if not self._accept(","):
                    self._demand("]")
                    break
            return lambda f: [item(f) for item in items]
        return self._fail(token)

    def _accept(self, token: str) -> bool:
        if self._at < len(self._tokens) and self._tokens[self._at] in (
            ("mark", token),
            ("word", token),
        ):
            self._at += 1
            return True
        return False

    def _demand(self, token: str) -> None:
        if not self._accept(token):
            self._fail(f"the place where {token} belongs")

    def expect_end(self) -> None:
        if self._at < len(self._tokens):
            self._fail(self._tokens[self._at][1])

    def _fail(self, what: str) -> NoReturn:
        raise BadInput(
            f"The condition cannot be read at {what}",
            where=self._text,
            todo='Write it like error == "timeout" and arguments.city in ["Zagreb", "Split"]',
        )


def _constant(value: Any) -> Condition:
    def same(fields: Mapping[str, Any]) -> Any:
        del fields
        return value

    return same


def _compared(left: Condition, compare: Callable[[Any, Any], Any], right: Condition) -> Condition:
    def test(fields: Mapping[str, Any]) -> bool:
        try:
            return bool(compare(left(fields), right(fields)))
        except TypeError:
            return False

    return test
