"""What a text mentions: values with their kind and place, each span of the text taken once.

Called by `fill.py` (arguments) and `needs.py` (context of a need).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import Any

from toolplanner_core.llm.offline import patterns, tables
from toolplanner_core.llm.offline.dates import find_dates, find_time
from toolplanner_core.llm.offline.names import find_names

_LAST_WORDS = re.compile(r"[A-Za-z']+|[,;?!]")
_FROM = {"from", "since", "starting", "between", "departing", "leaving", "after"}
_TO = {"to", "into", "until", "till", "through", "by", "towards", "before"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """One value in a text.

    Attributes:
        kind: "date", "money", "currency", "country", "name", "number", "measure", "email", ...
        value: what it means: a `DateSpan`, a code, a number, a text.
        unit: currency of money, unit of a measure, noun after a number, preposition of a name.
        before: up to three lower-case words before it, nearest last.
    """

    kind: str
    value: Any
    text: str
    start: int
    end: int
    unit: str = ""
    before: tuple[str, ...] = ()

    @property
    def side(self) -> str:
        """ "from", "to" or "", by the preposition before it; "9 am in Chicago" is from there."""
        if self.before[-1:] == ("in",) and self.before[-2:-1] in (("am",), ("pm",)):
            return "from"
        for word in reversed(self.before):
            if word in _FROM:
                return "from"
            if word in _TO:
                return "to"
            if word not in ("the", "a", "an", "us", "about", "currency", "city"):
                return ""
        return ""

    @property
    def preposition(self) -> str:
        """The nearest word before it."""
        return self.before[-1] if self.before else ""


class _Finder:
    """Collects mentions of one text; a span is taken by the first kind that finds it."""

    def __init__(self, text: str, now: datetime) -> None:
        self.text = text
        self.now = now
        self.found: list[Mention] = []

    def is_free(self, start: int, end: int) -> bool:
        return all(end <= other.start or other.end <= start for other in self.found)

    def take(self, kind: str, value: Any, start: int, end: int, unit: str = "") -> bool:
        if not self.is_free(start, end):
            return False
        before = tuple(_LAST_WORDS.findall(self.text[max(0, start - 40) : start].lower())[-3:])
        self.found.append(
            Mention(
                kind=kind,
                value=value,
                text=self.text[start:end],
                start=start,
                end=end,
                unit=unit,
                before=before,
            )
        )
        return True

    def run(self) -> tuple[Mention, ...]:
        for match in patterns.QUOTED.finditer(self.text):
            value = match["a"] or match["b"] or match["c"]
            if value.strip():
                self.take("quoted", value.strip(), match.start(), match.end())
                self._quoted_shape(value.strip())
        self._shapes()
        self._dates()
        self._money()
        self._codes()
        self._numbers()
        for name in find_names(self.text, self.is_free):
            self.take(name.kind, name.value, name.start, name.end, name.preposition)
        return tuple(sorted(self.found, key=lambda mention: mention.start))

    def _quoted_shape(self, value: str) -> None:
        """A quoted address is an address as well: the url 'https://example.com'."""
        for kind, pattern in patterns.shapes():
            match = pattern.fullmatch(value)
            if match is not None and "lat" not in match.groupdict() and self.found:
                self.found.append(replace(self.found[-1], kind=kind))
                return

    def _shapes(self) -> None:
        for kind, pattern in patterns.shapes():
            for match in pattern.finditer(self.text):
                groups = match.groupdict()
                if "lat" in groups:
                    point = _point(groups)
                    if point is not None:
                        self.take("coordinates", point, match.start(), match.end())
                    continue
                span = match.span("v") if groups.get("v") else match.span()
                self.take(kind, self.text[slice(*span)], *span)

    def _dates(self) -> None:
        for date in find_dates(self.text, self.now):
            self.take("date", date, date.start, date.end)
        at = find_time(self.text)
        if at is not None:
            self.take("time", at[2], at[0], at[1])

    def _money(self) -> None:
        for match in patterns.money().finditer(self.text):
            code = tables.currency_symbols()[match["pre"] or match["post"]]
            scale = {"k": 1e3, "m": 1e6}.get((match["k"] or match["k2"] or "").lower(), 1)
            amount = read_number(match["n"] or match["n2"]) * scale
            self.take("money", _tidy(amount), match.start(), match.end(), code)
        for start, end, code in _currencies(self.text):
            number = re.search(
                rf"(?P<n>{patterns.NUMBER}|\b[a-z]+)(?P<k>k|m)?\s*$", self.text[:start].lower()
            )
            amount = _amount(number["n"]) if number else None
            if number is not None and number["k"] and amount is not None:
                amount = _tidy(amount * {"k": 1e3, "m": 1e6}[number["k"]])
            if number is not None and amount is not None:
                self.take("money", amount, number.start(), end, code)
            else:
                self.take("currency", code, start, end)

    def _codes(self) -> None:
        for match in re.finditer(r"\b([A-Z]{3})[/_-]?([A-Z]{3})\b", self.text):
            if {match[1], match[2]} <= tables.currency_codes():
                self.take("currency", match[1], match.start(1), match.end(1))
                self.take("currency", match[2], match.start(2), match.end(2))
        for match in re.finditer(r"\$([A-Z]{1,5})\b", self.text):
            self.take("ticker", match[1], match.start(), match.end())

    def _numbers(self) -> None:
        for match in patterns.measured().finditer(self.text):
            unit = tables.units().get(match["unit"].lower(), "")
            number = _amount(match["n"].lower())
            if number is not None and unit:
                self.take("measure", number, match.start(), match.end(), unit)
        for match in patterns.plain_number().finditer(self.text):
            number = _amount(match["n"].lower())
            if number is not None:
                noun = "%" if match["pct"] else (match["noun"] or "").lower()
                self.take("number", number, *match.span("n"), noun)


def _point(groups: dict[str, str | None]) -> tuple[float, float] | None:
    latitude, longitude = float(groups["lat"] or 0), float(groups["lon"] or 0)
    if (groups.get("ns") or "").lower() == "s":
        latitude = -abs(latitude)
    if (groups.get("ew") or "").lower() == "w":
        longitude = -abs(longitude)
    return (latitude, longitude) if abs(latitude) <= 90 and abs(longitude) <= 180 else None


def _currencies(text: str) -> Iterator[tuple[int, int, str]]:
    for match in re.finditer(r"(?<![A-Za-z$/_-])[A-Z]{3,4}(?![A-Za-z/_-])", text):
        if match.group() in tables.currency_codes():
            yield match.start(), match.end(), match.group()
    names = tables.currency_names()
    for match in _currency_words(text):
        yield match.start(), match.end(), names[match.group().lower()]


def _currency_words(text: str) -> Iterator[re.Match[str]]:
    names = sorted(map(re.escape, tables.currency_names()), key=len, reverse=True)
    # "3 pounds of flour" and "real weather" are no money.
    pattern = rf"(?<![\w-])(?:{'|'.join(names)})(?![\w-])(?!\s+of\b)"
    for match in re.finditer(pattern, text, re.IGNORECASE):
        word = match.group().lower()
        if word in ("pound", "pounds"):
            rest = text.lower()
            if re.search(r"\b(?:kg|kilo|kilograms?|grams?|ounces?|weigh\w*|lbs?)\b", rest):
                continue
        if word in ("real", "won", "dong", "rand", "ripple", "tether", "ether", "leu", "buck"):
            before = text[: match.start()].rstrip()
            if not before[-1:].isdigit() and not re.search(r"\b(?:to|into|from|in)$", before):
                continue
        yield match


def read_number(text: str) -> float:
    """A number in digits, with thousands separated by commas."""
    return float(text.replace(",", ""))


def _tidy(number: float) -> float | int:
    return int(number) if float(number).is_integer() else number


def _amount(text: str) -> float | int | None:
    if text in tables.number_words():
        return tables.number_words()[text]
    try:
        return _tidy(read_number(text))
    except (ValueError, OverflowError):
        return None


@lru_cache(maxsize=256)
def find_mentions(text: str, now: datetime) -> tuple[Mention, ...]:
    """All mentions of a text, in order of place."""
    return _Finder(text[:4000], now).run()
