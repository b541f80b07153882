"""Options from what people and files say, and back.

The command line gives texts ("parallel=off"), files and forms give JSON; both become one instance
with the right types, or an error that names the option and says what fits.
"""

import json
import math
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from toolplanner_core.errors import BadInput
from toolplanner_core.options.option import OptionField, OptionKind, describe_options

T = TypeVar("T")

_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})
_NONE = frozenset({"", "none", "null"})


def make_options(options: type[T], values: Mapping[str, Any], *, of: str) -> T:
    """An instance of an options class with these values over its defaults.

    Args:
        values: by name; texts are read as the type of their option.
        of: whose options they are, for messages: "strategy tool-planner".

    Raises:
        BadInput: there is no such option, or the value has another type or is out of range.
    """
    known = {each.name: each for each in describe_options(options)}
    for name in values:
        if name not in known:
            names = ", ".join(known) or "none"
            raise BadInput(f"There is no option {name!r} of {of}", todo=f"Options are: {names}")
    read = {name: read_option(known[name], value, of=of) for name, value in values.items()}
    return options(**read)


def check_options(options: type[T], given: T | None, *, of: str) -> T:
    """These options, or the defaults; they are not used before their values are known to fit.

    Raises:
        BadInput: a value is out of range.
    """
    return options() if given is None else make_options(options, options_to_json(given), of=of)


def read_option(option: OptionField, value: Any, *, of: str) -> Any:
    """The value of one option, with its type.

    Raises:
        BadInput: it does not fit.
    """
    if option.is_optional and (value is None or _word(value) in _NONE):
        return None
    try:
        if option.is_list:
            return tuple(_read(option, part) for part in _parts(value))
        return _read(option, value)
    except (TypeError, ValueError, OverflowError):
        raise BadInput(
            f"{value!r} does not fit the option {option.name} of {of}",
            todo=f"Choose {option.fits}",
        ) from None


def options_to_json(options: Any) -> dict[str, Any]:
    """All options of an instance as JSON: `make_options` makes an equal instance of it."""
    values = {each.name: getattr(options, each.name) for each in describe_options(type(options))}
    return json.loads(json.dumps(values, default=lambda member: member.value))


def _parts(value: Any) -> list[Any]:
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    if isinstance(value, list | tuple):
        return list(cast("list[Any]", value))
    raise TypeError


def _read(option: OptionField, value: Any) -> Any:
    match option.kind:
        case OptionKind.BOOL:
            return _bool(value)
        case OptionKind.INT | OptionKind.FLOAT:
            return _number(option, value)
        case OptionKind.TEXT:
            if not isinstance(value, str):
                raise TypeError
            return value
        case OptionKind.CHOICE:
            found = next((c.value for c in option.choices if _word(c.value) == _word(value)), None)
            if found is None:
                raise ValueError
            return found if option.enum is None else option.enum(found)


def _bool(value: Any) -> bool:
    if _word(value) in _TRUE:
        return True
    if _word(value) in _FALSE:
        return False
    raise ValueError


def _number(option: OptionField, value: Any) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise TypeError
    number = float(value) if option.kind is OptionKind.FLOAT else _whole(value)
    too_small = option.minimum is not None and number < option.minimum
    too_large = option.maximum is not None and number > option.maximum
    if not math.isfinite(number) or too_small or too_large:
        raise ValueError
    return number


def _whole(value: float | str) -> int:
    if isinstance(value, float) and not value.is_integer():
        raise ValueError
    return int(value)


def _word(value: Any) -> str:
    return str(value).strip().lower()
