"""Values that a query states beyond doubt: numbers with what they count, times, names.

An answer that was found without them answers another question: "75 pounds in dollars" is not met
by a list of currencies. Only what is plainly a value is found, so that a right answer is not
doubted.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

_NUMBER = re.compile(
    r"(?<![\w.,:/-])[$€£¥]?(\d[\d,]*(?:\.\d+)?)(?![\w:/-]|\.\d)"
    r"(?:\s?(am|pm|[a-z]{1,12}\b|[A-Z]{3}\b))?"
)
_NAME = re.compile(r"(?<=[a-z,;:] )[A-Z][A-Za-z'’-]{2,}(?: [A-Z][A-Za-z'’-]+)*")
_MONTHS = {"january", "february", "march", "april", "may", "june", "july", "august"}
_AUTUMN = {"september", "october", "november", "december"}
_DAYS = {"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}
_WEB = {"api", "apis", "json", "url", "html", "http", "gps", "gmt", "utc"}
_NO_NAMES = _MONTHS | _AUTUMN | _DAYS | _WEB
_FOREIGN = re.compile(r"(?:ish|ese|ian|ean|ch)\Z")
"""Languages and peoples are often sent as codes: "English" as "en"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedValue:
    """One value of a text.

    Attributes:
        text: as it stands there.
        numbers: what an argument may hold for it; empty for a name.
        words: of a name, in lower case.
    """

    text: str
    numbers: frozenset[float] = frozenset()
    words: frozenset[str] = frozenset()


def typed_values(text: str) -> list[TypedValue]:
    """The values of a text, each once, in order."""
    found: dict[str, TypedValue] = {}
    for match in _NUMBER.finditer(text):
        number = float(match[1].replace(",", ""))
        numbers = {number, number + 12} if match[2] == "pm" else {number}
        found.setdefault(
            match[0].strip(), TypedValue(text=match[0].strip(), numbers=frozenset(numbers))
        )
    for match in _NAME.finditer(text):
        words = frozenset(word.lower().removesuffix("'s") for word in match[0].split())
        if not words & _NO_NAMES and not all(_FOREIGN.search(word) for word in words):
            found.setdefault(match[0], TypedValue(text=match[0], words=words))
    return list(found.values())


def unreached(text: str, sent: Sequence[str], told: Sequence[str]) -> list[str]:
    """The values of a text that are nowhere to be found, as they stand there.

    Args:
        sent: arguments of calls; numbers must stand here.
        told: what came back, and from whom; a name may stand here instead.
    """
    numbers = {
        float(one)
        for part in sent
        for one in re.findall(r"\d+(?:\.\d+)?", part.replace(",", ""))[:500]
    }
    words = set(re.findall(r"[a-z'’-]{3,}", " ".join([*sent, *told]).lower()))
    return [
        value.text
        for value in typed_values(text)
        if not (value.numbers & numbers if value.numbers else value.words & words)
    ]


def unsent_amounts(text: str, sent: str) -> list[str]:
    """The amounts of a text, as they stand there, if none of them is among the arguments sent."""
    amounts = [value.text for value in typed_values(text) if value.numbers]
    missing = unreached(text, [sent], [])
    return amounts if amounts and all(amount in missing for amount in amounts) else []
