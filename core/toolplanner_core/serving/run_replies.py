"""The replies of a stored run, given again: a mock server for the tests of agents.

A call gets the reply that the run got for the same API and arguments, byte for byte, failures too;
of several equal calls one after the other, then the last one again. What was refused then is
refused, what the run never asked is said to be missing: nothing is invented, and nobody is called.

Source: design/gateway.md section 11.
"""

from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import ApiId, NodePath, RunId
from toolplanner_core.domain.observation import NOT_RECORDED, RawResult
from toolplanner_core.errors import BadInput
from toolplanner_core.providers.classify import explanation_of
from toolplanner_core.providers.provider import CallLimits, Provider
from toolplanner_core.runs.events.call import CallFailed, CallRefused, CallReturned, CallSent
from toolplanner_core.runs.events.event import event_from_body
from toolplanner_core.runs.log.stored_runs import iter_full_rows
from toolplanner_core.sources.recordings import canonical_arguments
from toolplanner_core.words.formatting import one_line
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.runs import get_run

_TYPES = frozenset({"call.sent", "call.returned", "call.failed", "call.refused"})
_MOST_SHOWN = 5


class RunReplies(Provider):
    """Answers from the log of one run. Blocks while it is made.

    Raises:
        NotFound: no such run.
        BadInput: it called nothing.
    """

    def __init__(self, workspace: Workspace, run: RunId) -> None:
        get_run(workspace, run)
        self._run = run
        self._replies: dict[tuple[ApiId, str], deque[RawResult]] = {}
        for key, reply in _replies_of(workspace, run).values():
            self._replies.setdefault(key, deque()).append(reply)
        if not self._replies:
            raise BadInput(f"Run {run} called nothing: there is no reply to give again")

    async def call(
        self,
        api: Api,
        arguments: Mapping[str, Any],
        limits: CallLimits,  # noqa: ARG002 - a reply that is there needs none
    ) -> RawResult:
        """The reply of the run, or what it has instead."""
        asked = canonical_arguments(arguments).text
        kept = self._replies.get((api.id, asked))
        if kept is None:
            return self._missing(api, asked)
        return kept.popleft() if len(kept) > 1 else kept[0]

    def _missing(self, api: Api, asked: str) -> RawResult:
        said = f"Run {self._run} has no reply of {api.title} for {one_line(asked, 200)}"
        known = [text for of, text in self._replies if of == api.id]
        shown = "; ".join(one_line(text, 80) for text in known[:_MOST_SHOWN])
        more = f" and {len(known) - _MOST_SHOWN} more" if len(known) > _MOST_SHOWN else ""
        there = f"It has replies for: {shown}{more}" if known else "It never called it"
        return RawResult(
            failure=ErrorClass.NOT_FOUND, message=f"{said}. {there}.", origin=NOT_RECORDED
        )


def _replies_of(
    workspace: Workspace, run: RunId
) -> dict[NodePath, tuple[tuple[ApiId, str], RawResult]]:
    """What came of each call in the end, by its place, in the order in which they were made."""
    asked: dict[NodePath, tuple[ApiId, str]] = {}
    found: dict[NodePath, tuple[tuple[ApiId, str], RawResult]] = {}
    for row in iter_full_rows(workspace, run):
        event = event_from_body(row.type, row.event) if row.type in _TYPES else None
        if isinstance(event, CallSent | CallRefused):
            asked[row.path] = (ApiId(event.api), canonical_arguments(event.arguments).text)
        if isinstance(event, CallRefused):
            refused = RawResult(
                failure=ErrorClass(event.error), message=event.message, origin=NOT_RECORDED
            )
            found[row.path] = (asked[row.path], refused)
        elif isinstance(event, CallReturned | CallFailed) and row.path in asked:
            found[row.path] = (asked[row.path], _reply(event))
    return found


def _reply(event: CallReturned | CallFailed) -> RawResult:
    """As it came; a failure with the words after its explanation, which comes before them again."""
    came = RawResult(
        status=event.status,
        body=event.body,
        content_type=event.content_type,
        origin=event.origin,
        pictures=event.pictures,
    )
    if isinstance(event, CallReturned):
        return replace(came, headers=event.headers)
    error = ErrorClass(event.error)
    said = event.message.removeprefix(explanation_of(error, event.status)).removeprefix(": ")
    return replace(came, failure=error, message=said)
