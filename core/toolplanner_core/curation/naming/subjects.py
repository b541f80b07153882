"""Which one to three phrases together say best what a group is about.

Of all sets of the most promising phrases the one is taken that covers the most members with the
best phrases; each has to add members enough to be worth its words. Source: maximum coverage,
Nemhauser, Wolsey and Fisher 1978; there are few candidates, so all sets are tried.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from toolplanner_core.curation.naming.phrases import Key
from toolplanner_core.curation.naming.scoring import ONLY_LAST_STEMS, Scored
from toolplanner_core.curation.naming.verb_nouns import ACTIONS

_TRIED = 14
_OTHERS = 8
_MOST = 3
_MOST_WORDS = 4
_ADDS = 0.25
"""Share of the members that each further phrase has to add."""
_COSTS = 0.2
"""What a further phrase costs, of what the best one alone is worth."""
_CARRIES = 0.55
"""Phrases that fewer members say together are not what the group is about."""
_STRAY = 0.4
"""What phrases are worth that do not carry, against such that do."""
_TOGETHER = 0.5
"""Phrases that share so many of the members of the smaller are one subject: "YouTube playlists"."""
_WEAK = 0.5
_ACTION = 0.6
"""An action that so many members say is part of the name: "Email address validation"."""
_BESIDE, _NARROWER = 0.8, 0.6


@dataclass(frozen=True, slots=True, kw_only=True)
class Subjects:
    """What a group is about.

    Attributes:
        keys: its phrases, the most telling first.
        is_mixed: they do not say what most members have in common.
        members: how many the group has.
        covered: positions in the group of the members that say any of them.
        worth: comparable within one group, less what further phrases cost.
        are_one: both phrases are said by the same members.
        others: further sets that say what most have in common, for when a name is taken.
    """

    keys: tuple[Key, ...]
    is_mixed: bool
    members: int = 0
    covered: frozenset[int] = frozenset()
    worth: float = 0.0
    are_one: bool = False
    others: tuple["Subjects", ...] = ()


def find_subjects(
    scored: Sequence[Scored],
    members: int,
    *,
    room: int = _MOST_WORDS,
    weak: float = _WEAK,
    adds: float = _ADDS,
) -> Subjects:
    """Phrases that cover a group.

    Args:
        scored: candidates, best first.
        members: how many the group has.
        room: words that one phrase may have.
        weak: what a common word counts; more behind the name of a vendor.
        adds: share of the members that each further phrase has to add.
    """
    able = [one for one in scored if one.said and len(one.key) <= room]
    tried = sorted(able, key=lambda one: -_alone(one, weak))[:_TRIED]
    if not tried:
        return Subjects(keys=(), is_mixed=True)
    cost = _COSTS * _alone(tried[0], weak)
    # "Search" alone says what is done, not to what; behind a vendor's name it will do.
    bare = ACTIONS & ONLY_LAST_STEMS if weak == _WEAK else frozenset[str]()
    sets = _sets(tried, max(adds * members, 1), _CARRIES * members, weak)
    told = [one for one in sets if not all(bare.issuperset(each.key) for each in one.phrases)]
    ranked = sorted(told or sets, key=lambda one: -(one.worth - cost * len(one.phrases)))
    best, *others = (_subjects(one, able, members, cost) for one in ranked[: _OTHERS + 1])
    said = [word for key in best.keys for word in key]
    return replace(
        best,
        is_mixed=best.is_mixed or all(bare.issuperset(key) for key in best.keys),
        others=tuple(
            one
            for one in others
            if not one.is_mixed and not all(set(key) <= set(said) for key in one.keys)
        ),
    )


def _subjects(found: "_Set", scored: Sequence[Scored], members: int, cost: float) -> Subjects:
    some = found.phrases
    keys = [one.key for one in some]
    if len(some) == 1:
        keys = _with_action(_narrower(some[0], scored), scored, members)
    both = len(some[0].said & some[1].said) if len(some) == 2 else 0
    return Subjects(
        keys=tuple(keys),
        is_mixed=len(found.covered) < _CARRIES * members,
        members=members,
        covered=found.covered,
        worth=found.worth - cost * len(some),
        are_one=both > 0 and both >= _TOGETHER * min(len(one.said) for one in some),
    )


def has_kin(head: Key, new: Key) -> bool:
    """Whether two of the words are forms of one, such as "validation" and "validator", or one
    phrase holds the other, such as "web link" and "weblinks"."""
    whole, other_whole = "".join(head), "".join(new)
    return (
        whole in other_whole
        or other_whole in whole
        or any(one[:5] == other[:5] for one in head for other in new)
    )


def _alone(one: Scored, weak: float) -> float:
    return one.score * (weak if one.is_weak else 1.0)


@dataclass(frozen=True, slots=True)
class _Set:
    phrases: tuple[Scored, ...]
    covered: frozenset[int]
    worth: float


def _sets(tried: Sequence[Scored], least: float, carries: float, weak: float) -> list[_Set]:
    """All sets of a few phrases with what they are worth, each for the members that those before it
    do not say; without such in which one adds too few, or is a form of another."""
    grown = [_Set((one,), one.said, _alone(one, weak)) for one in tried]
    found = [*grown]
    position = {one.key: place for place, one in enumerate(tried)}
    for _ in range(_MOST - 1):
        grown = [
            _Set(
                (*some.phrases, one),
                some.covered | one.said,
                some.worth + _alone(one, weak) * new / len(one.said),
            )
            for some in grown
            for one in tried[position[some.phrases[-1].key] + 1 :]
            if (new := len(one.said - some.covered)) >= least
            and not any(has_kin(other.key, one.key) for other in some.phrases)
        ]
        found.extend(grown)
    return [
        one if len(one.covered) >= carries else replace(one, worth=one.worth * _STRAY)
        for one in found
    ]


def _narrower(head: Scored, scored: Sequence[Scored]) -> Scored:
    """For a word that says little alone a longer phrase with it that nearly as many say."""
    word = head.key[0]
    if len(head.key) > 1 or not (head.is_weak or word in ONLY_LAST_STEMS):
        return head
    longer = [
        one for one in scored if word in one.key and len(one.said) >= _NARROWER * len(head.said)
    ]
    return max(longer, key=lambda one: one.score * len(one.said), default=head)


def _with_action(head: Scored, scored: Sequence[Scored], members: int) -> list[Key]:
    """The phrase, with what most members do to it behind it, or beside what most are about, too:
    "Sunrise and sunset"."""
    if len(head.key) == _MOST_WORDS or (ONLY_LAST_STEMS | ACTIONS).intersection(head.key):
        return [head.key]
    for one in scored:
        both = len(one.said & head.said)
        if len(one.key) != 1 or both < _ACTION * members or has_kin(head.key, one.key):
            continue
        if one.key[0] in ACTIONS and one.is_named:
            return [(*head.key, *one.key)]
        if (
            len(head.key) == 1
            and one.is_named
            and not one.is_weak
            and one.score > _BESIDE * head.score
        ):
            return [head.key, one.key]
    return [head.key]
