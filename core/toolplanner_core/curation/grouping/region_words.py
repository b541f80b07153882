"""Words of toolkits' names: which of them may stand in the name of a region.

Called by `region_names.py`. Pure functions.
"""

import itertools
import re
from collections import Counter
from collections.abc import Callable, Sequence

from toolplanner_core.curation.naming.meaning import Meaning
from toolplanner_core.words.stop_words import FUNCTION_WORDS, GENERIC

_SHORTEST_WORD = 3
_KIN = 5
"""Words with so many first letters in common are forms of one."""
_BEFORE_MANY, _LONGER_KIN = ("trans", "inter"), 8
"""Beginnings of words that are no kin: "translation" and "transactions"."""
_BEGINNINGS = 2
_OFTEN, _BOUND = 4, 0.6
"""A word of so many names, in so many of them beside the same other, is part of one with it."""
_NO_SUBJECT = {"tools", "tool", "unnamed", "other", "others", "more", "online"} | {
    *("creation", "deletion", "removal", "updates", "lists", "generation")
}
"""What is done, or nothing: not what a region is about."""
_IN_BRACKETS = re.compile(r"\s\([^()]*\)$")
"""A category behind a name that was taken."""


def usual_words(
    names: Sequence[str], words: Sequence[Sequence[str]], meaning: Meaning
) -> Callable[[str], bool]:
    """Whether a word is one that people use, and no vendor's: the vocabulary holds it, or names
    that begin differently have it inside."""
    beginnings: dict[str, set[str]] = {}
    bound = bound_words(names)
    for first, *rest in filter(None, words):
        for word in rest:
            if word.islower():
                beginnings.setdefault(word, set()).add(first)
    return lambda word: (
        word.casefold() not in bound
        and (len(beginnings.get(word.lower(), ())) >= _BEGINNINGS or meaning.is_usual(word))
    )


def bound_words(names: Sequence[str]) -> dict[str, str]:
    """Words, in lower case, that nearly always stand beside the same other one, each with both as
    they are written: "Seeking Alpha", "Real estate"."""
    beside: dict[str, Counter[str]] = {}
    written: dict[str, str] = {}
    times: Counter[str] = Counter()
    for name in names:
        words = [word.strip(",:()") for word in name.split()]
        times.update({word.casefold() for word in words})
        for first, second in itertools.pairwise(words):
            both = f"{first} {second}"
            written.setdefault(both.casefold(), both)
            for word in (first, second):
                beside.setdefault(word.casefold(), Counter())[both.casefold()] += 1
    found = {word: pairs.most_common(1)[0] for word, pairs in beside.items()}
    return {
        word: written[both]
        for word, (both, together) in found.items()
        if times[word] >= _OFTEN
        and together >= _BOUND * times[word]
        and FUNCTION_WORDS.isdisjoint(both.split())
        and "more" not in both.split()
    }


def words_of(name: str) -> list[str]:
    name = _IN_BRACKETS.sub("", name)
    cleaned = "".join(letter if letter.isalnum() or letter in "-+#'" else " " for letter in name)
    words = [word.strip("-'") for word in cleaned.split()]
    return [
        word
        for word in words
        if len(word) >= _SHORTEST_WORD
        and not word.isdigit()
        and word.casefold() not in FUNCTION_WORDS
        and word.casefold() not in GENERIC
        and word.casefold() not in _NO_SUBJECT
    ]


def key_of(word: str) -> str:
    """What two forms of a word have in common."""
    folded = word.casefold()
    if folded.startswith(_BEFORE_MANY):
        return folded[:_LONGER_KIN]
    return folded[:_KIN] if len(folded) > _KIN else folded.rstrip("s")


def proper_names(names: Sequence[Sequence[str]]) -> frozenset[str]:
    """Words that names write with a capital inside, too, and never without: "Google"."""
    inside = {word for _, *rest in filter(None, names) for word in rest}
    return frozenset(
        word for word in inside if word != (lower := word.lower()) and lower not in inside
    )
