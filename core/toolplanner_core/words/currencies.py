"""Currencies that a text names, by code, name or as a pair, and the text with words for them.

Neither word vectors nor full text know "GBP" or "kroner": a search for "200 GBP in CHF" finds
exchange rates only when the text says what its codes mean. Called by searches and by the offline
planner.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from toolplanner_core.words.tables import currencies, either, pattern, spelled, table, words

Span = tuple[int, int]
MEANT = "convert currency by exchange rate"
"""What a text is about that names two currencies."""
_SAYS_SO = re.compile(r"(?i)\b(?:currenc|exchang|conver[st]|rates?\b)")


def currency_spans(text: str) -> Iterator[tuple[Span, str]]:
    """Codes and names of currencies in a text, each with its code."""
    for match in pattern("currency_code").finditer(text):
        if match.group() in currencies():
            yield match.span(), match.group()
    for match in pattern("currency_name").finditer(text):
        word = match["name"].lower()
        before = text[: match.start()].rstrip()
        # "3 pounds of flour" and "real weather" are no money.
        if word in ("pound", "pounds") and pattern("masses").search(text):
            continue
        is_said = before[-1:].isdigit() or re.search(r"\b(?:to|into|from|in)$", before)
        if word in words("also_currencies") and not is_said:
            continue
        yield match.span(), spelled("currencies")[word]
    for match in pattern("currency_pair").finditer(text):
        if {match[1], match[2]} <= currencies():
            yield from ((match.span(side), match[side]) for side in (1, 2))
    for match in pattern("small_currency_pair").finditer(text):
        pair = {match[1].upper(), match[2].upper()}
        if pair <= currencies() and not pair & words("codes_that_are_words"):
            yield from ((match.span(side), match[side].upper()) for side in (1, 2))


@lru_cache(maxsize=512)
def expand_currency_codes(text: str) -> str:
    """The text with the names of its codes and what it is about, if it names two currencies and
    does not say so itself; one alone says in what something is paid."""
    if _SAYS_SO.search(text):
        return text
    signs = table("currencies")["signs"]
    signs = [signs[sign] for sign in re.findall(either(signs), text)]
    named = list(dict.fromkeys([*(code for _, code in currency_spans(text)), *signs]))
    if text.isupper():  # "SHOW ALL TOP FILMS"
        named = [code for code in named if code not in words("codes_that_are_words")]
    if len(named) < 2:
        return text
    names = table("currencies")["names"]
    said = [names[code][0] for code in named if code in names and names[code][0] not in text]
    return f"{text} ({', '.join([*said, MEANT])})"
