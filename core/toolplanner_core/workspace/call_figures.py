"""How calls of each API ended in all runs: what "health" of APIs and toolkits is made of.

Outcomes that say nothing about the API do not count: injected, a person's, simulated, not sent,
stopped, those of the example runs, and those of an imported copy of a run that is here. Nor do
replies that what was asked for is not there (`domain/absence.py`), but in a health check, which
asks for what the documentation names.

One pass over the calls in the log: 100,000 events in about half a second; not for the GUI thread.
"""

import math
from collections import defaultdict
from dataclasses import dataclass, replace

from toolplanner_core.domain.absence import says_absent
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.domain.observation import EXAMPLE_MODEL, HEALTH_CHECK, NO_EVIDENCE
from toolplanner_core.words.wording import counted, duration
from toolplanner_core.workspace.catalogue import rowids_of
from toolplanner_core.workspace.copied_runs import COUNTED_ONCE
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
        elif not is_check and says_absent(error, status=status, message=str(message or "")):
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
