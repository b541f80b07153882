"""Values and texts as an agent reads them: whole where they are short, else page by page.

A page ends between two elements of a list, with the count of what was shown; the rest is kept for
a while and given out by `more`.
"""

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

from toolplanner_core.errors import NotFound

PAGE = 24_000
"""Characters of a page: about 8,000 tokens, a third of what the strictest client takes."""
_MOST_KEPT = 50
"""Long results of a client that are kept, the newest ones."""
_NAME_BYTES = 8


class ResultPage(NamedTuple):
    """A part of a result; `note` says what is missing and how to get it, "" = nothing."""

    text: str
    note: str


@dataclass(slots=True)
class LongResults:
    """The long results of one client: another client's are not found here."""

    _kept: dict[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])

    def first_page(self, value: Any) -> ResultPage:
        """The value, or its first page."""
        lines = _lines(value)
        if sum(map(len, lines)) + len(lines) <= PAGE:
            return ResultPage("\n".join(lines), "")
        # Clients of 2026 are told apart by what they say of themselves: no other one may guess it.
        name = f"result-{secrets.token_hex(_NAME_BYTES)}"
        self._kept[name] = _short_lines(lines)
        while len(self._kept) > _MOST_KEPT:
            del self._kept[next(iter(self._kept))]
        return self.page(name, 0)

    def page(self, name: str, begin: int) -> ResultPage:
        """The lines of a result from `begin` on, as many as fit.

        Raises:
            NotFound: there is no such result (any more), or it has no such line.
        """
        lines = self._kept.get(name)
        if lines is None:
            raise NotFound(f"There is no result {name!r} any more", todo="Call the tool again")
        count, end, size = len(lines), begin, 0
        if not 0 <= begin < count:
            raise NotFound(f"{name} has the lines 0 to {count - 1}, and no line {begin}")
        while end < count and (end == begin or size + len(lines[end]) <= PAGE):
            size += len(lines[end]) + 1
            end += 1
        note = f"Lines {begin + 1:,} to {end:,} of {count:,} are shown."
        if end < count:
            note += f' The next ones: more(result="{name}", from={end}).'
        return ResultPage("\n".join(lines[begin:end]), note)


def _lines(value: Any) -> list[str]:
    """A text in its lines; a list, or the longest list of an object, with one element a line."""
    if isinstance(value, str):
        return value.split("\n")
    if isinstance(value, list):
        return _elements(cast("list[Any]", value), "[", "]")
    if isinstance(value, Mapping):
        named = cast("Mapping[str, Any]", value)
        lists = {key: cast("list[Any]", v) for key, v in named.items() if isinstance(v, list)}
        if lists:
            longest = max(lists, key=lambda key: len(lists[key]))
            rest = [f"{_json(key)}: {_json(v)}," for key, v in named.items() if key != longest]
            return ["{", *rest, *_elements(lists[longest], f"{_json(longest)}: [", "]}")]
    return [_json(value)]


def _elements(values: Sequence[Any], begin: str, end: str) -> list[str]:
    if not values:
        return [f"{begin}{end}"]
    rows = [_json(value) for value in values]
    return [begin, *(f"{row}," for row in rows[:-1]), f"{rows[-1]}{end}"]


def _short_lines(lines: Sequence[str]) -> list[str]:
    """Lines that fit into a page; a longer one is cut into several."""
    return [
        line[begin : begin + PAGE] for line in lines for begin in range(0, max(len(line), 1), PAGE)
    ]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
