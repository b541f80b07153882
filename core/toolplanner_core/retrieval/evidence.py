"""How much the APIs of a toolkit have to do with a text, on absolute scales.

The scores of searches are only comparable within one list: the best of 60 toolkits looks the same
whether it fits or not. A planner that must say "no toolkit here can do this" needs figures that
mean the same for every text. Thread-safe.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.domain.candidates import MemberFit
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.embedding.query_encoder import QueryEncoder
from toolplanner_core.errors import EmbedderUnavailable, NotFound, WorkerDied
from toolplanner_core.retrieval.matrix import CatalogueVectors
from toolplanner_core.words.stop_words import search_terms

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
