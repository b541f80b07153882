"""Which words mean anything here: those that the catalogue holds, or that the static word vectors
know.

Vectors of letters that mean nothing lie near something, too: word pieces always have a vector. So a
search of which no word is known finds nothing, and a new API whose words are unknown is no evidence
of anything. Asked by searches and by the placing of new APIs.
"""

import re
from collections.abc import Collection, Iterable

from toolplanner_core.embedding.static_words import has_word_vector
from toolplanner_core.words.stop_words import GENERIC, search_terms
from toolplanner_core.words.word_splitting import split_words
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.search_index import documentation_holds

FEW = 1 / 3
"""Texts of which no larger share of the words is known say nothing: one in 400 of 45,284 real APIs,
names that nobody can read or one alone in its language."""
_TELLING = re.compile(r"[^\W\d]{2}")


def has_known_word(workspace: Workspace, text: str) -> bool:
    """Whether a word of a search is known; the last may be half typed."""
    terms = search_terms(text)
    return any(
        documentation_holds(workspace, term, is_begun=True) for term in terms
    ) or knows_a_word(text)


def knows_a_word(text: str) -> bool:
    """Whether the static word vectors know a word of a text."""
    return any(map(has_word_vector, search_terms(text)))


def share_of_known_words(texts: Iterable[str]) -> float:
    """The share of the distinct words of some texts that the static word vectors know, 0 to 1; 1
    where there are no words."""
    words = {word for text in texts for word in _telling(text)}
    return sum(map(has_word_vector, words)) / len(words) if words else 1.0


def unknown_texts(
    workspace: Workspace, texts: Iterable[str], without: Collection[int]
) -> list[bool]:
    """Whether so few words of each text are known that it says nothing.

    Args:
        without: row ids of APIs that do not count as the catalogue: those the texts are of.
    """
    known: dict[str, bool] = {}

    def is_known(word: str) -> bool:
        if word not in known:
            known[word] = has_word_vector(word) or documentation_holds(
                workspace, word, without=without
            )
        return known[word]

    found: list[bool] = []
    for text in texts:
        words = _telling(text)
        found.append(bool(words) and sum(map(is_known, words)) <= FEW * len(words))
    return found


def _telling(text: str) -> list[str]:
    split = " ".join(map(split_words, text.split()))
    terms = search_terms(split)
    words = [word for word in terms if not word.isascii() or _TELLING.search(word)]
    return [word for word in words if word not in GENERIC] or words
