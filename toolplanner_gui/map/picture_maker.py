"""Makes exact images of the map beside the GUI: the newest wish counts, one is made at a time.

Drawing a million points takes 30 ms of a core, twice a frame; numpy lets go of the interpreter
meanwhile, so a thread is enough. Called by layer.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import thread_time

import numpy as np
from PySide6.QtCore import QObject

from toolplanner_gui.map.background import Background
from toolplanner_gui.map.raster import render
from toolplanner_gui.map.scene import Picture, RasterStyle, Scene
from toolplanner_gui.map.viewport import Viewport


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """All that an image depends on.

    Attributes:
        scene: the points.
        style: colours.
        view: what is drawn, the border around the window included.
        radius: of a point, logical pixels.
        ratio: device pixels a logical pixel.
    """

    scene: Scene
    style: RasterStyle
    view: Viewport
    radius: float
    ratio: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MadePicture:
    """An image, what it was made for, and what that cost its thread, in milliseconds."""

    wish: Wish
    picture: Picture
    cost_ms: float


def make_picture(wish: Wish, into: np.ndarray | None = None) -> MadePicture:
    """Draw at once, in the calling thread."""
    started = thread_time()
    picture = render(
        wish.scene, wish.view, wish.style, radius=wish.radius, ratio=wish.ratio, into=into
    )
    return MadePicture(wish=wish, picture=picture, cost_ms=(thread_time() - started) * 1000)


class PictureMaker:
    """Makes one image at a time in a thread.

    Args:
        owner: results that come after its end are dropped.
        then: called in the GUI thread with each image.
    """

    def __init__(self, owner: QObject, then: Callable[[MadePicture], None]) -> None:
        self._then = then
        self._background = Background(owner)
        self._next: Wish | None = None
        self._current: Wish | None = None

    @property
    def is_busy(self) -> bool:
        """Whether an image is being made."""
        return self._background.is_busy

    def want(self, wish: Wish) -> None:
        """Make an image for this wish; one that waits is forgotten."""
        if not self.is_busy:
            self._start(wish)
        else:
            self._next = wish if wish != self._current else None

    def forget(self) -> None:
        """Nothing that was wished for is wanted any more."""
        self._next = None

    def _start(self, wish: Wish) -> None:
        self._current = wish
        self._background.start("picture", lambda: make_picture(wish), self._on_made)

    def _on_made(self, made: MadePicture) -> None:
        wish, self._next = self._next, None
        if wish is not None:
            self._start(wish)
        self._then(made)
