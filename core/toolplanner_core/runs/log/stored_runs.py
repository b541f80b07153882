"""Read runs back: the list, the totals, the tree, one node with all it said.

Structure first, payload on demand: a tree is folded without the long texts, which `load_records`
fetches for the one node that is looked at. All functions block (SQLite); the window calls them on
worker threads.
"""

import dataclasses
import gc
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from toolplanner_core.domain.ids import NodePath, RunId
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.domain.outcome import AnswerVerdict, VerdictSource, deciding_verdict
from toolplanner_core.domain.plan import Status
from toolplanner_core.runs import events
from toolplanner_core.runs.config.spec import RunSummary, models_by_role
from toolplanner_core.runs.events.event import Record, all_event_types, event_from_body
from toolplanner_core.runs.events.run import ENDED_STATES
from toolplanner_core.runs.tree.formatting import VERDICTS, judged_words, verdict_memory
from toolplanner_core.runs.tree.totals import Totals
from toolplanner_core.runs.tree.tree import RunTree
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.cases import cases_of_runs
from toolplanner_core.workspace.memories import newest_memories
from toolplanner_core.workspace.rows import of_its_form
from toolplanner_core.workspace.run_log import LogRow, StoredRow, read_node, read_records
from toolplanner_core.workspace.runs import (
    IMPORT_MARK,
    RunMark,
    RunRow,
    get_run,
    list_rows,
    read_mark,
    read_marks,
)

_CHUNK = 500
"""Events in memory at once: when many runs end together, each of them is read on a thread."""
assert events.__all__, "the package enters all event types"
_WHOLE = frozenset(name for name, cls in all_event_types().items() if cls.is_whole)


def typed(rows: Iterable[StoredRow]) -> list[Record]:
    """Rows as records; marks of long texts stand where the texts were (see `blobs.resolve`)."""
    make = LogRow._make
    with of_its_form("an event"):
        return [make((*row[:9], event_from_body(row.type, row.event))) for row in rows]


def read_typed(workspace: Workspace, run: RunId, *, after: int = 0, limit: int) -> list[Record]:
    """A stretch of a run; what the tree shows with all its texts.

    Raises:
        NotFound: no such run.
    """
    return typed(read_records(workspace, run, after_seq=after, limit=limit, whole=_WHOLE))


def iter_run(workspace: Workspace, run_id: RunId) -> Iterator[list[Record]]:
    """All records of a run in order, in chunks: a long run is never in memory as a whole.

    Raises:
        NotFound: no such run.
    """
    after = 0
    while records := read_typed(workspace, run_id, after=after, limit=_CHUNK):
        yield records
        after = records[-1].seq


def read_run(workspace: Workspace, run_id: RunId) -> list[Record]:
    """All records of a run in order.

    Raises:
        NotFound: no such run.
    """
    return [record for chunk in iter_run(workspace, run_id) for record in chunk]


def iter_full_rows(
    workspace: Workspace, run: RunId, *, upto: int | None = None
) -> Iterator[StoredRow]:
    """All stored events of a run with all texts, a fork's prefix included, in chunks.

    Args:
        upto: number of the last event wanted.

    Raises:
        NotFound: no such run.
    """
    after = 0
    while rows := read_records(workspace, run, after_seq=after, limit=_CHUNK, everything=True):
        for row in rows:
            if upto is not None and row.seq > upto:
                return
            yield row
        after = rows[-1].seq


def list_runs(workspace: Workspace, *, limit: int = 1000) -> list[RunSummary]:
    """Runs, newest first; totals of a run that goes on are zero."""
    said, marks = newest_memories(workspace, VERDICTS), read_marks(workspace)
    cases = cases_of_runs(workspace)
    return [
        _summary(row, said, marks.get(row.id, RunMark(run_id=row.id)), cases.get(row.id, ""))
        for row in list_rows(workspace, limit=limit)
    ]


def get_summary(workspace: Workspace, run: RunId) -> RunSummary:
    """Totals of one run; of one that goes on, those so far.

    Raises:
        NotFound: no such run.
    """
    row, said = get_run(workspace, run), newest_memories(workspace, f"{VERDICTS}{run}")
    summary = _summary(row, said, read_mark(workspace, run))
    if summary.status is not Status.RUNNING:
        return summary
    totals = Totals()
    for records in iter_run(workspace, run):
        totals.apply(records)
    return dataclasses.replace(summary, **totals.to_json())


def load_tree(workspace: Workspace, run: RunId) -> RunTree:
    """The tree of a run, folded from its log; with what was said of its answer afterwards.

    Raises:
        NotFound: no such run.
    """
    tree = RunTree()
    with collecting_later():
        for chunk in iter_run(workspace, run):
            tree.apply(chunk)
    said = given_verdicts(newest_memories(workspace, f"{VERDICTS}{run}"), run)
    if tree.root is not None and said:
        status = get_run(workspace, run).status
        verdicts = [*tree.root.data.get("verdicts", ()), *(each.to_json() for each in said)]
        tree.root.state = ENDED_STATES.get(status, NodeState.FAILED)
        tree.tell(tree.root, {"status": status, "verdicts": verdicts})
    return tree


@contextmanager
def collecting_later() -> Generator[None]:
    """Keep the garbage collector from looking again and again through what is being read.

    A tree has no cycles, nor has a table of trials; the collector took a third of the time and
    stopped all threads meanwhile.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def load_records(workspace: Workspace, run: RunId, path: NodePath) -> list[Record]:
    """The events of one node with all texts.

    Raises:
        NotFound: no such run.
    """
    return typed(read_node(workspace, run, path))


def node_rows(tree: RunTree) -> list[dict[str, Any]]:
    """The nodes of a tree as JSON, depth first."""
    rows: list[dict[str, Any]] = []
    for depth, node in tree.walk():
        row = dataclasses.asdict(node)
        row["depth"] = depth
        row["ms"] = None if node.took_ns is None else round(node.took_ns / 1e6, 3)
        rows.append(row)
    return rows


def given_verdicts(said: Mapping[str, Any], run: RunId) -> list[AnswerVerdict]:
    """What was said of a run's answer after its end, the newest of each source.

    Args:
        said: the memories that hold verdicts, by name.
    """
    names = (verdict_memory(run, source) for source in VerdictSource)
    return [AnswerVerdict.from_json(said[name]) for name in names if said.get(name)]


def _summary(row: RunRow, said: Mapping[str, Any], mark: RunMark, case: str = "") -> RunSummary:
    after = given_verdicts(said, row.id)
    own: Sequence[Mapping[str, Any]] = row.totals.get("verdicts", ())
    # Of a run that was imported, what others said of it stands there, too.
    before = [AnswerVerdict.from_json(each) for each in own]
    of_others = [each for each in before if each.source is not VerdictSource.STRATEGY]
    counts = deciding_verdict([*of_others, *after])
    return RunSummary(
        outcome=str(row.totals.get("outcome", "")),
        checked=row.totals.get("checked", {}),
        verdicts=(*own, *(each.to_json() for each in after)),
        judged=judged_words(counts.to_json()) if counts else "",
        run=row.id,
        query=row.query,
        strategy=row.strategy,
        model=row.model,
        provider=row.provider,
        status=Status(row.status),
        answer=row.answer,
        reason=str(row.totals.get("reason", "")),
        started_us=row.started_us,
        parent_run=row.parent_run,
        is_imported=IMPORT_MARK in row.options,
        label=mark.label,
        note=mark.note,
        is_starred=mark.is_starred,
        case=case,
        models=models_by_role(row.model, row.options),
        **Totals.from_json(row.totals).to_json(),
    )
