"""What a text mentions: names and values with their kind and place, each span taken once.

Cruder than `words/` and not to be mixed with it: plans of stored runs were made with these stems.

A `Text` is one with its mentions, and says what they offer by their shape. Names in it are
capitalised words that are countries, languages, states, companies or tickers.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

from toolplanner_core.llm.offline import tables
from toolplanner_core.llm.offline.tables import entries, pattern, spelled, table, words
from toolplanner_core.words.currencies import Span, currency_spans
from toolplanner_core.words.dates import ANY_DAY, find_dates, find_time

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = re.compile(r"[a-z0-9]+(?:'[a-z]+)?|[^\W\d_]+")


@lru_cache(maxsize=4096)
def name_words(name: str) -> tuple[str, ...]:
    """The lower-case words of a parameter or key name: "toCurrencyCode" -> to, currency, code."""
    spaced = re.sub(r"[^0-9A-Za-z\u00c0-\uffff]+", " ", _CAMEL.sub(" ", name))
    return tuple(spaced.lower().split())


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """A crude stem: plural and verb endings off, so that "rates" meets "rate"."""
    word = word.removesuffix("'s")
    if word in ("rated", "rating", "ratings"):
        return "rating"  # "rate" is something else
    for ending, rest in (("ies", "y"), ("sses", "ss"), ("ing", ""), ("ed", ""), ("es", "e")):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return (word[: -len(ending)] + rest).removesuffix("e")
    if word.endswith("s") and not word.endswith(("ss", "us")) and len(word) > 3:
        word = word[:-1]
    if word.endswith("ie") and len(word) > 4:
        return word[:-2] + "y"  # as "calories" and "movies" above
    return word.removesuffix("e") if len(word) > 3 else word


@lru_cache(maxsize=4096)
def meant(word: str) -> frozenset[str]:
    """The stems of all words that mean what a stem means."""
    rows = ({stem(said) for said in row.split()} for row in tables.table("meanings"))
    return frozenset({word}.union(*(row for row in rows if word in row)))


@lru_cache(maxsize=4096)
def stems(text: str) -> frozenset[str]:
    """The stems of a text's words that carry meaning."""
    return frozenset(
        stem(word) for word in _WORD.findall(text.lower()) if word not in tables.words("stop_words")
    )


def plain_words(text: str) -> list[str]:
    """The lower-case words of a text that carry meaning, in order."""
    words = (word.removesuffix("'s") for word in _WORD.findall(text.lower()))
    return [word for word in words if word not in tables.words("stop_words")]


def name_spans(text: str, is_free: Callable[[int, int], bool]) -> Iterator[Span]:
    """Capitalised spans that are no mere beginnings of sentences."""
    for match in pattern("capitalised").finditer(text):
        for start, end in _split(text, *match.span()):
            if is_free(start, end) and not _only_starts_sentence(text, start, end):
                yield start, end


def _split(text: str, start: int, end: int) -> Iterator[Span]:
    """A capitalised span without leading words that are no names, cut at "and" between names."""
    said, not_names = list(re.finditer(r"\S+", text[start:end])), words("not_names")
    while said and re.sub(r"['’]s$", "", said[0].group().lower()).strip(".,'’") in not_names:
        said.pop(0)
    while said and said[-1].group().lower() in not_names:
        said.pop()
    if not said:
        return
    begin, stop = start + said[0].start(), start + said[-1].end()
    whole = text[begin:stop]
    middle = re.search(r"\sand\s(?:the\s)?", whole)
    if middle is not None and whole.lower() not in entries("countries"):
        yield from _split(text, begin, begin + middle.start())
        yield from _split(text, begin + middle.end(), stop)
        return
    if whole.endswith(("'s", "’s")):
        stop -= 2
    if stop > begin:
        yield begin, stop


def _only_starts_sentence(text: str, start: int, end: int) -> bool:
    """Whether a single word is capitalised only because a sentence begins with it."""
    before = text[:start].rstrip()
    if " " in text[start:end] or (before and before[-1] not in ".?!;:\n"):
        return False
    is_acronym = text[start:end].isupper() and end - start > 1
    return not is_acronym and re.match(r"\s+[a-z]", text[end:]) is not None


def classified(text: str, start: int, end: int) -> tuple[str, str]:
    """Kind and value of a name."""
    value = text[start:end]
    low = value.lower()
    for kind, name in (("country", "countries"), ("language", "languages")):
        if low in entries(name):
            return kind, entries(name)[low].short
    follows_comma = text[:start].rstrip().endswith(",")
    if low in entries("states") and (follows_comma or low not in ("new york", "washington")):
        return "state", entries("states")[low].short
    if follows_comma and value in tables.codes("states"):
        return "state", value
    if low in spelled("companies"):
        return "company", value
    return ("ticker" if re.fullmatch(r"[A-Z]{2,5}", value) else "name"), value


def preposition_before(text: str, start: int) -> str:
    """The preposition that a name follows, "" if none."""
    said = re.findall(r"[A-Za-z']+", text[max(0, start - 30) : start].lower())
    while said and said[-1] in ("the", "a", "an", "city", "town"):
        said.pop()
    return said[-1] if said and said[-1] in words("name_prepositions") else ""


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
        if self.before[-1:] == ("in",) and words("hours").intersection(self.before[-2:-1]):
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
        said = pattern("last_words").findall(self.text[max(0, start - 40) : start].lower())
        before = tuple(said[-3:])
        self.found.append(Mention(kind, value, self.text[start:end], start, end, unit, before))
        return True

    def run(self) -> tuple[Mention, ...]:
        self._shapes()
        for date in find_dates(self.text, self.now):
            self.take("date", date, (date.start, date.end))
        if at := find_time(self.text):
            self.take("time", at[2], at[:2])
        self._money()
        self._numbers()
        self._names()
        return tuple(sorted(self.found, key=lambda mention: mention.start))

    def _shapes(self) -> None:
        shapes = tables.compiled("shapes")
        for match in pattern("quoted").finditer(self.text):
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
        for match in pattern("money").finditer(self.text):
            code = table("currencies")["signs"][match["pre"] or match["post"]]
            amount = _amount(match["n"] or match["n2"], match["k"] or match["k2"])
            self.take("money", amount, match.span(), code)
        for (start, end), code in currency_spans(self.text):
            number = pattern("before_currency").search(self.text[:start].lower())
            amount = _amount(number["n"], number["k"]) if number else None
            if number is not None and amount is not None:
                self.take("money", amount, (number.start(), end), code)
            else:
                self.take("currency", code, (start, end))

    def _numbers(self) -> None:
        for match in pattern("measured").finditer(self.text):
            if (number := _amount(match["n"])) is not None:
                self.take("measure", number, match.span(), spelled("units")[match["unit"].lower()])
        for match in pattern("number").finditer(self.text):
            if (number := _amount(match["n"])) is not None:
                noun = "%" if match["pct"] else (match["noun"] or "").lower()
                self.take("number", number, match.span("n"), noun)

    def _names(self) -> None:
        """Names in free spans; lower-case place names only after a preposition."""
        for span in name_spans(self.text, self.is_free):
            kind, value = classified(self.text, *span)
            self.take(kind, value, span, preposition_before(self.text, span[0]))
        for match in pattern("country").finditer(self.text):
            code = entries("countries")[match.group().lower()].short
            self.take("country", code, match.span(), preposition_before(self.text, match.start()))
        for match in re.finditer(r"[a-z]+", self.text):
            if match.group() in entries("languages"):
                self.take("language", entries("languages")[match.group()].short, match.span())
        for match in pattern("lower_place").finditer(self.text):
            first = match["name"].split()[0]
            is_command = match["prep"] == "to" and first in words("commands")
            is_place = first not in words("not_places") and first not in spelled("units")
            if is_place and not is_command:
                self.take("lower", match["name"], match.span("name"), match["prep"])


def _point(groups: dict[str, str | None]) -> tuple[float, float] | None:
    latitude, longitude = float(groups["lat"] or 0), float(groups["lon"] or 0)
    latitude = -abs(latitude) if (groups.get("ns") or "").lower() == "s" else latitude
    longitude = -abs(longitude) if (groups.get("ew") or "").lower() == "w" else longitude
    return (latitude, longitude) if abs(latitude) <= 90 and abs(longitude) <= 180 else None


def _amount(text: str, scale: str | None = None) -> float | int | None:
    """A number in digits, with thousands separated by commas, or in words."""
    text = re.sub(r"^(?:−|minus )", "-", text.lower())
    said, counts = re.split(r"[ -](?:and )?", text), table("numbers")
    number = float(counts.get(text, 0))
    if not number and all(word in counts for word in said):
        for count in (counts[word] for word in said):  # "two hundred and fifty"
            number = max(number, 1) * count if count in (100, 1000) else number + count
    elif not number:
        try:
            number = float(text.replace(",", ""))
        except (ValueError, OverflowError):
            return None
    number *= {"k": 1e3, "m": 1e6}.get((scale or "").lower(), 1)
    return int(number) if float(number).is_integer() else number


@lru_cache(maxsize=256)
def find_mentions(text: str, now: datetime = ANY_DAY) -> tuple[Mention, ...]:
    """All mentions of a text, in order of place."""
    return _Finder(text[:4000], now).run()


def mentions_on_side(found: Sequence[Mention], side: str) -> list[Mention]:
    """Mentions for one side: those whose preposition says so, else by order (first = from)."""
    if not side:
        return list(found)
    marked = [mention for mention in found if mention.side == side]
    free = [mention for mention in found if not mention.side]
    if marked or side == "from":
        return marked or free
    return free if len(free) < len(found) else free[1:]


class Text(NamedTuple):
    """A text to take values from: the goal of the step, or the whole query."""

    text: str
    mentions: tuple[Mention, ...]
    now: datetime
    roles: set[str]
    """Roles of all parameters of the API."""
    known: frozenset[str]
    """Stems of the API's own words."""

    def of(self, *kinds: str, side: str = "") -> list[Mention]:
        """Mentions of these kinds for one side, in order of place."""
        return mentions_on_side(
            [mention for mention in self.mentions if mention.kind in kinds], side
        )

    def shaped(self, role: str, side: str = "") -> Iterator[Any]:
        """What can be told by its shape alone, as the row of a role in `roles.json` says: a kind of
        mention, those of a kind that match a pattern, or groups of a pattern over the text."""
        for spec in table("roles")[role].get("takes", ()):
            kind, _, shape = spec.partition("=")
            if kind == "text":
                yield from (match[1] for match in re.finditer(shape, self.text))
            for mention in self.of(kind, side=side):
                if kind == "measure" or not shape:
                    if re.fullmatch(shape or ".*", mention.unit):
                        yield mention.value
                elif re.fullmatch(shape, mention.text.strip("\"'“”‘’")):
                    yield mention.text.strip("\"'“”‘’")


Offer = Iterator[Any]
