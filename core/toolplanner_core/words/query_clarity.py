"""Why a query cannot be carried out as it stands.

It names a day that no calendar has or an amount that nobody gave, it asks for comparing, which
rules cannot do, or no toolkit serves it.
"""

import calendar
import re
from collections.abc import Iterator, Sequence

from toolplanner_core.words.tables import pattern

_MONTHS = {name.lower()[:3]: number for number, name in enumerate(calendar.month_name) if name}
_NAMED = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|jan|feb|apr|jun|jul|aug|sep|oct|nov|dec"
_MONTH = rf"(?P<{{}}>(?:{_NAMED})[a-z]*)\.?"
_DAY = r"(?P<{}>\d{{1,2}})(?:st|nd|rd|th)?"
_DATES = tuple(
    re.compile(text)
    for text in (
        rf"\b{_DAY.format('d')}(?: of)? {_MONTH.format('m')}(?:,? (?P<y>\d{{4}}))?\b",
        rf"\b{_MONTH.format('m')} {_DAY.format('d')}\b(?!\d|:|[.,]\d)(?:,? (?P<y>\d{{4}}))?",
        r"\b(?P<y>\d{4})-(?P<m>\d{2})-(?P<d>\d{2})\b",
        r"\b(?P<d>\d{1,2})\.(?P<m>0?[1-9]|1[0-2])\.(?P<y>\d{4})\b",
    )
)
_AMOUNT = re.compile(r"(?i)\b(?:that|this|the same) (?:amount|sum|price|value|money)\b")
_CARRIED = re.compile(
    r"(?i)^(?:how (?:much|many) is |what is |\w+ )?(that|this|it)\b"
    r"(?! (?:day|date|city|place|country|town))"
)
_BARE = re.compile(r"(?i)(?:that|this|the same)\b")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_HEAD = "Unclear: "


def unclear_parts(query: str) -> list[str]:
    """What cannot be meant, a clause for each part; empty for a clear query."""
    found = [f"“{said}” is no day, {why}" for said, why in _impossible_days(query)]
    amount = _AMOUNT.search(query)
    if amount and not re.search(r"\d", query[: amount.start()]):
        found.append(f"“{amount[0]}” is named nowhere before; write the amount itself")
    return found


def unclear_reason(query: str, unmet: Sequence[str]) -> str:
    """Why a query is not solved that is unclear, as a sentence without its dot; "" if it is clear.

    Args:
        unmet: needs that no step was made for.
    """
    parts = [part for part in unclear_parts(query) if part in unmet]
    parts += [
        f"what “{goal.strip()}” asks for; write it as a sentence of its own"
        for goal in unmet
        if goal not in parts and _BARE.match(goal.strip())
    ]
    return f"{_HEAD}{'; '.join(parts)}" if parts else ""


def unresolved_reference(goal: str, sent: str, earlier: Sequence[tuple[str, str]]) -> list[str]:
    """The word by which a goal takes up an amount of an earlier step, if no such amount was sent:
    "that in yen" after "20 GBP in EUR"; empty for all others.

    Args:
        earlier: goals of earlier steps, each with the text of what was sent and came back.
    """
    said = _CARRIED.search(goal)
    of = [told for before, told in earlier if re.search(r"\d", before)]
    if said is None or not of or re.search(r"\d", goal):
        return []
    known = {number for told in of for number in _NUMBER.findall(told)}
    return [] if known.intersection(_NUMBER.findall(sent)) else [said[1]]


_FEBRUARY = 2


def _impossible_days(text: str) -> Iterator[tuple[str, str]]:
    for match in (match for form in _DATES for match in form.finditer(text)):
        said, year = match["m"], int(match["y"] or 0)
        month, day = _MONTHS.get(said[:3].lower()) or int(said), int(match["d"])
        if not 1 <= month <= 12:
            yield match[0], "there are 12 months"
            continue
        # Without a year it may be a leap year.
        most = calendar.monthrange(year or 2024, month)[1]
        if not 1 <= day <= most:
            when = f" {year}" if year else ""
            most_days = f"{'' if year or month != _FEBRUARY else 'at most '}{most} days"
            yield match[0], f"{calendar.month_name[month]}{when} has {most_days}"


def no_plan_reason(needs: Sequence[str]) -> str:
    """Why nothing was called for these needs, as a sentence without its dot; "" for none.

    One compares that has a comparative behind its verb, and what it parts: "is it warmer in Rome or
    in Oslo".
    """
    compared = [need for need in needs if pattern("compares").search(need)]
    others = [need for need in needs if need not in compared]
    heads = {
        "The offline planner does not compare; ask for each alone": compared,
        "The offline planner found no toolkit for": others,
    }
    return ". ".join(f"{head}: {'; '.join(those)}" for head, those in heads.items() if those)
