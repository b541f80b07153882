"""Names of regions that their toolkits' words do not tell: what nearly all are, or of which trades.

Called by `region_names.py`. Pure functions.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from toolplanner_core.curation.naming.joining import MORE, as_many_as_fit, enumerated
from toolplanner_core.curation.naming.mixed_names import MIXED
from toolplanner_core.curation.naming.placeholders import TEST_WORDS, TESTS
from toolplanner_core.curation.naming.trades import trade_of

LETTERS = 24
"""The most letters of a name of several words: so many are seen whole in the list of toolkits and
on the map of a window of 1440 x 900."""
_ONE_KIND = 0.3
"""So many toolkits of one kind are what a region is seen to be: no other has as many."""
_ONE_VENDOR = 0.6
_DELETION = ("deletion", "deletions", "removal")
_NAMED, _TRADES = 3, 6
_FIRST, _FIRST_TWO, _NEARLY_ALL, _SOME = 0.35, 0.5, 0.75, 0.08
"""Trades that so many APIs are of are what a region is about, or part of it."""
_STANDS_OUT = 0.8
_TOLD = 0.66
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
    beginnings = Counter(each[0] for each in written if each)
    if not beginnings:
        return ""
    first, times = beginnings.most_common(1)[0]
    is_vendor = any(letter.isupper() for letter in first[1:])
    return first if is_vendor and times > max(_ONE_VENDOR * len(written), 1) else ""


class ByTrade(NamedTuple):
    """What the trades of its APIs say of a region, the best first.

    Attributes:
        mainly: names, where most are of one trade.
        trades: those that stand out.
    """

    mainly: list[str]
    trades: list[str]


def names_by_trade(
    here: Counter[str],
    everywhere: Counter[str],
    *,
    apis: int = 0,
    words: Sequence[str] = (),
) -> ByTrade:
    """What trades say of a region.

    Args:
        here: how many APIs of the region are of which trade.
        everywhere: of all.
        apis: how many the region has, also such whose category says nothing.
        words: what the region's toolkits are about, the best first.
    """
    total, of_all = max(here.total(), 1), max(everywhere.total(), 1)
    share = {trade: times / total for trade, times in here.items()}
    # What is as rare here as everywhere does not tell the region from others.
    usual = {t for t in share if share[t] < _STANDS_OUT * everywhere[t] / of_all}
    best = sorted(share, key=lambda trade: (trade in usual, -share[trade], trade))[:_TRADES]
    mainly = [*_names_of_few(here, best, words)] if total >= _TOLD * apis else []
    return ByTrade(mainly=mainly, trades=best)


def _names_of_few(here: Counter[str], best: Sequence[str], words: Sequence[str]) -> Iterator[str]:
    """Names of a region that is mainly of one trade; none if it is not."""
    total = max(here.total(), 1)
    some = sum(here[trade] for trade in best[:2])
    if not best or here[best[0]] < _FIRST * total or some < _FIRST_TWO * total:
        return
    first, *others = best
    trade = first[:1].upper() + first[1:]
    if here[first] >= _NEARLY_ALL * total:
        yield trade
        telling = [word for word in words if word.casefold() not in (first, MORE)]
        yield from (f"{trade}: {word}" for word in telling)
    named = [each for each in others if here[each] >= _SOME * total][: _NAMED - 1]
    told = as_many_as_fit([trade, *named], letters=LETTERS)
    yield enumerated(told if len(told) > 1 else [trade, MORE])


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
