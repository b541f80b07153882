"""Search in all runs: by words of their query, answer, titles, failures, arguments and results, and
by fields.

What is searched is a fold of the log, made when a run ends; runs that have none yet (older ones,
imported ones, one that goes on) get it at the next search. Texts are bounded, so a run of a
thousand large replies weighs as much as one of ten. All functions block.
"""

import json
import logging
from dataclasses import dataclass, field, replace
from typing import Any

from toolplanner_core.domain.ids import RunId
from toolplanner_core.domain.plain_data import plain_mapping
from toolplanner_core.errors import WorkspaceError
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.runs.config.spec import RunSummary
from toolplanner_core.runs.events.call import CallFailed, CallRefused, CallReturned, CallSent
from toolplanner_core.runs.events.decision import Noted
from toolplanner_core.runs.events.event import Record
from toolplanner_core.runs.events.node import NodeClosed, NodeOpened, NodeUpdated
from toolplanner_core.runs.events.question import ModelFailed
from toolplanner_core.runs.events.run import RunFinished, RunStarted
from toolplanner_core.runs.log.stored_runs import get_summary, iter_run
from toolplanner_core.runs.tree.formatting import failure_words
from toolplanner_core.runs.tree.totals import Totals
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.blobs import resolve
from toolplanner_core.workspace.cases import cases_of_runs
from toolplanner_core.workspace.run_search import (
    TEXT_COLUMNS,
    IndexEntry,
    RunFilters,
    find_runs,
    fold,
    stale_runs,
    store_entries,
)
from toolplanner_core.workspace.runs import get_run

__all__ = ["RunFilters", "RunHit", "index_run", "index_stale_runs", "search_runs"]

_log = logging.getLogger(__name__)
_ROOM = {"query": 4000, "answer": 4000, "titles": 8000, "errors": 4000, "arguments": 4000,
         "results": 12_000}  # fmt: skip
"""Characters kept per column."""
_ROOM_PER_RESULT = 2000
_RUNS_PER_TRANSACTION = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class RunHit:
    """A run that fits.

    Attributes:
        score: BM25 over the columns, higher is better; 0 when only fields were asked for.
        snippet: some words around the place that fits, plain text; "" without words.
    """

    summary: RunSummary
    score: float
    snippet: str


def search_runs(
    workspace: Workspace,
    text: str = "",
    filters: RunFilters | None = None,
    *,
    limit: int = 100,
    progress: Progress | None = None,
) -> list[RunHit]:
    """Runs that hold all words of `text` and fit the filters; best first, without words newest
    first.

    Args:
        text: words; "words in quotes" are a phrase; the last word may be the beginning of one.
        progress: told of runs that must be read first.
    """
    index_stale_runs(workspace, progress=progress)
    found = find_runs(workspace, text, filters or RunFilters(), limit=limit)
    cases = cases_of_runs(workspace)
    hits: list[RunHit] = []
    for hit in found:
        summary = replace(get_summary(workspace, hit.run), case=cases.get(hit.run, ""))
        hits.append(RunHit(summary=summary, score=hit.score, snippet=hit.snippet))
    return hits


def index_run(workspace: Workspace, run: RunId) -> None:
    """Enter a run that has just ended. A failure is logged, not raised: the next search tries
    again."""
    try:
        store_entries(workspace, [_entry(workspace, run)])
    except WorkspaceError as error:
        _log.warning("Run %s is not in the search index yet: %s", run, error)


def index_stale_runs(workspace: Workspace, *, progress: Progress | None = None) -> int:
    """Enter all runs that the index does not know as they are now; returns how many.

    Raises:
        WorkspaceError: the workspace cannot be written.
        Cancelled: what was entered before is kept.
    """
    stale = stale_runs(workspace)
    for begin in range(0, len(stale), _RUNS_PER_TRANSACTION):
        if progress is not None:
            progress.report("Reading runs for the search", begin, len(stale), unit="runs")
        chunk = stale[begin : begin + _RUNS_PER_TRANSACTION]
        store_entries(workspace, [_entry(workspace, run) for run in chunk])
    return len(stale)


@dataclass(slots=True)
class _Texts:
    """Bounded texts by column; a text that was there already is not kept twice."""

    parts: dict[str, dict[str, None]] = field(
        default_factory=lambda: {name: dict[str, None]() for name in TEXT_COLUMNS}
    )
    room: dict[str, int] = field(default_factory=lambda: dict(_ROOM))

    def add(self, column: str, text: str) -> None:
        """Keep what there is room for."""
        short = text[: self.room[column]]
        if short and short not in self.parts[column]:
            self.parts[column][short] = None
            self.room[column] -= len(short)

    def joined(self) -> dict[str, str]:
        """The columns."""
        return {name: "\n".join(parts) for name, parts in self.parts.items()}


def _entry(workspace: Workspace, run: RunId) -> IndexEntry:
    row = get_run(workspace, run)
    totals, texts = Totals(), _Texts()
    facts: set[tuple[str, str]] = set()
    texts.add("query", row.query)
    upto = 0
    for records in iter_run(workspace, run):
        totals.apply(records)
        upto = records[-1].seq
        for record in records:
            _take(workspace, record, texts, facts)
    return IndexEntry(
        run=run,
        upto_seq=upto,
        ended_us=row.ended_us,
        fallbacks=totals.fallbacks,
        replans=totals.replans,
        tokens=totals.tokens,
        texts=texts.joined(),
        facts=frozenset(facts),
    )


def _take(workspace: Workspace, record: Record, texts: _Texts, facts: set[tuple[str, str]]) -> None:
    def note(kind: str, value: Any) -> None:
        if isinstance(value, str) and value:
            facts.add((kind, fold(value)))

    match record.event:
        case RunStarted(query=query):
            texts.add("query", query)
        case RunFinished(answer=answer, reason=reason):
            texts.add("answer", answer)
            texts.add("errors", reason)
        case NodeOpened(title=title, data=data):
            texts.add("titles", title)
            texts.add("titles", str(data.get("toolkit_name") or ""))
            note("toolkit", data.get("toolkit_name"))
            note("api", data.get("api"))
        case NodeUpdated(data=data):
            texts.add("titles", str(data.get("title") or ""))
            note("api", data.get("api"))
        case NodeClosed(error=error, reason=reason):
            note("error", error)
            texts.add("errors", reason)
        case CallSent(title=title, api=api, arguments=arguments):
            texts.add("titles", title)
            texts.add("arguments", _plain(workspace, arguments, texts.room["arguments"]))
            note("api", api)
            note("api", title)
        case CallRefused(title=title, api=api, error=error, message=message, arguments=arguments):
            # Refusals come with their texts already (see `run_log`), so nothing is resolved twice.
            texts.add("titles", title)
            texts.add("errors", message)
            texts.add("arguments", _words(arguments))
            note("api", api)
            note("api", title)
            note("error", error)
        case CallReturned(body=body):
            room = min(texts.room["results"], _ROOM_PER_RESULT)
            texts.add("results", _plain(workspace, body, room)[:room])
        case CallFailed(error=error, message=message, body=body, status=status):
            texts.add("errors", failure_words(error, status))
            texts.add("errors", _plain(workspace, message, texts.room["errors"]))
            texts.add("results", _plain(workspace, body, _ROOM_PER_RESULT)[:_ROOM_PER_RESULT])
            note("error", error)
        case ModelFailed(error=error, message=message):
            texts.add("errors", _plain(workspace, message, texts.room["errors"]))
            note("error", error)
        case Noted(text=text):
            texts.add("titles", _plain(workspace, text, texts.room["titles"]))
        case _:
            pass


def _plain(workspace: Workspace, value: Any, room: int) -> str:
    """A value as words, its long texts fetched; "" without a look at them when there is no room."""
    return _words(resolve(workspace, value)) if room > 0 else ""


def _words(value: Any) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=plain_mapping)
