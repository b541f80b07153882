"""Rank toolkits for a text, and the members of a toolkit for a step's goal.

The scores of searches are only comparable within one list: the best of 60 toolkits looks the same
whether it fits or not. A planner that must say "no toolkit here can do this" needs figures that
mean the same for every text. Thread-safe.

A toolkit's score comes from its best two members (hybrid scores) and its own name and
description. Thread-safe.
"""

import math
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.domain.ids import ApiId, ToolkitId
from toolplanner_core.domain.toolkit import MemberFit, ScoredApi, ScoredToolkit, Toolkit
from toolplanner_core.embedding.query_encoder import QueryEncoder
from toolplanner_core.errors import EmbedderUnavailable, NotFound, WorkerDied
from toolplanner_core.retrieval.catalogue_index import CatalogueVectors
from toolplanner_core.retrieval.hybrid import AllScores, HybridIndex, z_scores
from toolplanner_core.words.currencies import expand_currency_codes
from toolplanner_core.words.stop_words import search_terms
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.settings import get_setting
from toolplanner_core.workspace.toolkits import (
    plannable_labels,
    plannable_members,
    plannable_toolkits,
)

MOST_WORDS = 12
"""Words of a text that are looked up one by one; a need is shorter."""


def member_fits(
    encoder: QueryEncoder,
    catalogue: CatalogueVectors,
    members: Sequence[NDArray[np.int64]],
    *,
    text: str,
    words: str,
) -> list[MemberFit]:
    """One fit per toolkit.

    Args:
        members: for each toolkit the positions of its APIs in `catalogue`.
        text: what is compared by meaning.
        words: what is compared by words: the text without its values (places, dates, numbers),
            which no documentation can hold.
    """
    cosines = _cosines(encoder, catalogue, text)
    shares = _word_shares(catalogue, words)
    return [
        MemberFit(
            cosine=float(cosines[own].max()) if len(own) else 0.0,
            words=float(shares[own].max()) if len(own) else 0.0,
        )
        for own in members
    ]


def positions_of_members(
    owner: NDArray[np.int64], position_of: dict[ToolkitId, int], toolkits: Sequence[ToolkitId]
) -> list[NDArray[np.int64]]:
    """Positions in the catalogue of the members of each toolkit, none for an unknown one."""
    order = np.argsort(owner, kind="stable")
    sorted_owner = owner[order]
    places = [position_of.get(toolkit, -2) for toolkit in toolkits]
    lows = np.searchsorted(sorted_owner, places, side="left")
    highs = np.searchsorted(sorted_owner, places, side="right")
    return [order[low:high] for low, high in zip(lows, highs, strict=True)]


def _cosines(encoder: QueryEncoder, catalogue: CatalogueVectors, text: str) -> NDArray[np.float32]:
    """(n,) cosines of the text with every API; zeros without vectors."""
    nothing = np.zeros(len(catalogue.rowids), dtype=np.float32)
    if catalogue.vectors is None or not text.strip():
        return nothing
    try:
        vector = encoder.encode([text])[0]
    except (EmbedderUnavailable, WorkerDied, NotFound):
        return nothing  # words decide alone, as in searches
    if len(vector) != catalogue.vectors.shape[1]:
        return nothing  # another embedder became active this moment
    return catalogue.vectors @ vector


def _word_shares(catalogue: CatalogueVectors, words: str) -> NDArray[np.float64]:
    """(n,) share of the words that each API's documentation holds, rare words counting more.

    Words that no API holds count in full: a need of which the catalogue knows one word of three is
    not met by that word.
    """
    count = len(catalogue.rowids)
    held = np.zeros(count)
    whole = 0.0
    for word in search_terms(words)[:MOST_WORDS]:
        places = catalogue.words.hits(word).places
        # BM25's idf, so that a word of every second API adds next to nothing.
        weight = math.log(1 + (count - len(places) + 0.5) / (len(places) + 0.5))
        held[places] += weight
        whole += weight
    return held / whole if whole else held


TEXT_WEIGHT = 0.25
"""What the toolkit's own name and description add, per standard deviation."""
SECOND_WEIGHT = 0.25
"""What the second-best member adds: two that fit are better than one, and a fallback for it."""
HEALTH_WEIGHT = 1.0
"""How far full health lifts a member above none, in standard deviations of similarity."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Toolkits:
    """All living toolkits, and which API belongs to which."""

    version: object
    catalogue: CatalogueVectors
    toolkits: list[Toolkit]
    owner: NDArray[np.int64]
    """(n,) position of each API's toolkit, -1 for none."""
    words: dict[str, list[tuple[int, float]]]
    """For each word, the toolkits whose name or description holds it, with its weight there."""


class ToolkitIndex:
    """Search over the toolkits of a workspace.

    Args:
        index: the search over its APIs; share one per workspace.
    """

    def __init__(self, workspace: Workspace, index: HybridIndex) -> None:
        self._workspace = workspace
        self._index = index
        self._lock = threading.Lock()
        self._kept: _Toolkits | None = None

    def rank_toolkits(
        self, text: str, n: int, without: Sequence[ToolkitId] = ()
    ) -> list[ScoredToolkit]:
        """The `n` toolkits that fit `text` best (all, if fewer), best first.

        A text without words gives the first toolkits by name, all with score 0.
        """
        text = expand_currency_codes(text)
        excluded = frozenset(without)
        scores = self._index.score_all(text)
        if scores is None:
            named = [t for t in plannable_toolkits(self._workspace) if t.id not in excluded]
            return [ScoredToolkit(toolkit=t, score=0.0) for t in named[:n]]
        kept = self._current(scores.catalogue)
        if not kept.toolkits:
            return []
        best, second = _best_two(scores, kept)
        own = _own_text_scores(text, kept)
        total = best + SECOND_WEIGHT * second + TEXT_WEIGHT * own
        order = np.lexsort((np.arange(len(total)), -total))
        best_first = [i for i in order.tolist() if kept.toolkits[i].id not in excluded]
        figures = {"best member": best, "second member": second, "own text": own}
        return [
            ScoredToolkit(
                toolkit=kept.toolkits[i],
                score=float(total[i]),
                parts={name: float(values[i]) for name, values in figures.items()},
            )
            for i in best_first[:n]
        ]

    def rank_members(
        self,
        toolkit: ToolkitId,
        near: str,
        health: Callable[[ApiId], float] | None = None,
    ) -> list[ScoredApi]:
        """The APIs of a toolkit by fit to `near` and health, best first.

        Args:
            health: share of successful calls, smoothed, in 0..1; None leaves it out.
        """
        ranked = self._index.rank(near, plannable_members(self._workspace, toolkit))
        if health is None:
            return ranked
        known = [(each, health(each.api.id)) for each in ranked]
        healthy = [
            replace(
                each,
                score=each.score + HEALTH_WEIGHT * share,
                parts={**each.parts, "health": share},
            )
            for each, share in known
        ]
        # Stable: without any difference the most central member comes first.
        return sorted(healthy, key=lambda scored: -scored.score)

    def fits(
        self,
        text: str,
        words: str,
        toolkits: Sequence[ToolkitId],
        *,
        among: Collection[int] | None = None,
    ) -> list[MemberFit]:
        """How much the members of each toolkit have to do with a text, on absolute scales.

        Args:
            words: the text without its values; see `retrieval.evidence`.
            among: row ids of the only members that count; None = all.
        """
        kept = self._current(self._index.catalogue())
        position_of = {toolkit.id: place for place, toolkit in enumerate(kept.toolkits)}
        owner = kept.owner
        if among is not None:
            owner = np.where(np.isin(kept.catalogue.rowids, list(among)), owner, -1)
        members = positions_of_members(owner, position_of, toolkits)
        encoder = self._index.encoder
        return member_fits(encoder, kept.catalogue, members, text=text, words=words)

    def _current(self, catalogue: CatalogueVectors) -> _Toolkits:
        with self._lock:
            version = get_setting(self._workspace, "toolkits_version")
            kept = self._kept
            if kept is None or kept.version != version or kept.catalogue is not catalogue:
                self._kept = kept = _load(self._workspace, version, catalogue)
            return kept


def _load(workspace: Workspace, version: object, catalogue: CatalogueVectors) -> _Toolkits:
    toolkits = plannable_toolkits(workspace)
    position = {toolkit.id: i for i, toolkit in enumerate(toolkits)}
    labels = plannable_labels(workspace)
    owner = np.array(
        [position.get(labels.get(int(r), ToolkitId(-1)), -1) for r in catalogue.rowids],
        dtype=np.int64,
    )
    counts = [
        Counter([*search_terms(t.name), *search_terms(f"{t.name} {t.description}")])
        for t in toolkits
    ]
    holders = Counter(word for counted in counts for word in counted)
    words: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for i, counted in enumerate(counts):
        # BM25's idf; every text is short, so its length is left out.
        for word, count in counted.items():
            idf = math.log(1 + (len(toolkits) - holders[word] + 0.5) / (holders[word] + 0.5))
            words[word].append((i, idf * (1 + math.log(count))))
    return _Toolkits(
        version=version, catalogue=catalogue, toolkits=toolkits, owner=owner, words=dict(words)
    )


def _best_two(
    scores: AllScores, kept: _Toolkits
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Scores of the best and the second-best member of each toolkit; the floor where none is."""
    total, owner = scores.total, kept.owner
    floor = float(total.min())
    best = np.full(len(kept.toolkits), floor, dtype=np.float32)
    second = best.copy()
    is_owned = owner >= 0
    order = np.flatnonzero(is_owned)[np.argsort(-total[is_owned], kind="stable")]
    owners, first_at = np.unique(owner[order], return_index=True)
    best[owners] = total[order[first_at]]
    rest = np.delete(order, first_at)
    owners, first_at = np.unique(owner[rest], return_index=True)
    second[owners] = total[rest[first_at]]
    return best, second


def _own_text_scores(text: str, kept: _Toolkits) -> NDArray[np.float32]:
    scores = np.zeros(len(kept.toolkits), dtype=np.float32)
    for term in search_terms(text):
        for i, weight in kept.words.get(term, ()):
            scores[i] += weight
    return z_scores(scores)
