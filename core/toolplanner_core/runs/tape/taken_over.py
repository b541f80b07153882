"""What a fork takes over from its parent: the tape, the totals, the options of each stretch.

The strategy is one coroutine that is fed from the tape up to the fork point. Changed options must
not change what came before, so it sees the options of the stretch it is in: those of the run that
wrote the event it is to do next, and the new ones when the tape is used up.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from toolplanner_core.domain.ids import RunId
from toolplanner_core.options.values import make_options
from toolplanner_core.runs.events.event import Record, event_from_body
from toolplanner_core.runs.events.fork import ForkOrigin
from toolplanner_core.runs.events.run import RunStarted
from toolplanner_core.runs.reading import typed
from toolplanner_core.runs.tape.tape import Resolve, Tape, TapeEnd
from toolplanner_core.runs.tree.totals import Totals
from toolplanner_core.strategies.strategy import StrategyPlugin
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
class Stretch:
    """Options that held from the event with number `seq` on."""

    seq: int
    options: Any


class OptionsOfStretch:
    """Looks like an options object; each attribute is read from the stretch the run is in."""

    def __init__(self, tape: Tape, stretches: Sequence[Stretch], new: Any) -> None:
        self._tape = tape
        self._stretches = stretches
        self._new = new

    def __getattr__(self, name: str) -> Any:
        return getattr(self._current(), name)

    def _current(self) -> Any:
        seq = self._tape.next_seq
        if seq is None:
            return self._new
        return next(s.options for s in reversed(self._stretches) if s.seq <= seq)


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenOver:
    """The prefix of a fork.

    Attributes:
        records: the parent's events, long texts as marks.
        options: what the strategy gets as its options.
    """

    records: Sequence[Record]
    tape: Tape
    totals: Totals
    options: Any

    @property
    def mono_ns(self) -> int:
        """Where the clock of the run stood at the fork point."""
        return max((record.mono_ns for record in self.records), default=0)


def take_over(
    workspace: Workspace, run: RunId, seq: int, strategy: StrategyPlugin, new_options: Any
) -> TakenOver:
    """Read the first `seq` events of a fork through its parent. Blocks.

    Args:
        run: the parent, or the fork itself once it is stored.
    """
    records = read_prefix(workspace, run, seq)
    tape = Tape(records, end=TapeEnd(seq=seq), resolve=resolver(workspace))
    totals = Totals()
    totals.apply(records)
    stretches = options_by_stretch(records, strategy)
    return TakenOver(
        records=records,
        tape=tape,
        totals=totals,
        options=OptionsOfStretch(tape, stretches, new_options),
    )


def options_by_stretch(records: Sequence[Record], strategy: StrategyPlugin) -> list[Stretch]:
    """The strategy's options from each beginning in a log: of the first run, of each fork."""
    return [
        Stretch(
            seq=record.seq,
            options=make_options(
                strategy.options,
                record.event.options.get("strategy", {}),
                of=f"strategy {strategy.id}",
            ),
        )
        for record in records
        if isinstance(record.event, RunStarted | ForkOrigin)
    ]
