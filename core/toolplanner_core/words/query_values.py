"""Values that a query states beyond doubt, and whether arguments, replies and the answer hold them.

Numbers with what they count, times, places, codes, names, diets; how many of a thing ("two parks")
or of a unit ("how many miles") are asked for.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

from toolplanner_core.words.dates import ANY_DAY, find_dates
from toolplanner_core.words.tables import currencies, entries, pattern, spelled
from toolplanner_core.words.word_splitting import split_words

_NUMBER = re.compile(
    r"(?<![\w.,:/−-])(?P<minus>[-−])?(?P<sign>[$€£¥])?"
    r"(?P<n>\d(?:[\d,]*\d)?(?:\.\d+)?)(?![\w:/-]|\.\d)"
    r"(?:\s?(?P<unit>am|pm|[a-z]{1,12}\b|[A-Z]{3}\b))?"
)
_SENT = re.compile(r"(?<![\w.])-\d+(?:\.\d+)?|\d+(?:\.\d+)?")
_SMALL = "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
_ONES: Sequence[str] = f"{_SMALL} sixteen seventeen eighteen nineteen".split(" ")
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_WORDED = re.compile(
    rf"(?<!\bthe )(?<!\bof )(?<!\ball )(?<![\w-])(?:({'|'.join(_TENS)})(?:[ -](?=[a-z]))?)?"
    rf"(one|{'|'.join(_ONES)})?(?<=[a-z]) (?!days|weeks|months|years)[a-z]+s\b"
)
"""Counts in words, if they count something; days and weeks are sent as dates."""
_FOUND_PLACE = re.compile(
    r"(?i)\b(?:capital|(?:near|clos|larg|bigg|small|old|cheap|safe|high|b)est [a-z]+)\b.*"
    r"(?<!is )(?<!are )(?<!was )(?<!were )\b(there|that (?:city|town|place))\b(?! (?:is|are)\b)"
)
"""A place that has to be found before something else is asked of it."""
_OF_NO_QUERY = re.compile(r"[A-Z][a-zA-Z'’-]{3,}|\d+\.\d+")
_NAME = re.compile(r"(?<=[a-z,;:] )[A-Z][A-Za-z'’-]{2,}(?: [A-Z][A-Za-z'’-]+)*")
_MONTHS = {"january", "february", "march", "april", "may", "june", "july", "august"}
_AUTUMN = {"september", "october", "november", "december"}
_DAYS = {"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}
_WEB = {"api", "apis", "json", "url", "html", "http", "gps", "gmt", "utc"}
_NO_NAMES = _MONTHS | _AUTUMN | _DAYS | _WEB
_FOREIGN = re.compile(r"(?:ish|ese|ian|ean|ch)\Z")
"""Languages and peoples are often sent as codes: "English" as "en"."""
_DIET = re.compile(
    r"\b(?:[Vv]egetarian|[Vv]egan|[Hh]alal|[Kk]osher|[Oo]rganic"
    r"|(?:[A-Z][a-z]+(?:ish|ese|[aei]an)|French|Dutch|Czech|Thai|Greek)"
    r"(?= (?:dish|recipe|cuisine|food|meal|dinner|lunch|restaurant)))\b"
)
"""Diets and cuisines."""
_EXCLUDED = re.compile(
    r"(?i)\b(?:(?:without|allergic to|free of|not containing|excluding)(?: any)? "
    r"(?!charge|cost)([a-z]{3,})|([a-z]{3,})-free|non-([a-z]{4,}))\b"
)
_ALSO = {"alcoho": "|mocktail"}
"""What else says that something is left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryValue:
    """One value of a text.

    Attributes:
        text: as it stands there.
        numbers: what an argument may hold for it; empty for a name.
        words: of a name, in lower case.
        codes: of a country, language or state, in lower case.
        day: "12-25" for the numbers of a day that is written out; it may be told instead of sent.
    """

    text: str
    numbers: frozenset[float] = frozenset()
    words: frozenset[str] = frozenset()
    codes: frozenset[str] = frozenset()
    day: str = ""


def _codes(name: str) -> frozenset[str]:
    """Codes of a country, language or state, by its lower-case name; none of other names."""
    rows = (entries(kind).get(name) for kind in ("countries", "languages", "states"))
    return frozenset(code.lower() for row in rows if row for code in (row.short, row.long) if code)


@cache
def _currencies() -> dict[str, str]:
    """Codes of currencies by their everyday names, without those that may mean other things."""
    plain = re.compile(r"(?:dollar|euro|yen|franc|rupee|yuan|kron[ae]|zloty|forint)s?$")
    return {said: code for said, code in spelled("currencies").items() if plain.search(said)}


@cache
def _currency_names() -> re.Pattern[str]:
    names = sorted(_currencies(), key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(names)})\b")


def _is_unit(word: str | None) -> bool:
    return bool(word) and (word in currencies() or str(word).lower() in _measures())


@cache
def _measures() -> frozenset[str]:
    return frozenset([*spelled("units"), *spelled("currencies")])


def find_query_values(text: str) -> list[QueryValue]:
    """The values of a text, each once, in order."""
    found: dict[str, QueryValue] = {}
    written = pattern("written_day").search
    dates = find_dates(text, ANY_DAY)
    days = [each for each in dates if written(text[each.start : each.end])]
    for match in _NUMBER.finditer(text):
        number, said = float(match["n"].replace(",", "")), match[0].strip()
        if match["minus"] and not (match["sign"] or _is_unit(match["unit"])):
            continue  # a dash, or a part of something else
        number = -number if match["minus"] else number
        numbers = frozenset({number, number + 12} if match["unit"] == "pm" else {number})
        day = next((f"{d.first:%m-%d}" for d in days if d.start <= match.start() < d.end), "")
        found.setdefault(said, QueryValue(text=said, numbers=numbers, day=day))
    for match in _WORDED.finditer(text.lower()):
        tens = 10 * (_TENS.index(match[1]) + 2) if match[1] else 0
        ones = 2 + _ONES.index(match[2]) if match[2] in _ONES else int(match[2] == "one")
        if tens + ones > 1:
            numbers = frozenset({float(tens + ones)})
            found.setdefault(match[0], QueryValue(text=match[0], numbers=numbers))
    for match in _NAME.finditer(text):
        words = frozenset(word.lower().removesuffix("'s") for word in match[0].split())
        if any(each.start <= match.start() < each.end for each in dates):
            continue  # "Christmas Eve" is sent as a date
        if not words & _NO_NAMES and not all(_FOREIGN.search(word) for word in words):
            codes = _codes(match[0].lower())
            found.setdefault(match[0], QueryValue(text=match[0], words=words, codes=codes))
    said = dict.fromkeys(_currency_names().findall(text.lower()))
    for name in said if len(said) > 1 else ():  # one alone may go without saying
        code = frozenset({_currencies()[name].lower()})
        found.setdefault(name, QueryValue(text=name, words=frozenset({name}), codes=code))
    return list(found.values())


def missing_values(
    text: str, sent: Sequence[str], told: Sequence[str], *, listed: Collection[float] = ()
) -> list[str]:
    """The values and conditions of a text that are nowhere to be found, as they stand there.

    Args:
        sent: arguments of calls; numbers must stand here.
        told: what came back, and from whom; a name or condition may stand here instead.
        listed: numbers that a list of so many things meets.
    """
    values = find_query_values(text)
    missing: list[str] = []
    if values:
        is_there = _standing_in(sent, told, listed)
        missing = [value.text for value in values if not is_there(value)]
    # "The capital of Kenya and the time there": the name that was found must have been asked with.
    place = _FOUND_PLACE.search(text)
    is_found = any(name not in text for part in sent for name in _OF_NO_QUERY.findall(part))
    missing += [place[1]] if place and not is_found else []
    return missing + unmet_conditions(text, sent, told)


def _standing_in(
    sent: Sequence[str], told: Sequence[str], listed: Collection[float]
) -> Callable[[QueryValue], bool]:
    """Says of a value whether it stands in what was sent or told."""
    numbers = {
        number
        for part in sent
        for said in (part, part.replace(",", ""))  # in a number, or between two of them
        for one in _SENT.findall(said)[:500]
        for number in (float(one), abs(float(one)))  # "33.87 S" is sent as -33.87
    }
    words = set(re.findall(r"[a-z'’-]{3,}", " ".join([*sent, *told]).lower()))
    codes = set(re.findall(r'"([a-z]{2,3})"', " ".join(sent).lower()))
    codes |= set(re.findall(r"(?<![a-z])[a-z]{3}(?![a-z])", " ".join(told).lower()))

    def is_there(value: QueryValue) -> bool:
        if value.numbers:
            is_told = bool(value.day) and any(value.day in part for part in (*sent, *told))
            return is_told or bool(value.numbers & numbers.union(listed))
        return bool(value.words & words or value.codes & codes)

    return is_there


def unmet_conditions(text: str, sent: Sequence[str], told: Sequence[str]) -> list[str]:
    """Diets and exclusions of a text that no argument asked for and no reply speaks of."""
    said = " ".join([*sent, *told]).lower()
    missing = [diet[0] for diet in _DIET.finditer(text) if diet[0].lower() not in said]
    for match in _EXCLUDED.finditer(text):
        thing = (match[1] or match[2] or match[3]).lower()
        root = thing.removesuffix("s")[:6]
        left_out = (
            rf"(?:without|\bno|non|exclu\w*|avoid\w*|allerg\w*|intoleran\w*)\W{{0,5}}{root}"
            rf"|{root}\w*[\W_]{{0,4}}(?:free|false){_ALSO.get(root, '')}"
        )
        if not re.search(left_out, said):
            missing.append(match[0])
    return missing


def unsent_amounts(text: str, sent: str, *, listed: Collection[float] = ()) -> list[str]:
    """The amounts of a text, as they stand there, if none of them is among the arguments sent."""
    amounts = [value.text for value in find_query_values(text) if value.numbers]
    missing = missing_values(text, [sent], [], listed=listed)
    return amounts if amounts and all(amount in missing for amount in amounts) else []


_LISTED = re.compile(
    r"(?i)(?:^|\b(?:name|list|show|give|find|get|suggest|recommend|need|want)(?: me| us)? )"
    r"(?:the |any |some )?(?:top |first |best )?(?:[a-z]+(?:-[a-z]+)?|\d+) ([a-z]{3,})s\b"
)
_HOW_MANY = re.compile(r"(?i)\bhow many ([a-z]{3,})\b")
_NUMBERED = re.compile(r'"([^"]{1,40})":\s?\[?\s?(?:-?\d|"-?\d[\d.,]*\s?[a-z]*")')
"""A key of a result, if it holds a number."""
_ALSO_THINGS = {"pound", "bar", "cup", "stone"}
"""Units whose names are those of money and of things, too; codes of currencies have capitals."""
_TIMES = {"second", "minute", "hour", "day"}
_LASTING = {"duration", "length", "lasts"}
_DEPTH = 4
_LIST_NAMES = {"name", "title"}


def _units() -> dict[str, str]:
    """Units and currencies by their spellings."""
    return spelled("currencies") | spelled("units")


def satisfied_counts(text: str, told: Sequence[tuple[str, Any]]) -> frozenset[float]:
    """The numbers of things that a text asks for of which some result lists at least as many.

    Args:
        told: title of what was called and what came back; one of both must name the things.
    """
    found: set[float] = set()
    for match in _LISTED.finditer(text):
        if f"{match[1]}s".lower() in _units():
            continue
        thing = match[1].lower().removesuffix("e")
        about = [value for title, value in told if thing in f"{title} {value}".lower()]
        lengths = [len(one) for value in about for one in _lists(value, thing)]
        numbers = {one for value in find_query_values(match[0].lower()) for one in value.numbers}
        found |= {one for one in numbers if one <= max(lengths, default=0)}
    return frozenset(found)


def _lists(value: Any, thing: str, depth: int = 0) -> Iterator[list[Any]]:
    """Lists of such things in a result: not the ingredients of the one cocktail that came back."""
    if isinstance(value, list):
        yield cast(list[Any], value)
    elif isinstance(value, dict) and depth < _DEPTH:
        fields = {str(k).lower(): inner for k, inner in cast(dict[str, Any], value).items()}
        for key, inner in fields.items():
            of_things = isinstance(inner, list) and (
                bool(inner) and isinstance(inner[0], dict) and not _LIST_NAMES & fields.keys()
            )
            if thing in key or of_things or isinstance(inner, dict):
                yield from _lists(inner, thing, depth + 1)


def unanswered_units(text: str, answer: str, sent: Sequence[str], told: Sequence[str]) -> list[str]:
    """The "how many UNIT" of a text of which neither answer, arguments nor results speak.

    Args:
        sent: arguments of calls.
        told: what came back, as JSON, and from whom.
    """
    missing: list[str] = []
    for match in _HOW_MANY.finditer(text):
        unit = _units().get(match[1].lower(), "")
        if not unit or unit.isupper() or unit in _ALSO_THINGS:
            continue
        spelled = {said for said, meant in _units().items() if meant == unit}
        spelled |= _LASTING if unit in _TIMES else set[str]()
        either = "|".join(map(re.escape, spelled))
        counted = rf"(?i)\d\s?(?:{either})\b"
        said = re.compile(rf'{counted}|"(?:{either})"(?!\s*:)|\b{match[1]}\b')
        keys = (key for part in told for key in _NUMBERED.findall(part))
        if not (
            re.search(counted, answer)
            or any(map(said.search, [*sent, *told]))
            or any(spelled & {*split_words(key).lower().split()} for key in keys)
        ):
            missing.append(match[0])
    return missing
