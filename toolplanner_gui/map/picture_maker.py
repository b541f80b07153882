"""Makes exact images of the map beside the GUI: the newest wish counts, one is made at a time.

Drawing a million points takes 30 ms of a core, twice a frame; numpy lets go of the interpreter
meanwhile, so a thread is enough. Called by layer.py.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from time import thread_time

import numpy as np
from PySide6.QtCore import QObject, Qt, Signal, Slot

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


class PictureMaker(QObject):
    """A thread that draws.

    Args:
        owner: results that come after its end are dropped.
        then: called in the GUI thread with each image.
    """

    _finished = Signal(object)

    def __init__(self, owner: QObject, then: Callable[[MadePicture], None]) -> None:
        super().__init__(owner)
        self._then = then
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="picture")
        self._next: Wish | None = None
        self._current: Wish | None = None
        self._finished.connect(self._on_finished, Qt.ConnectionType.QueuedConnection)
        owner.destroyed.connect(partial(self._pool.shutdown, wait=False, cancel_futures=True))

    @property
    def is_busy(self) -> bool:
        """Whether an image is being made."""
        return self._current is not None

    def want(self, wish: Wish) -> None:
        """Make an image for this wish; one that waits is forgotten."""
        if self._current is None:
            self._start(wish)
        elif wish != self._current:
            self._next = wish
        else:
            self._next = None

    def forget(self) -> None:
        """Nothing that was wished for is wanted any more."""
        self._next = None

    def _start(self, wish: Wish) -> None:
        self._current = wish

        def run() -> None:
            # An error is handed over as well, so that it is raised where someone sees it.
            try:
                result: MadePicture | Exception = make_picture(wish)
            except Exception as error:  # noqa: BLE001 - raised again in the GUI thread
                result = error
            # The C++ half may have gone with its window meanwhile.
            with suppress(RuntimeError):
                self._finished.emit(result)

        self._pool.submit(run)

    @Slot(object)
    def _on_finished(self, result: MadePicture | Exception) -> None:
        self._current = None
        wish, self._next = self._next, None
        if wish is not None:
            self._start(wish)
        if isinstance(result, Exception):
            raise result
        self._then(result)
