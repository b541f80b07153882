"""One word as a name: in the singular where its group says it only before other words.

The catalogue writes "metals" often enough, but a group about metal music does not mean them.
Called by `toolkit_names.py`.
"""

from collections.abc import Sequence

from toolplanner_core.curation.naming.phrases import IN_TITLE, PhraseBook

_NEARLY_ALL = 0.8


def in_number(book: PhraseBook, members: Sequence[int], name: str) -> str:
    """The name; a single word of it in the singular if the members say it before others."""
    word, space, rest = name.partition(" ")
    if space and not rest.startswith("("):
        return name
    stems = book.stems_of(word)
    if len(stems) != 1 or stems[0] == word.casefold() or not word[1:].islower():
        return name
    said = [place for i in members if (place := _place_of(book, i, stems[0]))]
    before = sum(place == _BEFORE for place in said)
    if _LAST in said or before < _NEARLY_ALL * len(members):
        return name
    return f"{stems[0][:1].upper()}{stems[0][1:]}{space}{rest}"


_BEFORE, _LAST, _ALONE = "before", "last", "alone"


def _place_of(book: PhraseBook, api: int, word: str) -> str:
    """Whether an API's name or its tool's title says a word before another or after one; "" if they
    do not say it."""
    weights = book.weights_of(api, with_tool=True)
    loud = [key for key, weight in weights.items() if weight >= IN_TITLE and word in key]
    if any(len(key) > 1 and key[-1] == word for key in loud):
        return _LAST
    if any(len(key) > 1 and key[0] == word for key in loud):
        return _BEFORE
    return _ALONE if loud else ""
