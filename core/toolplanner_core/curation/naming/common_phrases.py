"""What most members of a group say anywhere: in their names and descriptions, in the titles and
descriptions of their tools.

`scoring.py` looks for what sets a group apart, and leaves a tool's own words out of a group of one
tool. Where nothing comes of that but a vendor's name or one general word, these phrases say what it
is about. Called for such groups only.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from toolplanner_core.curation.naming.phrases import IN_DESCRIPTION, IN_NAME, Key, PhraseBook
from toolplanner_core.curation.naming.scoring import LENGTH_BONUS, can_be_name
from toolplanner_core.curation.naming.subjects import has_kin
from toolplanner_core.curation.naming.verb_nouns import ACTIONS

_RARITY = 0.3
_LEAST_NEAR = 0.35
_WEIGHED = 24
"""Phrases whose meaning is looked at."""
_SHORTEST, _FEWEST, _QUITE_SOME = 3, 2, 5
_NEAR_IF_LOUD, _NEAR, _LOUD = 0.08, 0.15, 0.8
"""Cosine to the members below which a phrase is none of theirs; the first where their names say it,
or so many do."""


@dataclass(frozen=True, slots=True)
class Common:
    """A phrase that many members say.

    Attributes:
        share: of the members that say it, 0 to 1.
        is_own: most of those say it in their own names or descriptions.
        is_loud: most of those say it there or in titles of tools, not only in what their tools say
            of themselves.
        is_named: most of those say it in their own names.
        nearness: cosine to what the members are about.
        score: comparable within one group.
    """

    key: Key
    share: float
    is_own: bool
    is_loud: bool
    is_named: bool
    nearness: float
    score: float


def common_phrases(
    book: PhraseBook,
    members: Sequence[int],
    *,
    least: float,
    without: Collection[str] = (),
) -> list[Common]:
    """Phrases that at least this share of the members say, the best first.

    Args:
        members: positions of APIs.
        without: stems that are said already.
    """
    said: dict[Key, float] = defaultdict(float)
    times: dict[Key, int] = defaultdict(int)
    own_times: dict[Key, int] = defaultdict(int)
    loud_times: dict[Key, int] = defaultdict(int)
    named: dict[Key, int] = defaultdict(int)
    for i in members:
        own = book.weights_of(i, with_tool=False)
        for key, weight in book.weights_of(i, with_tool=True).items():
            said[key] += weight
            times[key] += 1
            own_times[key] += key in own
            loud_times[key] += weight >= IN_DESCRIPTION
            named[key] += own.get(key, 0.0) >= IN_NAME
    n = len(members)
    able = [
        (key, said[key] / n * book.rarity(key) ** _RARITY * LENGTH_BONUS[len(key)])
        for key, count in times.items()
        if count >= max(least * n, min(_FEWEST, n))
        and _is_telling(book, key, without, is_named=2 * named[key] > count)
    ]
    best = sorted(able, key=lambda one: (-one[1], one[0]))[:_WEIGHED]
    near = book.nearness([key for key, _ in best], members)
    found = (
        Common(
            key,
            times[key] / n,
            2 * own_times[key] > times[key],
            2 * loud_times[key] > times[key],
            2 * named[key] > times[key],
            cosine,
            worth * (_LEAST_NEAR + max(0.0, cosine)),
        )
        for (key, worth), cosine in zip(best, near, strict=True)
    )
    near_enough = (
        one
        for one in found
        if one.nearness >= _NEAR
        or (
            one.nearness >= _NEAR_IF_LOUD and (one.is_named or (one.is_loud and one.share >= _LOUD))
        )
    )
    return sorted(near_enough, key=lambda one: (-one.score, one.key))


def _is_telling(book: PhraseBook, key: Key, without: Collection[str], *, is_named: bool) -> bool:
    """Whether a phrase tells something beside words that are said already; what names do not say
    has to be of usual words."""
    return (
        can_be_name(key, book.casing)
        and not ACTIONS.issuperset(key)
        and (is_named or key[-1] not in ACTIONS)
        and (is_named or not key[-1].endswith("ing"))
        and not any(word.endswith("ly") for word in key)
        and all(
            len(word) >= _SHORTEST
            and (book.is_written(word) if is_named else _is_usual(book, word))
            for word in key
        )
        and not any(has_kin((word,), key) for word in without)
    )


def _is_usual(book: PhraseBook, word: str) -> bool:
    """Whether people use the word, it is a proper name, or quite some tools say it."""
    return (
        book.is_plain([word])
        or book.casing.is_name(word)
        or book.tools_saying((word,)) >= _QUITE_SOME
    )
