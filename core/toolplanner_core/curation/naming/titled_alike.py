"""Names by what titles of a group's tools have in common: their maker, "Cars, facts and more by
API-Ninjas", or two words, "Lorem Ipsum".

Called where the members say nothing in common.
"""

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence

from toolplanner_core.curation.naming.joining import first_capital, some_of
from toolplanner_core.curation.naming.phrases import PhraseBook
from toolplanner_core.words.stop_words import FUNCTION_WORDS

_MOST = 0.6
"""Share of the members whose tools' titles have it."""
_LETTERS = 28


def titled_alike(book: PhraseBook, members: Sequence[int]) -> Iterator[str]:
    """Names of such a group, the best first; none if titles have nothing in common."""
    made: dict[str, list[str]] = {}
    pairs: Counter[str] = Counter()
    for i in members:
        title = book.titles[book.tools[i]].replace("_", " ")
        what, by, maker = title.rpartition(" by ")
        if by:
            made.setdefault(maker.strip(), []).append(what.strip())
        # Each once, in their order: of equally many a set has another one first in each process.
        pairs.update(dict.fromkeys(map(" ".join, itertools.pairwise(title.split())), 1))
    maker, titles = max(made.items(), key=lambda one: len(one[1]), default=("", []))
    if len(set(titles)) > 1 and len(titles) >= _MOST * len(members):
        ranked = [title for title, _ in Counter(titles).most_common()]
        told = some_of(ranked, letters=_LETTERS)
        yield from (first_capital(f"{some} by {maker}") for some in told)
    pair, times = pairs.most_common(1)[0] if pairs else ("", 0)
    if times >= _MOST * len(members) and not any(map(_says_nothing, pair.split())):
        yield pair


def _says_nothing(word: str) -> bool:
    return word.casefold() in FUNCTION_WORDS or not any(map(str.isalpha, word))
