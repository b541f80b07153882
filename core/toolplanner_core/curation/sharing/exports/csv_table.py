"""Toolkits, and what is seen of the map, as a table: one line per API, for spreadsheets.

Texts of catalogues are data: a cell that a spreadsheet would take for a formula is quoted.
"""

import csv
import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.curation.looking.curated_catalogue import CuratedCatalogue
from toolplanner_core.curation.sharing.exports.contents import Contents
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import apis_by_rowid

COLUMNS = (
    "toolkit_id",
    "toolkit",
    "api_id",
    "source",
    "category",
    "tool",
    "api",
    "method",
    "url",
    "pinned",
    "excluded",
    "reason",
    "centrality",
    "description",
)


def csv_parts(contents: Contents) -> Iterator[str]:
    """The table, a toolkit at a time, the headings first."""
    yield _lines([list(COLUMNS)])
    for toolkit in contents.toolkits:
        yield _lines(
            [
                [
                    str(toolkit.id),
                    cell(toolkit.fields.name),
                    cell(member.api.id),
                    cell(member.api.source),
                    cell(member.api.category),
                    cell(member.api.tool),
                    cell(member.api.name),
                    cell(member.api.method),
                    cell(member.api.url),
                    "yes" if member.is_pinned else "",
                    "" if member.excluded is None else "yes",
                    cell(member.excluded or ""),
                    f"{member.centrality:.4f}",
                    cell(member.api.description),
                ]
                for member in toolkit.members
            ]
        )


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


def cell(text: str) -> str:
    """Text in one line that no spreadsheet takes for a formula.

    Source: OWASP, "CSV Injection": cells that begin with = + - @ get an apostrophe; tabs and line
    breaks are spaces here.
    """
    line = " ".join(text.split())
    return f"'{line}" if line.startswith(("=", "+", "-", "@")) else line


def _lines(rows: list[list[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerows(rows)
    return text.getvalue()
