"""Words of names and texts, as the rules of the offline planner were tuned on them.

Cruder than `words/` and not to be mixed with it: plans of stored runs were made with these stems.
"""

import re
from functools import lru_cache

from toolplanner_core.words import tables

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
