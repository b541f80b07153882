"""The colours that the map gave to toolkits: kept with the places and members they were made for.

Finding colours that differ between neighbours takes a third of a second for 5,000 toolkits, and
toolkits should look the same whenever a workspace is opened. An edit makes them anew, from those
of before.
"""

import base64
import contextlib
import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.domain.toolkit import Toolkit
from toolplanner_core.workspace import Database, Workspace
from toolplanner_core.workspace.settings import get_setting, put_setting

_SETTING = "map_colours"
_MOST = 255


def read_colours(
    workspace: Workspace, xy: np.ndarray, labels: np.ndarray, toolkits: tuple[Toolkit, ...]
) -> NDArray[np.int64] | None:
    """Number of the colour of each toolkit, (k,) int64; None if none were kept for these points.

    Args:
        xy: (n, 2) float32, places.
        labels: (n,) int32, positions in `toolkits`, -1 for none.
        toolkits: k of them.
    """
    kept: Any = get_setting(workspace, _SETTING)
    # What a workspace of others holds here may be anything: then colours are found anew.
    with contextlib.suppress(TypeError, ValueError, LookupError):
        if kept is not None and kept["of"] == _fingerprint(xy, labels, toolkits):
            found = np.frombuffer(base64.b64decode(kept["colours"]), np.uint8).astype(np.int64)
            return found if len(found) == len(toolkits) else None
    return None


def keep_colours(
    workspace: Workspace,
    colours: np.ndarray,
    *,
    xy: np.ndarray,
    labels: np.ndarray,
    toolkits: tuple[Toolkit, ...],
) -> None:
    """Keep the colours (k,) of toolkits for the next time these points are shown. Does not wait."""
    if not len(colours) or int(colours.max()) > _MOST:
        return

    def work(db: Database) -> None:
        text = base64.b64encode(colours.astype(np.uint8).tobytes()).decode()
        put_setting(db, _SETTING, {"of": _fingerprint(xy, labels, toolkits), "colours": text})

    workspace.writer.submit(work)


def _fingerprint(xy: np.ndarray, labels: np.ndarray, toolkits: tuple[Toolkit, ...]) -> str:
    found = hashlib.sha256(np.ascontiguousarray(xy, "<f4").tobytes())
    found.update(np.ascontiguousarray(labels, "<i4").tobytes())
    found.update(np.fromiter((t.id for t in toolkits), "<i8", len(toolkits)).tobytes())
    return found.hexdigest()
