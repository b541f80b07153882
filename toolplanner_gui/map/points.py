"""What the map knows of its points: places, toolkits, colours, filter, selection; no Qt.

The set of selected points as a mask over all rows; no Qt. A mask makes adding, removing and
inverting one vector operation at a million points, and never holds a row twice.

The caller speaks of rows, drawing and picking of places in tile order: the translation happens
here and nowhere else. Building it for a million points takes half a second, in any thread. Called
by the canvas and by the panel that prepares points for it.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from toolplanner_gui.map.column_colours import ColumnColouring
from toolplanner_gui.map.rasteriser import Scene
from toolplanner_gui.map.tile_index import build_tiles, nearest
from toolplanner_gui.map.toolkit_colours import NO_TOOLKIT, provisional_colours
from toolplanner_gui.map.viewport import Bounds, central_bounds

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


MOST_NAMED_POINTS = 20_000
"""Of more selected points the toolkits are not looked for: they are many."""


class MapPoints:
    """`n` points in `k` toolkits.

    Args:
        xy: `(n, 2)` finite float.
        labels: `(n,) int`, toolkit of each point, -1 for none.
        names: `k` names of the toolkits.
        keys: `(k,) int`, permanent numbers of the toolkits, by which colours are kept; their
            positions if none.
        settled: `(k,) int` colours that were found for these points before.
        total: APIs of the catalogue, those that came in since and have no point included; `n` if
            none.
        old: what was shown before: in the same places nothing has to be sorted again, and filter,
            selection and colours stay.

    Raises:
        ValueError: the arrays do not fit each other.
    """

    def __init__(
        self,
        xy: np.ndarray,
        labels: np.ndarray,
        names: list[str],
        *,
        keys: np.ndarray | None = None,
        settled: np.ndarray | None = None,
        total: int | None = None,
        old: MapPoints | None = None,
    ) -> None:
        self.xy = np.array(xy, dtype=np.float32).reshape(len(xy), 2)
        self.labels = np.array(labels, dtype=np.int32)
        self.names = list(names)
        self.keys = np.arange(len(names)) if keys is None else np.asarray(keys, np.int64)
        if self.labels.shape != (len(self.xy),):
            raise ValueError(f"{len(self.xy)} points, but {len(self.labels)} toolkit numbers")
        if len(self.labels) and not (-1 <= self.labels.min() <= self.labels.max() < len(names)):
            raise ValueError(f"a toolkit number is not among the {len(names)} names")
        if self.keys.shape != (len(names),):
            raise ValueError(f"{len(names)} names, but {len(self.keys)} permanent numbers")
        is_same = old is not None and len(self.xy) > 0 and np.array_equal(self.xy, old.xy)
        self.is_same_places = is_same
        self.total = len(self.xy) if total is None else total
        self.tiles = old.tiles if old is not None and is_same else build_tiles(self.xy)
        self.selection = PointSelection(len(self.xy))
        self.colours = provisional_colours(len(self.names), self.keys)
        self.settled_colours: np.ndarray | None = None
        self.colouring: ColumnColouring | None = None
        self._labels_in_order = self.labels[self.tiles.order]
        self._found: np.ndarray | None = None
        self._hidden: np.ndarray | None = None
        self._shown_places: np.ndarray | None = None
        self.sizes = np.bincount(self.labels[self.labels >= 0], minlength=len(self.names))
        self._boxes = (self._central(0.98), self._central(1.0))
        if old is not None and is_same:
            self._adopt(old)
        elif old is not None:
            self._adopt_colours(old)
        self.is_coloured = False
        """Whether the colours were found for just these points."""
        if settled is not None and settled.shape == self.keys.shape:
            self.is_coloured = bool(np.all((settled >= 0) & (settled <= NO_TOOLKIT)))
            if self.is_coloured:
                self.colours = self.settled_colours = settled

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def toolkit_count(self) -> int:
        """Toolkits that have a point."""
        return int(np.count_nonzero(self.sizes))

    @property
    def shown_toolkit_count(self) -> int:
        """Toolkits that have a point which the filter lets through."""
        if self._hidden is None:
            return self.toolkit_count
        labels = self.labels[~self._hidden]
        return int(np.count_nonzero(np.bincount(labels[labels >= 0])))

    @property
    def shown_count(self) -> int:
        """Points that the filter lets through."""
        return len(self) if self._hidden is None else int(len(self) - self._hidden.sum())

    @property
    def is_filtered(self) -> bool:
        """Whether a filter is set."""
        return self._hidden is not None

    @property
    def central(self) -> Bounds:
        """The box of most points."""
        return self._boxes[0]

    @property
    def everything(self) -> Bounds:
        """The box of all points."""
        return self._boxes[1]

    def _adopt(self, old: MapPoints) -> None:
        self._hidden, self._shown_places = old._hidden, old._shown_places
        self._found = old._found
        self.selection = old.selection
        self.colouring = old.colouring
        self._boxes = old._boxes
        self._adopt_colours(old)

    def _adopt_colours(self, old: MapPoints) -> None:
        """Give toolkits that were there before the colours they had."""
        order = np.argsort(old.keys, kind="stable")
        found = np.searchsorted(old.keys, self.keys, sorter=order)
        found = order[np.minimum(found, max(len(order) - 1, 0))] if len(order) else found[:0]
        if not len(found):
            return
        is_old = old.keys[found] == self.keys
        self.colours[is_old] = old.colours[found[is_old]]
        if old.settled_colours is not None:
            self.settled_colours = np.where(is_old, old.settled_colours[found], -1)

    def settle_colours(self, colours: np.ndarray) -> bool:
        """Take the colours `(k,) int64` that fit the neighbours; whether they are others."""
        is_new = not np.array_equal(colours, self.colours)
        self.colours = self.settled_colours = colours
        return is_new

    def set_colouring(self, colouring: ColumnColouring | None) -> bool:
        """Colour by something else than the toolkit, or by it; whether a point looks different."""
        old, self.colouring = self.colouring, colouring
        if old is None or colouring is None:
            return old is not colouring
        is_same = old.scheme == colouring.scheme and np.array_equal(old.index, colouring.index)
        return not is_same

    def box_of(self, rows: np.ndarray) -> Bounds:
        """The box of some points; of many without the outermost tenth.

        Which would zoom out to strays.
        """
        x, y = self.xy[rows, 0], self.xy[rows, 1]
        return central_bounds(x, y, 0.9 if len(rows) > 10 else 1.0)

    def filter(self, visible: np.ndarray | None) -> bool:
        """Let only points of a mask `(n,) bool` through, all if none; whether others are shown.

        Raises:
            ValueError: the mask has another length.
        """
        if visible is None:
            was_filtered = self.is_filtered
            self._hidden = self._shown_places = None
            return was_filtered
        mask = np.asarray(visible, dtype=bool)
        if mask.shape != (len(self),):
            raise ValueError(f"{len(self)} points, but a mask of {mask.shape}")
        if self._hidden is not None and np.array_equal(self._hidden, ~mask):
            return False
        self._hidden = ~mask
        self._shown_places = mask[self.tiles.order]
        return True

    def mark_found(self, found: np.ndarray | None) -> bool:
        """Ring the shown ones of a mask `(n,) bool`, none if none; whether other ones are ringed.

        Raises:
            ValueError: the mask has another length.
        """
        old, self._found = self._found, None
        if found is not None and found.shape != (len(self),):
            raise ValueError(f"{len(self)} points, but a mask of {found.shape}")
        if found is not None and found.any():
            self._found = np.array(found, dtype=bool)
        if old is None or self._found is None:
            return old is not self._found
        return not np.array_equal(old, self._found)

    @property
    def found_count(self) -> int:
        """Points that are ringed as found."""
        return 0 if self._found is None else int(np.count_nonzero(self._found & self.shown()))

    def shown(self) -> np.ndarray:
        """`(n,) bool`, points that the filter lets through."""
        return np.ones(len(self), bool) if self._hidden is None else ~self._hidden

    def hidden_labels(self) -> np.ndarray | None:
        """`(k,) bool`, toolkits without a shown point; none when no filter is set."""
        if self._hidden is None:
            return None
        shown = self.labels[~self._hidden]
        return np.bincount(shown[shown >= 0], minlength=len(self.names)) == 0

    def pick(self, x: float, y: float, radius: float) -> int:
        """The nearest shown point within `radius` world units, -1 if there is none."""
        return nearest(self.tiles, x, y, radius=radius, allowed=self._shown_places)

    def mask_of_places(self, places: np.ndarray) -> np.ndarray:
        """`(n,) bool` of points given by their places in tile order; shown ones only."""
        rows = self.tiles.order[places]
        mask = np.zeros(len(self), dtype=bool)
        mask[rows] = True if self._hidden is None else ~self._hidden[rows]
        return mask

    def inside(self, box: Bounds) -> np.ndarray:
        """`(n,) bool`, the shown points inside a box."""
        return self.mask_of_places(self.tiles.inside(box))

    def selected_labels(self, most: int) -> list[int]:
        """Toolkits of the selected points if they are at most `most`, else none."""
        if not 0 < self.selection.count <= MOST_NAMED_POINTS:
            return []
        own = np.unique(self.labels[self.selection.mask])
        own = own[own >= 0]
        return [int(i) for i in own] if len(own) <= most else []

    def scene(self, *, is_backdrop: bool = False) -> Scene:
        """What to draw.

        Args:
            is_backdrop: something else matters more: dim all points.
        """
        order = self.tiles.order
        if self.colouring is None:
            # -1, no toolkit, reads the last entry.
            colour = np.append(self.colours, NO_TOOLKIT).astype(np.uint8)[self._labels_in_order]
        else:
            colour = self.colouring.index[order]
        selected = None
        if self.selection.count and (self.selection.mask & self.shown()).any():
            selected = self.selection.mask[order]
        elif is_backdrop:
            selected = np.zeros(len(self), dtype=bool)
        return Scene(
            tiles=self.tiles,
            colour=colour,
            hidden=None if self._shown_places is None else ~self._shown_places,
            selected=selected,
            found=None if self._found is None else self._found[order],
        )

    def _central(self, share: float) -> Bounds:
        return central_bounds(self.tiles.x, self.tiles.y, share)
