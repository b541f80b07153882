"""Which phrases together say what a group is about: each next one covers members that are left.

Source: greedy maximum coverage, Nemhauser, Wolsey and Fisher 1978.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from toolplanner_core.curation.naming.phrases import ONLY_LAST_STEMS, Key, Scored
from toolplanner_core.curation.naming.verb_nouns import ACTIONS

_CARRIES_ALONE = 0.6
"""A phrase that fewer members say is joined by a second one: "Encryption and hashing"."""
_PLAIN_CARRIES_ALONE = 0.9
_CARRY_TOGETHER = 0.5
"""Phrases that fewer members say together are not what the group is about."""
_ADDS = 0.12
"""Share of the members that a further phrase has to add."""
_NEARLY, _HARDLY = 0.6, 0.4
_WEAK = 0.3
_ACTION = 0.45
"""An action that so many members say is part of the name: "Email address validation"."""
_BESIDE = 0.6
_MOST = 3
_MOST_WORDS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Subjects:
    """What a group is about.

    Attributes:
        keys: its phrases, the most telling first.
        is_mixed: they do not say what most members have in common.
    """

    keys: tuple[Key, ...]
    is_mixed: bool


def find_subjects(
    scored: Sequence[Scored],
    members: int,
    *,
    room: int = _MOST_WORDS,
    adds: float = _ADDS,
    weak: float = _WEAK,
) -> Subjects:
    """Phrases that cover a group.

    Args:
        scored: candidates.
        members: how many the group has.
        room: words that one phrase may have.
        adds: share of the members that a further phrase has to add.
        weak: what a common word counts; more behind the name of a vendor.
    """
    left = [one for one in scored if one.said and len(one.key) <= room]
    covered: set[int] = set()
    chosen: list[Scored] = []
    shares: list[float] = []
    while left and len(chosen) < _MOST:
        worth = [_worth(one, covered, weak) for one in left]
        best = left[worth.index(max(worth))]
        if chosen and len(best.said - covered) < max(adds * members, 1):
            break
        if not chosen:
            best = _narrower(best, left)
        chosen.append(best)
        covered |= best.said
        shares.append(len(covered) / members)
        left = [one for one in left if not has_kin(best.key, one.key)]
        is_plain = best.is_weak or (best.key[0] in ONLY_LAST_STEMS and len(best.key) == 1)
        alone = _PLAIN_CARRIES_ALONE if is_plain else _CARRIES_ALONE
        if shares[-1] >= (alone if len(chosen) == 1 else _CARRY_TOGETHER):
            break
    keys = [one.key for one in chosen]
    if len(keys) == 1 and shares[0] >= _CARRIES_ALONE:
        keys = _with_action(chosen[0], scored, members)
    # "Search" alone says what is done, not to what.
    is_bare = len(keys) == 1 and (ACTIONS & ONLY_LAST_STEMS).issuperset(keys[0])
    is_mixed = not chosen or shares[-1] < _CARRY_TOGETHER or is_bare
    return Subjects(keys=tuple(keys), is_mixed=is_mixed)


def has_kin(head: Key, new: Key) -> bool:
    """Whether two of the words are forms of one, such as "validation" and "validator"."""
    return any(one[:5] == other[:5] for one in head for other in new)


def _worth(one: Scored, covered: set[int], weak: float) -> float:
    share = len(one.said - covered) / len(one.said)
    return one.score * share * (weak if one.is_weak else 1.0)


def _narrower(head: Scored, scored: Sequence[Scored]) -> Scored:
    """A longer phrase with this one word in it that nearly as many say."""
    if len(head.key) > 1:
        return head
    word = "".join(head.key)
    least = _HARDLY if head.is_weak or word in ONLY_LAST_STEMS else _NEARLY
    longer = [one for one in scored if word in one.key and len(one.said) >= least * len(head.said)]
    return max(longer, key=lambda one: one.score * len(one.said), default=head)


def _with_action(head: Scored, scored: Sequence[Scored], members: int) -> list[Key]:
    """The phrase, with what most members do to it behind it, or beside what most are about, too."""
    if len(head.key) == _MOST_WORDS or (ONLY_LAST_STEMS | ACTIONS).intersection(head.key):
        return [head.key]
    beside = [
        one
        for one in scored
        if len(one.key) == 1
        and len(one.said & head.said) >= _ACTION * members
        and not has_kin(head.key, one.key)
    ]
    for one in beside:
        if one.key[0] in ACTIONS:
            return [(*head.key, *one.key)]
        if len(head.key) == 1 and not one.is_weak and one.score > _BESIDE * head.score:
            return [head.key, one.key]
    return [head.key]
