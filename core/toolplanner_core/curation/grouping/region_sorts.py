"""Names of regions that their toolkits' words do not tell: what nearly all are, or of which trades.

Called by `region_names.py`. Pure functions.
"""

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from toolplanner_core.curation.naming.joining import MORE, enumerated
from toolplanner_core.curation.naming.mixed_names import MIXED, TEST_WORDS, TESTS
from toolplanner_core.curation.naming.trades import trade_of

_ONE_KIND = 0.3
"""So many toolkits of one kind are what a region is seen to be: no other has as many."""
_ONE_VENDOR = 0.6
_DELETION = ("deletion", "deletions", "removal")
_NAMED, _TRADES, _WORDS = 3, 6, 2
_FIRST, _FIRST_TWO, _NEARLY_ALL, _SOME = 0.35, 0.5, 0.75, 0.08
"""Trades that so many APIs are of are what a region is about, or part of it."""
_TOLD = 0.5
"""So many of the categories have to say something."""


def whole_name(names: Sequence[str]) -> str:
    """What most toolkits of a region are, whatever else their names say; "" if nothing is.

    Args:
        names: of the region's toolkits.
    """
    written = [name.replace("_", " ").split() for name in names]
    least = max(_ONE_KIND * len(written), 1)
    if sum(any(word.lower().startswith(TEST_WORDS) for word in each) for each in written) > least:
        return TESTS
    if sum(any(word.lower() in _DELETION for word in each) for each in written) > least:
        return f"{MIXED} deletion"
    first, times = Counter(each[0] for each in written if each).most_common(1)[0]
    is_vendor = any(letter.isupper() for letter in first[1:])
    return first if is_vendor and times > max(_ONE_VENDOR * len(written), 1) else ""


def names_by_trade(
    here: Counter[str],
    everywhere: Counter[str],
    *,
    apis: int = 0,
    words: Sequence[str] = (),
) -> Iterator[str]:
    """Names of a region by the trades that stand out in it, the best first: "Mixed" and some where
    they are many, those that many are of where they are few.

    Args:
        here: how many APIs of the region are of which trade.
        everywhere: of all.
        apis: how many the region has, also such whose category says nothing.
        words: what the region's toolkits are about, the best first.
    """
    total, of_all = max(here.total(), 1), max(everywhere.total(), 1)
    worth = {
        trade: times / total * math.log1p((times / total) / (everywhere[trade] / of_all))
        for trade, times in here.items()
    }
    best = sorted(worth, key=lambda trade: (-worth[trade], trade))[:_TRADES]
    if total >= _TOLD * apis:
        yield from _names_of_few(here, best, words)
    for chosen in itertools.combinations(best, min(_NAMED, len(best))):
        if chosen:
            yield f"{MIXED}: {enumerated([*chosen, MORE])}"


def _names_of_few(here: Counter[str], best: Sequence[str], words: Sequence[str]) -> Iterator[str]:
    """Names of a region that is mainly of one trade; none if it is not."""
    total = max(here.total(), 1)
    some = sum(here[trade] for trade in best[:2])
    if not best or here[best[0]] < _FIRST * total or some < _FIRST_TWO * total:
        return
    first, *others = best
    trade = first[:1].upper() + first[1:]
    if here[first] >= _NEARLY_ALL * total:
        telling = [word for word in words if word.casefold() not in (first, MORE)]
        if len(telling) >= _WORDS:
            yield f"{trade}: {enumerated([*telling[:_WORDS], MORE])}"
    named = [each for each in others if here[each] >= _SOME * total][: _NAMED - 1]
    yield enumerated([trade, *named, MORE]) if named else f"{trade} and {MORE}"


def trades_of(toolkits: Iterable[int], categories: Sequence[Mapping[str, int]]) -> Counter[str]:
    """How many APIs of some toolkits are of which trade; none if categories are not known.

    Args:
        toolkits: positions in `categories`.
    """
    found: Counter[str] = Counter()
    for toolkit in toolkits if categories else ():
        for category, times in categories[toolkit].items():
            found[trade_of(category)] += times
    del found[""]
    return found
