"""What a text mentions: values with their kind and place, each span of the text taken once.

Called by `fill.py` (arguments), `needs.py` and `subject.py`.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, NamedTuple

from toolplanner_core.llm.offline.dates import find_dates, find_time
from toolplanner_core.llm.offline.names import classified, name_spans, preposition_before
from toolplanner_core.llm.offline.tables import (
    compiled,
    currencies,
    entries,
    pattern,
    spelled,
    table,
    words,
)

ANY_DAY = datetime(2026, 1, 1, tzinfo=UTC)
"""Plans do not depend on the day: dates are only told apart from other words."""
_LAST_WORDS = re.compile(r"[A-Za-z']+|[,;?!]")
_SCALES = {"k": 1e3, "m": 1e6}
_TIMES = (100, 1000)


class Mention(NamedTuple):
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
        skipped = ("the", "a", "an", "us", "about", "currency", "city")
        telling = next((word for word in reversed(self.before) if word not in skipped), "")
        return spelled("prepositions").get(telling, "")

    @property
    def preposition(self) -> str:
        """The nearest word before it."""
        return self.before[-1] if self.before else ""

    @property
    def is_near(self) -> bool:
        """Whether it follows a word such as "in" or "near"."""
        return self.unit in words("place_prepositions")


class _Finder:
    """Collects mentions of one text; a span is taken by the first kind that finds it."""

    def __init__(self, text: str, now: datetime) -> None:
        self.text = text
        self.now = now
        self.found: list[Mention] = []

    def is_free(self, start: int, end: int) -> bool:
        return all(end <= other.start or other.end <= start for other in self.found)

    def take(self, kind: str, value: Any, span: tuple[int, int], unit: str = "") -> bool:
        start, end = span
        if not self.is_free(start, end):
            return False
        before = tuple(_LAST_WORDS.findall(self.text[max(0, start - 40) : start].lower())[-3:])
        self.found.append(Mention(kind, value, self.text[start:end], start, end, unit, before))
        return True

    def each(self, name: str) -> Iterator[re.Match[str]]:
        return pattern(name).finditer(self.text)

    def run(self) -> tuple[Mention, ...]:
        self._shapes()
        for date in find_dates(self.text, self.now):
            self.take("date", date, (date.start, date.end))
        at = find_time(self.text)
        if at is not None:
            self.take("time", at[2], at[:2])
        self._money()
        self._numbers()
        self._names()
        return tuple(sorted(self.found, key=lambda mention: mention.start))

    def _shapes(self) -> None:
        shapes = compiled("shapes")
        for match in self.each("quoted"):
            value = (match["a"] or match["b"] or match["c"]).strip()
            if value and self.take("quoted", value, match.span()):
                # A quoted address is an address as well: the url 'https://example.com'.
                kind = next((k for k, s in shapes if s.fullmatch(value)), "")
                if kind and not kind.endswith("coordinates"):
                    self.found.append(self.found[-1]._replace(kind=kind))
        for kind, shape in shapes:
            for match in shape.finditer(self.text):
                groups = match.groupdict()
                point = _point(groups) if "lat" in groups else None
                if point is not None:
                    self.take("coordinates", point, match.span())
                elif "lat" not in groups:
                    span = match.span("v" if groups.get("v") else 0)
                    self.take(kind, self.text[slice(*span)], span)

    def _money(self) -> None:
        """ "$100", "100 USD" and "100 euros" are one thing."""
        for match in self.each("money"):
            code = table("currencies")["signs"][match["pre"] or match["post"]]
            amount = _amount(match["n"] or match["n2"], match["k"] or match["k2"])
            self.take("money", amount, match.span(), code)
        for (start, end), code in _currencies(self.text):
            number = pattern("before_currency").search(self.text[:start].lower())
            amount = _amount(number["n"], number["k"]) if number else None
            if number is not None and amount is not None:
                self.take("money", amount, (number.start(), end), code)
            else:
                self.take("currency", code, (start, end))
        for match in self.each("currency_pair"):
            for side in (1, 2) if {match[1], match[2]} <= currencies() else ():
                self.take("currency", match[side], match.span(side))

    def _numbers(self) -> None:
        for match in self.each("measured"):
            number = _amount(match["n"])
            if number is not None:
                self.take("measure", number, match.span(), spelled("units")[match["unit"].lower()])
        for match in self.each("number"):
            number = _amount(match["n"])
            if number is not None:
                noun = "%" if match["pct"] else (match["noun"] or "").lower()
                self.take("number", number, match.span("n"), noun)

    def _names(self) -> None:
        """Names in free spans; lower-case place names only after a preposition."""
        for span in name_spans(self.text, self.is_free):
            kind, value = classified(self.text, *span)
            self.take(kind, value, span, preposition_before(self.text, span[0]))
        for match in self.each("country"):
            code = entries("countries")[match.group().lower()].short
            self.take("country", code, match.span(), preposition_before(self.text, match.start()))
        for match in re.finditer(r"[a-z]+", self.text):
            if match.group() in entries("languages"):
                self.take("language", entries("languages")[match.group()].short, match.span())
        for match in self.each("lower_place"):
            first = match["name"].split()[0]
            is_command = match["prep"] == "to" and first in words("commands")
            is_place = first not in words("not_places") and first not in spelled("units")
            if is_place and not is_command:
                self.take("lower", match["name"], match.span("name"), match["prep"])


def _point(groups: dict[str, str | None]) -> tuple[float, float] | None:
    latitude, longitude = float(groups["lat"] or 0), float(groups["lon"] or 0)
    if (groups.get("ns") or "").lower() == "s":
        latitude = -abs(latitude)
    if (groups.get("ew") or "").lower() == "w":
        longitude = -abs(longitude)
    return (latitude, longitude) if abs(latitude) <= 90 and abs(longitude) <= 180 else None


def _currencies(text: str) -> Iterator[tuple[tuple[int, int], str]]:
    for match in pattern("currency_code").finditer(text):
        if match.group() in currencies():
            yield match.span(), match.group()
    for match in pattern("currency_name").finditer(text):
        word = match.group().lower()
        before = text[: match.start()].rstrip()
        # "3 pounds of flour" and "real weather" are no money.
        if word in ("pound", "pounds") and pattern("masses").search(text):
            continue
        is_said = before[-1:].isdigit() or re.search(r"\b(?:to|into|from|in)$", before)
        if word in words("also_currencies") and not is_said:
            continue
        yield match.span(), spelled("currencies")[word]


def _amount(text: str, scale: str | None = None) -> float | int | None:
    """A number in digits, with thousands separated by commas, or in words."""
    said, counts = re.split(r"[ -](?:and )?", text.lower()), table("numbers")
    number = float(counts.get(text.lower(), 0))
    if not number and all(word in counts for word in said):
        for count in (counts[word] for word in said):  # "two hundred and fifty"
            number = max(number, 1) * count if count in _TIMES else number + count
    elif not number:
        try:
            number = float(text.replace(",", ""))
        except (ValueError, OverflowError):
            return None
    number *= _SCALES.get((scale or "").lower(), 1)
    return int(number) if float(number).is_integer() else number


@lru_cache(maxsize=256)
def find_mentions(text: str, now: datetime = ANY_DAY) -> tuple[Mention, ...]:
    """All mentions of a text, in order of place."""
    return _Finder(text[:4000], now).run()


def sided(found: Sequence[Mention], side: str) -> list[Mention]:
    """Mentions for one side: those whose preposition says so, else by order (first = from)."""
    if not side:
        return list(found)
    marked = [mention for mention in found if mention.side == side]
    free = [mention for mention in found if not mention.side]
    if marked or side == "from":
        return marked or free
    return free if len(free) < len(found) else free[1:]
