"""What the map knows of its points: places, toolkits, colours, filter, selection; no Qt.

The caller speaks of rows, drawing and picking of places in tile order: the translation happens
here and nowhere else. Called by the canvas.
"""

from __future__ import annotations

import numpy as np

from toolplanner_gui.map.colours import provisional_colours
from toolplanner_gui.map.palette import NO_TOOLKIT
from toolplanner_gui.map.picking import nearest
from toolplanner_gui.map.raster import Scene
from toolplanner_gui.map.selection import Mode, Selection
from toolplanner_gui.map.tiles import build_tiles
from toolplanner_gui.map.viewport import Bounds, central_bounds


class MapPoints:
    """`n` points in `k` toolkits.

    Args:
        xy: `(n, 2)` finite float.
        labels: `(n,) int`, toolkit of each point, -1 for none.
        names: `k` names of the toolkits.

    Raises:
        ValueError: the arrays do not fit each other.
    """

    def __init__(self, xy: np.ndarray, labels: np.ndarray, names: list[str]) -> None:
        self.xy = np.array(xy, dtype=np.float32).reshape(len(xy), 2)
        self.labels = np.array(labels, dtype=np.int32)
        self.names = list(names)
        if self.labels.shape != (len(self.xy),):
            raise ValueError(f"{len(self.xy)} points, but {len(self.labels)} toolkit numbers")
        if len(self.labels) and not (-1 <= self.labels.min() <= self.labels.max() < len(names)):
            raise ValueError(f"a toolkit number is not among the {len(names)} names")
        self.tiles = build_tiles(self.xy)
        self.selection = Selection(len(self.xy))
        self.colours = provisional_colours(len(self.names))
        self.settled_colours: np.ndarray | None = None
        self._hidden: np.ndarray | None = None
        self._shown_places: np.ndarray | None = None
        self._used_labels = len(np.unique(self.labels[self.labels >= 0]))

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def toolkit_count(self) -> int:
        """Toolkits that have a point."""
        return self._used_labels

    @property
    def shown_count(self) -> int:
        """Points that the filter lets through."""
        return len(self) if self._hidden is None else int(len(self) - self._hidden.sum())

    def adopt(self, old: MapPoints) -> None:
        """Take filter, selection and colours over from points in the same places."""
        self._hidden, self._shown_places = old._hidden, old._shown_places
        self.selection = old.selection
        self.settled_colours = old.settled_colours
        kept = min(len(self.colours), len(old.colours))
        self.colours[:kept] = old.colours[:kept]

    def settle_colours(self, colours: np.ndarray) -> None:
        """Take the colours `(k,) int64` that fit the neighbours."""
        self.colours = self.settled_colours = colours

    def central(self, share: float = 0.98) -> Bounds:
        """The box of most points."""
        return central_bounds(self.tiles.x, self.tiles.y, share)

    def box_of(self, rows: np.ndarray) -> Bounds:
        """The box of some points; of many without the outermost tenth.

        Which would zoom out to strays.
        """
        x, y = self.xy[rows, 0], self.xy[rows, 1]
        return central_bounds(x, y, 0.9 if len(rows) > 10 else 1.0)

    def filter(self, visible: np.ndarray | None) -> None:
        """Let only points of a mask `(n,) bool` through; all if none.

        Raises:
            ValueError: the mask has another length.
        """
        if visible is None:
            self._hidden = self._shown_places = None
            return
        mask = np.asarray(visible, dtype=bool)
        if mask.shape != (len(self),):
            raise ValueError(f"{len(self)} points, but a mask of {mask.shape}")
        self._hidden = ~mask
        self._shown_places = mask[self.tiles.order]

    def hidden_labels(self) -> np.ndarray | None:
        """`(k,) bool`, toolkits without a shown point; none when no filter is set."""
        if self._hidden is None:
            return None
        shown = self.labels[~self._hidden]
        return np.bincount(shown[shown >= 0], minlength=len(self.names)) == 0

    def pick(self, x: float, y: float, radius: float) -> int:
        """The nearest shown point within `radius` world units, -1 if there is none."""
        return nearest(self.tiles, x, y, radius=radius, allowed=self._shown_places)

    def inside(self, box: Bounds) -> np.ndarray:
        """Rows of the shown points inside a box, `(m,) int64`."""
        rows = self.tiles.order[self.tiles.inside(box)].astype(np.int64)
        return rows if self._hidden is None else rows[~self._hidden[rows]]

    def change_selection(self, rows: np.ndarray, mode: Mode) -> bool:
        """Select, add or remove rows; whether anything changed."""
        return self.selection.change(rows, mode)

    def selected_labels(self, most: int) -> list[int]:
        """Toolkits of the selected points if they are at most `most`, else none."""
        if not self.selection.count:
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
        palette_index = np.append(self.colours, NO_TOOLKIT).astype(np.uint8)
        selected = None
        if self.selection.count:
            selected = self.selection.mask[order]
        elif is_backdrop:
            selected = np.zeros(len(self), dtype=bool)
        return Scene(
            tiles=self.tiles,
            colour=palette_index[self.labels[order]],
            hidden=None if self._shown_places is None else ~self._shown_places,
            selected=selected,
        )
