"""Toolkits, and what is seen of the map, as a table: one line per API, for spreadsheets.

Texts of catalogues are data: a cell that a spreadsheet would take for a formula is quoted.
"""

import csv
import io
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.curation.looking.curated_catalogue import CuratedCatalogue
from toolplanner_core.curation.sharing.exports.contents import (
    Contents,
    ExportedMember,
    ExportedToolkit,
)
from toolplanner_core.words.cells import cell
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import apis_by_rowid

_COLUMNS: dict[str, Callable[[ExportedToolkit | None, ExportedMember], str]] = {
    "toolkit_id": lambda toolkit, _: "" if toolkit is None else str(toolkit.id),
    "toolkit": lambda toolkit, _: "" if toolkit is None else cell(toolkit.fields.name),
    "api_id": lambda _, member: cell(member.api.id),
    "source": lambda _, member: cell(member.api.source),
    "category": lambda _, member: cell(member.api.category),
    "tool": lambda _, member: cell(member.api.tool),
    "api": lambda _, member: cell(member.api.name),
    "method": lambda _, member: cell(member.api.method),
    "url": lambda _, member: cell(member.api.url),
    "pinned": lambda _, member: "yes" if member.is_pinned else "",
    "excluded": lambda _, member: "" if member.excluded is None else "yes",
    "reason": lambda _, member: cell(member.excluded or ""),
    "centrality": lambda _, member: f"{member.centrality:.4f}",
    "description": lambda _, member: cell(member.api.description),
}


def csv_parts(contents: Contents) -> Iterator[str]:
    """The table, a toolkit at a time, the headings first; last the APIs without a toolkit."""
    yield _lines([[*_COLUMNS]])
    groups = [(kit, kit.members) for kit in contents.toolkits]
    for toolkit, members in [*groups, (None, contents.loose)]:
        read = _COLUMNS.values()
        yield _lines([[text(toolkit, member) for text in read] for member in members])


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
            name = "" if toolkit is None else cell(toolkit.name)
            table.writerow([cell(str(api.id)), cell(api.title), name, f"{x:.5f}", f"{y:.5f}"])
    return len(apis)


def _lines(rows: list[list[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerows(rows)
    return text.getvalue()
