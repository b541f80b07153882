"""Facts about all APIs at once, for colouring, filtering and naming on the map.

One query each, a third of a second for 45,000 APIs; not for the GUI thread.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.workspace.rows import INT
from toolplanner_core.workspace.settings import get_setting
from toolplanner_core.workspace.workspace import Workspace


class ApiFacts(NamedTuple):
    """What the catalogue says of an API in a few words and figures."""

    rowid: int
    source: str
    category: str
    tool: str
    method: str
    risk: str
    documentation_length: int
    parameter_count: int
    name: str


class Exemplar(NamedTuple):
    """An API that stands for its toolkit: rank 0 is the most central one."""

    rowid: int
    title: str
    rank: int
    toolkit_size: int


class KnownNeighbours(NamedTuple):
    """Nearest neighbours by row id.

    Attributes:
        rowids: (n,) int32.
        indices: (n, k) int32, positions in `rowids`, nearest first, itself at the front.
    """

    rowids: NDArray[np.int32]
    indices: NDArray[np.int32]


def api_facts(workspace: Workspace) -> list[ApiFacts]:
    """The facts of every API, by row id."""
    rows = workspace.reader().execute(
        "SELECT a.rowid, s.name, t.category, t.title, a.method, a.risk,"
        " length(a.description) + length(t.description),"
        " (SELECT count(*) FROM json_each(a.parameters, '$.properties')), a.name"
        " FROM apis a JOIN tools t ON t.id = a.tool_id JOIN sources s ON s.id = t.source_id"
        " ORDER BY a.rowid"
    )
    return [ApiFacts(*row) for row in rows]


def api_names(workspace: Workspace) -> list[tuple[int, str, str]]:
    """Row id, name and tool of every API, by row id."""
    rows = workspace.reader().execute(
        "SELECT a.rowid, a.name, t.title FROM apis a JOIN tools t ON t.id = a.tool_id"
        " ORDER BY a.rowid"
    )
    return [(row[0], row[1], row[2]) for row in rows]


def api_search_texts(workspace: Workspace) -> list[tuple[int, str]]:
    """Row id and the names, ids and addresses by which an API can be found by a pattern."""
    rows = workspace.reader().execute(
        "SELECT a.rowid, a.name || char(10) || t.title || char(10) || a.key || char(10)"
        " || a.id || char(10) || a.method || ' ' || a.url"
        " FROM apis a JOIN tools t ON t.id = a.tool_id ORDER BY a.rowid"
    )
    return [(row[0], row[1]) for row in rows]


def edited_toolkits(workspace: Workspace) -> set[int]:
    """Ids of the toolkits whose name or description a person wrote, or that are pinned."""
    rows = workspace.reader().execute(
        "SELECT id FROM toolkits WHERE name_author = 'person' OR description_author = 'person'"
        " OR pinned"
    )
    return {row[0] for row in rows}


def centralities(workspace: Workspace) -> list[tuple[int, float]]:
    """Row id of each API that is in a toolkit, and its cosine to the toolkit's centroid."""
    rows = workspace.reader().execute("SELECT api_rowid, centrality FROM toolkit_members")
    return [(row[0], row[1]) for row in rows]


def exemplars(workspace: Workspace, most: int) -> list[Exemplar]:
    """The `most` most central APIs of each toolkit, the first of each before all second ones,
    those of large toolkits first."""
    rows = workspace.reader().execute(
        "SELECT m.api_rowid, t.title || ' · ' || a.name, m.place, m.size FROM ("
        "  SELECT api_rowid, row_number() OVER own - 1 AS place,"
        "   count(*) OVER (PARTITION BY toolkit_id) AS size FROM toolkit_members"
        "  WINDOW own AS (PARTITION BY toolkit_id ORDER BY centrality DESC, api_rowid)"
        ") m JOIN apis a ON a.rowid = m.api_rowid JOIN tools t ON t.id = a.tool_id"
        " WHERE m.place < ? ORDER BY m.place, m.size DESC, m.api_rowid",
        [most],
    )
    return [Exemplar(*row) for row in rows]


def known_neighbours(workspace: Workspace) -> KnownNeighbours | None:
    """The neighbours computed last; None before there are any."""
    active: int | None = get_setting(workspace, "active_neighbours")
    if active is None:
        return None
    row = workspace.one_row(
        "SELECT p.api_rowids, n.k, n.indices FROM neighbours n"
        " JOIN point_sets p ON p.id = n.point_set WHERE n.id = ?",
        [active],
    )
    if row is None:
        return None
    return KnownNeighbours(
        np.frombuffer(row[0], dtype=INT), np.frombuffer(row[2], dtype=INT).reshape(-1, row[1])
    )
