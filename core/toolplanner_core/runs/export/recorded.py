"""The replies of runs as recorded calls: other runs, and other workspaces, can be answered by them.

Only what really came is kept: invented replies would look like real ones afterwards. A call that
failed is kept with its class; of equal calls the first that worked counts, else the first.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import ApiId, NodePath, RunId
from toolplanner_core.domain.observation import NO_EVIDENCE
from toolplanner_core.runs.events.call import CallFailed, CallReturned, CallSent
from toolplanner_core.runs.events.event import event_from_body
from toolplanner_core.runs.log.stored_runs import iter_full_rows
from toolplanner_core.sources.recordings import canonical_arguments
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import apis_by_rowid, rowids_of
from toolplanner_core.workspace.recordings import Recording, store_recordings

_TYPES = ("call.sent", "call.returned", "call.failed")


class RunRecordings(NamedTuple):
    """What runs can be answered with.

    Attributes:
        added: calls that were not recorded already; 0 until they are kept.
        left_out: calls whose reply was made up, was stopped, or whose API is gone.
    """

    recordings: list[Recording]
    left_out: int
    added: int = 0


def recordings_of(workspace: Workspace, runs: Sequence[RunId]) -> RunRecordings:
    """The calls of runs with their replies, in the order in which they were made.

    Raises:
        NotFound: no such run.
    """
    found: dict[tuple[str, str], Recording] = {}
    left_out = 0
    for run in runs:
        calls = list(_calls(workspace, run))
        apis = _apis(workspace, {ApiId(sent.api) for sent, _ in calls})
        for sent, came in calls:
            api = apis.get(ApiId(sent.api))
            is_stopped = isinstance(came, CallFailed) and came.error == ErrorClass.CANCELLED
            if api is None or is_stopped or came.origin in NO_EVIDENCE:
                left_out += 1
                continue
            made = _recording(api, sent, came)
            before = found.get((made.api_key, made.arguments))
            if before is None or (before.error and not made.error):
                found[made.api_key, made.arguments] = made
    return RunRecordings(list(found.values()), left_out)


def keep_recordings(workspace: Workspace, runs: Sequence[RunId]) -> RunRecordings:
    """Let the provider "recorded" of this workspace answer with the replies of runs.

    Raises:
        NotFound: no such run.
    """
    made = recordings_of(workspace, runs)
    return made._replace(added=store_recordings(workspace, made.recordings))


def describe_recordings(kept: RunRecordings) -> str:
    """What was kept, in a sentence."""
    calls = counted(len(kept.recordings), "call")
    known = len(kept.recordings) - kept.added
    parts = [f"{calls} recorded", f"{known:,} of them were already" if known else ""]
    if kept.left_out:
        parts.append(f"{kept.left_out:,} left out, whose replies were made up or never came")
    return "; ".join(filter(None, parts)) + "."


def export_recorded(workspace: Workspace, runs: Sequence[RunId]) -> Iterator[str]:
    """The lines of a file of recorded calls, which any workspace can import.

    Raises:
        NotFound: no such run.
    """
    by_key: dict[str, list[dict[str, Any]]] = {}
    for each in recordings_of(workspace, runs).recordings:
        call: dict[str, Any] = {"input": each.values(), "response": json.loads(each.response)}
        by_key.setdefault(each.api_key, []).append(
            call | ({"error": each.error} if each.error else {})
        )
    for key, calls in by_key.items():
        category, _, rest = key.partition("/")
        tool, _, name = rest.rpartition("/")
        line = {"category": category, "tool": tool, "fn": name, "calls": calls}
        yield json.dumps(line, ensure_ascii=False) + "\n"


def _calls(
    workspace: Workspace, run: RunId
) -> Iterator[tuple[CallSent, CallReturned | CallFailed]]:
    sent: dict[NodePath, CallSent] = {}
    for row in iter_full_rows(workspace, run):
        event = event_from_body(row.type, row.event) if row.type in _TYPES else None
        if isinstance(event, CallSent):
            sent[row.path] = event
        elif isinstance(event, CallReturned | CallFailed) and row.path in sent:
            yield sent[row.path], event


def _apis(workspace: Workspace, wanted: Iterable[ApiId]) -> dict[ApiId, Api]:
    rowids = rowids_of(workspace, wanted)
    return {api.id: api for api in apis_by_rowid(workspace, list(rowids.values())).values()}


def _recording(api: Api, sent: CallSent, came: CallReturned | CallFailed) -> Recording:
    try:
        value = json.loads(came.body) if "json" in came.content_type else came.body
    except (ValueError, RecursionError):
        value = came.body
    asked = canonical_arguments(sent.arguments)
    return Recording(
        api_key=api.key,
        arguments=asked.text,
        names=asked.names,
        response=json.dumps(value, ensure_ascii=False),
        error=came.error if isinstance(came, CallFailed) else "",
        truncated=False,
    )
