"""Names in a text: capitalised ones that are countries, languages, states, companies or tickers.
Called by `mentions.py`."""

import re
from collections.abc import Callable, Iterator

from toolplanner_core.words.currencies import Span
from toolplanner_core.words.tables import codes, entries, pattern, spelled, words


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
    if follows_comma and value in codes("states"):
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
