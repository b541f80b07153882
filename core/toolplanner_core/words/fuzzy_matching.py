"""How well a few typed letters fit a title: "mto" finds "Move to", "expjs" "Export JSON".

Letters must come in order; the beginnings of words and letters side by side count most, so that
initials win over chance.
"""

from collections.abc import Iterator, Sequence

_START = 8.0
_WORD = 6.0
_NEXT = 4.0
_ANY = 1.0
_LATE = 0.05
"""Taken off per letter of the title: shorter titles come first."""


def fuzzy_score(query: str, title: str) -> float | None:
    """Higher is better; None when the letters are not in the title in this order.

    Spaces in the query separate words that may come in any order.
    """
    total = 0.0
    folded = title.casefold()
    for word in query.casefold().split():
        best = _word_score(word, folded)
        if best is None:
            return None
        total += best
    return total - _LATE * len(title)


def begins_words(words: Sequence[str], title: str) -> bool:
    """Whether each of some folded words begins a word of a title: "nba" not in "Coinbase"."""
    folded = title.casefold()
    return all(any(_is_start(folded, found) for found in _places(word, folded)) for word in words)


def _places(word: str, title: str) -> Iterator[int]:
    at = title.find(word)
    while at >= 0:
        yield at
        at = title.find(word, at + 1)


def _word_score(word: str, title: str) -> float | None:
    best: float | None = None
    for begin, letter in enumerate(title):
        if letter != word[0]:
            continue
        found = _from(word, title, begin)
        if found is not None and (best is None or found > best):
            best = found
    return best


def _from(word: str, title: str, begin: int) -> float | None:
    """The score when the first letter is taken at `begin` and each other as early as its bonus
    allows: side by side first, then at a word's beginning, then anywhere."""
    total, place = _bonus(title, begin), begin
    for letter in word[1:]:
        if place + 1 < len(title) and title[place + 1] == letter:
            place += 1
            total += _NEXT
            continue
        starts = (
            i for i in range(place + 1, len(title)) if title[i] == letter and _is_start(title, i)
        )
        found = next(starts, -1)
        if found < 0:
            found = title.find(letter, place + 1)
        if found < 0:
            return None
        total += _bonus(title, found)
        place = found
    return total


def _bonus(title: str, place: int) -> float:
    if place == 0:
        return _START
    return _WORD if _is_start(title, place) else _ANY


def _is_start(title: str, place: int) -> bool:
    return place == 0 or not title[place - 1].isalnum()
