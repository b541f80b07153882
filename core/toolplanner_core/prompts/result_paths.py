"""The places of a result that an argument may refer to, as a model writes them."""

import json
from collections.abc import Iterator
from typing import Any, cast

_MOST = 24
_DEEPEST = 6


def path_line(value: Any, most: int = _MOST) -> str:
    """Paths of single values, such as `["places",0,"latitude"]`, the first ones of each list only;
    "" where the whole result is one value."""
    found: list[str] = []
    more = False
    for path in _leaves(value, ()):
        if len(found) == most:
            more = True
            break
        if path:
            found.append(json.dumps(path, ensure_ascii=False, separators=(",", ":")))
    return " ".join(found) + (" …" if more else "")


def _leaves(value: Any, path: tuple[str | int, ...]) -> Iterator[tuple[str | int, ...]]:
    if isinstance(value, dict) and len(path) < _DEEPEST:
        for name, part in cast("dict[str, Any]", value).items():
            yield from _leaves(part, (*path, name))
    elif isinstance(value, list) and len(path) < _DEEPEST:
        # The others are alike, and their number is seen in the result itself.
        for index, part in enumerate(cast("list[Any]", value)[:2]):
            yield from _leaves(part, (*path, index))
    else:
        yield path
