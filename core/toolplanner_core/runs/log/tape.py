"""The tape: what a run did, fed back to its strategy in the place of the world.

A strategy that is started afresh and gets the same answers does the same things. So each event it
causes is looked up on the tape instead of being written: per path, in order, and it must be the
same. What is not determined (replies, results, catalogue, clock, people's choices) is taken from
there. Where a path has no more events, that path is live: after a fork. In a strict replay there is
nothing behind the end of the tape, and the first difference stops it.

Per path, because everything on one path is one coroutine: parallel branches may be interleaved in
any way and still match.

Where a run leaves its tape is said in words, and line by line (`explain`)."""

import asyncio
import difflib
import json
from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from toolplanner_core.domain.ids import NodePath, RunId
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.domain.plain_data import plain_mapping
from toolplanner_core.runs.events.call import CallRefused, CallSent
from toolplanner_core.runs.events.event import Event, Record, record_of
from toolplanner_core.runs.events.fork import PersonDecided
from toolplanner_core.runs.events.node import NodeClosed
from toolplanner_core.runs.events.question import ModelAsked


@dataclass(frozen=True, slots=True, kw_only=True)
class Divergence:
    """The first difference.

    Attributes:
        path: where in the tree.
        seq: number of the recorded event, 0 when the tape has none there.
        what: one sentence.
        diff: unified diff of the recorded and the new question, call or decision.
    """

    path: NodePath
    seq: int
    what: str
    diff: str


def explain(recorded: Record | None, event: Event | None, path: NodePath) -> Divergence:
    """Describe a difference; one of `recorded` and `event` may be missing."""
    old = recorded.event if recorded is not None else None
    lines = difflib.unified_diff(
        _lines(old), _lines(event), "on the tape", "in this run", lineterm="", n=2
    )
    return Divergence(
        path=path,
        seq=recorded.seq if recorded is not None else 0,
        what=_sentence(old, event, path),
        diff="\n".join(lines),
    )


def _sentence(old: Event | None, new: Event | None, path: NodePath) -> str:
    where = path or "the run itself"
    if new is None:
        done = _name(old) if old is not None else "what the request returned"
        return f"At {where}, the tape holds {done}, which does not happen any more"
    if old is None:
        return f"At {where}, {_name(new)} is new: the tape has nothing there"
    if old.type != new.type:
        return f"At {where}, the tape holds {_name(old)}, but {_name(new)} comes"
    return f"At {where}, {_name(new)} is not what it was"


def _name(event: Event) -> str:
    match event:
        case ModelAsked(title=title):
            return f'the question "{title}"'
        case CallSent(title=title) | CallRefused(title=title):
            return f"the call of {title}"
        case _:
            return f"the event {event.type}"


def _lines(event: Event | None) -> list[str]:
    if event is None:
        return []
    if isinstance(event, ModelAsked):
        lines = [f"question: {event.question} (version {event.version})"]
        for message in event.messages:
            lines += [f"{message['role']}:", *message["content"].splitlines()]
        return [*lines, "schema:", *_json_lines(event.schema)]
    return [f"{event.type}:", *_json_lines(event.to_body())]


def _json_lines(value: Any) -> list[str]:
    text = json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True, default=plain_mapping)
    return text.splitlines()


Resolve = Callable[[Record], Record]


class Diverged(Exception):
    """The run does something else than the tape says."""

    def __init__(self, divergence: Divergence) -> None:
        self.divergence = divergence
        super().__init__(divergence.what)


class TapedDecision(NamedTuple):
    """A person's decision and its number."""

    seq: int
    event: PersonDecided


@dataclass(frozen=True, slots=True, kw_only=True)
class TapeEnd:
    """What stands behind the end of a tape.

    Attributes:
        seq: number of the last event on it.
        is_strict: nothing: whoever wants to go on has diverged.
        was_stopped: the recorded run was stopped there, and so is the one that repeats it.
    """

    seq: int = 0
    is_strict: bool = False
    was_stopped: bool = False


class Tape:
    """Recorded events by path.

    Args:
        records: in order; long texts may still be marks.
        resolve: gives a record its long texts; called when it is needed.
    """

    def __init__(
        self,
        records: Iterable[Record] = (),
        *,
        end: TapeEnd | None = None,
        resolve: Resolve = lambda record: record,
    ) -> None:
        self.end = end or TapeEnd()
        self.divergence: Divergence | None = None
        self._resolve = resolve
        self._queues: defaultdict[NodePath, deque[Record]] = defaultdict(deque)
        self._decisions: defaultdict[tuple[NodePath, str], deque[Record]] = defaultdict(deque)
        self._waiting: dict[int, None] = {}  # seqs in order: the first is the lowest
        self._matched = asyncio.Event()
        for record in records:
            if isinstance(record.event, PersonDecided):
                self._decisions[record.path, record.event.stop].append(record)
            elif record.event.is_taped:
                self._queues[record.path].append(record)
                self._waiting[record.seq] = None

    @property
    def next_seq(self) -> int | None:
        """Lowest number that was not matched yet, None when all is."""
        return next(iter(self._waiting), None)

    def all_of(self, kind: type[Event]) -> list[Record]:
        """All recorded events of a kind, in order, whether they were matched or not."""
        found = [r for queue in self._queues.values() for r in queue if isinstance(r.event, kind)]
        return [self._resolve(record) for record in sorted(found, key=lambda r: r.seq)]

    async def used_up(self, tasks: "Collection[asyncio.Future[Any]]") -> None:
        """Wait until every event was matched, or these tasks have ended."""
        while self._waiting and not all(task.done() for task in tasks):
            self._matched.clear()
            waiting = asyncio.ensure_future(self._matched.wait())
            await asyncio.wait({waiting, *tasks}, return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()

    def holds(self, record: Record) -> bool:
        """Whether a record was read from the tape (and not written after it)."""
        return 0 < record.seq <= self.end.seq

    def is_live(self, path: NodePath) -> bool:
        """Whether the tape has nothing more for this path."""
        return not self._queues.get(path)

    def has_any(self, path: NodePath, kind: type[Event]) -> bool:
        """Whether an event of a kind is still to come on a path."""
        return any(isinstance(record.event, kind) for record in self._queues.get(path, ()))

    def peek(self, path: NodePath) -> Record | None:
        """The next event of a path with all its texts; None when the path is live."""
        queue = self._queues.get(path)
        if not queue:
            return None
        queue[0] = self._resolve(queue[0])
        return queue[0]

    def take(self, path: NodePath, *kinds: type[Event]) -> Record | None:
        """The next event of a path if it is of these kinds; it is used up."""
        head = self.peek(path)
        if head is None or not isinstance(head.event, kinds):
            return None
        self._queues[path].popleft()
        self._waiting.pop(head.seq, None)
        if not self._waiting:
            self._matched.set()
        return head

    def take_decision(self, path: NodePath, stop: str) -> "TapedDecision | None":
        """What a person decided at a stop point of this path; it is used up."""
        if not self.has_decision(path, stop):
            return None
        record = self._resolve(self._decisions[path, stop].popleft())
        assert isinstance(record.event, PersonDecided)
        return TapedDecision(record.seq, record.event)

    def has_decision(self, path: NodePath, stop: str) -> bool:
        """Whether a person decided something here, before the next event of this path."""
        decisions, events = self._decisions.get((path, stop)), self._queues.get(path)
        return bool(decisions) and (not events or decisions[0].seq < events[0].seq)

    def match(self, event: Event, *, path: NodePath, cause: int | None) -> Record | None:
        """The recorded event in the place of one that is about to be written; None = write it.

        Raises:
            Diverged: the tape says something else.
            CancelledError: the recorded run was stopped here.
        """
        if self.divergence is not None or not event.is_taped:
            return _nowhere(event, path, cause) if self.end.is_strict else None
        head = self.peek(path)
        if head is None:
            if not self.end.is_strict:
                return None
            if self.end.was_stopped:
                raise asyncio.CancelledError
            raise self.diverge(None, event, path)
        closes = head.event
        was_stopped = isinstance(closes, NodeClosed) and closes.state == NodeState.CANCELLED
        if _same(head, event, cause) or (was_stopped and _is_stop(event)):
            return self.take(path, type(head.event))
        if was_stopped:
            raise asyncio.CancelledError
        raise self.diverge(head, event, path)

    def diverge(self, recorded: Record | None, event: Event | None, path: NodePath) -> Diverged:
        """Remember the first difference; the rest of the tape is of no use any more."""
        self.divergence = explain(recorded, event, path)
        self.drop()
        return Diverged(self.divergence)

    def left_over(self) -> Record | None:
        """The first event that was never matched."""
        seq = self.next_seq
        return next((q[0] for q in self._queues.values() if q and q[0].seq == seq), None)

    def drop(self) -> None:
        """Forget what was not matched yet: the run does not follow the tape any more."""
        self._queues.clear()
        self._decisions.clear()
        self._waiting.clear()
        self._matched.set()

    def ends_here(self, path: NodePath) -> BaseException | None:
        """What to raise where a request has no outcome on a strict tape; None = send it again."""
        if not self.end.is_strict or not self.is_live(path):
            return None
        return asyncio.CancelledError() if self.end.was_stopped else self.diverge(None, None, path)


def _is_stop(event: Event) -> bool:
    return isinstance(event, NodeClosed) and event.state == NodeState.CANCELLED


def _same(recorded: Record, event: Event, cause: int | None) -> bool:
    if recorded.event.type != event.type or recorded.cause != cause:
        return False
    ignored = event.uncompared
    return plain_body(recorded.event, ignored) == plain_body(event, ignored)


def plain_body(event: Event, without: frozenset[str] = frozenset()) -> Any:
    """The fields of an event as they come back from disk."""
    body = {name: value for name, value in event.to_body().items() if name not in without}
    return json.loads(json.dumps(body, default=plain_mapping))


def _nowhere(event: Event, path: NodePath, cause: int | None) -> Record:
    """A record that is written nowhere: for what a strategy still does while it is stopped."""
    return record_of(RunId(0), 0, event, path, cause=cause)
