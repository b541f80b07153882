"""Statistics of calls over all runs: health of each API, a table of attempts, failures by class.

Outcomes that say nothing about the API do not count: injected, a person's, simulated, not sent,
stopped, those of the example runs, and those of an imported copy of a run that is here. Nor do
replies that what was asked for is not there (`domain/failure.py`), but in a health check, which
asks for what the documentation names.

One pass over the calls in the log: 100,000 events in about half a second; not for the GUI thread.

One pass over the log in order, so that a call, its end and the step around it meet; 100,000 events
in about half a second, not for the GUI thread. What a fork took over stands in its parent's rows.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from toolplanner_core.domain.failure import OF_HARNESS, ErrorClass, reports_not_found
from toolplanner_core.domain.ids import ApiId, NodePath, RunId, path_and_ancestors
from toolplanner_core.domain.observation import (
    BY_PERSON,
    EXAMPLE_MODEL,
    HEALTH_CHECK,
    INJECTED,
    NO_EVIDENCE,
    NOT_RECORDED,
    NOT_SENT,
    Effect,
    FailureOrigin,
    failed_by,
)
from toolplanner_core.words.formatting import counted, duration
from toolplanner_core.workspace.catalogue import rowids_of
from toolplanner_core.workspace.rows import dump
from toolplanner_core.workspace.run_log import read_records
from toolplanner_core.workspace.runs import COUNTED_ONCE, NOT_DELETED, copied_runs
from toolplanner_core.workspace.workspace import Workspace

OF_ABSENT = "asked for what is not there"
_PRIOR_OK, _PRIOR = 1.0, 2.0
_KEPT = 1_000
"""Times of replies that are kept of an API or toolkit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallFigures:
    """Calls of one API that ended.

    Attributes:
        n_ok, n_failed: calls that brought a usable reply, and that failed.
        n_absent: others, whose reply was that what was asked for is not there.
        last_error: class of the newest failure in words ("server error"), "" if none.
        last_error_us: when that was, microseconds since 1970; 0 if none.
        elapsed_ms: how long replies took, the newest ones, in no order.
    """

    n_ok: int
    n_failed: int
    n_absent: int = 0
    last_error: str = ""
    last_error_us: int = 0
    elapsed_ms: tuple[float, ...] = ()

    @property
    def n(self) -> int:
        """All calls that count."""
        return self.n_ok + self.n_failed

    @property
    def health(self) -> float | None:
        """Share of the calls that brought a usable reply, 0 to 1; None where none counts."""
        return self.n_ok / self.n if self.n else None

    @property
    def smoothed(self) -> float:
        """The same by Laplace's rule of succession: one half without a call, so that one failure
        does not sink an API and one success does not crown it. For orders, never shown."""
        return (self.n_ok + _PRIOR_OK) / (self.n + _PRIOR)

    @property
    def p50_ms(self) -> float | None:
        """How long half of the replies took at most; None without one."""
        return self._quantile(0.5)

    @property
    def p95_ms(self) -> float | None:
        """How long 95 of 100 replies took at most; None without one."""
        return self._quantile(0.95)

    @property
    def words(self) -> str:
        """ "12 of 14 calls ok, 3 more asked for what is not there, half within 0.2 s, ..."."""
        if not self.n:
            return f"{counted(self.n_absent, 'call')} {OF_ABSENT}: none tells its health"
        said = f"{self.n_ok:,} of {counted(self.n, 'call')} ok"
        said += f", {self.n_absent:,} more {OF_ABSENT}" if self.n_absent else ""
        half, most = self.p50_ms, self.p95_ms
        if half is None or most is None:
            return said
        if len(self.elapsed_ms) == 1:
            return f"{said}, in {duration(half / 1e3)}"
        return f"{said}, half within {duration(half / 1e3)}, 95 % within {duration(most / 1e3)}"

    def _quantile(self, share: float) -> float | None:
        # The nearest rank: a time that was really seen.
        ordered = sorted(self.elapsed_ms)
        return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else None

    def plus(self, other: "CallFigures") -> "CallFigures":
        """Of both together."""
        newest = max(self, other, key=lambda figures: figures.last_error_us)
        return CallFigures(
            n_ok=self.n_ok + other.n_ok,
            n_failed=self.n_failed + other.n_failed,
            n_absent=self.n_absent + other.n_absent,
            last_error=newest.last_error,
            last_error_us=newest.last_error_us,
            elapsed_ms=(*self.elapsed_ms, *other.elapsed_ms)[-_KEPT:],
        )


def call_figures(workspace: Workspace) -> dict[int, CallFigures]:
    """The figures of every API that was called, by row id, also where no call counts."""
    marks = ", ".join("?" * len(NO_EVIDENCE))
    rows = workspace.reader().execute(
        "SELECT run_id, path, type, json_extract(body, '$.api'), json_extract(body, '$.error'),"
        " wall_us, json_extract(body, '$.elapsed_ms'), json_extract(body, '$.status'),"
        " json_extract(body, '$.message'), run_id IN (SELECT id FROM runs WHERE strategy = ?)"
        " FROM events"
        " WHERE type IN ('call.sent', 'call.returned', 'call.failed')"
        f" AND coalesce(json_extract(body, '$.origin'), '') NOT IN ({marks})"
        " AND coalesce(json_extract(body, '$.error'), '') != 'cancelled'"
        " AND run_id NOT IN (SELECT id FROM runs WHERE model = ?)"
        f" AND {COUNTED_ONCE}"
        " ORDER BY run_id, seq",
        [HEALTH_CHECK, *NO_EVIDENCE, EXAMPLE_MODEL],
    )
    api_at: dict[tuple[int, str], str] = {}
    found: dict[str, CallFigures] = {}
    times: dict[str, list[float]] = defaultdict(list)
    nothing = CallFigures(n_ok=0, n_failed=0)
    for run, path, kind, api, error, wall_us, elapsed_ms, status, message, is_check in rows:
        if kind == "call.sent":
            api_at[run, path] = api
            continue
        called = api_at.get((run, path))
        # The request of a fork's first reply may stand in the parent's log.
        if called is None:
            continue
        if kind == "call.returned":
            one = CallFigures(n_ok=1, n_failed=0)
        elif not is_check and reports_not_found(error, status=status, message=str(message or "")):
            one = replace(nothing, n_absent=1)
        else:
            said = str(error or "").replace("_", " ")
            one = CallFigures(n_ok=0, n_failed=1, last_error=said, last_error_us=wall_us)
        found[called] = found.get(called, nothing).plus(one)
        if kind == "call.returned" and elapsed_ms is not None:
            times[called].append(elapsed_ms)
    known = rowids_of(workspace, [ApiId(api) for api in found])
    return {
        rowid: replace(found[api], elapsed_ms=tuple(times[api][-_KEPT:]))
        for api, rowid in known.items()
    }


OK, UNFINISHED = "ok", "no reply yet"
OF_EXAMPLE = "of example runs"
OF_COPY = "of imported copies of other runs"
_STOPPED = "stopped"
_IN_DOUBT = "in doubt"
_BEGINS = ("call.sent", "call.refused", "person.decided")
_WORDS = {
    INJECTED: "made to fail",
    BY_PERSON: "decided by a person",
    NOT_RECORDED: "no such recording",
}


_CALLS = (
    "SELECT run_id, path, type, wall_us,"
    " coalesce(json_extract(body, '$.api'), json_extract(body, '$.before.api')),"
    " json_extract(body, '$.title'), json_extract(body, '$.data.toolkit_name'),"
    " json_extract(body, '$.error'), json_extract(body, '$.elapsed_ms'),"
    " coalesce(json_extract(body, '$.origin'), ''), coalesce(json_extract(body, '$.effect'), ''),"
    " json_extract(body, '$.status'), coalesce(json_extract(body, '$.message'), ''),"
    f" run_id IN (SELECT id FROM runs WHERE strategy = '{HEALTH_CHECK}') FROM events"
    " WHERE (type IN ('node.opened', 'call.sent', 'call.refused', 'call.returned', 'call.failed')"
    " OR (type = 'person.decided' AND json_extract(body, '$.stop') = 'before_call'"
    " AND json_extract(body, '$.choice') IN ('answer', 'fail')))"
    f" AND {NOT_DELETED} {{which}} ORDER BY run_id, seq"
)
"""Calls, and what a person decided in their place; in the order in which it happened."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptRow:
    """One call of an API.

    Attributes:
        toolkit: name of the toolkit of the step around it, as it was then; "" = none.
        outcome: "ok", "no reply yet", or the class of the error.
        was_sent: whether it left; others say nothing of an API.
        failed_by: who made it fail, as in all totals; None = it did not fail.
        origin: who answered, such as "recorded · exact"; "" if nobody did.
        uncounted: why it says nothing about the health of the API, "" = it counts.
        elapsed_ms: until the reply; None without one.
        started_us: microseconds since 1970.
    """

    run: RunId
    path: NodePath
    api: ApiId
    title: str
    toolkit: str
    outcome: str
    origin: str
    uncounted: str
    elapsed_ms: float | None
    started_us: int
    was_sent: bool = True
    failed_by: FailureOrigin | None = None

    @property
    def words(self) -> str:
        """The outcome for people, with who decided it."""
        said = self.outcome.replace("_", " ")
        if self.origin == BY_PERSON:
            return f"{said}, decided by you"
        if not self.was_sent:
            return f"not sent: {said}"
        return f"{said}, by {self.failed_by}" if self.failed_by else said


def read_attempts(
    workspace: Workspace,
    *,
    runs: Collection[RunId] | None = None,
    limit: int | None = 20_000,
) -> list[AttemptRow]:
    """Calls of all runs that are not deleted, or of these runs; the newest first.

    Args:
        limit: at most so many, the newest; None = all.
    """
    which = "" if runs is None else "AND run_id IN (SELECT value FROM json_each(?))"
    wanted = [] if runs is None else [dump([int(run) for run in runs])]
    rows = workspace.reader().execute(_CALLS.format(which=which), wanted)
    left_out = _left_out(workspace)
    toolkit_at: dict[tuple[int, str], str] = {}
    found: dict[tuple[int, str], AttemptRow] = {}
    for run, path, kind, wall_us, api, title, toolkit, *told in rows:
        place = (run, path)
        if kind == "node.opened":
            if isinstance(toolkit, str):
                toolkit_at[place] = toolkit
            continue
        begun = found.get(place)
        if kind in _BEGINS and (begun is None or kind == "call.sent"):
            around = (
                toolkit_at.get((run, each), "") for each in path_and_ancestors(NodePath(path))
            )
            begun = AttemptRow(
                run=RunId(run),
                path=NodePath(path),
                api=ApiId(str(api)),
                title=str(title),
                toolkit=next(filter(None, around), ""),
                outcome=str(told[0]) if kind == "call.refused" else UNFINISHED,
                origin="",
                uncounted=NOT_SENT if kind == "call.refused" else UNFINISHED,
                elapsed_ms=None,
                started_us=wall_us,
                was_sent=kind == "call.sent",
            )
        elif begun is not None:
            begun = _ended(begun, _End(*told))
        if begun is not None:
            why = left_out.get(RunId(run), "")
            found[place] = replace(begun, uncounted=why) if why else begun
    return sorted(found.values(), key=lambda row: (row.run, row.started_us), reverse=True)[:limit]


class _End(NamedTuple):
    error: str | None
    elapsed_ms: float | None
    origin: str
    effect: str
    status: int | None
    message: str
    is_check: bool


def _ended(begun: AttemptRow, end: _End) -> AttemptRow:
    """With how it ended. What a person put in the place of a reply says nothing about the API: what
    it had replied before still does, as `call_figures` counts."""
    origin, outcome = end.origin, end.error or OK
    if origin in NO_EVIDENCE:
        uncounted = _WORDS.get(origin, origin)
    elif outcome == ErrorClass.CANCELLED:
        uncounted = _STOPPED
    else:
        is_absent = reports_not_found(end.error, status=end.status, message=end.message)
        uncounted = OF_ABSENT if is_absent and not end.is_check else ""
    had_ended = begun.uncounted != UNFINISHED
    is_replaced = origin == BY_PERSON and had_ended and not end.error
    blamed = failed_by(end.error, origin=origin, effect=end.effect)
    return replace(
        begun,
        outcome=_IN_DOUBT if end.effect == Effect.UNKNOWN else outcome,
        origin=origin,
        uncounted=begun.uncounted if origin == BY_PERSON and had_ended else uncounted,
        was_sent=begun.was_sent and origin != NOT_SENT,
        failed_by=begun.failed_by if is_replaced else blamed,
        elapsed_ms=float(end.elapsed_ms) if isinstance(end.elapsed_ms, int | float) else None,
    )


def _left_out(workspace: Workspace) -> dict[RunId, str]:
    """Runs none of whose calls count, and why."""
    rows = workspace.reader().execute("SELECT id FROM runs WHERE model = ?", [EXAMPLE_MODEL])
    return dict.fromkeys(copied_runs(workspace), OF_COPY) | {
        RunId(run): OF_EXAMPLE for (run,) in rows
    }


_OF_NODES = (ErrorClass.CLUSTER_INCOMPLETE, ErrorClass.UNKNOWN_API)
"""Classes that stand at nodes of a strategy; those of calls stand at their calls."""
_HALLUCINATED = (
    "SELECT run_id, count(*) FROM events WHERE type = 'model.replied'"
    f" AND json_array_length(body, '$.not_offered') > 0 AND {NOT_DELETED} GROUP BY run_id"
)
"""Replies that name what was not offered. Older runs say so at some of
their nodes only."""
_OF_CALLS = ("call.failed", "call.refused")
_GAVE_UP = (
    "SELECT run_id, json_extract(body, '$.error') FROM events WHERE type = 'model.failed'"
    f" AND json_extract(body, '$.will_retry_after_s') IS NULL AND {NOT_DELETED} ORDER BY seq"
)
"""Last tries of questions that got no reply: of these, failures of the harness are counted for
themselves, whatever else failed in their run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorFigure:
    """How often a class of failures was met.

    Attributes:
        n: failures.
        runs: runs that met it, newest first.
        is_harness: it says nothing about any strategy: the endpoint of a model failed, or the day's
            budget was used up.
    """

    error: ErrorClass
    n: int
    runs: tuple[RunId, ...]
    is_harness: bool = False


def error_figures(workspace: Workspace) -> list[ErrorFigure]:
    """Failures by class over all runs, most frequent first; what a fork took over is its parent's.

    A run that ended unsolved although nothing failed in it counts as one decision failure; one
    whose model gave no answer counts as what the model failed with. Failures of the harness stand
    for themselves, behind all others.
    """
    reader = workspace.reader()
    rows = reader.execute(
        "SELECT json_extract(body, '$.error') AS error, run_id, count(*) FROM events"
        f" WHERE {NOT_DELETED} AND (type IN ('call.failed', 'call.refused')"
        " OR (type = 'node.closed' AND json_extract(body, '$.error') IN (?, ?)))"
        " GROUP BY error, run_id",
        _OF_NODES,
    ).fetchall()
    found: dict[ErrorClass, dict[RunId, int]] = {}
    for error, run, n in rows:
        if error in set(ErrorClass):
            found.setdefault(ErrorClass(error), {})[RunId(run)] = n
    said = {RunId(run): n for run, n in reader.execute(_HALLUCINATED).fetchall()}
    if said:
        found[ErrorClass.UNKNOWN_API] = found.get(ErrorClass.UNKNOWN_API, {}) | said
    failing = {run for each in found.values() for run in each}
    unsolved = reader.execute(
        f"SELECT id FROM (SELECT id, id AS run_id FROM runs WHERE status = 'unsolved')"
        f" WHERE {NOT_DELETED}"
    ).fetchall()
    gave_up: dict[RunId, ErrorClass] = {}
    harness: dict[ErrorClass, dict[RunId, int]] = {}
    for run, error in reader.execute(_GAVE_UP).fetchall():
        if error in OF_HARNESS:
            by_run = harness.setdefault(ErrorClass(error), {})
            by_run[RunId(run)] = by_run.get(RunId(run), 0) + 1
        if error in set(ErrorClass):
            gave_up[RunId(run)] = ErrorClass(error)
    for (run,) in unsolved:
        error = gave_up.get(run, ErrorClass.DECISION_FAILURE)
        if run not in failing and error not in OF_HARNESS:
            found.setdefault(error, {})[RunId(run)] = 1
    return [*_sorted(found), *_sorted(harness, is_harness=True)]


def errors_of_run(workspace: Workspace, run: RunId) -> list[ErrorFigure]:
    """Failures of one run by class, as `error_figures` counts them, with what it took over as a
    fork, like its totals.

    Raises:
        NotFound: no such run.
    """
    found: dict[ErrorClass, dict[RunId, int]] = {}
    harness: dict[ErrorClass, dict[RunId, int]] = {}
    gave_up, hallucinated = ErrorClass.DECISION_FAILURE, 0
    for row in read_records(workspace, run):
        hallucinated += row.type == "model.replied" and bool(row.event.get("not_offered"))
        error = row.event.get("error")
        if error not in set(ErrorClass):
            continue
        if row.type in _OF_CALLS or (row.type == "node.closed" and error in _OF_NODES):
            by_run = found.setdefault(ErrorClass(error), {run: 0})
            by_run[run] += 1
        elif row.type == "model.failed" and row.event.get("will_retry_after_s") is None:
            gave_up = ErrorClass(error)
            if gave_up in OF_HARNESS:
                by_run = harness.setdefault(gave_up, {run: 0})
                by_run[run] += 1
    if hallucinated:
        found[ErrorClass.UNKNOWN_API] = {run: hallucinated}
    status = workspace.one_row("SELECT status FROM runs WHERE id = ?", [run])
    if not found and status == ("unsolved",) and gave_up not in OF_HARNESS:
        found = {gave_up: {run: 1}}
    return [*_sorted(found), *_sorted(harness, is_harness=True)]


def _sorted(
    found: Mapping[ErrorClass, Mapping[RunId, int]], *, is_harness: bool = False
) -> list[ErrorFigure]:
    figures = [
        ErrorFigure(
            error=error,
            n=sum(by_run.values()),
            runs=tuple(sorted(by_run, reverse=True)),
            is_harness=is_harness,
        )
        for error, by_run in found.items()
    ]
    return sorted(figures, key=lambda figure: (-figure.n, figure.error))
