"""Whether a reply is plainly about something else than a need names. Called by `planner.py`.

Each rule knows one way in which a call that worked answers another question: about another day,
with things that lack what they shall hold, about other things, or without any place where one is
asked for.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, cast

from toolplanner_core.llm.offline.dates import find_dates
from toolplanner_core.llm.offline.state import unwrap
from toolplanner_core.llm.offline.words import stems

_ANY_DAY = datetime(2026, 1, 1, tzinfo=UTC)
_DAY = re.compile(r"\b\d{4}-(\d\d-\d\d)\b")
_WRITTEN_DAY = re.compile(
    r"\b(?:\d{1,2}(?:st|nd|rd|th)?(?: of)? [A-Z][a-z]{2,8}|[A-Z][a-z]{2,8} \d{1,2})\b"
)
_HOLDING = re.compile(r"\b(?:with|containing) (?:some )?([a-z]{3,}(?: (?:and|or) [a-z]{3,})?)")
_COUNTED = re.compile(r"^how many ([a-z]+)")
_NEAREST = re.compile(r"\b(?:nearest|closest|next) ([a-z]{3,}(?: [a-z]{3,})?)")
_PAST = re.compile(r"\byesterday\b", re.IGNORECASE)
_HISTORY = re.compile(r"^when (?:did|was|were)\b", re.IGNORECASE)
_WAY = re.compile(
    r"\b(?:far|distance|long|driv\w+|travel\w*|trip|way|route|road|miles|km|kilomet\w+|journey|reach"
    r"|get (?:to|from)|flight|walk\w*|near\w*|closest|between|from)\b"
)
_WAY_TOLD = re.compile(r"^(?:distance|duration|road|driving|km|miles)")
_WHERE = re.compile(r"^where(?:'s|’s| is| are)\b", re.IGNORECASE)
_PLACES = re.compile(
    r"location|place|city|town|address|street|lat|lon|country|area|station|position|depot|state"
    r"|region|branch|hub"
)


def is_beside(goal: str, sent: Mapping[str, Any], api_title: str, value: Any) -> bool:
    """Whether a result answers another question than its goal."""
    return (
        _of_another_day(goal, value)
        or _lacks_parts(goal, sent, value)
        or _of_another_kind(goal, sent, api_title, value)
        or _of_now(goal, sent)
        or _of_a_way(goal, value)
        or _uncounted(goal, sent, api_title, value)
        or _nowhere(goal, value)
    )


def _of_another_day(goal: str, value: Any) -> bool:
    """A day is written out, and the reply speaks of other days alone."""
    if not _WRITTEN_DAY.search(goal):
        return False
    spans = find_dates(goal, _ANY_DAY)
    asked = {f"{day:%m-%d}" for span in spans for day in (span.first, span.last)}
    told = set(_DAY.findall(str(value)[:20_000]))
    return bool(spans and told) and asked.isdisjoint(told)


def _lacks_parts(goal: str, sent: Mapping[str, Any], value: Any) -> bool:
    """Things shall hold something that was not asked for, and not all of them do."""
    found, items = _HOLDING.search(goal), unwrap(value)
    if found is None or not isinstance(items, list):
        return False
    wanted = stems(found[1]) - stems("and or")
    if wanted & stems(" ".join(map(str, sent.values()))):
        return False
    several = cast("list[Any]", items)[:50]
    return any(wanted.isdisjoint(stems(str(item)[:2_000])) for item in several)


def _of_another_kind(goal: str, sent: Mapping[str, Any], api_title: str, value: Any) -> bool:
    """The nearest of something is asked for, and neither API nor reply speaks of such things."""
    found = _NEAREST.search(goal)
    said = f"{api_title} {' '.join(map(str, sent.values()))} {str(value)[:20_000]}"
    return found is not None and stems(found[1]).isdisjoint(stems(said))


def _of_now(goal: str, sent: Mapping[str, Any]) -> bool:
    """What was is asked for, and the call named no day, or one that the question does not."""
    return bool(_HISTORY.search(goal) or (_PAST.search(goal) and not _DAY.search(str(sent))))


def _of_a_way(goal: str, value: Any) -> bool:
    """The reply tells of the way between two places, and nobody asked for it."""
    found = unwrap(value)
    fields = cast("dict[str, Any]", found) if isinstance(found, dict) else {}
    return any(map(_WAY_TOLD.match, fields)) and not _WAY.search(goal.lower())


def _uncounted(goal: str, sent: Mapping[str, Any], api_title: str, value: Any) -> bool:
    """It is asked how many there are of something, and neither API nor reply speaks of it."""
    found = _COUNTED.search(goal.lower())
    if found is not None and not re.search(r"\d", str(value)[:20_000]):
        return True
    if found is None or re.search(r"\d", goal):  # "how many miles are 42 km" is a conversion
        return False
    said = f"{api_title} {' '.join(map(str, sent.values()))} {str(value)[:20_000]}"
    return stems(found[1]).isdisjoint(stems(said.replace("_", " ")))


def _nowhere(goal: str, value: Any) -> bool:
    """A place is asked for, and the reply has no field for one."""
    return bool(_WHERE.search(goal)) and not _PLACES.search(str(value)[:20_000].lower())
