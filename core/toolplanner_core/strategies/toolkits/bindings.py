"""Put values of earlier results where arguments refer to them: structurally, never by text.

`ResultRef(step=1, path=("places", 0, "latitude"))` is the value at that place of step 1's result,
with its type. Pure.
"""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from toolplanner_core.domain.plan import ResultRef
from toolplanner_core.prompts.fill_arguments import Arguments


class Unresolved(Exception):
    """An argument refers to something that is not there; `message` says what."""

    def __init__(self, message: str) -> None:
        self.message = message
        super().__init__(message)


def resolve_arguments(arguments: Arguments, values: Mapping[int, Any]) -> dict[str, Any]:
    """Literal values, and in the place of references what they refer to.

    Args:
        values: result of each finished step by its number in the plan.

    Raises:
        Unresolved: a reference leads nowhere.
    """
    out = dict(arguments.values)
    for name, ref in arguments.refs.items():
        if ref.step not in values:
            raise Unresolved(f'"{name}" refers to step {ref.step}, which has no result')
        out[name] = look_up(values[ref.step], ref, name)
    return out


def look_up(value: Any, ref: ResultRef, name: str) -> Any:
    """The value at the place a reference names.

    Raises:
        Unresolved: there is no such place.
    """
    for depth, part in enumerate(ref.path):
        try:
            if isinstance(value, Mapping):
                value = cast("Mapping[str, Any]", value)[str(part)]
            elif isinstance(value, Sequence) and not isinstance(value, str):
                value = cast("Sequence[Any]", value)[int(part)]
            else:
                raise KeyError(part)
        except (KeyError, IndexError, ValueError):
            place = "/".join(str(item) for item in ref.path[: depth + 1])
            raise Unresolved(
                f'"{name}" refers to {place} of step {ref.step}, which is not there'
            ) from None
    return value
