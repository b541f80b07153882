"""Settings of this workspace: small JSON values by key, and the "active" pointers.

Known keys: `active_embedder` (embedder id), `active_neighbours`, `active_clustering`,
`active_layout` (row ids), `default_provider`, `presets` (ways to run a query), `last_chosen` (the
one the window shows), `toolkits_version` (counts edits of toolkits; a run keeps the one it was
planned on), `search_order` (weights by feature, learned for this catalogue), `map_colours` and
`review_questions` (kept so that they need not be found again).
Keys and passwords are never stored here.
"""

import json
import logging
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from sqlite_utils import Database

from toolplanner_core.errors import WorkspaceDamaged
from toolplanner_core.workspace.rows import stored_json
from toolplanner_core.workspace.workspace import Workspace

_log = logging.getLogger(__name__)


_KINDS: dict[str, tuple[type, ...]] = {
    "active_embedder": (str,),
    "default_provider": (str,),
    "active_layout": (int,),
    "active_neighbours": (int,),
    "active_clustering": (int,),
    "toolkits_version": (int,),
    "breakpoints": (list, dict),
    "fault_plan": (list, dict),
}
"""Of the settings that are read everywhere; others are like their default."""


def get_setting(workspace: Workspace, key: str, default: Any = None) -> Any:
    """The value stored under `key`, or `default`; also where what is stored is no JSON,
    or of another kind."""
    return read_setting(workspace.reader(), key, default)


def setting_text(workspace: Workspace, key: str) -> str:
    """What is stored under `key` as it is stored, to see whether it has changed; "" if nothing."""
    row = workspace.one_row("SELECT value FROM settings WHERE key = ?", [key])
    return "" if row is None else str(row[0])


def read_setting(db: Database, key: str, default: Any = None) -> Any:
    """The same, as a transaction sees it."""
    row = db.execute("SELECT value FROM settings WHERE key = ?", [key]).fetchone()
    if row is None:
        return default
    try:
        value = stored_json(row[0])
    except WorkspaceDamaged as error:
        _log.warning("The setting %s counts as not set: %s", key, error.sentence)
        return default
    kinds = _KINDS.get(key) or (() if default is None else (type(default),))
    if value is None or not kinds or isinstance(value, kinds):
        return value
    _log.warning("The setting %s counts as not set: it is no %s", key, kinds[0].__name__)
    return default


def put_setting(db: Database, key: str, value: Any) -> None:
    """Store a JSON value; inside a writer's transaction."""
    db.execute(
        "INSERT INTO settings(key, value) VALUES(?, ?)"
        " ON CONFLICT(key) DO UPDATE SET value = excluded.value",
        [key, json.dumps(value, ensure_ascii=False)],
    )


def set_setting(workspace: Workspace, key: str, value: Any) -> None:
    """Store a JSON value and wait until it is on disk."""
    queue_setting(workspace, key, value).result()


def queue_setting(workspace: Workspace, key: str, value: Any) -> "Future[None]":
    """Store a JSON value without waiting; later ones come later. Any thread, also the GUI's."""
    return workspace.writer.submit(lambda db: put_setting(db, key, value))


def change_setting(workspace: Workspace, key: str, change: Callable[[Any], Any]) -> None:
    """Store what `change` makes of the value (None = nothing stored yet), in one transaction, so
    that nobody's change gets lost in between. Blocks."""

    def work(db: Database) -> None:
        put_setting(db, key, change(read_setting(db, key)))

    workspace.writer.run(work)
