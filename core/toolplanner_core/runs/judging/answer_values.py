"""Which values of an answer stand in what came back, and which nothing accounts for.

In any language and script: digits, decimal commas, dates and times are read in the forms that
replies have (`words/written_values.py`); texts of a reply, such as names, ids, links and what is
quoted, are looked for as they stand. A model may round, add, convert and count numbers, days and
times of a reply, and write 23:00 as 11 PM: all of that is accounted for, as far as its unit allows:
of a dozen numbers, something gives any other one. What is left came from the model alone. Called by
`evidence.py`.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple, cast

from toolplanner_core.prompts.render import as_json
from toolplanner_core.words.tables import spelled

_TIME = re.compile(r"(?<![\d:.+-])([01]?\d|2[0-4]):([0-5]\d)(?::[0-5]\d)?(?!\d)")
_DAY = re.compile(r"(?<!\d)(\d{4})-(\d\d)-(\d\d)(?!\d)")
_NO_VALUE = re.compile(
    r"(?m)^\s*(?:\d+[.)]|#+)\s|\bhttps?://\S+|[A-Za-z_][\w.-]*\d[\w.]*|\b\d+[A-Za-z]+\d\w*"
    r"|\d[\d,]*\s?bytes\b"
)
"""Numbers that only count lines, sizes of what is not shown, and what is a name with digits."""
_ANSWER_NUMBER = re.compile(r"(?<![\w.])[-−]?\d+(?:,\d{3})*(?:\.\d+)?")
_UNIT = re.compile(r"(?i)\s?(%|°[CFK]?|degrees (?:celsius|fahrenheit)|[a-z/]+)")
_TOLD_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_IN_DATES = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{2,4}|\d{1,2}:\d\d(?::\d\d)?")
"""Their parts are told, but nobody reckons with them."""
_MOST_CONVERTED, _MOST_PAIRED, _FEW = 2_000, 120, 6
"""Of so few numbers any two may belong together, of more those of one field and those asked for."""
_SCALES = (0.001, 0.01, 0.1, 7, 12, 24, 60, 3600, 86_400, 1e6, 1e9)
_UNITS = (
    1_024, 1.609344, 1.852, 3.6, 2.54, 0.3048, 0.9144, 0.45359237, 28.349523, 3.785412, 4.546092,
    0.264172, 4.184, 2.23694, 33.8638,
)  # fmt: skip
"""What a number is multiplied by or divided by when its scale or its unit changes. Of a number with
one digit nearly everything is some multiple: only scales count there."""
_REFUSES = re.compile(
    r"(?i)\b(?:sorry|unable to|gave (?:me |us )?(?:nothing|no \w+)"
    r"|(?:can ?not|can['’]t|could ?n[o'’]t|could not|(?:was|am|is) not able to)"
    r" (?:find|get|answer|tell|determine|help|retrieve|access|provide|give))\b"
)


class SupportedValues(NamedTuple):
    """The values of an answer that are not the question's own.

    Attributes:
        told: that something accounts for; untold: that nothing does, as they are written.
    """

    told: tuple[str, ...]
    untold: tuple[str, ...]


def check_values(
    answer: str, asked: str, sent: Sequence[str], told: Sequence[Any]
) -> SupportedValues:
    """Part the values of an answer by whether what came back accounts for them.

    Args:
        asked: the query; sent: arguments, as JSON: their values are no news.
        told: results.
    """
    known, text = " ".join([asked, *sent]), " ".join(map(as_json, told))
    given = set(_numbers(known))
    numbers = _Numbers.of(known, text, told)
    fields = f"{known} {text}"
    found: dict[str, bool] = {}
    for match in _TIME.finditer(answer):
        if match[0] not in asked:
            found[match[0]] = any(form in fields for form in _clock(int(match[1]), match[2]))
    for match in _DAY.finditer(answer):
        if match[0] not in asked:
            found[match[0]] = any(form in fields for form in _calendar(*match.groups()))
    counts = max([len(told), *_lengths(told)])  # of replies, and of what one of them lists
    for said, number, unit in _written_numbers(_DAY.sub(" ", _TIME.sub(" ", answer))):
        if abs(number) not in given:
            is_count = number.is_integer() and 0 <= number <= counts
            found[said] = is_count or _follows(said, number, _warmth_of(unit), numbers)
    return SupportedValues(
        tuple(said for said, is_told in found.items() if is_told),
        tuple(said for said, is_told in found.items() if not is_told),
    )


def is_refusal(answer: str) -> bool:
    """Whether an answer says that there is none."""
    return bool(_REFUSES.search(answer))


def _numbers(text: str) -> list[float]:
    """All numbers of a text, also those in dates, and those written with commas."""
    found = [*_TOLD_NUMBER.findall(text), *_TOLD_NUMBER.findall(text.replace(",", ""))]
    return [abs(float(one)) for one in found]


def _written_numbers(answer: str) -> Iterator[tuple[str, float, str]]:
    """Numbers as they are written, what they are, and the word behind them."""
    text = _NO_VALUE.sub(" ", answer)
    for match in _ANSWER_NUMBER.finditer(text):
        number = float(match[0].replace(",", "").replace("−", "-"))
        unit = _UNIT.match(text, match.end())
        # "In 2 steps" counts what the answer itself lists; "2 km" is a value.
        if len(match[0]) > 1 or (unit is not None and _is_unit(unit[1])):
            yield match[0], number, unit[1] if unit is not None else ""


def _is_unit(word: str) -> bool:
    low = word.lower()
    is_named = low in spelled("units") or low in spelled("currencies")
    return is_named or low.startswith(("%", "°", "degree"))


_WARMTHS: Mapping[str, Callable[[float], tuple[float, ...]]] = {
    "celsius": lambda one: ((one - 32) / 1.8, (one + 32) / 1.8, one - 273.15),
    "fahrenheit": lambda one: (one * 1.8 + 32, one * 1.8 - 32, one * 1.8 - 459.67),
    "kelvin": lambda one: (one + 273.15, 273.15 - one, (one + 459.67) / 1.8),
}
"""What a temperature is in a scale, if it was told in another one; signs were lost."""


def _warmth_of(word: str) -> str:
    """The scale of a temperature, "any" where it is not named, "" where it is none."""
    scale = spelled("units").get(word.lower(), "")
    is_bare = word.lower() in ("°", "degree", "degrees")
    return scale if scale in _WARMTHS else "any" if is_bare else ""


def _clock(hour: int, minute: str) -> Iterator[str]:
    for each in {hour, hour + 12, hour - 12, hour % 24}:
        if 0 <= each <= 24:
            yield from (f"{each}:{minute}", f"{each:02}:{minute}", f"{each:02}{minute}")


def _calendar(year: str, month: str, day: str) -> Iterator[str]:
    for form in ("{0}-{1}-{2}", "{2}/{1}/{0}", "{1}/{2}/{0}", "{2}.{1}.{0}", "{0}{1}{2}"):
        yield form.format(year, month, day)


def date_and_time_forms(value: str) -> list[str]:
    """How a day (ISO 8601) or a time may stand in a reply; empty for other values."""
    if day := _DAY.fullmatch(value):
        return [*_calendar(*day.groups())]
    time = _TIME.fullmatch(value)
    return [*_clock(int(time[1]), time[2])] if time else []


class _Numbers(NamedTuple):
    """What was told and asked.

    Attributes:
        all: also those that are parts of dates and times.
        asked, told: the others.
        columns: the told ones by field.
    """

    all: frozenset[float]
    asked: list[float]
    told: list[float]
    columns: list[list[float]]

    @classmethod
    def of(cls, known: str, text: str, told: Sequence[Any]) -> "_Numbers":
        """Those of the question and the arguments, and those of the results."""
        asked, said = (sorted({*_numbers(_IN_DATES.sub(" ", one))}) for one in (known, text))
        every = frozenset((*_numbers(known), *_numbers(text)))
        return cls(every, asked, said[:_MOST_CONVERTED], _columns(told))

    def pairs(self) -> Iterator[tuple[float, float]]:
        """Two that may belong together, the smaller one first."""
        few = sorted({*self.asked, *self.told})
        if len(few) <= _FEW:
            yield from combinations(few, 2)
            return
        for column in self.columns:
            yield from combinations(sorted(map(abs, column[:_MOST_PAIRED])), 2)
        for asked in self.asked[:_FEW]:
            yield from ((min(asked, told), max(asked, told)) for told in self.told)


def _follows(said: str, number: float, warmth: str, numbers: _Numbers) -> bool:
    """Whether a number is told, or follows from what is told."""
    wanted, decimals = abs(number), said.partition(".")[2]
    room = 0.5 * 10.0 ** -len(decimals) + 1e-9

    def fits(value: float) -> bool:
        return abs(wanted - abs(value)) <= max(
            room, 0.005 * wanted * (not decimals) * (wanted > 99)
        )

    known = [*numbers.asked, *numbers.told]
    if any(map(fits, numbers.all)) or any(
        fits(sum(column) / len(column)) for column in numbers.columns
    ):
        return True
    if warmth:  # a sum of temperatures is none, nor is half of one
        scales = [_WARMTHS[warmth]] if warmth in _WARMTHS else [*_WARMTHS.values()]
        return any(fits(value) for one in known for scale in scales for value in scale(one)) or any(
            fits(max(column) - min(column)) for column in numbers.columns
        )
    return (
        any(map(fits, _converted(known, is_short=len(said) == 1)))
        or any(fits(sum(column)) for column in numbers.columns)
        or any(map(fits, _combined(numbers.pairs())))
    )


def _converted(known: Iterable[float], *, is_short: bool) -> Iterator[float]:
    """In other units: "7 h 25 min" are 445 minutes."""
    for one in known:
        yield one % 60
        for factor in _SCALES if is_short else (*_SCALES, *_UNITS):
            yield from (one * factor, one / factor)


def _combined(pairs: Iterable[tuple[float, float]]) -> Iterator[float]:
    """Sums, differences, products, ratios and percentages of two."""
    for one, other in pairs:
        yield from (one + other, other - one, one * other)
        if one:
            yield from (other / one, 100 * other / one, 100 * one / other)
            yield from (100 * (other - one) / one, 100 * (other - one) / other)


def _columns(told: Sequence[Any]) -> list[list[float]]:
    """The numbers of each field over all results, and of each list of numbers."""
    found: dict[str, list[float]] = {}
    stack: list[tuple[str, Any]] = [("", value) for value in told]
    while stack:
        key, value = stack.pop()
        if isinstance(value, dict):
            stack += [(str(k), v) for k, v in cast(dict[Any, Any], value).items()]
        elif isinstance(value, list):
            stack += [(key, each) for each in cast(list[Any], value)]
        elif isinstance(value, int | float) and not isinstance(value, bool):
            found.setdefault(key, []).append(float(value))
    return [column for column in found.values() if len(column) > 1]


def _lengths(told: Sequence[Any]) -> Iterator[int]:
    stack = [*told]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            stack += cast(dict[Any, Any], value).values()
        elif isinstance(value, list):
            items = cast(list[Any], value)
            yield len(items)
            stack += items


_LINK = re.compile(r"https?://[^\s<>\"'）)]+")
_ID = re.compile(r"(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z0-9][\w-]{6,}(?![\w-])")
_SHORTEST, _LONGEST_TEXT, _MOST_TEXTS = 2, 80, 2_000
_EDGE = ".,;:!?。，"


def texts_in(answer: str, asked: str, value: Any) -> list[str]:
    """The texts of a reply that stand in an answer and not in what was asked, in its order: names,
    ids, links, quotations, in any script."""
    low, known = answer.casefold(), asked.casefold()
    found: dict[str, None] = {}
    for text in _texts(value):
        said = text.casefold().strip()
        is_short = len(said) < (3 if said.isascii() else _SHORTEST) or len(said) > _LONGEST_TEXT
        if not is_short and any(map(str.isalpha, said)) and said in low and said not in known:
            found[text.strip()] = None
    return list(found)


def unknown_texts(answer: str, known: str) -> list[str]:
    """Links and ids of an answer that stand nowhere in what is known."""
    low = known.casefold()
    links = [match[0].rstrip(_EDGE) for match in _LINK.finditer(answer)]
    ids = [match[0] for match in _ID.finditer(_LINK.sub(" ", answer))]
    return [each for each in dict.fromkeys([*links, *ids]) if each.casefold() not in low]


def _texts(value: Any) -> Iterator[str]:
    stack, left = [value], _MOST_TEXTS
    while stack and left:
        here = stack.pop()
        if isinstance(here, Mapping):
            stack += reversed([*cast("Mapping[Any, Any]", here).values()])
        elif isinstance(here, list):
            stack += reversed(cast("list[Any]", here))
        elif isinstance(here, str):
            left -= 1
            yield here
