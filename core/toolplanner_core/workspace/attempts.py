"""The calls of many runs as one table: which API, for which toolkit, how it went.

One pass over the log in order, so that a call, its end and the step around it meet; 100,000 events
in about half a second, not for the GUI thread. What a fork took over stands in its parent's rows.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import NamedTuple

from toolplanner_core.domain.absence import says_absent
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import ApiId, NodePath, RunId, up_from
from toolplanner_core.domain.observation import (
    BY_PERSON,
    EXAMPLE_MODEL,
    HEALTH_CHECK,
    INJECTED,
    NO_EVIDENCE,
    NOT_RECORDED,
    NOT_SENT,
    Effect,
    FailedBy,
    failed_by,
)
from toolplanner_core.workspace.call_figures import OF_ABSENT
from toolplanner_core.workspace.copied_runs import copied_runs
from toolplanner_core.workspace.rows import dump
from toolplanner_core.workspace.run_marks import NOT_DELETED
from toolplanner_core.workspace.workspace import Workspace

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
    failed_by: FailedBy | None = None

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
            around = (toolkit_at.get((run, each), "") for each in up_from(NodePath(path)))
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
        is_absent = says_absent(end.error, status=end.status, message=end.message)
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
