"""Toolkits as a table: one line per API, for spreadsheets.

Texts of catalogues are data: a cell that a spreadsheet would take for a formula is quoted.
Called by `writing.py`.
"""

import csv
import io
from collections.abc import Iterator

from toolplanner_core.curation.exporting.contents import Contents

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
