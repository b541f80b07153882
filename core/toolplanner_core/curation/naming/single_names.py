"""Names of groups of one API: how its tool and it are called, "Specrom News built with analyzer".

Rules made for groups draw words from one description, or leave one of two in the name, by chance;
there, what its provider called it is true. Called by `toolkit_names.py`.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from toolplanner_core.curation.naming.joining import first_capital
from toolplanner_core.curation.naming.phrase_cutting import action_stem, plain
from toolplanner_core.curation.naming.phrases import PhraseBook
from toolplanner_core.curation.naming.titles import short_title, vendor_of
from toolplanner_core.curation.naming.verb_nouns import OUTCOMES
from toolplanner_core.words.stop_words import FUNCTION_WORDS, GENERIC
from toolplanner_core.words.word_splitting import identifier_words
from toolplanner_core.workspace.catalogue import ApiText

_WORDS, _LETTERS = 7, 48
_FEWEST_LETTERS = 2


def single_names(book: PhraseBook, api: ApiText, tool: int, names: Iterable[str]) -> Iterator[str]:
    """Names for one API, the best first.

    Args:
        tool: number of its tool.
        names: by the rules for groups, the best first.
    """
    found = iter(names)
    first = next(found, "")
    if first and not _says_it(book, api, tool, first):
        yield from _as_called(book, api, tool)
    yield from chain([first] if first else [], found)


def _says_it(book: PhraseBook, api: ApiText, tool: int, name: str) -> bool:
    """Whether a name says most words of the API's own, and none that it has not."""
    own = set(map(action_stem, _telling_words(book, api.name, api.tool)))
    title, said = set(book.title_stems[tool]), set(book.stems_of(name))
    done = {action_stem(outcome) for outcome in OUTCOMES.values()}
    return said <= own | title | done and 2 * len(own & (said | title)) >= len(own)


def _as_called(book: PhraseBook, api: ApiText, tool: int) -> Iterator[str]:
    """The tool's title, or its vendor, and the words of the API's name that are not in it."""
    said = _telling_words(book, api.name, api.tool)
    title = short_title(book.titles[tool].replace("_", " "))
    for head in dict.fromkeys((title, vendor_of(book, tool))):
        known = set(book.stems_of(head))
        new = _stripped(
            [w for w in said if action_stem(w) not in known and w.lower() not in head.lower()]
        )
        name = " ".join([head, *map(book.casing.write, new)]).strip()
        if new and len(name) <= _LETTERS and len(name.split()) <= _WORDS:
            yield first_capital(name)


def _telling_words(book: PhraseBook, name: str, title: str) -> list[str]:
    """The words of an API's name, apart and in their order, without verbs of the interface before
    them and without versions."""
    runs = identifier_words(plain(name), book.casing.whole)
    pieces = [
        piece
        for run in runs
        for word in run
        for piece in ([word] if word.lower() in title.lower() else book.glued.split(word))
    ]
    said = [piece for piece in pieces if len(piece) >= _FEWEST_LETTERS and not piece.isdigit()]
    return _stripped(list(dict.fromkeys(said)))


def _stripped(words: Sequence[str]) -> list[str]:
    """The words without those at both ends that say nothing."""
    telling = [place for place, word in enumerate(words) if not _says_nothing(word)]
    return list(words[telling[0] : telling[-1] + 1]) if telling else []


def _says_nothing(word: str) -> bool:
    return word.lower() in GENERIC or word.lower() in FUNCTION_WORDS
