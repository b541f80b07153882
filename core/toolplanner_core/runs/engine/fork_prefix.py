"""What a fork takes over from its parent: the tape, the totals, the options of each stretch.

The strategy is one coroutine that is fed from the tape up to the fork point. Changed options must
not change what came before, so it sees the options of the stretch it is in: those of the run that
wrote the event it is to do next, and the new ones when the tape is used up.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from toolplanner_core.domain.ids import RunId
from toolplanner_core.options.values import make_options
from toolplanner_core.runs.events.event import Record, event_from_body
from toolplanner_core.runs.events.fork import ForkOrigin
from toolplanner_core.runs.events.run import RunStarted
from toolplanner_core.runs.log.stored_runs import typed
from toolplanner_core.runs.log.tape import Resolve, Tape, TapeEnd
from toolplanner_core.runs.tree.totals import Totals
from toolplanner_core.strategies.interface.strategy import StrategyPlugin
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.blobs import resolve
from toolplanner_core.workspace.run_log import read_records


def read_prefix(workspace: Workspace, run: RunId, upto: int) -> list[Record]:
    """The first `upto` events of a run, long texts as marks.

    Raises:
        NotFound: no such run.
    """
    # Numbers begin at 1 and have no gaps, so the number of rows is the number of the last one.
    return typed(read_records(workspace, run, limit=upto))


def resolver(workspace: Workspace) -> Resolve:
    """A function that gives a record its long texts back."""

    def with_texts(record: Record) -> Record:
        body = record.event.to_body()
        whole = resolve(workspace, body)
        if whole is body:
            return record
        return record._replace(event=event_from_body(record.event.type, whole))

    return with_texts


@dataclass(frozen=True, slots=True, kw_only=True)
class LogStretch:
    """Options and edited prompts that held from the event with number `seq` on."""

    seq: int
    options: Any
    prompts: Mapping[str, str] = field(default_factory=dict[str, str])


class OptionsOfStretch:
    """Looks like an options object; each attribute is read from the stretch the run is in."""

    def __init__(self, tape: Tape, stretches: Sequence[LogStretch], new: Any) -> None:
        self._tape = tape
        self._stretches = stretches
        self._new = new

    def __getattr__(self, name: str) -> Any:
        return getattr(self._current(), name)

    def _current(self) -> Any:
        found = _stretch(self._tape, self._stretches)
        return self._new if found is None else found.options


class PromptsOfStretch:
    """The edited prompts of the stretch the run is in."""

    def __init__(self, tape: Tape, stretches: Sequence[LogStretch], new: Mapping[str, str]) -> None:
        self._tape = tape
        self._stretches = stretches
        self._new = new

    def __call__(self) -> Mapping[str, str]:
        """Texts by name."""
        found = _stretch(self._tape, self._stretches)
        return self._new if found is None else found.prompts


def _stretch(tape: Tape, stretches: Sequence[LogStretch]) -> LogStretch | None:
    """The stretch of the event that is to be done next; None when the tape is used up."""
    seq = tape.next_seq
    return None if seq is None else next(s for s in reversed(stretches) if s.seq <= seq)


@dataclass(frozen=True, slots=True, kw_only=True)
class ForkPrefix:
    """The prefix of a fork.

    Attributes:
        records: the parent's events, long texts as marks.
        options: what the strategy gets as its options.
        prompts: the texts that hold at each moment.
    """

    records: Sequence[Record]
    tape: Tape
    totals: Totals
    options: Any
    prompts: PromptsOfStretch

    @property
    def mono_ns(self) -> int:
        """Where the clock of the run stood at the fork point."""
        return max((record.mono_ns for record in self.records), default=0)


def load_fork_prefix(
    workspace: Workspace,
    run: RunId,
    seq: int,
    strategy: StrategyPlugin,
    *,
    options: Any,
    prompts: Mapping[str, str],
) -> ForkPrefix:
    """Read the first `seq` events of a fork through its parent. Blocks.

    Args:
        run: the parent, or the fork itself once it is stored.
        options, prompts: those that hold after the prefix.
    """
    records = read_prefix(workspace, run, seq)
    whole = resolver(workspace)
    tape = Tape(records, end=TapeEnd(seq=seq), resolve=whole)
    totals = Totals()
    totals.apply(records)
    stretches = options_by_stretch(records, strategy, whole)
    return ForkPrefix(
        records=records,
        tape=tape,
        totals=totals,
        options=OptionsOfStretch(tape, stretches, options),
        prompts=PromptsOfStretch(tape, stretches, prompts),
    )


def options_by_stretch(
    records: Sequence[Record], strategy: StrategyPlugin, whole: Resolve
) -> list[LogStretch]:
    """Options and prompts from each beginning in a log: of the first run, of each fork."""
    stretches: list[LogStretch] = []
    for record in records:
        if isinstance(record.event, RunStarted | ForkOrigin):
            begun = whole(record).event
            assert isinstance(begun, RunStarted | ForkOrigin)
            given = begun.options.get("strategy", {})
            options = make_options(strategy.options, given, of=f"strategy {strategy.id}")
            prompts = begun.options.get("prompts") or {}
            stretches.append(LogStretch(seq=record.seq, options=options, prompts=prompts))
    return stretches
