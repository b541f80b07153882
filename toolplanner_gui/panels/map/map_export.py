"""Write the map to a file: a picture, a drawing, or a table of what is seen."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from toolplanner_core.curation.sharing.exports.map_table import write_map_table
from toolplanner_core.words.formatting import counted
from toolplanner_gui.bridge.standard_dialogs import choose_new_file
from toolplanner_gui.context import AppContext
from toolplanner_gui.map.map_image_file import write_png, write_svg

if TYPE_CHECKING:
    from toolplanner_gui.map.canvas import MapCanvas

FILTERS = {
    "png": "Picture (*.png)",
    "svg": "Drawing with text (*.svg)",
    "csv": "Table of what is seen (*.csv)",
}


def ask_and_export(context: AppContext, canvas: "MapCanvas", kind: str) -> None:
    """Ask for a file and write it off the GUI thread.

    Args:
        kind: "png", "svg" or "csv".
    """
    workspace = context.workspace
    if workspace is None or context.catalogue.xy is None:
        return

    async def flow() -> None:
        suggestion = workspace.path.with_name(f"{workspace.path.stem} map.{kind}")
        chosen = await choose_new_file(canvas, "Export the map", suggestion, FILTERS[kind])
        for path in chosen:
            words = await context.tasks.in_thread(export_work(context, canvas, kind, path))
            context.show_message(f"{words} to {path.name}")

    context.tasks.spawn(flow(), owner=canvas)


def export_work(
    context: AppContext, canvas: "MapCanvas", kind: str, path: Path
) -> Callable[[], str]:
    """What writes the file, to be run in any thread; taken from what is seen now."""
    workspace, catalogue = context.workspace, context.catalogue
    assert workspace is not None
    if kind == "csv":
        points = seen_points(canvas)
        return lambda: (
            f"Wrote {counted(write_map_table(workspace, catalogue, points, path), 'API')}"
        )
    picture = canvas.picture()

    def write() -> str:
        (write_svg if kind == "svg" else write_png)(picture, path)
        return "Wrote the map"

    return write


def seen_points(canvas: "MapCanvas") -> np.ndarray:
    """Positions of the points in view that the filter lets through, (m,) int64."""
    return np.flatnonzero(canvas.points.inside(canvas.camera.view.bounds))
