"""The set of selected points as a mask over all rows; no Qt.

A mask makes adding, removing and inverting one vector operation at a million points, and never
holds a row twice. Called by the canvas; the panel hands it on to the shared selection.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

Mode = Literal["replace", "add", "remove", "toggle"]


class PointSelection:
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

    def mask_of(self, rows: np.ndarray) -> np.ndarray:
        """`(n,) bool` of row numbers in any order.

        Raises:
            IndexError: a row is not among the points.
        """
        picked = np.asarray(rows, dtype=np.int64).ravel()
        if len(picked) and (picked.min() < 0 or picked.max() >= len(self._mask)):
            raise IndexError("a selected row is not on the map")
        mask = np.zeros(len(self._mask), dtype=bool)
        mask[picked] = True
        return mask

    def change(self, mask: np.ndarray, mode: Mode = "replace") -> bool:
        """Select, add, remove or turn round the points of a mask.

        Args:
            mask: `(n,) bool`.
            mode: what happens to them; `replace` forgets what was selected before.

        Returns:
            Whether anything changed.
        """
        before = self._mask
        if mode == "replace":
            after = np.array(mask, dtype=bool)
        elif mode == "add":
            after = before | mask
        elif mode == "remove":
            after = before & ~mask
        else:
            after = before ^ mask
        if np.array_equal(before, after):
            return False
        self._mask = after
        self._count = int(np.count_nonzero(after))
        return True
