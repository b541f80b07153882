"""The file of an experiment, `NAME.lab`: its plan, how each trial stands, facts, verdicts and runs.

Written by `lab/coordinator.py` alone. A SQLite file of its own beside the experiment file, with one
writing thread (`Writer`), readers per thread, and a schema that is checked before anything is read.
Facts are columns, so no table ever reads a log. A trial is leased on disk before it is sent, and
what comes back counts once: a second result of the same trial is counted as a duplicate, and never
in a rate.
"""

import contextlib
import json
import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, Self

from sqlite_utils import Database

from toolplanner_core.domain.experiment import (
    FINAL_STATES,
    CalledApi,
    Experiment,
    ExperimentBudget,
    Grade,
    Trial,
    TrialFacts,
    TrialResult,
    TrialState,
    TrialVerdict,
)
from toolplanner_core.domain.lab import Query, row_of_query
from toolplanner_core.domain.outcome import EvidenceLevel
from toolplanner_core.domain.plain_data import from_plain
from toolplanner_core.domain.plan import Status
from toolplanner_core.errors import (
    BadInput,
    NotAWorkspace,
    WorkspaceAltered,
    WorkspaceDamaged,
    WorkspaceExists,
    WorkspaceMissing,
    WorkspaceTooNew,
)
from toolplanner_core.workspace.connections import Readers, Writer, explain_sqlite_error

APPLICATION_ID = 0x54504C42
VERSION = 1
_BUSY_S = 10.0
_PARTS = "SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'"
_FACTS = (
    "status", "answer", "reason", "api_calls", "failed_calls", "model_calls", "fallbacks",
    "replans", "tokens", "cost", "evidence", "evidence_level", "kept_steps", "has_parallel_steps",
    "has_data_flow", "seconds",
)  # fmt: skip
_LISTS = ("calls", "called_toolkits", "errors", "exhausted", "loose_causes")
_SCHEMA = (
    "CREATE TABLE experiment (id INTEGER PRIMARY KEY CHECK (id = 1), body TEXT NOT NULL,"
    " coordinator TEXT NOT NULL DEFAULT '', stopped TEXT NOT NULL DEFAULT '',"
    " begun_us INTEGER NOT NULL)",
    "CREATE TABLE queries (id TEXT PRIMARY KEY, row TEXT NOT NULL)",
    "CREATE TABLE trials (number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE,"
    " query TEXT NOT NULL, arm TEXT NOT NULL, seed INTEGER NOT NULL,"
    " state TEXT NOT NULL DEFAULT 'planned', worker INTEGER NOT NULL DEFAULT -1,"
    " attempt INTEGER NOT NULL DEFAULT 0, why TEXT NOT NULL DEFAULT '',"
    " duplicates INTEGER NOT NULL DEFAULT 0, status TEXT, answer TEXT, reason TEXT,"
    " api_calls INTEGER, failed_calls INTEGER, model_calls INTEGER, fallbacks INTEGER,"
    " replans INTEGER, tokens INTEGER, cost REAL, evidence INTEGER, evidence_level TEXT,"
    " kept_steps INTEGER,"
    " has_parallel_steps INTEGER, has_data_flow INTEGER, seconds REAL, calls TEXT,"
    " called_toolkits TEXT, errors TEXT, exhausted TEXT, loose_causes TEXT)",
    "CREATE INDEX trials_by_state ON trials(state, number)",
    "CREATE TABLE verdicts (trial INTEGER NOT NULL REFERENCES trials(number), judge TEXT NOT NULL,"
    " version INTEGER NOT NULL, solved REAL NOT NULL, reason TEXT NOT NULL, votes TEXT NOT NULL,"
    " PRIMARY KEY (trial, judge, version)) WITHOUT ROWID",
    "CREATE TABLE former_attempts (trial INTEGER NOT NULL REFERENCES trials(number),"
    " api_calls INTEGER NOT NULL, model_calls INTEGER NOT NULL, tokens INTEGER NOT NULL,"
    " cost REAL)",
    "CREATE TABLE runs (trial INTEGER PRIMARY KEY REFERENCES trials(number), packed BLOB NOT NULL)",
)
MOST_ATTEMPTS = 3
"""How often a trial is sent that its worker died of, or that could not be measured."""
_LEASABLE = (
    f"(state IN ('{TrialState.PLANNED}', '{TrialState.STOPPED}')"
    f" OR (state = '{TrialState.NOT_MEASURED}' AND attempt < {MOST_ATTEMPTS}))"
)


_AMOUNTS = ("api_calls", "failed_calls", "model_calls", "tokens", "cost", "seconds")


class JudgedTrial(NamedTuple):
    """A trial with its verdicts by judge, and what a table needs; amounts by the names of facts."""

    trial: Trial
    why: str
    status: str | None
    amounts: Mapping[str, float | None]
    verdicts: Mapping[str, float]
    votes: Mapping[str, tuple[Grade, ...]]


class SpentTrial(NamedTuple):
    """What a trial took, in all its attempts; cost in US dollars, None = unknown."""

    api_calls: int
    model_calls: int
    tokens: int
    cost: float | None


class GivenVerdict(NamedTuple):
    """What a version of a judge said of a trial."""

    judge: str
    version: int
    said: TrialVerdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How an experiment stands.

    Attributes:
        by_state: number of trials in each state.
        left: those that are still to be run, or run at the moment.
        duplicates: results that came twice, and count once.
        stopped: why it ended before all was run, for people; "" where nothing stopped it.
    """

    by_state: Mapping[TrialState, int]
    left: int
    duplicates: int
    stopped: str = ""

    @property
    def planned(self) -> int:
        """All trials of the plan."""
        return sum(self.by_state.values())


class LabStore:
    """An open `NAME.lab`; any thread may use it. End it with `close` or `with`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._writer = Writer(lambda: _connect(path), path=path)
        self._readers = Readers()

    @classmethod
    def create(
        cls, path: Path, experiment: Experiment, queries: Iterable[Query], trials: Sequence[Trial]
    ) -> Self:
        """A new file with a plan; it is there whole or not at all. Blocks.

        Raises:
            WorkspaceExists: there is a file already.
            WorkspaceError: it cannot be written.
        """
        if path.exists():
            raise WorkspaceExists("There is a file already", where=str(path))
        part = path.with_name(f"{path.name}.part")
        part.unlink(missing_ok=True)
        try:
            with contextlib.closing(sqlite3.connect(part)) as db:
                _make(db)
                body = json.dumps(asdict(experiment), ensure_ascii=False)
                begun_us = time.time_ns() // 1000
                db.execute(
                    "INSERT INTO experiment(id, body, begun_us) VALUES (1, ?, ?)", [body, begun_us]
                )
                db.executemany(
                    "INSERT INTO queries VALUES (?, ?)",
                    ((q.id, json.dumps(row_of_query(q), ensure_ascii=False)) for q in queries),
                )
                db.executemany(
                    "INSERT INTO trials(number, key, query, arm, seed) VALUES (?, ?, ?, ?, ?)",
                    ((t.number, t.key, t.query, t.arm, t.seed) for t in trials),
                )
                db.commit()
            part.replace(path)
        except sqlite3.Error as error:
            raise explain_sqlite_error(error, where=str(path)) from error
        finally:
            part.unlink(missing_ok=True)
        return cls(path)

    @classmethod
    def open(cls, path: Path, *, is_trusted: bool = False) -> Self:
        """An existing file, after its schema was checked.

        Args:
            is_trusted: only the schema is checked, and not every page: of a list, where a damaged
                file is seen when it is opened.

        Raises:
            WorkspaceMissing: no such file.
            NotAWorkspace, WorkspaceTooNew, WorkspaceAltered, WorkspaceDamaged: it is not ours, of
                a newer program, has other tables, or is broken; it is not touched.
        """
        if not path.is_file():
            raise WorkspaceMissing(
                "There are no results of this experiment",
                where=str(path),
                todo="Run the experiment first",
            )
        try:
            uri = f"{path.resolve().as_uri()}?mode=ro"
            with contextlib.closing(sqlite3.connect(uri, uri=True, timeout=_BUSY_S)) as db:
                _check(db, path, reads_all=not is_trusted)
        except sqlite3.Error as error:
            raise explain_sqlite_error(error, where=str(path)) from error
        return cls(path)

    def experiment(self) -> Experiment:
        """What it is about."""
        body = self._reader().execute("SELECT body FROM experiment").fetchone()[0]
        return from_plain(Experiment, json.loads(body))

    def query_rows(self) -> list[dict[str, Any]]:
        """The queries of its data set, as `row_of_query` makes them."""
        rows = self._reader().execute("SELECT row FROM queries ORDER BY rowid")
        return [json.loads(row) for (row,) in rows]

    def standing(self) -> Standing:
        """How it stands."""
        rows = self._reader().execute(
            "SELECT state, count(*), sum(duplicates),"
            f" sum({_LEASABLE} OR state = '{TrialState.LEASED}') FROM trials GROUP BY state"
        )
        found = rows.fetchall()
        stopped = self._reader().execute("SELECT stopped FROM experiment").fetchone()[0]
        return Standing(
            by_state={TrialState(state): number for state, number, *_ in found},
            left=sum(left for *_, left in found),
            duplicates=sum(twice for _, _, twice, _ in found),
            stopped=stopped,
        )

    def spent(self) -> dict[int, SpentTrial]:
        """What each trial took that ran, by its number; attempts that did not count as well."""
        columns = "api_calls, model_calls, tokens, cost"
        found: dict[int, SpentTrial] = {}
        for number, *took in self._reader().execute(
            f"SELECT number, {columns} FROM trials WHERE status IS NOT NULL UNION ALL"
            f" SELECT trial, {columns} FROM former_attempts"
        ):
            found[number] = added(found.get(number), SpentTrial(*took))
        return found

    def leased(self) -> list[Trial]:
        """Trials that are with a worker, or were when the coordinator ended."""
        return self._trials("state = ?", [TrialState.LEASED])

    def trials(self) -> list[Trial]:
        """All trials, in the order of the plan."""
        return self._trials("1", [])

    def _trials(self, where: str, values: Sequence[Any]) -> list[Trial]:
        sql = f"SELECT {_OF_TRIAL} FROM trials WHERE {where} ORDER BY number"
        return [_trial(row) for row in self._reader().execute(sql, values)]

    def facts(self, number: int) -> TrialFacts | None:
        """What a trial showed, None where it has not run."""
        sql = f"SELECT {', '.join((*_FACTS, *_LISTS))} FROM trials WHERE number = ?"
        row = self._reader().execute(sql, [number]).fetchone()
        return None if row is None or row[0] is None else _facts(row)

    def packed(self, number: int) -> bytes:
        """A trial's run as compressed JSON lines, b"" where it has none."""
        sql = "SELECT packed FROM runs WHERE trial = ?"
        row = self._reader().execute(sql, [number]).fetchone()
        return row[0] if row else b""

    def judged(self) -> list[JudgedTrial]:
        """All trials with what judges said of them."""
        db = self._reader()
        verdicts: dict[int, dict[str, float]] = {}
        votes: dict[int, dict[str, tuple[Grade, ...]]] = {}
        said = "SELECT trial, judge, solved, votes FROM verdicts ORDER BY version"
        for number, judge, solved, given in db.execute(said):
            verdicts.setdefault(number, {})[judge] = solved
            votes.setdefault(number, {})[judge] = _votes(given)
        columns = f"{_OF_TRIAL}, why, status, {', '.join(_AMOUNTS)}"
        return [
            JudgedTrial(
                trial=_trial(row[:8]),
                why=row[8],
                status=row[9],
                amounts=dict(zip(_AMOUNTS, row[10:], strict=True)),
                verdicts=verdicts.get(row[0], {}),
                votes=votes.get(row[0], {}),
            )
            for row in db.execute(f"SELECT {columns} FROM trials ORDER BY number")
        ]

    def last_errors(self) -> dict[int, str]:
        """Class of the error of the last call that failed, by the number of the trial."""
        sql = "SELECT number, calls FROM trials WHERE errors <> '[]'"
        found: dict[int, str] = {}
        for number, calls in self._reader().execute(sql):
            failed = [call["error"] for call in json.loads(calls) if call["error"]]
            if failed:
                found[number] = failed[-1]
        return found

    def why(self, number: int) -> str:
        """Why a trial is not done, "" where it is or has not run."""
        sql = "SELECT why FROM trials WHERE number = ?"
        return self._reader().execute(sql, [number]).fetchone()[0]

    def verdicts(self, number: int) -> list[GivenVerdict]:
        """All that was said of a trial, by judge and version."""
        sql = (
            "SELECT judge, version, solved, reason, votes FROM verdicts WHERE trial = ?"
            " ORDER BY judge, version"
        )
        return [
            GivenVerdict(
                judge, version, TrialVerdict(solved=solved, reason=reason, votes=_votes(votes))
            )
            for judge, version, solved, reason, votes in self._reader().execute(sql, [number])
        ]

    def take(self, mine: str, *, is_alive: Callable[[str], bool]) -> None:
        """Become the one that runs it.

        Args:
            mine: identity of this process; is_alive: whether one with another still runs.

        Raises:
            BadInput: a living process runs it already.
        """

        def work(db: Database) -> None:
            (who,) = db.execute("SELECT coordinator FROM experiment").fetchone()
            if who and who != mine and is_alive(who):
                raise BadInput(
                    "Another process runs this experiment",
                    where=self.path.name,
                    todo="Look at what it has so far, or wait until it ends",
                )
            db.conn.execute("UPDATE experiment SET coordinator = ?, stopped = ''", [mine])

        self._writer.run(work)

    def coordinator(self) -> str:
        """Identity of the process that runs it, "" = nobody does, or did not say when it ended."""
        return self._reader().execute("SELECT coordinator FROM experiment").fetchone()[0]

    def release(self, mine: str) -> None:
        """Let others run it again."""
        self._writer.run(
            lambda db: db.conn.execute(
                "UPDATE experiment SET coordinator = '' WHERE coordinator = ?", [mine]
            )
        )

    def stop(self, why: str) -> None:
        """Note why it ends before all was run."""
        self._writer.run(lambda db: db.conn.execute("UPDATE experiment SET stopped = ?", [why]))

    def allow(self, budget: ExperimentBudget) -> None:
        """Give it another budget; what is compared stays as it was."""
        body = json.dumps(asdict(replace(self.experiment(), budget=budget)), ensure_ascii=False)
        self._writer.run(lambda db: db.conn.execute("UPDATE experiment SET body = ?", [body]))

    def next_trials(self) -> list[Trial]:
        """What may be leased next: the first that has not run, and the first to be tried again."""
        first = "SELECT min(number) FROM trials WHERE"
        where = (
            f"number IN ({first} state IN ('{TrialState.PLANNED}', '{TrialState.STOPPED}')"
            f" UNION {first} state = '{TrialState.NOT_MEASURED}' AND attempt < {MOST_ATTEMPTS})"
        )
        found = self._trials(where, [])
        return sorted(found, key=lambda trial: trial.state is TrialState.NOT_MEASURED)

    def lease(self, worker: int, number: int) -> Trial:
        """A trial for a worker, marked on disk as its."""

        def work(db: Database) -> Trial:
            db.conn.execute(
                "UPDATE trials SET state = ?, worker = ?, attempt = attempt + 1 WHERE number = ?",
                [TrialState.LEASED, worker, number],
            )
            sql = f"SELECT {_OF_TRIAL} FROM trials WHERE number = ?"
            return _trial(db.execute(sql, [number]).fetchone())

        return self._writer.run(work)

    def lease_again(self, number: int) -> int:
        """Note that a trial is sent once more; how often it was sent by now."""

        def work(db: Database) -> int:
            db.conn.execute("UPDATE trials SET attempt = attempt + 1 WHERE number = ?", [number])
            return db.execute("SELECT attempt FROM trials WHERE number = ?", [number]).fetchone()[0]

        return self._writer.run(work)

    def collect(
        self, result: TrialResult, verdicts: Mapping[tuple[str, int], TrialVerdict] | None = None
    ) -> bool:
        """Store what came back of a trial, and wait until it is on disk.

        Args:
            verdicts: by judge and its version.

        Returns:
            False where it was there already: then it is counted as a duplicate.

        Raises:
            BadInput: the key is not that of the trial; nothing is stored.
        """

        def work(db: Database) -> bool:
            sql = "SELECT key, state FROM trials WHERE number = ?"
            key, state = db.execute(sql, [result.number]).fetchone() or ("", "")
            if key != result.key:
                raise BadInput(f"Trial {result.number} has another key", where=self.path.name)
            if state in FINAL_STATES:
                db.conn.execute(
                    "UPDATE trials SET duplicates = duplicates + 1 WHERE number = ?",
                    [result.number],
                )
                return False
            db.conn.execute(
                "INSERT INTO former_attempts SELECT number, api_calls, model_calls, tokens, cost"
                " FROM trials WHERE number = ? AND status IS NOT NULL",
                [result.number],
            )
            values = {"state": str(result.state), "why": result.why}
            if result.facts is not None:
                values |= _row(result.facts)
            names = ", ".join(f"{name} = ?" for name in values)
            db.conn.execute(
                f"UPDATE trials SET {names} WHERE number = ?",
                [*values.values(), result.number],
            )
            if result.packed:
                db.conn.execute(
                    "INSERT OR REPLACE INTO runs VALUES (?, ?)", [result.number, result.packed]
                )
            db.conn.executemany(
                _ADD_VERDICT,
                [
                    (result.number, judge, version, *_verdict_row(said))
                    for (judge, version), said in (verdicts or {}).items()
                ],
            )
            return True

        return self._writer.run(work)

    def judge(self, number: int, judge: str, version: int, said: TrialVerdict) -> None:
        """Store what a judge says of a trial later, beside what others said."""
        row = (number, judge, version, *_verdict_row(said))
        self._writer.run(lambda db: db.conn.execute(_ADD_VERDICT, row))

    def judges(self) -> list[str]:
        """All who said something of a trial, by name."""
        rows = self._reader().execute("SELECT DISTINCT judge FROM verdicts ORDER BY judge")
        return [judge for (judge,) in rows]

    def close(self) -> None:
        """Finish what is queued and close. Safe to call twice."""
        self._readers.close()
        self._writer.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _reader(self) -> Database:
        return self._readers.own(lambda: _connect_reader(self.path))


def added(one: SpentTrial | None, other: SpentTrial) -> SpentTrial:
    """What two attempts took together."""
    if one is None:
        return other
    cost = None if one.cost is None or other.cost is None else one.cost + other.cost
    return SpentTrial(
        api_calls=one.api_calls + other.api_calls,
        model_calls=one.model_calls + other.model_calls,
        tokens=one.tokens + other.tokens,
        cost=cost,
    )


def _verdict_row(said: TrialVerdict) -> tuple[float, str, str]:
    return said.solved, said.reason, json.dumps([str(vote) for vote in said.votes])


def _votes(text: str) -> tuple[Grade, ...]:
    # Of 100,000 trials most have none, and reading that as JSON takes a third of a second.
    return () if text == _NO_VOTES else tuple(map(Grade, json.loads(text)))


_ADD_VERDICT = "INSERT OR REPLACE INTO verdicts VALUES (?, ?, ?, ?, ?, ?)"
_NO_VOTES = "[]"
_STATES = {str(state): state for state in TrialState}
_OF_TRIAL = "number, key, query, arm, seed, state, worker, attempt"


def _trial(row: Sequence[Any]) -> Trial:
    number, key, query, arm, seed, state, worker, attempt = row
    return Trial(
        number=number,
        key=key,
        query=query,
        arm=arm,
        seed=seed,
        state=_STATES[state],
        worker=worker,
        attempt=attempt,
    )


def _row(facts: TrialFacts) -> dict[str, Any]:
    row = asdict(facts)
    row |= {name: json.dumps(row[name], ensure_ascii=False) for name in _LISTS}
    return {**row, "status": str(facts.status), "evidence_level": str(facts.evidence_level)}


def _facts(row: Sequence[Any]) -> TrialFacts:
    found = dict(zip((*_FACTS, *_LISTS), row, strict=True))
    for name in _LISTS:
        found[name] = tuple(json.loads(found[name]))
    found["calls"] = tuple(CalledApi(**call) for call in found["calls"])
    found["status"] = Status(found["status"])
    found["evidence_level"] = EvidenceLevel(found["evidence_level"])
    for name in ("has_parallel_steps", "has_data_flow"):
        found[name] = bool(found[name])
    return TrialFacts(**found)


def _make(db: sqlite3.Connection) -> None:
    db.execute(f"PRAGMA application_id={APPLICATION_ID}")
    db.execute(f"PRAGMA user_version={VERSION}")
    for statement in _SCHEMA:
        db.execute(statement)


def _check(db: sqlite3.Connection, path: Path, *, reads_all: bool) -> None:
    db.execute("PRAGMA trusted_schema=OFF")
    if db.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        raise NotAWorkspace(
            "This file holds no experiment", where=str(path), todo="Choose a .lab file"
        )
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if version > VERSION:
        raise WorkspaceTooNew(
            f"This experiment has format {version}, this program knows up to {VERSION}",
            where=str(path),
            todo="Update ToolPlanner",
        )
    with contextlib.closing(sqlite3.connect(":memory:")) as ours:
        _make(ours)
        wanted = set(ours.execute(_PARTS).fetchall())
    if set(db.execute(_PARTS).fetchall()) != wanted:
        raise WorkspaceAltered(
            "The tables of this file are not those of an experiment",
            where=str(path),
            why="Nothing of it was run or changed",
            todo="Ask whoever gave you the file for one as ToolPlanner wrote it",
        )
    problem = db.execute("PRAGMA quick_check(1)").fetchone()[0] if reads_all else "ok"
    if problem != "ok":
        raise WorkspaceDamaged("The file is damaged", where=str(path), why=str(problem))


def _connect(path: Path) -> Database:
    db = Database(
        sqlite3.connect(path, timeout=_BUSY_S, check_same_thread=False), execute_plugins=False
    )
    for pragma in (
        "journal_mode=WAL",
        "synchronous=NORMAL",
        "foreign_keys=ON",
        "trusted_schema=OFF",
    ):
        db.conn.execute(f"PRAGMA {pragma}")
    return db


def _connect_reader(path: Path) -> Database:
    uri = f"{path.resolve().as_uri()}?mode=ro"
    connection = sqlite3.connect(uri, uri=True, timeout=_BUSY_S, check_same_thread=False)
    db = Database(connection, execute_plugins=False)
    for pragma in ("query_only=ON", "trusted_schema=OFF"):
        db.conn.execute(f"PRAGMA {pragma}")
    return db
