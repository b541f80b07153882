"""Numbers, dates and times of a text in the forms that replies have, whatever its language.

"٣٫٥" and "3,5" are 3.5, "1.234,50" is 1234.50, "14h30" is 14:30, "24. Dezember 2026" and
"2026年12月24日" are 2026-12-24. Used to look for values of an answer in what came back.
"""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache

from toolplanner_core.words.languages import language_of
from toolplanner_core.words.stop_words import read_lines

_SIGNS = str.maketrans(
    {"٫": ".", "٬": ",", "，": ",", "．": ".", "：": ":", "％": "%", "−": "-", "－": "-"}
)
_DECIMAL_COMMAS = {"de", "es", "fr", "pt", "it", "nl", "ru", "pl", "sv"}
_GROUPED = re.compile(r"(?<![\w.,])\d{1,3}(?:[.\u00a0\u202f’' ]\d{3})+(?:,\d+)?(?![\w]|[.,]\d)")
_COMMA = re.compile(r"(?<![\w.,])\d+,\d+(?![\w]|[.,]\d)")
_UNMISTAKEN = re.compile(r"\d+,(?!\d{3}$)\d+|\d{1,3}(?:\.\d{3}){2,}(?:,\d+)?")
"""A comma before other than three digits parts decimals in every language, and several dots part
thousands."""
_HAN = "\u3040-\u30ff\u4e00-\u9fff\u0e00-\u0e7f"
_BESIDE_HAN = re.compile(rf"(?<=[{_HAN}])(?=[-\d])|(?<=\d)(?=[{_HAN}])")
"""Where a number begins or ends in a script without spaces."""
_HAN_DAY = re.compile(r"(\d{4})\s?年\s?(\d{1,2})\s?月\s?(\d{1,2})\s?日")
_NUMBERED_DAY = re.compile(r"(?<![\d./-])(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?![\d/-])")
_TIMES = (
    re.compile(r"(?<![\d.:])(\d{1,2})\s?h\s?(\d\d)(?!\d)"),
    re.compile(r"(?<![\d.:])(\d{1,2})[.:](\d\d)(?=\s?Uhr)"),
    re.compile(r"(?<![\d.:])(\d{1,2})\s?Uhr\s(\d\d)(?!\d)"),
    re.compile(r"(?<![\d.:])(\d{1,2})\s?[点點时時]\s?(\d{1,2})\s?分?"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainText:
    """A text with its values in plain forms.

    Attributes:
        written: how a value stood in the text, by its plain form, where both differ.
    """

    text: str
    written: Mapping[str, str]


@cache
def _months() -> Mapping[str, int]:
    lines = enumerate(read_lines("months"), start=1)
    return {name: number for number, line in lines for name in line.split()}


@cache
def _written_days() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Day before month, and month before day."""
    names = "|".join(sorted(_months(), key=len, reverse=True))
    month = rf"(?P<m>{names})"
    joint = r"(?:\s+(?:de|del|of)\s+|,?\s+)"
    return (
        re.compile(
            rf"(?i)(?<![\d.])(?P<d>\d{{1,2}})(?:\.|er|st|nd|rd|th|º)?(?:\s+(?:de|of))?\s+{month}"
            rf"{joint}(?P<y>\d{{4}})(?!\d)"
        ),
        re.compile(rf"(?i)\b{month}\s+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<y>\d{{4}})(?!\d)"),
    )


def plain_values(text: str, told: str = "", *, language: str = "") -> PlainText:
    """A text with numbers, dates and times as replies write them.

    Args:
        language: of the text, where it does not tell it by itself.
        told: what came back: a number that stands there as it is written is left so, and of two
            readings of a day the one that stands there is taken.
    """
    written: dict[str, str] = {}

    def plain(match: re.Match[str], value: str) -> str:
        if value and value != match[0]:
            written.setdefault(value, match[0])
        return value or match[0]

    text = "".join(map(_ascii_digit, text)).translate(_SIGNS)
    language = language_of(text) or language
    text = _HAN_DAY.sub(lambda m: plain(m, _iso(m[1], m[2], m[3])), text)
    for shape in _written_days():
        text = shape.sub(
            lambda m: plain(m, _iso(m["y"], str(_months()[m["m"].lower()]), m["d"])), text
        )
    text = _NUMBERED_DAY.sub(lambda m: plain(m, _numbered_day(m, told, language)), text)
    for shape in _TIMES:
        text = shape.sub(lambda m: plain(m, f"{int(m[1]):02}:{int(m[2]):02}"), text)

    text = _BESIDE_HAN.sub(" ", text)

    def number(match: re.Match[str]) -> str:
        said = match[0]
        is_decimal = language in _DECIMAL_COMMAS or bool(_UNMISTAKEN.fullmatch(said))
        if said in told or not (is_decimal or ("," in said and "." in said)):
            return said
        return plain(match, re.sub(r"[.\u00a0\u202f’' ]", "", said).replace(",", "."))

    text = _GROUPED.sub(number, text)
    return PlainText(text=_COMMA.sub(number, text), written=written)


def _ascii_digit(sign: str) -> str:
    if sign.isascii() or not sign.isdecimal():
        return sign
    return str(unicodedata.decimal(sign))


def _iso(year: str, month: str, day: str) -> str:
    """A day as ISO 8601 writes it, "" if there is none such."""
    try:
        return date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return ""


def _numbered_day(match: re.Match[str], told: str, language: str) -> str:
    readings = [_iso(match[4], match[3], match[1]), _iso(match[4], match[1], match[3])]
    if language == "en" and match[2] == "/":
        readings.reverse()
    known = [each for each in readings if each]
    return next((each for each in known if each in told), (known or [""])[0])
