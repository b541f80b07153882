"""What a person types to find runs: words, and fields with values, in one line.

    petrol Springfield                      words, all of them
    "exchange rate" status:solved           a phrase; a field and its value
    toolkit:"Fuel prices" error:timeout     values with spaces stand in quotes
    cost>0.01 tokens<=2000 replans:1        amounts are compared
    label:review is:starred                 what a person said of a run; a label is meant whole:
                                            label:golden does not find "golden petrol"
    since:2026-11-01 before:2026-12-01      local dates

A word with a colon that names no field is a word like any other, so that pasted texts can be looked
for.
"""

import math
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.plan import Status
from toolplanner_core.errors import BadInput
from toolplanner_core.workspace.run_search import AMOUNTS, AmountFilter, RunFilters

TEXT_FIELDS = ("strategy", "status", "model", "provider", "api", "toolkit", "error", "label")
DATE_FIELDS = ("since", "before")
FIELDS = (*TEXT_FIELDS, *AMOUNTS, *DATE_FIELDS, "is")
"""All names that may stand before a colon or a comparison, for completion."""

_KNOWN_VALUES: dict[str, tuple[str, ...]] = {
    "status": tuple(Status),
    "error": tuple(ErrorClass),
    "is": ("starred",),
}
_FIELD = re.compile(r'"[^"]*"|(?<!\S)([A-Za-z]+)(:|<=|>=|=|<|>)("[^"]*"|[^\s"]+)(?!\S)')
_DATES = ("%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S")


class RunQuery(NamedTuple):
    """A search: its words as they were typed, and its fields."""

    words: str
    filters: RunFilters


def values_of(field: str) -> tuple[str, ...]:
    """All values that a field can have, () when there is no list of them."""
    return _KNOWN_VALUES.get(field, ())


def parse_run_query(text: str) -> RunQuery:
    """Words and fields of a line.

    Raises:
        BadInput: a field has a value that it cannot have; says which values it can.
    """
    found: dict[str, Any] = {}
    amounts: list[AmountFilter] = []

    def take(match: re.Match[str]) -> str:
        name = (match[1] or "").lower()
        if name not in FIELDS:
            return match[0]
        mark, value = match[2], match[3].strip('"')
        if name in AMOUNTS:
            amounts.append(_amount(name, mark, value, match[0]))
        elif mark not in (":", "="):
            raise BadInput(
                f"{name} cannot be compared with {mark}", where=match[0], todo=f"Write {name}:VALUE"
            )
        elif name in DATE_FIELDS:
            found[f"{name}_us"] = _microseconds(value, match[0])
        elif name == "is":
            found[f"is_{_known(name, value, match[0])}"] = True
        else:
            found[name] = _known(name, value, match[0])
        return " "

    words = _FIELD.sub(take, text)
    return RunQuery(" ".join(words.split()), RunFilters(**found, amounts=tuple(amounts)))


def _amount(name: str, mark: str, value: str, where: str) -> AmountFilter:
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise BadInput(f"{name} is a number", where=where, todo=f"Write it like {name}>0.01")
    return AmountFilter(name, "=" if mark == ":" else mark, number)


def _known(name: str, value: str, where: str) -> str:
    known = values_of(name)
    wanted = value.casefold().replace(" ", "_")
    if not known:
        return value
    if wanted not in known:
        raise BadInput(
            f"There is no {name} {value!r}", where=where, todo=f"It is one of: {', '.join(known)}"
        )
    return wanted


def _microseconds(value: str, where: str) -> int:
    for form in _DATES:
        try:
            return microseconds(datetime.strptime(value, form))  # noqa: DTZ007 - local time
        except ValueError:
            continue
    raise BadInput("This is not a date", where=where, todo="Write it like 2026-11-30")


def microseconds(moment: datetime) -> int:
    """Microseconds since 1970 of a local time; no run is older than that."""
    if moment.year <= 1970:
        return 0
    return int(moment.astimezone(UTC).timestamp() * 1_000_000)


_WORD = re.compile(r'(?:[^\s"]|"[^"]*(?:"|$))+')


def last_word(text: str) -> str:
    """The word or field at the end that is being typed, with its open quotes."""
    word = ""
    for found in _WORD.finditer(text):
        word = found.group() if found.end() == len(text) else ""
    return word


def completions(
    text: str,
    *,
    toolkits: Sequence[str],
    strategies: Sequence[str],
    labels: Sequence[str] = (),
) -> list[str]:
    """What the last word of a search may become: names of fields, and values where they are known.

    Args:
        toolkits: names of the workspace's toolkits.
        strategies: ids of strategies that runs used.
        labels: of runs.
    """
    word = last_word(text)
    name, colon, begun = word.partition(":")
    if not word:
        return []
    if not colon:
        marked = [f"{field}:" for field in (*TEXT_FIELDS, *DATE_FIELDS, "is")]
        marked += [f"{field}>" for field in AMOUNTS]
        return [field for field in marked if field.startswith(word.lower())]
    listed = {"toolkit": toolkits, "strategy": strategies, "label": labels}
    known = listed.get(name.lower(), values_of(name.lower()))
    start = begun.strip('"').casefold()
    fitting = [value for value in known if value.casefold().startswith(start)]
    return [f'{name}:"{v}"' if " " in v else f"{name}:{v}" for v in fitting]
