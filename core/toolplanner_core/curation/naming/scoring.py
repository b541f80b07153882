"""How well each phrase of a group would do as its name.

Called for each toolkit that is named; what is counted, and why, stands in `phrases.py`.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from toolplanner_core.curation.naming.casing import Casing
from toolplanner_core.curation.naming.phrase_cutting import action_stem
from toolplanner_core.curation.naming.phrases import (
    IN_DESCRIPTION,
    IN_TITLE,
    Key,
    PhraseBook,
)
from toolplanner_core.curation.naming.verb_nouns import NEVER_FIRST, NOT_NOUNS
from toolplanner_core.words.stop_words import ONLY_FIRST, ONLY_LAST, TERMS

_RARITY, _RARITY_IN_TOOL = 0.7, 0.3
"""Below 1 how many of the group say a phrase counts more than how few others do."""
_SHARED_TITLE = 0.5
"""What the titles of the tools of so many members say, these members say, too."""
_UNNAMED = 0.55
"""How much a phrase counts that only descriptions say, and no name or title."""
_DESCRIBED_BY_ONE = 0.5
"""How much less descriptions say in a group of one tool, which has its own way of putting things
("for this you need the write permission"); names are told apart."""
_UNKNOWN = 0.5
"""How much a phrase counts with a word that is only in names ("gservice"); a group of one tool may
have words of its own."""
_ADVERB = 9
"""Letters from which on what ends in "ly" is an adverb ("symmetrically"), not "daily"."""
_WEIGHED = 30
"""Phrases of a group whose meaning is looked at."""
_LEAST_NEAR = 0.35
"""How much a phrase counts that has nothing to do with what the group is about."""
_IDEOGRAPH = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True, slots=True)
class Scored:
    """A phrase as a name for a group.

    Attributes:
        coverage: share of the group's members that say it, 0 to 1; louder where a name does.
        said: positions in the group of the members that say it.
        tools: how many tools of the group say it.
        is_named: names say it, not only descriptions.
        is_weak: a common word, a name only if nothing better is found.
        score: coverage times rarity; comparable within one group.
    """

    key: Key
    coverage: float
    said: frozenset[int]
    tools: int
    score: float
    is_named: bool
    is_weak: bool


def score(book: PhraseBook, members: Sequence[int], *, with_tools: bool = True) -> list[Scored]:
    """Phrases of a group, best first; only those that could stand in a name.

    Args:
        members: positions of APIs.
        with_tools: count what their tools say of themselves, too; False for a group of one
            tool, where that sets nothing apart.
    """
    in_group = Counter(book.tools[i] for i in members)
    said: dict[Key, float] = defaultdict(float)
    said_at: dict[Key, set[int]] = defaultdict(set)
    titled_at: dict[Key, set[int]] = defaultdict(set)
    named: set[Key] = set()
    total = 0.0
    for place, i in enumerate(members):
        # Ten APIs of one tool say a thing about three times as loudly as one.
        share = in_group[book.tools[i]] ** -0.5
        total += share
        is_uninformative = book.is_uninformative(i)
        for key, weight in book.weights_of(i, with_tool=with_tools).items():
            is_described = weight == IN_DESCRIPTION and not with_tools
            said[key] += weight * share * (_DESCRIBED_BY_ONE if is_described else 1.0)
            if weight > IN_TITLE:
                named.add(key)
            if weight == IN_TITLE and not is_uninformative:
                titled_at[key].add(place)
            elif weight >= IN_DESCRIPTION:
                said_at[key].add(place)
    scored: list[Scored] = []
    least = 0.1 if len(members) > 3 else 0.0
    for key, sum_said in said.items():
        coverage = min(1.0, sum_said / total)
        if coverage < least:
            continue
        fit = _fit(key, book.casing)
        if fit:
            power = _RARITY if with_tools else _RARITY_IN_TOOL
            worth = coverage * book.rarity(key) ** power * LENGTH_BONUS[len(key)]
            at = frozenset(said_at[key])
            if len(titled_at[key]) >= _SHARED_TITLE * len(members):
                at |= titled_at[key]
                named.add(key)
            worth *= 1.0 if key in named else _UNNAMED
            if with_tools and not all(map(book.is_written, key)):
                worth *= _UNKNOWN
            tools = len({book.tools[members[place]] for place in at})
            scored.append(Scored(key, coverage, at, tools, worth, key in named, fit == _WEAK))
    scored.sort(key=lambda one: (-one.score, one.key))
    best = scored[:_WEIGHED]
    near = book.nearness([one.key for one in best], members)
    weighed = [
        replace(one, score=one.score * (_LEAST_NEAR + max(0.0, cosine)))
        for one, cosine in zip(best, near, strict=True)
    ]
    return sorted(weighed, key=lambda one: (-one.score, one.key))


LENGTH_BONUS = {1: 1.0, 2: 1.5, 3: 1.55}
"""People name a toolkit with two words rather than one; the third rarely adds to it."""


_UNFIT, _WEAK, _GOOD = 0, 1, 2


def can_be_name(key: Key, casing: Casing) -> bool:
    """Whether a phrase is a name, and not only if nothing better is found."""
    return _fit(key, casing) == _GOOD


def _fit(key: Key, casing: Casing) -> int:
    """Whether a phrase can be a name."""
    if len(set(key)) < len(key) or any(len(word) > 20 or "'" in word for word in key):
        return _UNFIT
    if any(word.endswith("ly") and len(word) >= _ADVERB for word in key):
        return _UNFIT
    if key[-1] in ONLY_FIRST or key[-1] in NEVER_FIRST or key[0] in NEVER_FIRST:
        return _UNFIT
    if len(key) == 1:
        word = key[0]
        if word in ONLY_LAST_STEMS:
            return _WEAK
        if (
            word in NOT_NOUNS
            or word.endswith(("ed", "ly"))
            or (
                len(word) < 3
                and not _IDEOGRAPH.match(word)
                and (len(word) < 2 or not casing.is_name(word))
            )
        ):
            return _UNFIT
        return _GOOD
    if key[0] in ONLY_LAST_STEMS and key[:2] not in TERMS:
        return _UNFIT
    if not all(len(word) > 1 or word.isdigit() for word in key):
        return _UNFIT
    return _GOOD


ONLY_LAST_STEMS = frozenset(action_stem(word) for word in ONLY_LAST)
