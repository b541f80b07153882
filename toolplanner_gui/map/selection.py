"""The set of selected points as a mask over all rows; no Qt.

A mask makes adding, removing and inverting one vector operation at a million points, and never
holds a row twice. Called by the canvas; the panels see only row numbers.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

Mode = Literal["replace", "add", "remove"]


class Selection:
    """Which of `n` rows are selected."""

    __slots__ = ("_count", "_mask")

    def __init__(self, n: int = 0) -> None:
        self._mask = np.zeros(n, dtype=bool)
        self._count = 0

    @property
    def mask(self) -> np.ndarray:
        """`(n,) bool`, read only."""
        view = self._mask.view()
        view.flags.writeable = False
        return view

    @property
    def count(self) -> int:
        """How many are selected."""
        return self._count

    @property
    def rows(self) -> np.ndarray:
        """The selected rows, rising, `(m,) int64`."""
        return np.flatnonzero(self._mask)

    def change(self, rows: np.ndarray, mode: Mode = "replace") -> bool:
        """Select, add or remove rows.

        Args:
            rows: row numbers in any order, repeats allowed.
            mode: what happens to them; `replace` forgets what was selected before.

        Returns:
            Whether anything changed.

        Raises:
            IndexError: a row is not among the points.
        """
        picked = np.asarray(rows, dtype=np.int64).ravel()
        if len(picked) and (picked.min() < 0 or picked.max() >= len(self._mask)):
            raise IndexError("a selected row is not on the map")
        before = self._mask
        after = np.zeros_like(before) if mode == "replace" else before.copy()
        after[picked] = mode != "remove"
        if np.array_equal(before, after):
            return False
        self._mask = after
        self._count = int(after.sum())
        return True
