"""The catalogue page by page, from the top down: sources, categories, tools, toolkits, APIs.

APIs that may not be planned with are not among them: this is what strategies look through.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, NamedTuple

from toolplanner_core.workspace.workspace import Workspace

_FROM = (
    " FROM apis a JOIN tools t ON t.id = a.tool_id JOIN sources s ON s.id = t.source_id"
    " LEFT JOIN toolkit_members m ON m.api_rowid = a.rowid"
    " LEFT JOIN toolkits k ON k.id = m.toolkit_id"
    " WHERE a.rowid NOT IN (SELECT api_rowid FROM unusable_apis)"
)
_LEVELS = {
    "source": ("s.name", "s.name", "s.format"),
    "category": ("t.category", "t.category", "''"),
    "tool": ("t.title", "t.title", "max(t.description)"),
    "toolkit": ("k.id", "k.name", "max(k.description)"),
    "api": ("a.id", "a.name", "a.description"),
}
"""Of each level: what names an entry, its name for people, its description."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BrowseFilter:
    """What entries must be below; "" and None = anything."""

    source: str = ""
    category: str = ""
    tool: str = ""
    toolkit: int | None = None
    toolkits: Collection[int] | None = None


class BrowseRow(NamedTuple):
    """One entry: id, name, description, APIs below it."""

    id: str
    name: str
    description: str
    size: int


class BrowsePage(NamedTuple):
    """Some entries, and how many there are in all."""

    rows: list[BrowseRow]
    total: int


def browse(
    workspace: Workspace, level: str, within: BrowseFilter, *, page: int, size: int
) -> BrowsePage:
    """One page of a level in the order of names; `page` counts from 1. Blocks."""
    key, name, description = _LEVELS[level]
    where, values = _conditions(level, within)
    db = workspace.reader()
    total = db.execute(f"SELECT count(DISTINCT {key}){_FROM}{where}", values).fetchone()[0]
    rows = db.execute(
        f"SELECT {key}, {name}, {description}, count(*){_FROM}{where}"
        f" GROUP BY {key} ORDER BY {name} COLLATE NOCASE, {key} LIMIT ? OFFSET ?",
        [*values, size, (page - 1) * size],
    )
    return BrowsePage([BrowseRow(str(row[0]), *row[1:]) for row in rows], int(total))


def _conditions(level: str, within: BrowseFilter) -> tuple[str, list[Any]]:
    parts: list[tuple[str, list[Any]]] = []
    for column, value in (
        ("s.name", within.source),
        ("t.category", within.category),
        ("t.title", within.tool),
    ):
        if value:
            parts.append((f"{column} = ?", [value]))
    if within.toolkit is not None:
        parts.append(("k.id = ?", [within.toolkit]))
    if within.toolkits is not None:
        marks = ",".join("?" * len(within.toolkits))
        parts.append((f"k.id IN ({marks})", list(within.toolkits)))
    if level == "toolkit":
        parts.append(("k.retired_us IS NULL AND k.id IS NOT NULL", []))
    where = "".join(f" AND {text}" for text, _ in parts)
    return where, [value for _, some in parts for value in some]
