"""Regions: a level above toolkits, so that a map or list of thousands of them can be overseen.

Toolkits whose centroids lie together form a region; its name is made of the words that set its
toolkits' names apart. Found once, kept from then on (`region_keeping.py`). Pure functions.
"""

import itertools
import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.clustering.groups import unit
from toolplanner_core.curation.naming.meaning import Meaning
from toolplanner_core.curation.naming.toolkit_names import MIXED
from toolplanner_core.words.stop_words import FUNCTION_WORDS, GENERIC

FEWEST_TOOLKITS = 60
"""Fewer are seen at one glance."""
_FEWEST, _MOST = 6, 36
_PLACE_WEIGHT = 0.4
"""Of a place on the map against a vector of length 1: at 0.9 regions of the ToolBench catalogue mix
subjects more (25 % of their APIs in its largest category) than at 0.4 (28 %), at 0 they lie strewn
(31 %)."""
_FARTHEST = 2.0
"""Typical distances from the middle beyond which a place counts as this far."""
_NAME_WORDS = 3
_SHORTEST_WORD = 3
_KIN = 5
"""Words with so many first letters in common are forms of one."""
_WEIGHED = 24
_LEAST_NEAR = 0.2
_BEGINNINGS = 2
_CARRIES = 0.2
"""Words that fewer of the region's toolkits have are not what it is about. Of the 35 regions of the
ToolBench catalogue ten have 4 to 18 %, the others 20 to 90 %."""
_NO_SUBJECT = {"tools", "tool", "unnamed", "other", "others"} | {
    *("creation", "deletion", "removal", "updates", "lists", "generation")
}
"""What is done, or nothing: not what a region is about."""
_IN_BRACKETS = re.compile(r"\s\([^()]*\)$")
"""A category behind a name that was taken."""
_LEAST_SHARE = 0.02
"""A word that fewer of the region's toolkits have says little of it."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Regions:
    """Which region each toolkit belongs to.

    Attributes:
        of_toolkit: (t,) int32, index into `names`, -1 for a toolkit without a centroid.
        names: of the regions, unique, largest region first.
    """

    of_toolkit: NDArray[np.int32]
    names: tuple[str, ...]


def count_for(toolkits: int) -> int:
    """How many regions that many toolkits are put into; 0 if they need none."""
    if toolkits < FEWEST_TOOLKITS:
        return 0
    return min(max(round(math.sqrt(toolkits) / 2), _FEWEST), _MOST)


def find_regions(
    centroids: NDArray[np.float32],
    sizes: NDArray[np.int64],
    names: Sequence[str],
    *,
    places: NDArray[np.floating[Any]] | None = None,
    count: int | None = None,
    seed: int = 0,
) -> Regions:
    """Put toolkits into regions; 5,000 take about a second.

    Args:
        centroids: (t, dim) float32, any length; zeros for a toolkit without vectors.
        sizes: (t,) APIs of each toolkit: large ones weigh more, but not as much more.
        names: (t,) of the toolkits.
        places: (t, 2) of the toolkits on the map, nan for none: regions are also areas of it then,
            which an eye can take in; texts alone leave a catch-all strewn everywhere.
        count: number of regions; a fitting one if none.
        seed: of the clustering.

    Returns:
        No regions for few toolkits.
    """
    there = np.flatnonzero(np.linalg.norm(centroids, axis=1) > 0)
    wanted = count_for(len(there)) if count is None else count
    of_toolkit = np.full(len(centroids), -1, dtype=np.int32)
    if wanted < 1 or len(there) < wanted:
        return Regions(of_toolkit=of_toolkit, names=())
    from sklearn.cluster import KMeans

    weight = np.sqrt(np.maximum(sizes[there], 1)).astype(np.float64)
    units = unit(centroids[there])
    # Texts of one catalogue share a direction ("get", "api"); without it angles say more.
    origin = np.average(units, axis=0, weights=weight).astype(np.float32)
    space = unit(units - origin)
    features = space if places is None else _with_places(space, places[there])
    # Float64: sklearn's float32 path sums in another order on other machines.
    fitted = KMeans(wanted, n_init="auto", random_state=seed).fit(
        features.astype(np.float64), sample_weight=weight
    )
    groups = np.asarray(fitted.labels_, np.int64)
    mass = np.bincount(groups, weights=sizes[there], minlength=wanted)
    order = np.argsort(-mass, kind="stable")
    rank = np.empty(wanted, dtype=np.int32)
    rank[order] = np.arange(wanted, dtype=np.int32)
    of_toolkit[there] = rank[groups]
    return Regions(
        of_toolkit=of_toolkit, names=tuple(name_regions(names, of_toolkit, sizes, wanted))
    )


def _with_places(
    space: NDArray[np.float32], places: NDArray[np.floating[Any]]
) -> NDArray[np.float32]:
    """Vectors with places beside them, scaled so that both have their say."""
    known = np.isfinite(places[:, 0]) & np.isfinite(places[:, 1])
    middle = np.median(places[known], axis=0) if known.any() else np.zeros(2)
    # Far places are drawn in, so that islands far out do not get regions of their own.
    off = np.where(known.reshape(-1, 1), places - middle, 0.0)
    scale = np.sqrt(np.median(off**2, axis=0).sum()) or 1.0
    off = off / scale
    far = np.linalg.norm(off, axis=1, keepdims=True)
    off *= np.minimum(1.0, _FARTHEST / np.maximum(far, 1e-9))
    return np.concatenate([space, _PLACE_WEIGHT * off.astype(np.float32)], axis=1)


def name_regions(
    names: Sequence[str],
    of_toolkit: NDArray[np.int32],
    sizes: NDArray[np.int64],
    count: int,
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
    """
    meaning = Meaning([name.removeprefix(MIXED) for name in names])
    words = [_words(name) if not name.startswith(MIXED) else [] for name in names]
    usual = cache(_usual_words(words, meaning))
    written: dict[str, Counter[str]] = {}
    found: list[dict[str, float]] = [{} for _ in range(count)]
    having: list[Counter[str]] = [Counter() for _ in range(count)]
    everywhere: dict[str, float] = {}
    proper = _proper_names(words)
    keys_of: list[list[set[str]]] = [[] for _ in range(count)]
    for own, region, size in zip(words, of_toolkit.tolist(), sizes.tolist(), strict=True):
        if region < 0:
            continue
        keyed = {_key(word): word for word in own}
        keys_of[region].append(set(keyed))
        for key, word in keyed.items():
            worth = 1 + math.log1p(size)
            found[region][key] = found[region].get(key, 0.0) + worth
            having[region][key] += 1
            everywhere[key] = everywhere.get(key, 0.0) + worth
            written.setdefault(key, Counter())[word] += 1
    spread = [sum(words.values()) for words in found]
    mean = sum(spread) / max(count, 1)
    members = np.bincount(of_toolkit[of_toolkit >= 0], minlength=count)
    taken: set[str] = set()
    result: list[str] = []
    for region in range(count):
        total = max(spread[region], 1e-9)
        score = {
            key: worth / total * math.log1p(mean / everywhere[key])
            for key, worth in found[region].items()
            if having[region][key] >= max(_LEAST_SHARE * members[region], 1)
        }
        vendors = {key for key in score if not usual(written[key].most_common(1)[0][0])}
        for key in vendors if len(vendors) < len(score) else ():
            del score[key]
        best = sorted(score, key=lambda key: (-score[key], key))[:_WEIGHED]
        forms = {key: written[key].most_common(1)[0][0] for key in best}
        near = meaning.nearness(list(forms.values()), np.flatnonzero(of_toolkit == region).tolist())
        nearness = dict(zip(best, (_LEAST_NEAR + near.clip(0.0)).tolist(), strict=True))
        best.sort(key=lambda key: (-score[key] * nearness[key], key))
        said = sum(not found_in.isdisjoint(best[:_NAME_WORDS]) for found_in in keys_of[region])
        # A region of all sorts says so; its most usual words are examples.
        is_mixed = bool(said < _CARRIES * members[region])
        if is_mixed:
            best.sort(key=lambda key: (-having[region][key] * nearness[key], key))
        chosen = best[:_NAME_WORDS]
        name = _join([forms[key] for key in chosen], proper, is_mixed=is_mixed)
        spare = best[_NAME_WORDS:]
        while name.casefold() in taken and spare:
            chosen[-1] = spare.pop(0)
            name = _join([forms[key] for key in chosen], proper, is_mixed=is_mixed)
        name = _free(name or "Other tools", taken)
        taken.add(name.casefold())
        result.append(name)
    return result


def _free(name: str, taken: Collection[str]) -> str:
    """The name, with a number if it is taken."""
    numbered = (f"{name} {number}" for number in itertools.count(2))
    return next(one for one in itertools.chain([name], numbered) if one.casefold() not in taken)


def _usual_words(names: Sequence[Sequence[str]], meaning: Meaning) -> Callable[[str], bool]:
    """Whether a word is one that people use, and no vendor's: the vocabulary holds it, or names
    that begin differently have it inside."""
    beginnings: dict[str, set[str]] = {}
    for first, *rest in filter(None, names):
        for word in rest:
            if word.islower():
                beginnings.setdefault(word, set()).add(first)
    return lambda word: (
        len(beginnings.get(word.lower(), ())) >= _BEGINNINGS or meaning.is_usual(word)
    )


def _words(name: str) -> list[str]:
    name = _IN_BRACKETS.sub("", name)
    cleaned = "".join(letter if letter.isalnum() or letter in "-+#'" else " " for letter in name)
    words = [word.strip("-'") for word in cleaned.split()]
    return [
        word
        for word in words
        if len(word) >= _SHORTEST_WORD
        and not word.isdigit()
        and word.casefold() not in FUNCTION_WORDS
        and word.casefold() not in GENERIC
        and word.casefold() not in _NO_SUBJECT
    ]


def _key(word: str) -> str:
    """What two forms of a word have in common."""
    folded = word.casefold()
    return folded[:_KIN] if len(folded) > _KIN else folded.rstrip("s")


def _proper_names(names: Sequence[Sequence[str]]) -> frozenset[str]:
    """Words that names write with a capital inside, too, and never without: "Google"."""
    inside = {word for _, *rest in filter(None, names) for word in rest}
    return frozenset(
        word for word in inside if word != (lower := word.lower()) and lower not in inside
    )


def _join(words: Sequence[str], proper: Collection[str], *, is_mixed: bool) -> str:
    written = [
        word if word in proper or _has_own_capitals(word) else word.lower() for word in words
    ]
    if not written:
        return ""
    *between, last = written
    text = f"{', '.join(between)} and {last}" if between else last
    return f"{MIXED}: {text}" if is_mixed else text[:1].upper() + text[1:]


def _has_own_capitals(word: str) -> bool:
    """Whether a word is written with capitals beyond the first: "YouTube", "PDF"."""
    return any(letter.isupper() for letter in word[1:])
