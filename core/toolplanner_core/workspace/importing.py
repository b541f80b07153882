"""Move staged APIs into the catalogue and its full-text index, all or nothing.

The whole of an import becomes visible in one transaction: readers see the old catalogue until it
commits, and a crash, a full disk or a cancel leaves the old one. The index rows are written in the
same transaction, so index and catalogue are never out of step. Row ids are permanent: all arrays
(vectors, labels, layouts) point at them.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

from sqlite_utils import Database

from toolplanner_core.domain.ids import ApiId
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.workspace.import_changes import mark_missing, remember_changed
from toolplanner_core.workspace.toolkits import bump_toolkits_version
from toolplanner_core.workspace.workspace import Workspace

_CHUNK = 1_000
"""APIs moved between two looks at whether a person cancelled."""

# CROSS JOIN and INDEXED BY fix the plan: statistics that SQLite gathered when the tables were small
# would make it walk the whole of `apis` for every staged row.
_STAGED = (
    "import_staging s INDEXED BY sqlite_autoindex_import_staging_1"
    " WHERE s.import_id = :import_id AND s.position BETWEEN :first AND :last"
)
_STAGED_AND_STORED = _STAGED.replace("WHERE", "CROSS JOIN apis a ON a.id = s.id WHERE")

_CHANGED_TOOLS = """
SELECT t.id FROM tools t
JOIN (SELECT category, tool_key, tool, tool_description, min(position) FROM import_staging
      WHERE import_id = :import_id GROUP BY category, tool_key) s
  ON t.source_id = :source_id AND t.category = s.category AND t.key = s.tool_key
WHERE t.title IS NOT s.tool OR t.description IS NOT s.tool_description
"""

# min(position) makes SQLite take the other columns from the first row of each group.
_UPSERT_TOOLS = """
INSERT INTO tools(source_id, category, key, title, description)
SELECT :source_id, category, tool_key, tool, tool_description
FROM (SELECT category, tool_key, tool, tool_description, min(position) AS position
      FROM import_staging WHERE import_id = :import_id GROUP BY category, tool_key)
WHERE true ORDER BY position
ON CONFLICT(source_id, category, key)
  DO UPDATE SET title = excluded.title, description = excluded.description
"""

# A text that a model or a person wrote is kept: only what the rule made is made again.
_UPSERT_APIS = f"""
INSERT INTO apis(id, tool_id, key, name, method, url, description, parameters, response_schema,
                 risk, doc_hash, functionality, functionality_author, text_hash, added_us,
                 updated_us, operation)
SELECT s.id,
       (SELECT t.id FROM tools t WHERE t.source_id = :source_id AND t.category = s.category
        AND t.key = s.tool_key),
       s.key, s.name, s.method, s.url, s.description, s.parameters, s.response_schema,
       s.risk, s.doc_hash, s.functionality, 'rule', s.text_hash, :now_us, :now_us, s.operation
FROM {_STAGED} ORDER BY s.position
ON CONFLICT(id) DO UPDATE SET
  tool_id = excluded.tool_id, key = excluded.key, description = excluded.description,
  parameters = excluded.parameters, response_schema = excluded.response_schema,
  risk = excluded.risk, doc_hash = excluded.doc_hash, updated_us = excluded.updated_us,
  operation = excluded.operation,
  text_hash = CASE functionality_author WHEN 'rule' THEN excluded.text_hash ELSE text_hash END,
  functionality = CASE functionality_author WHEN 'rule' THEN excluded.functionality
                  ELSE functionality END
"""

# Chunk by chunk, so that the next chunk's rows go into the pages that this frees: without it the
# file keeps an import's size in empty pages.
_UNSTAGE = """
DELETE FROM import_staging WHERE import_id = :import_id AND position BETWEEN :first AND :last
"""

_UNINDEX = f"""
DELETE FROM apis_fts WHERE rowid IN
  (SELECT a.rowid FROM {_STAGED_AND_STORED})
"""

_INDEX = f"""
INSERT INTO apis_fts(rowid, name, tool, category, description, tool_description, parameters)
SELECT a.rowid, index_form(s.search_name), index_form(s.tool), index_form(s.category),
       index_form(s.description), index_form(s.tool_description), index_form(s.search_parameters)
FROM {_STAGED_AND_STORED} ORDER BY s.position
"""

# The APIs of a retitled tool that did not come in again keep their own texts in the index.
_REINDEX_TOOL = """
UPDATE apis_fts
SET (tool, tool_description) =
  (SELECT index_form(title), index_form(description) FROM tools WHERE id = :tool_id)
WHERE rowid IN (SELECT rowid FROM apis WHERE tool_id = :tool_id)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """What moving the staged APIs did."""

    added: int
    updated: int


class KnownApi(NamedTuple):
    """What an import needs to know of an API that is there.

    Attributes:
        category, tool: the catalogue's own name of its tool within its category.
        title: what people read it as.
        is_missing: the import before did not bring it.
        counted_hash: of one that waits for a person, the documentation that counted before that and
            counts again once it comes back; "" of others.
    """

    doc_hash: str
    category: str
    tool: str
    key: str
    title: str
    is_missing: bool
    counted_hash: str


def known_apis(workspace: Workspace, source: str) -> dict[ApiId, KnownApi]:
    """By id, everything that a source has brought so far."""
    rows = workspace.reader().execute(
        "SELECT a.id, a.doc_hash, t.category, t.key, a.key, t.title || ' · ' || a.name,"
        " m.api_rowid IS NOT NULL,"
        " CASE WHEN w.api_rowid IS NULL THEN '' ELSE c.before_hash END FROM apis a"
        " JOIN tools t ON t.id = a.tool_id JOIN sources s ON s.id = t.source_id"
        " LEFT JOIN missing_apis m ON m.api_rowid = a.rowid"
        " LEFT JOIN waiting_apis w ON w.api_rowid = a.rowid"
        " LEFT JOIN changed_documentation c ON c.api_rowid = a.rowid WHERE s.name = ?",
        [source],
    )
    return {ApiId(row[0]): KnownApi(*row[1:]) for row in rows.fetchall()}


def merge(
    db: Database,
    import_id: str,
    *,
    source: str,
    format_id: str,
    location: str,
    changed: Collection[ApiId],
    trivial: Collection[ApiId],
    gone: Collection[ApiId],
    back: Collection[ApiId],
    now_us: int,
    progress: Progress,
) -> Merged:
    """Make an import's staged APIs part of the catalogue; inside a writer's transaction.

    Args:
        changed: APIs that wait then until a person accepts how they are documented.
        trivial: updated ones that do not.
        gone: what did not come again; back: what is there again.
        now_us: microseconds since 1970, the time of the import.
        progress: asked between chunks; raising rolls everything back.

    Raises:
        Cancelled: a person stopped the import.
    """
    progress.report("Storing", 0, None)
    names: dict[str, str | int] = {
        "import_id": import_id,
        "source_id": _upsert_source(db, source, format_id, location, now_us),
        "now_us": now_us,
    }
    total, updated = db.execute(
        "SELECT count(*), count(a.id) FROM import_staging s LEFT JOIN apis a ON a.id = s.id"
        " WHERE s.import_id = :import_id",
        names,
    ).fetchone()
    remember_changed(db, changed, trivial=trivial, now_us=now_us)
    mark_missing(db, gone, back=back, now_us=now_us)
    if updated:
        bump_toolkits_version(db)
    changed_tools = [row[0] for row in db.execute(_CHANGED_TOOLS, names)]
    db.execute(_UPSERT_TOOLS, names)
    for tool_id in changed_tools:
        db.execute(_REINDEX_TOOL, {"tool_id": tool_id})
    for first in range(0, total, _CHUNK):
        progress.report("Storing", first, total)
        chunk = {**names, "first": first, "last": first + _CHUNK - 1}
        if updated:
            db.execute(_UNINDEX, chunk)
        db.execute(_UPSERT_APIS, chunk)
        db.execute(_INDEX, chunk)
        db.execute(_UNSTAGE, chunk)
    progress.report("Storing", total, total)
    return Merged(added=total - updated, updated=updated)


def _upsert_source(db: Database, name: str, format_id: str, location: str, now_us: int) -> int:
    db.execute(
        "INSERT INTO sources(name, format, location, imported_us) VALUES(?, ?, ?, ?)"
        " ON CONFLICT(name) DO UPDATE SET format = excluded.format,"
        " location = excluded.location, imported_us = excluded.imported_us",
        [name, format_id, location, now_us],
    )
    return int(db.execute("SELECT id FROM sources WHERE name = ?", [name]).fetchone()[0])
