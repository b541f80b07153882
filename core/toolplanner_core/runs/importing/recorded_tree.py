"""A trace of another program in one plain shape, and that shape as events of ours.

The readers of ToolBench and StableToolBench turn their files into `RecordedTurn`s: what the model
said and called, what came back, and the turns that followed. Here a turn becomes a branch, as our
own searches make them, with the question (what the model replied) and the call (what was sent and
came back) inside; the turns after it are branches within it. So an import and a run of ours are
compared node by node. Times, prompts and costs are not in such files and are not invented: all
times are zero.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from toolplanner_core import __version__
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import ROOT, NodePath, RunId
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.domain.plan import Status
from toolplanner_core.runs.events.call import CallFailed, CallRefused, CallReturned, CallSent
from toolplanner_core.runs.events.decision import Noted
from toolplanner_core.runs.events.event import Event, record_of
from toolplanner_core.runs.events.node import NodeClosed, NodeOpened
from toolplanner_core.runs.events.question import ModelAsked, ModelReplied
from toolplanner_core.runs.events.run import RunFinished, RunStarted
from toolplanner_core.runs.tree.totals import Totals
from toolplanner_core.strategies.techniques.tree_search import BRANCH
from toolplanner_core.strategies.toolkits.plan_nodes import ATTEMPT
from toolplanner_core.workspace.blobs import pack
from toolplanner_core.workspace.run_log import PackedRow
from toolplanner_core.workspace.runs import IMPORT_MARK, NewRun

_NO_RUN = RunId(0)
FINISH = "Finish"
"""The function by which these programs give an answer or give up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a recorded call went.

    Attributes:
        error: None when it worked.
        is_refused: nothing was sent, because there is no such function or its input is unreadable.
        body: the reply as text, JSON where it could be read as such.
    """

    error: ErrorClass | None
    message: str
    status: int | None
    body: str
    content_type: str
    is_refused: bool = False


@dataclass(slots=True, kw_only=True)
class RecordedTurn:
    """One reply of the model and what came of it.

    Attributes:
        thought: what it said before or instead of calling.
        name: function it called, "" if none.
        arguments: as it wrote them, a JSON text that may be broken.
        outcome: of the call; None when nothing was called or nothing is known.
        pruned: the search gave this branch up here.
        children: the turns that followed, several where the search came back and tried again.
    """

    thought: str = ""
    name: str = ""
    arguments: str = ""
    outcome: Outcome | None = None
    pruned: bool = False
    children: "list[RecordedTurn]" = field(default_factory=list["RecordedTurn"])


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedRun:
    """A run of another program.

    Attributes:
        tries: the first turns of each independent try.
        source: what `RunStarted.options["imported"]` says: file, and totals that the file gives.
        notes: remarks for the reader, such as verdicts of judges.
        tools: function name -> (API id or "", title).
    """

    query: str
    strategy: str
    model: str
    provider: str
    tries: Sequence[Sequence[RecordedTurn]]
    solved: bool
    answer: str
    reason: str
    source: Mapping[str, Any]
    notes: Sequence[str] = ()
    tools: Mapping[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])


def to_new_run(recorded: RecordedRun, *, imported_us: int) -> NewRun:
    """The run as rows; `imported_us` stands for the times that nobody recorded."""
    return _Writer(recorded, imported_us).write()


class _Writer:
    """Numbers the events of one run."""

    def __init__(self, recorded: RecordedRun, imported_us: int) -> None:
        self._run = recorded
        self._us = imported_us
        self._rows: list[PackedRow] = []
        self._totals = Totals()
        self._asked: dict[str, int] = {}

    def write(self) -> NewRun:
        """All events in the order in which a depth-first search makes them."""
        run = self._run
        mark = dict(run.source)
        self._add(
            RunStarted(
                query=run.query, strategy=run.strategy, model=run.model, model_label=run.model,
                provider=run.provider, options={IMPORT_MARK: mark}, limits={}, seed=0,
                toolkits_version=0, app_version=__version__,
            ),
            ROOT,
        )  # fmt: skip
        for number, turns in enumerate(run.tries, start=1):
            self._try(turns, number)
        for note in run.notes:
            self._add(Noted(text=note), ROOT)
        status = Status.SOLVED if run.solved else Status.UNSOLVED
        self._add(RunFinished(status=status, answer=run.answer, reason=run.reason), ROOT)
        return NewRun(
            query=run.query,
            strategy=run.strategy,
            model=run.model,
            provider=run.provider,
            status=status,
            answer=run.answer,
            options={IMPORT_MARK: mark},
            totals={**self._totals.to_json(), "reason": run.reason},
            started_us=self._us,
            ended_us=self._us,
            app_version=__version__,
            events=self._rows,
        )

    def _try(self, turns: Sequence[RecordedTurn], number: int) -> None:
        if len(self._run.tries) == 1:
            self._branches(turns, ROOT)
            return
        path = NodePath(f"{ATTEMPT.id}.{number}")
        title = f"Try {number}"
        self._add(NodeOpened(kind=ATTEMPT.id, title=title, data={"number": number}), path)
        found = self._branches(turns, path)
        state = NodeState.OK if found else NodeState.FAILED
        self._add(NodeClosed(state=state, reason="" if found else "no answer", error=None), path)

    def _branches(self, turns: Sequence[RecordedTurn], parent: NodePath) -> bool:
        """Write alternatives one after the other; whether one of them leads to the answer."""
        found = False
        left: int | None = None
        for number, turn in enumerate(turns, start=1):
            path = NodePath(f"{parent}/{BRANCH.id}.{number}".lstrip("/"))
            found = self._turn(turn, path, number, cause=left) or found
            left = len(self._rows)
        return found

    def _turn(self, turn: RecordedTurn, path: NodePath, number: int, *, cause: int | None) -> bool:
        told = {"thought": turn.thought, "api": self._api(turn.name)}
        data = {"number": number} | {name: text for name, text in told.items() if text}
        self._add(NodeOpened(kind=BRANCH.id, title=self._title(turn), data=data), path, cause=cause)
        self._question(turn, path)
        if turn.name and turn.name != FINISH:
            self._call(turn, NodePath(f"{path}/call.1"))
        gives_answer = turn.name == FINISH and "give_answer" in turn.arguments
        found = self._branches(turn.children, path) or (gives_answer and self._run.solved)
        self._add(self._closing(turn, found=found), path)
        return found

    def _closing(self, turn: RecordedTurn, *, found: bool) -> NodeClosed:
        outcome = turn.outcome
        if turn.name == FINISH and not found:
            gave_up = "give_up" in turn.arguments
            reason = "the model gave this branch up" if gave_up else "the answer was not accepted"
            return NodeClosed(
                state=NodeState.FAILED, reason=reason, error=ErrorClass.DECISION_FAILURE
            )
        if found:
            return NodeClosed(state=NodeState.OK, reason="", error=None)
        if outcome is not None and outcome.error is not None:
            return NodeClosed(state=NodeState.FAILED, reason="", error=outcome.error)
        reason = "the search pruned this branch" if turn.pruned else "this branch led to no answer"
        return NodeClosed(state=NodeState.PRUNED, reason=reason, error=None)

    def _question(self, turn: RecordedTurn, parent: NodePath) -> None:
        path = NodePath(f"{parent}/act.1")
        call = {"id": "call_1", "name": turn.name, "arguments": turn.arguments}
        asked = ModelAsked(
            question="act", version=0, title="Choose the next action", model=self._run.model,
            messages=[], schema={}, temperature=0.0, fingerprint="", occurrence=1, repair=0,
            retry=0,
        )  # fmt: skip
        self._add(asked, path)
        replied = ModelReplied(
            text=turn.thought, data=None, input_tokens=0, output_tokens=0, elapsed_ms=0.0, raw={},
            calls=[call] if turn.name else [],
        )  # fmt: skip
        self._add(replied, path, cause=len(self._rows))

    def _call(self, turn: RecordedTurn, path: NodePath) -> None:
        api, title = self._api(turn.name), self._title(turn)
        arguments = _parsed(turn.arguments)
        outcome = turn.outcome
        if not isinstance(arguments, dict) or (outcome is not None and outcome.is_refused):
            given = arguments if isinstance(arguments, dict) else {"": turn.arguments}
            error = (outcome.error if outcome else None) or ErrorClass.WRONG_FORMAT
            message = (outcome.message if outcome else "") or "The arguments are not a JSON object"
            refused = CallRefused(
                api=api, title=title, arguments=given, error=error, message=message
            )
            self._add(refused, path)
            return
        sent = CallSent(
            api=api, title=title, arguments=arguments, bindings={}, provider=self._run.provider,
            risk="read", fingerprint="", occurrence=1, retry=0,
        )  # fmt: skip
        self._add(sent, path)
        if outcome is None:
            return
        reply: dict[str, Any] = {
            "status": outcome.status, "body": outcome.body, "content_type": outcome.content_type,
            "headers": {}, "origin": f"imported · {self._run.provider}", "elapsed_ms": 0.0,
        }  # fmt: skip
        event: Event
        if outcome.error is None:
            event = CallReturned(**reply)
        else:
            event = CallFailed(error=outcome.error, message=outcome.message, **reply)
        self._add(event, path, cause=len(self._rows))

    def _title(self, turn: RecordedTurn) -> str:
        if turn.name == FINISH:
            return "Give an answer" if "give_answer" in turn.arguments else "Give up"
        if not turn.name:
            return " ".join(turn.thought.split())[:80] or "Think"
        return self._run.tools.get(turn.name, ("", turn.name))[1]

    def _api(self, name: str) -> str:
        return self._run.tools.get(name, ("", ""))[0]

    def _add(self, event: Event, path: NodePath, *, cause: int | None = None) -> None:
        seq = len(self._rows) + 1
        record = record_of(_NO_RUN, seq, event, path, wall_us=self._us, cause=cause)
        self._totals.apply([record])
        self._rows.append(record.holding(pack(event.to_body())))


def _parsed(arguments: str) -> Any:
    try:
        return json.loads(arguments, strict=False) if arguments.strip() else {}
    except (ValueError, RecursionError):
        return arguments
