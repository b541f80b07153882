"""What is seen of the map as a table: one line per API, for spreadsheets.

Texts of catalogues are data: a cell that a spreadsheet would take for a formula is quoted.
"""

import csv
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.curation.looking.curated_catalogue import CuratedCatalogue
from toolplanner_core.words.sanitizing import spreadsheet_cell
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import apis_by_rowid


def write_map_table(
    workspace: Workspace, catalogue: CuratedCatalogue, points: NDArray[np.int64], path: Path
) -> int:
    """Write id, name, toolkit and place of some points of the map; how many were written.

    Args:
        points: (m,) positions in the catalogue, which is laid out.

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
            name = "" if toolkit is None else spreadsheet_cell(toolkit.name)
            table.writerow(
                [
                    spreadsheet_cell(str(api.id)),
                    spreadsheet_cell(api.title),
                    name,
                    f"{x:.5f}",
                    f"{y:.5f}",
                ]
            )
    return len(apis)
