"""Words that say nothing: for counting and looking up, and for naming by rule.

The lists are files of `resources/words/`. Stored vectors are counted without `STOP_WORDS`, so that
list never changes.
"""

import re

from toolplanner_core.resources import resource_root
from toolplanner_core.words.scripts import search_words


def read_lines(name: str) -> list[str]:
    """The lines of a word list."""
    path = resource_root() / "words" / f"{name}.txt"
    return path.read_text(encoding="utf-8").splitlines()


def read_words(name: str) -> frozenset[str]:
    """The words of a word list."""
    return frozenset(" ".join(read_lines(name)).split())


STOP_WORDS = read_words("stop_words")
"""English articles, pronouns, prepositions, auxiliaries and the like; no verb or noun a tool may be
about. Left out of vectors and of searches."""
FUNCTION_WORDS = STOP_WORDS | read_words("function_words")
"""They end a phrase, in any of the languages that catalogues are written in."""
GENERIC = read_words("generic")
"""The talk of API documentation ("get", "endpoint")."""
ONLY_LAST = read_words("only_last")
"""They mean something only after another word ("image search")."""
ONLY_FIRST = read_words("only_first")
"""They mean something only before another word ("live scores")."""
TERMS = {
    (first, second)
    for first, seconds in (line.split(": ") for line in read_lines("terms"))
    for second in seconds.split()
}
"""Two words that mean something together though one of them alone does not ("real estate")."""

MAX_TERMS = 48
"""Words of one query that are looked up; a pasted page must not take seconds."""
_WORD = re.compile(r"\w+")


def search_terms(text: str) -> list[str]:
    """Distinct words in order, without those that say nothing; all of them if nothing else is left.
    Where no spaces divide words, pairs of letters.

    Dropping stop words lifts Recall@5 of BM25 from 0.46 to 0.51 and halves the time.
    """
    lower = text.lower()
    words = list(dict.fromkeys(_WORD.findall(lower) if text.isascii() else search_words(lower)))
    telling = [word for word in words if word not in STOP_WORDS]
    return (telling or words)[:MAX_TERMS]
