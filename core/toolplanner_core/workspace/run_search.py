"""The full-text index over runs: what is stored for each, which runs lack it, and the search.

The index is a fold of the log (made by `runs/searching/search.py`) and can be thrown away at any
time. Texts of the person are bound as parameters and every word is quoted, so operators mean
nothing.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sqlite_utils import Database

from toolplanner_core.domain.ids import RunId
from toolplanner_core.workspace.rows import dump, insert
from toolplanner_core.workspace.workspace import Workspace

TEXT_COLUMNS = ("query", "answer", "titles", "errors", "arguments", "results")
_WEIGHTS = (8.0, 4.0, 3.0, 3.0, 2.0, 1.0)
_RANK = f"bm25(runs_fts, {', '.join(map(str, _WEIGHTS))})"
_SNIPPET = "snippet(runs_fts, -1, '', '', '…', 16)"
_SHORTEST_BEGINNING = 3
"""Letters of a last word from which on it may be the beginning of one; nearly every run holds a
word that begins with a given letter."""
_WORD = re.compile(r'"([^"]*)"|(\S+)')


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexEntry:
    """What is stored of one run.

    Attributes:
        upto_seq: last event that was read.
        texts: by the names of `TEXT_COLUMNS`.
        facts: (kind, value) with kind "api", "toolkit" or "error"; values case folded.
    """

    run: RunId
    upto_seq: int
    ended_us: int | None
    fallbacks: int
    replans: int
    tokens: int
    texts: Mapping[str, str]
    facts: frozenset[tuple[str, str]]


AMOUNTS: Mapping[str, str] = {
    "cost": "json_extract(r.totals, '$.cost')",
    "tokens": "i.tokens",
    "fallbacks": "i.fallbacks",
    "replans": "i.replans",
}
"""Numbers of a run and where they stand; an unknown cost is NULL and fits no comparison."""
_COMPARISONS = frozenset({"<", "<=", "=", ">=", ">"})


class AmountFilter(NamedTuple):
    """A comparison of one of `AMOUNTS`; `mark` is <, <=, =, >= or >."""

    name: str
    mark: str
    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFilters:
    """Conditions on the fields of a run; None = any. All given ones must hold.

    Attributes:
        api: id, key part or title of an API that was called or tried; whole, any case.
        toolkit: name of a toolkit that a step used; whole, any case.
        error: an error class that occurred.
        label: what a person labelled it; whole, any case.
        is_starred: only those with a star.
        since_us, before_us: start of the run, microseconds since 1970, from / up to (exclusive).
        amounts: comparisons of cost (US dollars; runs of unknown cost fit none), tokens,
            fallbacks, replans.
    """

    strategy: str | None = None
    status: str | None = None
    model: str | None = None
    provider: str | None = None
    api: str | None = None
    toolkit: str | None = None
    error: str | None = None
    label: str | None = None
    is_starred: bool = False
    since_us: int | None = None
    before_us: int | None = None
    min_fallbacks: int | None = None
    min_replans: int | None = None
    min_tokens: int | None = None
    amounts: tuple[AmountFilter, ...] = ()


class FoundRun(NamedTuple):
    """One run that fits; `score` is 0 without words, `snippet` plain text around the words."""

    run: RunId
    score: float
    snippet: str


@dataclass(slots=True)
class _Conditions:
    parts: list[str] = field(default_factory=list[str])
    values: list[Any] = field(default_factory=list[Any])

    def add(self, part: str, *values: Any) -> None:
        self.parts.append(part)
        self.values.extend(values)


def stale_runs(workspace: Workspace) -> list[RunId]:
    """Runs that the index does not know, or knew before they went on or ended."""
    rows = workspace.reader().conn.execute(
        "SELECT r.id FROM runs r LEFT JOIN run_index i ON i.run_id = r.id"
        " WHERE i.run_id IS NULL OR i.ended_us IS NOT r.ended_us OR (r.ended_us IS NULL AND"
        " i.upto_seq < (SELECT coalesce(max(seq), 0) FROM events WHERE run_id = r.id))"
        " ORDER BY r.id"
    )
    return [RunId(row[0]) for row in rows.fetchall()]


def store_entries(workspace: Workspace, entries: Sequence[IndexEntry]) -> None:
    """Store or replace the index of some runs in one transaction, and wait for it.

    Raises:
        WorkspaceError: the workspace cannot be written.
    """
    workspace.writer.run(lambda db: _store(db, entries))


def find_runs(
    workspace: Workspace, text: str, filters: RunFilters, *, limit: int
) -> list[FoundRun]:
    """Runs that hold all words of `text` and fit the filters; best first, without words newest
    first.

    Words in double quotes are a phrase; the last word may be the beginning of one.
    """
    match = _match_expression(text)
    if match is None and text.strip():
        return []
    where = _where(filters)
    db = workspace.reader()
    if match is None:
        rows = db.conn.execute(
            "SELECT r.id FROM runs r LEFT JOIN run_index i ON i.run_id = r.id"
            f"{_all(where.parts)} ORDER BY r.id DESC LIMIT ?",
            [*where.values, limit],
        )
        return [FoundRun(RunId(row[0]), 0.0, "") for row in rows.fetchall()]
    parts = ["runs_fts MATCH ?", *where.parts]
    best = db.conn.execute(
        f"SELECT r.id, -{_RANK} AS score FROM runs_fts"
        " CROSS JOIN runs r ON r.id = runs_fts.rowid JOIN run_index i ON i.run_id = r.id"
        f"{_all(parts)} ORDER BY score DESC, r.id DESC LIMIT ?",
        [match, *where.values, limit],
    ).fetchall()
    # In a query of its own: together with a sort, SQLite makes the snippet of every match.
    snippets = _snippets(db, match, [row[0] for row in best])
    return [FoundRun(RunId(run), float(score), snippets.get(run, "")) for run, score in best]


def runs_with_facts(
    workspace: Workspace, kind: str, values: Collection[str], *, limit: int
) -> list[RunId]:
    """Runs in which any of these values occurred, the newest first.

    Args:
        kind: "api", "toolkit" or "error".
    """
    rows = workspace.reader().execute(
        "SELECT DISTINCT f.run_id FROM json_each(?) j"
        " CROSS JOIN run_facts f ON f.kind = ? AND f.value = j.value"
        " WHERE f.run_id NOT IN (SELECT run_id FROM run_marks WHERE deleted_us IS NOT NULL)"
        " ORDER BY f.run_id DESC LIMIT ?",
        [dump([fold(value) for value in values]), kind, limit],
    )
    return [RunId(row[0]) for row in rows]


def _snippets(db: Database, match: str, runs: Sequence[int]) -> dict[int, str]:
    marks = ",".join("?" * len(runs))
    # The "+" keeps SQLite from looking all words up again for each single run.
    rows = db.conn.execute(
        f"SELECT rowid, {_SNIPPET} FROM runs_fts WHERE runs_fts MATCH ? AND +rowid IN ({marks})",
        [match, *runs],
    )
    return {row[0]: " ".join(row[1].split()) for row in rows.fetchall()}


def _match_expression(text: str) -> str | None:
    """The words as an FTS5 query, None when there is nothing to look for."""
    # SQLite takes neither lone surrogates nor NUL in a query.
    clean = text.encode("utf-8", "ignore").decode("utf-8").replace("\0", " ")
    words: list[str] = []
    last = ""
    for quoted, plain in _WORD.findall(clean):
        word = (quoted or plain).replace('"', " ")
        if any(letter.isalnum() for letter in word):
            words.append(f'"{word}"')
            last = plain
    if not words:
        return None
    if len(last) >= _SHORTEST_BEGINNING:
        words[-1] += "*"
    return " AND ".join(words)


def _where(filters: RunFilters) -> _Conditions:
    where = _Conditions()
    where.add("r.id NOT IN (SELECT run_id FROM run_marks WHERE deleted_us IS NOT NULL)")
    if filters.label is not None:
        where.add(
            "r.id IN (SELECT run_id FROM run_marks WHERE label = ? COLLATE NOCASE)",
            filters.label,
        )
    if filters.is_starred:
        where.add("r.id IN (SELECT run_id FROM run_marks WHERE is_starred)")
    for column in ("strategy", "status", "model", "provider"):
        if (value := getattr(filters, column)) is not None:
            where.add(f"r.{column} = ?", value)
    for kind in ("api", "toolkit", "error"):
        if (value := getattr(filters, kind)) is not None:
            where.add(
                "r.id IN (SELECT run_id FROM run_facts WHERE kind = ? AND value = ?)",
                kind,
                fold(value),
            )
    if filters.since_us is not None:
        where.add("r.started_us >= ?", filters.since_us)
    if filters.before_us is not None:
        where.add("r.started_us < ?", filters.before_us)
    for column in ("fallbacks", "replans", "tokens"):
        if (least := getattr(filters, f"min_{column}")) is not None:
            where.add(f"i.{column} >= ?", least)
    for name, mark, value in filters.amounts:
        assert mark in _COMPARISONS, mark
        where.add(f"{AMOUNTS[name]} {mark} ?", value)
    return where


def fold(value: str) -> str:
    """The form in which values of fields are stored and compared."""
    return " ".join(value.encode("utf-8", "ignore").decode("utf-8").casefold().split())


def _all(parts: Sequence[str]) -> str:
    return f" WHERE {' AND '.join(parts)}" if parts else ""


def _store(db: Database, entries: Iterable[IndexEntry]) -> None:
    for entry in entries:
        run = [entry.run]
        db.conn.execute("DELETE FROM runs_fts WHERE rowid = ?", run)
        db.conn.execute("DELETE FROM run_facts WHERE run_id = ?", run)
        texts = {name: _storable(entry.texts[name]) for name in TEXT_COLUMNS}
        insert(db, "runs_fts", {"rowid": entry.run, **texts})
        db.conn.executemany(
            "INSERT INTO run_facts(kind, value, run_id) VALUES(?, ?, ?)",
            [(kind, value, entry.run) for kind, value in sorted(entry.facts)],
        )
        columns = ("upto_seq", "ended_us", "fallbacks", "replans", "tokens")
        row = {"run_id": entry.run, **{name: getattr(entry, name) for name in columns}}
        insert(db, "run_index", row, otherwise="OR REPLACE")


def _storable(text: str) -> str:
    return text.encode("utf-8", "ignore").decode("utf-8")
