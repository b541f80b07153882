"""Write the map to a file: a picture, a drawing, or a table of what is seen."""

import csv
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from toolplanner_core.curation.exporting.csv_table import cell
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import apis_by_rowid
from toolplanner_gui.bridge.questions import choose_new_file
from toolplanner_gui.context import AppContext
from toolplanner_gui.map.picture_file import write_png, write_svg
from toolplanner_gui.viewmodels.catalogue import Catalogue
from toolplanner_gui.viewmodels.texts import counted

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
        chosen = await choose_new_file(
            canvas,
            "Export the map",
            suffix=f".{kind}",
            suggestion=suggestion,
            filters=FILTERS[kind],
        )
        for path in chosen:
            words = await context.tasks.in_thread(export_work(context, canvas, kind, path))
            context.tell(f"{words} to {path.name}")

    context.tasks.spawn(flow(), owner=canvas)


def export_work(
    context: AppContext, canvas: "MapCanvas", kind: str, path: Path
) -> Callable[[], str]:
    """What writes the file, to be run in any thread; taken from what is seen now."""
    workspace, catalogue = context.workspace, context.catalogue
    assert workspace is not None
    if kind == "csv":
        points = seen_points(canvas)
        return lambda: write_table(workspace, catalogue, points, path)
    picture = canvas.picture()

    def write() -> str:
        (write_svg if kind == "svg" else write_png)(picture, path)
        return "Wrote the map"

    return write


def seen_points(canvas: "MapCanvas") -> np.ndarray:
    """Positions of the points in view that the filter lets through, (m,) int64."""
    return np.flatnonzero(canvas.points.inside(canvas.camera.view.bounds))


def write_table(workspace: Workspace, catalogue: Catalogue, points: np.ndarray, path: Path) -> str:
    """Write id, name, toolkit and place of APIs as CSV; a spreadsheet takes no cell for a formula.

    Raises:
        OSError: the file cannot be written.
    """
    assert catalogue.xy is not None
    rowids = catalogue.rowids[points].tolist()
    apis = apis_by_rowid(workspace, rowids)
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        table = csv.writer(file)
        table.writerow(["id", "name", "toolkit", "x", "y"])
        for point, rowid in zip(points.tolist(), rowids, strict=True):
            if rowid not in apis:
                continue
            api, toolkit = apis[rowid], catalogue.toolkit_of_point(point)
            x, y = catalogue.xy[point].tolist()
            name = "" if toolkit is None else cell(toolkit.name)
            table.writerow([cell(str(api.id)), cell(api.title), name, f"{x:.5f}", f"{y:.5f}"])
    return f"Wrote {counted(len(apis), 'API')}"
