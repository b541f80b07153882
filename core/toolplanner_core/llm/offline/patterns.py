"""The written forms of values that can be told by their shape alone. Called by `mentions.py`.

Order matters: an earlier kind takes its span of the text before a later one looks at it.
"""

import re
from functools import cache

from toolplanner_core.llm.offline.tables import currency_symbols, number_words, unit_spellings

NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"


def _either(words: list[str]) -> str:
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


@cache
def shapes() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """(kind, pattern) pairs; the value is group "v" where there is one, else the whole match."""
    plain = {
        "url": r"\b(?:https?://|www\.)[^\s\"'<>,;]*[^\s\"'<>,;.?!)]",
        "email": r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b",
        "uuid": r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b",
        "ip": r"\b(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)\b"
        r"|\b(?:[0-9a-fA-F]{1,4}:){3,7}:?[0-9a-fA-F]{1,4}\b",
        "named_coordinates": r"\blat(?:itude)?\b[\s:=]{0,3}(?:is|of)?\s*(?P<lat>-?\d+(?:\.\d+)?)"
        r"[\s,;]*(?:and\s+)?lon(?:g|gitude)?\b[\s:=]{0,3}(?:is|of)?\s*(?P<lon>-?\d+(?:\.\d+)?)",
        "coordinates": r"(?<![\w.])(?P<lat>-?\d{1,2}\.\d+|-?\d{1,2})°?\s*(?P<ns>[NSns]\b)?"
        r"\s*,\s*(?:and\s+)?(?P<lon>-?\d{1,3}\.\d+)°?\s*(?P<ew>[EWew]\b)?(?![\w.]*\d)",
        "isbn": r"\b97[89][- ]?(?:\d[- ]?){9}\d\b|\b\d{9}[\dXx]\b(?=[^@]*)(?<=\b[\dXx]{10})",
        "vin": r"\b(?=[A-Z0-9]*\d)(?=[A-Z0-9]*[A-HJ-NPR-Z])[A-HJ-NPR-Z0-9]{17}\b",
        "iban": r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b",
        "phone": r"(?<![\w.])\+\d[\d ()-]{6,18}\d\b|\(\d{3}\) ?\d{3}-\d{4}\b"
        r"|\b\d{3}-\d{3}-\d{4}\b",
        "tracking": r"\b1Z[0-9A-Z]{16}\b|\b[A-Z]{2}\d{9}[A-Z]{2}\b|\b\d{20,22}\b|\b\d{12}\b"
        r"|\b[A-Z]{2,4}-?\d{6,14}(?:-?[A-Z0-9]{1,4})?\b",
        "flight": r"\b[A-Z]{2} ?\d{2,4}\b",
        "colour": r"#[0-9a-fA-F]{6}\b|#[0-9a-fA-F]{3}\b",
        "zip": r"\b\d{5}-\d{4}\b|\b(?!P\d)[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}\b"
        r"|\b[A-Z]\d[A-Z] \d[A-Z]\d\b"
        r"|(?:zip(?:[ -]?code)?|postal code|postcode|post code)(?:\s+(?:is|of|for))?[:\s]+"
        r"(?P<v>[A-Z]{0,2}\d[A-Z\d]{1,5}(?: \d[A-Z]{2})?)\b",
        "timezone": r"\b(?:Africa|America|Asia|Europe|Australia|Pacific|Atlantic|Etc)/[A-Z]\w+"
        r"(?:/[A-Z]\w+)?\b|\bUTC[+-]\d{1,2}(?::\d{2})?\b",
        "domain": r"\b(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+"
        r"(?:com|org|net|io|edu|gov|dev|app|ai|co|info|biz|de|fr|uk|es|it|nl|eu|example|test)\b",
    }
    return tuple((kind, re.compile(text)) for kind, text in plain.items())


@cache
def money() -> re.Pattern[str]:
    """ "$100", "100 USD" and "100 euros" are one thing: group "n" and one of "pre", "word"."""
    symbols = _either(list(currency_symbols()))
    return re.compile(
        rf"(?P<pre>{symbols})\s?(?P<n>{NUMBER})(?P<k>k|K|M|m)?\b"
        rf"|(?<![\w.])(?P<n2>{NUMBER})(?P<k2>k|K)?\s?(?P<post>{symbols})"
    )


@cache
def measured() -> re.Pattern[str]:
    """A number with a unit: groups "n" and "unit"."""
    spellings = [s for group in unit_spellings().values() for s in group]
    words = _either(list(number_words()))
    return re.compile(
        rf"(?<![\w.])(?P<n>-?(?:{NUMBER})|{words})[\s-]?(?:degrees?\s+)?(?P<unit>{_either(spellings)})\b(?!\w)",
        re.IGNORECASE,
    )


@cache
def plain_number() -> re.Pattern[str]:
    """A number in digits or words, with the word that follows it: groups "n" and "noun"."""
    words = _either([w for w in number_words() if " " not in w and w != "one"])
    return re.compile(
        rf"(?<![\w.])(?P<n>-?(?:{NUMBER})(?![\w])|\b(?:{words})\b)(?P<pct>\s?%)?"
        r"(?:\s+(?P<noun>[A-Za-z]+))?",
        re.IGNORECASE,
    )


QUOTED = re.compile(
    r"[\"“”«](?P<a>[^\"“”«»]{1,300})[\"“”»]|(?<!\w)['‘](?P<b>[^'‘’\n]{1,200})['’](?!\w)|`(?P<c>[^`]+)`"
)

CAPITALISED = re.compile(
    r"(?:[A-ZÀ-ÖØ-ÞŁŚŠŽČ][\w'’&.-]*[\w]|[A-Z])"
    r"(?:(?:\s+|\s+(?:of|de|la|le|du|del|di|da|van|von|der|den|el|al|the|and|&)\s+(?:the\s+|la\s+)?)"
    r"(?:[A-ZÀ-ÖØ-ÞŁŚŠŽČ][\w'’&.-]*[\w]|[A-Z0-9]\b|\d{1,4}\b(?!\s*(?:[a-z]|%))))*"
)
