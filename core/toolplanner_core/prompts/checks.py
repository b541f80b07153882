"""Small checks on answers: every misfit is an `AnswerInvalid` in words a model can act on.

Called by the parsers of all questions. They accept any JSON value and raise nothing else.
"""

from typing import Any, cast

from toolplanner_core.prompts.question import AnswerInvalid

_NAMES = {dict: "an object", list: "an array", str: "a string", bool: "true or false"}


def _expected(kind: type, data: Any, where: str) -> AnswerInvalid:
    return AnswerInvalid(f"expected {_NAMES[kind]}, got {describe(data)}", where=where)


def describe(data: Any) -> str:
    """A JSON value in a few words, for messages."""
    if data is None:
        return "null"
    for kind, name in _NAMES.items():
        if isinstance(data, kind) and kind not in (bool, str):
            return name
    text = repr(data)
    return text if len(text) <= 60 else f"{text[:57]}..."


def as_object(data: Any, where: str = "$") -> dict[str, Any]:
    """`data` as an object."""
    if not isinstance(data, dict):
        raise _expected(dict, data, where)
    return cast(dict[str, Any], data)


def as_list(data: Any, where: str) -> list[Any]:
    """`data` as an array."""
    if not isinstance(data, list):
        raise _expected(list, data, where)
    return cast(list[Any], data)


def member(data: dict[str, Any], name: str, where: str = "$") -> Any:
    """A property that must be there."""
    if name not in data:
        raise AnswerInvalid(f"the property {name!r} is missing", where=where)
    return data[name]


def text_member(data: dict[str, Any], name: str, where: str = "$", *, empty: bool = False) -> str:
    """A property that must be a string, and not blank unless `empty`."""
    value = member(data, name, where)
    if not isinstance(value, str):
        raise _expected(str, value, f"{where}.{name}")
    if not empty and not value.strip():
        raise AnswerInvalid("the text is empty", where=f"{where}.{name}")
    return value.strip()


def bool_member(data: dict[str, Any], name: str, where: str = "$") -> bool:
    """A property that must be true or false."""
    value = member(data, name, where)
    if not isinstance(value, bool):
        raise _expected(bool, value, f"{where}.{name}")
    return value


def as_int(data: Any, where: str) -> int:
    """A whole number; 3.0 counts as 3, true does not count as 1."""
    if isinstance(data, bool) or not isinstance(data, int | float):
        raise AnswerInvalid(f"expected a whole number, got {describe(data)}", where=where)
    if isinstance(data, float) and not data.is_integer():
        raise AnswerInvalid(f"expected a whole number, got {data}", where=where)
    return int(data)
