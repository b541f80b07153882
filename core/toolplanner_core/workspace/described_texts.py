"""Texts that models wrote, by what they were shown: a job that goes on asks nothing twice."""

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Author
from toolplanner_core.workspace.rows import dump, stored_json
from toolplanner_core.workspace.workspace import Workspace


class ToolkitDocumentation(NamedTuple):
    """What is known of a living toolkit's members.

    Attributes:
        hashes: of the members' documentation, most central first.
        texts: their functionality texts, in the same order.
    """

    toolkit: ToolkitId
    hashes: tuple[str, ...]
    texts: tuple[str, ...]


class ApiDocumentation(NamedTuple):
    """What is known of an API.

    Attributes:
        author: of its functionality text.
        toolkit: None = it belongs to none.
        parameters: names, with commas.
    """

    rowid: int
    doc_hash: str
    functionality: str
    author: Author
    toolkit: ToolkitId | None
    tool: str
    name: str
    description: str
    tool_description: str
    parameters: str

    @property
    def title(self) -> str:
        """Tool and name."""
        return f"{self.tool} › {self.name}"


def api_documentation(workspace: Workspace) -> Iterator[ApiDocumentation]:
    """Every API, in the order of the catalogue."""
    rows = workspace.reader().execute(
        "SELECT a.rowid, a.doc_hash, a.functionality, a.functionality_author, m.toolkit_id,"
        " t.title, a.name, a.description, t.description,"
        " (SELECT group_concat(p.key, ', ') FROM json_each(a.parameters, '$.properties') p)"
        " FROM apis a JOIN tools t ON t.id = a.tool_id"
        " LEFT JOIN toolkit_members m ON m.api_rowid = a.rowid ORDER BY a.rowid"
    )
    for rowid, doc_hash, text, author, toolkit, tool, name, about, of_tool, parameters in rows:
        yield ApiDocumentation(
            rowid=rowid,
            doc_hash=doc_hash,
            functionality=text,
            author=Author(author),
            toolkit=toolkit,
            tool=tool,
            name=name,
            description=about,
            tool_description=of_tool,
            parameters=parameters or "",
        )


def toolkit_documentation(workspace: Workspace, shown: int) -> list[ToolkitDocumentation]:
    """The first `shown` members of every living toolkit that has any."""
    rows = workspace.reader().execute(
        "SELECT m.toolkit_id, a.doc_hash, a.functionality FROM toolkit_members m"
        " JOIN apis a ON a.rowid = m.api_rowid JOIN toolkits t ON t.id = m.toolkit_id"
        " WHERE t.retired_us IS NULL ORDER BY m.toolkit_id, m.centrality DESC, a.rowid"
    )
    found: dict[ToolkitId, list[tuple[str, str]]] = {}
    for toolkit, doc_hash, text in rows:
        members = found.setdefault(ToolkitId(toolkit), [])
        if len(members) < shown:
            members.append((doc_hash, text))
    return [
        ToolkitDocumentation(toolkit, *(tuple(part) for part in zip(*members, strict=True)))
        for toolkit, members in found.items()
    ]


def known_texts(workspace: Workspace, keys: Sequence[str]) -> dict[str, Any]:
    """Answers that are there already, by key."""
    rows = workspace.reader().execute(
        "SELECT key, answer FROM described_texts WHERE key IN (SELECT value FROM json_each(?))",
        [dump(list(keys))],
    )
    return {key: stored_json(answer) for key, answer in rows}


def put_text(workspace: Workspace, key: str, model: str, answer: Mapping[str, Any]) -> None:
    """Keep an answer; does not wait until it is on disk."""
    values = [key, model, dump(dict(answer)), time.time_ns() // 1000]
    workspace.writer.run(
        lambda db: db.conn.execute(
            "INSERT OR REPLACE INTO described_texts VALUES(?, ?, ?, ?)", values
        )
    )
