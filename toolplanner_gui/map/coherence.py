"""Whether what lies together on the map also belongs together: two dimensions lie.

Measured in the space of the vectors by the stored nearest neighbours. Called by the canvas in a
worker while a shape is drawn, and for what is selected; pure numpy.
"""

from __future__ import annotations

import numpy as np

MOST_ASKED = 20_000
WORDS = ((0.7, "close together"), (0.45, "mostly together"), (0.2, "loose"), (0.0, "scattered"))


def coherence(neighbours: np.ndarray, mask: np.ndarray) -> float | None:
    """Share of the nearest neighbours of each selected point that are selected, too; the mean.

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


def in_words(share: float) -> str:
    """A coherence as a word and a figure: "close together (82 %)"."""
    word = next(word for least, word in WORDS if share >= least)
    return f"{word} ({share:.0%})".replace("%", " %")
