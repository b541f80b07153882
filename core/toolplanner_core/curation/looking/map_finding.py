"""Find points of the map, by words, a pattern, likeness, neighbours; how well found ones agree.

Pure functions over the workspace and arrays, run on a reader thread; each answers with a mask over
the points of the catalogue.
"""

from __future__ import annotations

import re

import numpy as np

from toolplanner_core.clustering.groups import unit
from toolplanner_core.curation.looking.curated_catalogue import CuratedCatalogue
from toolplanner_core.errors import BadInput
from toolplanner_core.words.stop_words import search_terms
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.map_facts import KnownNeighbours, api_search_texts
from toolplanner_core.workspace.search_index import rowids_with_words
from toolplanner_core.workspace.settings import get_setting
from toolplanner_core.workspace.vectors import load_vectors

GROWTH_NEIGHBOURS = 5
"""Nearest neighbours of a selected API that join when a selection grows."""
LEAST_SIMILAR, MOST_SIMILAR = 20, 500
USUAL = 25
"""Percentile of the selected APIs' own cosines from which on another one counts as similar."""
MOST_ASKED = 20_000
"""Points whose neighbours are looked at to tell how coherent a selection is."""
WORDS = ((0.7, "close together"), (0.45, "mostly together"), (0.2, "loose"), (0.0, "scattered"))
"""A word for a coherence of at least this share."""
LOOSE_SHARE = 0.5
"""An API with fewer of its nearest neighbours selected goes when a selection shrinks."""


def find_words(workspace: Workspace, catalogue: CuratedCatalogue, text: str) -> np.ndarray:
    """(n,) bool, points whose documentation holds all words of a text."""
    return _mask(catalogue, rowids_with_words(workspace, search_terms(text)))


def find_pattern(workspace: Workspace, catalogue: CuratedCatalogue, pattern: str) -> np.ndarray:
    """(n,) bool, points whose name, tool, id or address matches a regular expression.

    Raises:
        BadInput: it is none.
    """
    try:
        expression = re.compile(pattern, re.IGNORECASE)
    except re.error as error:
        raise BadInput(
            f"“{pattern}” is no regular expression",
            why=str(error),
            todo="Write \\. for a full stop, \\( for a bracket",
        ) from error
    rowids = [rowid for rowid, text in api_search_texts(workspace) if expression.search(text)]
    return _mask(catalogue, np.array(rowids, np.int64))


def find_similar(workspace: Workspace, catalogue: CuratedCatalogue, mask: np.ndarray) -> np.ndarray:
    """(n,) bool, points whose vector is as near to the middle of those of a mask as theirs are.

    The most similar `LEAST_SIMILAR` in any case, at most `MOST_SIMILAR`; those of the mask itself
    are not counted and not returned.

    Raises:
        BadInput: there are no vectors.
    """
    embedder: str | None = get_setting(workspace, "active_embedder")
    if embedder is None:
        raise BadInput("The APIs have no vectors yet", todo="Prepare the map first")
    vectors, _missing = load_vectors(workspace, embedder, catalogue.rowids.tolist())
    middle = unit(vectors[mask].sum(axis=0))
    cosine = vectors @ middle
    least = float(np.percentile(cosine[mask], USUAL)) if mask.any() else 1.0
    cosine[mask] = -np.inf
    order = np.argsort(-cosine, kind="stable")[:MOST_SIMILAR]
    count = max(int(np.count_nonzero(cosine[order] >= least)), LEAST_SIMILAR)
    found = np.zeros(len(cosine), dtype=bool)
    found[order[:count]] = True
    return found & np.isfinite(cosine)


def grown(neighbours: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """(n,) bool, a mask and the nearest neighbours of its points.

    Args:
        neighbours: (n, k) int, rows of nearest points, itself first, -1 for none.
        mask: (n,) bool.
    """
    near = neighbours[mask, 1 : GROWTH_NEIGHBOURS + 1].ravel()
    after = mask.copy()
    after[near[near >= 0]] = True
    return after


def shrunk(neighbours: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """(n,) bool, a mask without the points most of whose nearest neighbours are outside."""
    rows = np.flatnonzero(mask)
    near = neighbours[rows, 1 : GROWTH_NEIGHBOURS + 1]
    inside = (mask[near] & (near >= 0)).mean(axis=1) if near.shape[1] else np.ones(len(rows))
    after = mask.copy()
    after[rows[inside < LOOSE_SHARE]] = False
    return after


def neighbours_of_points(known: KnownNeighbours, catalogue: CuratedCatalogue) -> np.ndarray:
    """Stored neighbours as rows of the catalogue's points.

    Returns:
        (n, k) int32; -1 for neighbours without a point; a point that was not there when they were
        computed knows only itself.
    """
    places = catalogue.places_of(known.rowids.astype(np.int64))
    found = np.full((len(catalogue.rowids), known.indices.shape[1]), -1, np.int32)
    found[:, 0] = np.arange(len(found))
    there = places >= 0
    found[places[there]] = places[known.indices[there]]
    return found


def _mask(catalogue: CuratedCatalogue, rowids: np.ndarray) -> np.ndarray:
    mask = np.zeros(len(catalogue.rowids), dtype=bool)
    mask[catalogue.points_of(rowids)] = True
    return mask


def coherence(neighbours: np.ndarray, mask: np.ndarray) -> float | None:
    """Whether what lies together on the map also belongs together: two dimensions lie.

    The share of the nearest neighbours of each selected point that are selected, too; the mean.
    A point of a small selection is asked for as many neighbours as there are others.

    Args:
        neighbours: `(n, k) int`, rows of the nearest points in the space of the vectors, nearest
            first, the point itself at the front; -1 where one is not on the map.
        mask: `(n,) bool`.

    Returns:
        0 to 1; none for fewer than two points or without neighbours. Of more than `MOST_ASKED`
        points evenly taken ones are asked.
    """
    rows = np.flatnonzero(mask)
    count = len(rows)
    k = min(neighbours.shape[1] - 1, count - 1)
    if k < 1:
        return None
    if count > MOST_ASKED:
        rows = rows[:: -(-count // MOST_ASKED)]
    near = neighbours[rows, 1 : k + 1]
    return float((mask[near] & (near >= 0)).mean())


def coherence_in_words(share: float) -> str:
    """A coherence as a word and a figure: "close together (82 %)"."""
    word = next(word for least, word in WORDS if share >= least)
    return f"{word} ({share:.0%})".replace("%", " %")
