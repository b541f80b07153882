"""Whether two names say the same: nobody is asked about "powers" and "power"."""

from toolplanner_core.words.stems import singular
from toolplanner_core.words.word_splitting import identifier_words


def differs_in_form_only(name: str, other: str) -> bool:
    """Whether two names have the same words but for case, number and marks between them."""
    return _words(name) == _words(other)


def _words(name: str) -> list[str]:
    return [singular(word.casefold()) for run in identifier_words(name) for word in run]
