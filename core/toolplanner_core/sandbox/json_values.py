"""What a program in the sandbox hands over, as JSON holds it: arguments of calls, its result."""

import math
from typing import Any, cast


def as_json_value(value: Any) -> Any:
    """A value of the sandbox as JSON holds it; tuples and sets become lists.

    Raises:
        TypeError: JSON has no such value.
    """
    match value:
        case None | bool() | int() | str():
            return value
        case float() if math.isfinite(value):
            return value
        case list() | tuple() | set() | frozenset():
            return [as_json_value(each) for each in cast("list[Any]", value)]
        case dict():
            known = cast("dict[Any, Any]", value)
            return {str(key): as_json_value(each) for key, each in known.items()}
        case _:
            raise TypeError(f"{str(value)[:60]} is no JSON value")
