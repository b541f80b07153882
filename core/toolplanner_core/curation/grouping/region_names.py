"""Names of regions, by the words that set their toolkits' names apart. Called by `regions.py`.

They are short: two or three words, or what most of its APIs are of, so that all are seen whole.

Words are counted by region, scored, and the best of them put together. Pure functions.
"""

import itertools
import math
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.curation.grouping.region_examples import examples_of, weight_of
from toolplanner_core.curation.grouping.region_sorts import (
    LETTERS,
    names_by_trade,
    trades_of,
    whole_name,
)
from toolplanner_core.curation.grouping.region_words import (
    bound_words,
    key_of,
    proper_names,
    usual_words,
    words_of,
)
from toolplanner_core.curation.naming.joining import MORE, and_also, as_many_as_fit, enumerated
from toolplanner_core.curation.naming.meaning import Meaning
from toolplanner_core.curation.naming.mixed_names import MIXED
from toolplanner_core.curation.naming.trades import trade_of
from toolplanner_core.jobs.isolation import Isolation, PartKind

UNNAMED = "Unnamed region"
"""How names of regions begin on which the rule failed."""
_NAMES = PartKind("name of a region", "names of regions", f"such a name begins with “{UNNAMED}”")
_NAME_WORDS = 3
_WEIGHED = 24
_SHORT = 12
"""Longer words leave no room for another beside "Mixed"."""
_LEAST_NEAR = 0.2
_CARRIES = 0.22
"""Words that fewer of the region's toolkits have are not what it is about. Of the 35 regions of the
ToolBench catalogue 16 have 2 to 21 %, the others 23 to 61 %."""
_NEARLY_ALL = 0.6
"""A name whose words fewer of the toolkits have says that there is more."""
_MANY_HERE, _MANY_REGIONS = 0.15, 5
"""A vendor that so many of the region's toolkits name, and toolkits of so many regions, is no
vendor of few: "Instagram"."""
_LEAST_SHARE = 0.02
"""A word that fewer of the region's toolkits have says little of it."""


def name_regions(
    names: Sequence[str],
    of_toolkit: NDArray[np.int32],
    sizes: NDArray[np.int64],
    count: int,
    *,
    categories: Sequence[Mapping[str, int]] = (),
    isolation: Isolation | None = None,
) -> list[str]:
    """Names of regions by the words of their toolkits: "Weather, tides and sun".

    A word counts by how many of the region's toolkits have it, more the fewer have it elsewhere
    (class-based TF-IDF), and more the nearer it is to what all of them are about (`Meaning`).
    Names of vendors do not count. Source: Grootendorst 2022, BERTopic, section 3.3.

    Args:
        names: (t,) of the toolkits.
        of_toolkit: (t,) region of each, -1 for none.
        sizes: (t,) APIs of each toolkit.
        count: number of regions.
        categories: (t,) how many APIs of each toolkit are of which category, if that is known: what
            regions of all sorts are said to be of.
        isolation: what remembers the regions on which the rule failed; these are called plainly.
    """
    isolation = isolation or Isolation()
    rule = isolation.make(
        _NAMES,
        lambda: _Rule(names, of_toolkit, sizes, count, categories),
        lambda: None,
        times=count,
    )
    found: list[str] = []
    taken: set[str] = set()

    def plain(own: Sequence[int]) -> str:
        return _free([_plain_name(own, names, categories)], taken)

    for region in range(count):
        own: list[int] = np.flatnonzero(of_toolkit == region).tolist()
        if rule is None:
            name = plain(own)
        else:
            by_rule = partial(rule.name, region, own, taken)
            name = isolation.make(_NAMES, by_rule, partial(plain, own), part=str(region))
        taken.add(name.casefold())
        found.append(name)
    return found


class _Rule:
    """What is counted over all regions, and the name of each that follows from it."""

    def __init__(
        self,
        names: Sequence[str],
        of_toolkit: NDArray[np.int32],
        sizes: NDArray[np.int64],
        count: int,
        categories: Sequence[Mapping[str, int]],
    ) -> None:
        self._names, self._sizes, self._categories = names, sizes, categories
        self._meaning = Meaning([name.removeprefix(MIXED) for name in names])
        words = [words_of(name) if not name.startswith(MIXED) else [] for name in names]
        self._usual = cache(usual_words(names, words, self._meaning))
        self._proper = proper_names(words)
        self._counted = _count_words(words, of_toolkit, sizes, count)
        self._everywhere = trades_of(range(len(categories)), categories)

    def name(self, region: int, own: Sequence[int], taken: Collection[str]) -> str:
        """A name for one region that is not taken.

        Args:
            own: positions of its toolkits.
        """
        counted, names = self._counted, [self._names[i] for i in own]
        usual_here = partial(_is_usual, self._usual, bound_words(names))
        scores = counted.scores(region, usual_here)
        best = sorted(scores, key=lambda key: (-scores[key], key))[:_WEIGHED]
        forms = {key: counted.form(key) for key in best}
        near = self._meaning.nearness(list(forms.values()), own)
        nearness = dict(zip(best, (_LEAST_NEAR + near.clip(0.0)).tolist(), strict=True))
        best.sort(key=lambda key: (-scores[key] * nearness[key], key))
        if whole := whole_name(names):
            return _free([whole], taken)
        if (carried := counted.carried(region, best[:_NAME_WORDS])) >= _CARRIES:
            all_forms = [forms[key] for key in best]
            return _chosen_name(all_forms, taken, self._proper, is_all=carried >= _NEARLY_ALL)
        apis = sum(sum(self._categories[i].values()) for i in own if self._categories)
        sizes = [int(self._sizes[i]) for i in own]
        examples = examples_of(names, sizes, self._usual)
        here = trades_of(own, self._categories)
        told = names_by_trade(here, self._everywhere, apis=apis, words=examples)
        # Its most usual words are examples, where it has some.
        best.sort(key=lambda key: (-counted.having[region][key] * nearness[key], key))
        shown = dict.fromkeys([*examples, *told.trades]) or [forms[key] for key in best]
        mixed = _mixed_names([*shown], self._proper)
        return _free([*told.mainly, *mixed] or ["Other tools"], taken)


def _plain_name(
    own: Sequence[int], names: Sequence[str], categories: Sequence[Mapping[str, int]]
) -> str:
    """What a region is called where the rule fails: by the category of most of its APIs, else its
    first toolkit."""
    trades: Counter[str] = Counter()
    for i in own if categories else ():
        trades.update({trade_of(name): times for name, times in categories[i].items()})
    del trades[""]
    first = names[own[0]] if own else ""
    about = trades.most_common(1)[0][0] if trades else first
    return f"{UNNAMED}: {about}" if about else UNNAMED


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Counted:
    """How often words stand in the names of each region's toolkits, by what their forms share.

    Attributes:
        worth: of each word, by region; large toolkits count more.
        having: how many toolkits have it, by region.
        everywhere: its worth in all regions.
        written: its forms.
        keys_of: the words of each toolkit, by region.
    """

    worth: list[dict[str, float]]
    having: list[Counter[str]]
    everywhere: dict[str, float]
    written: dict[str, Counter[str]]
    keys_of: list[list[set[str]]]

    def form(self, key: str) -> str:
        """The most usual form of a word."""
        return self.written[key].most_common(1)[0][0]

    def scores(self, region: int, usual: Callable[[str], bool]) -> dict[str, float]:
        """Class-based TF-IDF of a region's words, without those of few and names of vendors."""
        spread = [sum(words.values()) for words in self.worth]
        mean, total = sum(spread) / max(len(spread), 1), max(spread[region], 1e-9)
        least = max(_LEAST_SHARE * len(self.keys_of[region]), 1)
        score = {
            key: worth / total * math.log1p(mean / self.everywhere[key]) * weight_of(self.form(key))
            for key, worth in self.worth[region].items()
            if self.having[region][key] >= least
        }
        many = _MANY_HERE * len(self.keys_of[region])
        known = {
            key
            for key in score
            if self.having[region][key] >= many
            and sum(key in words for words in self.worth) >= _MANY_REGIONS
        }
        subjects = {
            key: each for key, each in score.items() if key in known or usual(self.form(key))
        }
        return subjects or score

    def carried(self, region: int, chosen: Sequence[str]) -> float:
        """The share of a region's toolkits that have any of the words chosen."""
        said = sum(not keys.isdisjoint(chosen) for keys in self.keys_of[region])
        return said / max(len(self.keys_of[region]), 1)


def _count_words(
    words: Sequence[Sequence[str]],
    of_toolkit: NDArray[np.int32],
    sizes: NDArray[np.int64],
    count: int,
) -> _Counted:
    counted = _Counted(
        worth=[{} for _ in range(count)],
        having=[Counter() for _ in range(count)],
        everywhere={},
        written={},
        keys_of=[[] for _ in range(count)],
    )
    for own, region, size in zip(words, of_toolkit.tolist(), sizes.tolist(), strict=True):
        if region < 0:
            continue
        keyed = {key_of(word): word for word in own}
        counted.keys_of[region].append(set(keyed))
        counted.having[region].update(keyed.keys())
        worth = 1 + math.log1p(size)
        for key, word in keyed.items():
            counted.worth[region][key] = counted.worth[region].get(key, 0.0) + worth
            counted.everywhere[key] = counted.everywhere.get(key, 0.0) + worth
            counted.written.setdefault(key, Counter())[word] += 1
    return counted


def _is_usual(usual: Callable[[str], bool], bound: Collection[str], word: str) -> bool:
    return word.casefold() not in bound and usual(word)


def _chosen_name(
    best: Sequence[str],
    taken: Collection[str],
    proper: Collection[str],
    *,
    is_all: bool = True,
) -> str:
    """A free name of the best words; the last of them gives way to others, then numbers count."""
    first, spare = list(best[: _NAME_WORDS - 1]), list(best[_NAME_WORDS - 1 :]) or [""]
    tried = [
        *([*first, *filter(None, [last])] for last in spare),
        *([*best[:1], other] for other in spare if other),
    ]
    told = [as_many_as_fit(words, letters=LETTERS) for words in tried]
    names = [_capital(_join(words, proper)) for words in told]
    is_one = [len(words) == 1 for words in told]
    more = [
        and_also(name, MORE) if one and name and not is_all else name
        for name, one in zip(names, is_one, strict=True)
    ]
    return _free([name or "Other tools" for name in more], taken)


def _mixed_names(words: Sequence[str], proper: Collection[str]) -> list[str]:
    """ "Mixed: webhooks and books"; ever other words as the last."""
    short = [word for word in words[:_WEIGHED] if len(word) <= _SHORT and " " not in word]
    first, *spare = short or words[:1] or [""]
    told = (as_many_as_fit([first, last], letters=LETTERS) for last in spare)
    both = [f"{MIXED}: {_join(each, proper)}" for each in told if len(each) > 1]
    # One word does not say that there are several sorts.
    return both or ([f"{MIXED}: {_join([first], proper)} and {MORE}"] if first else [])


def _free(names: Sequence[str], taken: Collection[str]) -> str:
    """The first name that is not taken; the last with a number if all are."""
    numbered = (f"{names[-1]} {number}" for number in itertools.count(2))
    return next(one for one in itertools.chain(names, numbered) if one.casefold() not in taken)


def _join(words: Sequence[str], proper: Collection[str]) -> str:
    """The words as a list, those that are no names in small letters."""
    written = [
        word if word in proper or _has_own_capitals(word) else word.lower() for word in words
    ]
    return enumerated(written)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _has_own_capitals(word: str) -> bool:
    """Whether a word is written with capitals beyond the first: "YouTube", "PDF"."""
    return any(letter.isupper() for letter in word[1:])
