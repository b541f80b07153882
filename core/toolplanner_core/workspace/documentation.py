"""What is documented of all APIs, without building an `Api` of each: texts, parameters, addresses.

For work over the whole catalogue: naming toolkits, finding copies; 45,000 in half a second at most.
"""

from collections.abc import Sequence
from typing import NamedTuple

from sqlite_utils import Database

from toolplanner_core.workspace.rows import dump
from toolplanner_core.workspace.workspace import Workspace


class ApiText(NamedTuple):
    """What the documentation of one API says in words."""

    name: str
    tool: str
    category: str
    description: str
    tool_description: str

    @property
    def tool_key(self) -> tuple[str, str, str]:
        """What is the same for all APIs of a tool: category, title, description."""
        return self.category, self.tool, self.tool_description


def load_documentation(workspace: Workspace, rowids: Sequence[int]) -> list[ApiText]:
    """The texts of these APIs, in this order; a row id that is not there is left out."""
    return documentation_in(workspace.reader(), rowids)


def documentation_in(db: Database, rowids: Sequence[int]) -> list[ApiText]:
    """As `load_documentation`, inside a transaction."""
    rows = db.execute(
        "SELECT a.name, t.title, t.category, a.description, t.description FROM json_each(?) j"
        " JOIN apis a ON a.rowid = j.value JOIN tools t ON t.id = a.tool_id ORDER BY j.key",
        [dump(list(rowids))],
    )
    return [ApiText(*row) for row in rows]


_MARK = "\x1f"
"""Stands between parameter names; no name holds a control character."""


class Signature(NamedTuple):
    """How one API is called.

    Attributes:
        parameters: names in documented order.
        address: method and URL, such as "GET https://host/v1/rates"; "" without a URL.
    """

    parameters: list[str]
    address: str


def load_signatures(workspace: Workspace, rowids: Sequence[int]) -> list[Signature]:
    """The signatures of these APIs, in this order; a row id that is not there is left out."""
    rows = workspace.reader().execute(
        "SELECT (SELECT group_concat(p.key, char(31)) FROM json_each(a.parameters, '$.properties')"
        " p), a.method, a.url FROM json_each(?) j JOIN apis a ON a.rowid = j.value ORDER BY j.key",
        [dump(list(rowids))],
    )
    return [
        Signature(names.split(_MARK) if names else [], f"{method} {url}" if url else "")
        for names, method, url in rows
    ]
