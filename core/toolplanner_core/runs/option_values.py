"""Options of strategies and providers from what people and files say.

Options are frozen dataclasses; the command line gives texts ("parallel=off"), files give JSON. Both
become one instance with the right types, or an error that names the option. Caller: `parts.py`.
"""

import dataclasses
import types
import typing
from collections.abc import Mapping
from enum import Enum
from typing import Any, cast

from toolplanner_core.errors import BadInput

_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})


def make_options(kind: type, values: Mapping[str, Any], *, of: str) -> Any:
    """An instance of the options class with these values over its defaults.

    Args:
        of: whose options they are, for messages: "strategy tool-planner".

    Raises:
        BadInput: an unknown name, or a value of another type.
    """
    fields = {field.name for field in dataclasses.fields(kind)}
    unknown = sorted(set(values) - fields)
    if unknown:
        known = ", ".join(sorted(fields)) or "none"
        raise BadInput(f"There is no option {unknown[0]!r} of {of}", todo=f"Options are: {known}")
    hints = typing.get_type_hints(kind)
    return kind(
        **{name: _convert(value, hints[name], f"{of}, {name}") for name, value in values.items()}
    )


def _convert(value: Any, hint: Any, where: str) -> Any:
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        if value is None or (isinstance(value, str) and value.lower() in ("", "none")):
            if type(None) in inner:
                return None
        else:
            return _convert(value, next(arg for arg in inner if arg is not type(None)), where)
    if origin is typing.Literal:
        if value in inner:
            return value
        raise _misfit(value, " or ".join(repr(item) for item in inner), where)
    if isinstance(hint, type) and issubclass(hint, Enum):
        try:
            return hint(value)
        except ValueError:
            raise _misfit(value, " or ".join(str(item.value) for item in hint), where) from None
    if origin in (tuple, list):
        parts = value.split(",") if isinstance(value, str) else cast("list[Any]", value)
        return origin(_convert(part, inner[0] if inner else str, where) for part in parts)
    return _convert_plain(value, hint, where)


def _convert_plain(value: Any, hint: Any, where: str) -> Any:
    if hint is bool:
        text = str(value).lower()
        if isinstance(value, bool) or text in _TRUE or text in _FALSE:
            return value is True or text in _TRUE
        raise _misfit(value, "on or off", where)
    if hint in (int, float):
        try:
            if isinstance(value, bool):
                raise ValueError
            return hint(value)
        except (TypeError, ValueError):
            raise _misfit(value, "a number", where) from None
    if hint is str:
        return str(value)
    return value


def _misfit(value: Any, wanted: str, where: str) -> BadInput:
    return BadInput(f"{value!r} is not {wanted}", where=where)
