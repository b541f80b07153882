"""Toolkits as a table: one line per API, for spreadsheets.

Texts of catalogues are data: a cell that a spreadsheet would take for a formula is quoted.
"""

import csv
import io
from collections.abc import Callable, Iterator

from toolplanner_core.curation.sharing.exports.contents import (
    ExportedMember,
    ExportedToolkit,
    read_contents,
)
from toolplanner_core.curation.sharing.exports.form import ExportForm, ExportRequest
from toolplanner_core.words.sanitizing import spreadsheet_cell

_COLUMNS: dict[str, Callable[[ExportedToolkit | None, ExportedMember], str]] = {
    "toolkit_id": lambda toolkit, _: "" if toolkit is None else str(toolkit.id),
    "toolkit": lambda toolkit, _: "" if toolkit is None else spreadsheet_cell(toolkit.fields.name),
    "api_id": lambda _, member: spreadsheet_cell(member.api.id),
    "source": lambda _, member: spreadsheet_cell(member.api.source),
    "category": lambda _, member: spreadsheet_cell(member.api.category),
    "tool": lambda _, member: spreadsheet_cell(member.api.tool),
    "api": lambda _, member: spreadsheet_cell(member.api.name),
    "method": lambda _, member: spreadsheet_cell(member.api.method),
    "url": lambda _, member: spreadsheet_cell(member.api.url),
    "pinned": lambda _, member: "yes" if member.is_pinned else "",
    "excluded": lambda _, member: "" if member.excluded is None else "yes",
    "reason": lambda _, member: spreadsheet_cell(member.excluded or ""),
    "centrality": lambda _, member: f"{member.centrality:.4f}",
    "description": lambda _, member: spreadsheet_cell(member.api.description),
}


def write(request: ExportRequest) -> Iterator[str]:
    """The table, a toolkit at a time, the headings first; last the APIs without a toolkit."""
    contents = read_contents(request.workspace, request.toolkits)
    yield _lines([[*_COLUMNS]])
    groups = [(kit, kit.members) for kit in contents.toolkits]
    for toolkit, members in [*groups, (None, contents.loose)]:
        read = _COLUMNS.values()
        yield _lines([[text(toolkit, member) for text in read] for member in members])


def _lines(rows: list[list[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerows(rows)
    return text.getvalue()


PLUGIN = ExportForm(
    id="csv",
    title="As a table",
    description="is for spreadsheets",
    suffix=".csv",
    files="Tables",
    write=write,
    order=60,
)
