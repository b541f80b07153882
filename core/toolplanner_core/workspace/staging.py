"""The waiting room of an import: new and changed APIs on disk, not yet part of the catalogue.

An import of any size writes here in many short transactions, so that memory stays small and other
writers get their turn; `importing.py` then moves everything into the catalogue in one. Until then
nobody sees it, and if the process dies nothing has changed but this table, which the next opening
or import empties. An import's id carries the number of its process, so that cleaning never touches
an import that another process is still running.
"""

import os
import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from sqlite_utils import Database

from toolplanner_core.domain.api import Api
from toolplanner_core.jobs.temporary_folders import is_process
from toolplanner_core.workspace.rows import as_stored, marks

_OF_IMPORT = (
    "position", "tool_key", "functionality", "text_hash", "search_name", "search_parameters",
)  # fmt: skip
_OF_API = (
    "id", "category", "tool", "tool_description", "key", "name", "method", "url", "description",
    "parameters", "response_schema", "risk", "doc_hash", "operation",
)  # fmt: skip
_COLUMNS = ("import_id", *_OF_IMPORT, *_OF_API)
_INSERT = f"INSERT INTO import_staging({', '.join(_COLUMNS)}) VALUES({marks(_COLUMNS)})"

_running: set[str] = set()
"""Imports of this process: our own process number says nothing about which of them still run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StagedApi:
    """An API with everything that the tables and the index need.

    Attributes:
        position: 0, 1, 2 ... within the import.
        tool_key: the catalogue's own name of the tool within its category.
        functionality: the text that is embedded.
        text_hash: SHA-256 (hex) of it.
        search_name: the name as the full-text index holds it.
        search_parameters: the parameter names as the index holds them.
    """

    position: int
    api: Api
    tool_key: str
    functionality: str
    text_hash: str
    search_name: str
    search_parameters: str


def begin_import() -> str:
    """The id of a new import of this process; ends with `end_import`."""
    import_id = f"{os.getpid()}-{uuid.uuid4().hex}"
    _running.add(import_id)
    return import_id


def end_import(import_id: str) -> None:
    """From here on, what this import may have left behind is a leftover."""
    _running.discard(import_id)


def stage(db: Database, import_id: str, group: Sequence[StagedApi]) -> None:
    """Store a group of APIs; inside a writer's transaction."""
    db.conn.executemany(_INSERT, [_row(import_id, each) for each in group])


def discard(db: Database, import_id: str) -> None:
    """Remove everything an import has staged; inside a writer's transaction."""
    db.execute("DELETE FROM import_staging WHERE import_id = ?", [import_id])


def leftovers(db: Database) -> list[str]:
    """Ids of staged imports whose process has ended."""
    rows = db.execute("SELECT DISTINCT import_id FROM import_staging")
    return [row[0] for row in rows if not _is_running(row[0])]


def discard_leftovers(db: Database) -> None:
    """Remove what killed imports have staged; inside a writer's transaction."""
    for import_id in leftovers(db):
        discard(db, import_id)


def _is_running(import_id: str) -> bool:
    pid = int(import_id.partition("-")[0])
    return import_id in _running if pid == os.getpid() else is_process(pid)


def _row(import_id: str, staged: StagedApi) -> list[object]:
    of_import = (getattr(staged, name) for name in _OF_IMPORT)
    of_api = (getattr(staged.api, name) for name in _OF_API)
    return [as_stored(value) for value in (import_id, *of_import, *of_api)]
