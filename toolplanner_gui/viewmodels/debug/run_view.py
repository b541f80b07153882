"""The runs of the workspace and the one that is shown, live or from the log.

The runs of the workspace and the one that is looked at, live or from the log. Between the run
engine of the core and the panels (runs, tree, inspector): events arrive in batches on the GUI
thread, are folded into the tree here, and panels are told which nodes changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Signal

from toolplanner_core.domain.ids import NodePath, RunId
from toolplanner_core.workspace import Workspace
from toolplanner_gui.bridge.errors import A_RUN
from toolplanner_gui.bridge.gui_thread import BatchInbox, GuiThreadCalls
from toolplanner_gui.bridge.latest_request import LatestState
from toolplanner_gui.bridge.tasks import Tasks
from toolplanner_gui.viewmodels.debug.external_runs import ExternalRun, ExternalRuns, read_list
from toolplanner_gui.viewmodels.debug.live_output import LiveOutput

if TYPE_CHECKING:
    from toolplanner_core.runs.config.spec import RunSpec, RunSummary
    from toolplanner_core.runs.debugging.debugger import Debugger
    from toolplanner_core.runs.engine.runner import EngineThread, RunHandle
    from toolplanner_core.runs.events.event import Record
    from toolplanner_core.runs.log.clock import Clock
    from toolplanner_core.runs.stages.live_replies import LiveReply
    from toolplanner_core.runs.tree.node import Node
    from toolplanner_core.runs.tree.tree import RunTree
    from toolplanner_core.workspace.runs import RunListState


class LazyRunEngine:
    """Makes the engine once, off the GUI thread; one that comes too late is ended at once."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self.engine: EngineThread | None = None
        self.is_released = False

    def get(self) -> EngineThread:
        """The engine. Blocks at the first use."""
        from toolplanner_core.runs.engine.runner import EngineThread

        engine = self.engine
        if engine is None:
            self.engine = engine = EngineThread(self._workspace)
            if self.is_released and self.engine is engine:
                self.engine = None
                engine.close()
        return engine

    def release(self) -> Callable[[], None] | None:
        """What ends it, to be called off the GUI thread; None when there is none."""
        # In this order: an engine that is being made sees that nobody waits for it any more.
        self.is_released = True
        engine, self.engine = self.engine, None
        return None if engine is None else engine.close


class _Going(NamedTuple):
    """The run that goes on, since its first event was heard; its tree grows."""

    run: RunId
    tree: RunTree
    clock: Clock


class RunView(QObject):
    """State of the runs panel, the run tree and the inspector. GUI thread."""

    runs_changed = Signal()
    """The list of runs is another one."""
    run_changed = Signal()
    """Another run is looked at."""
    nodes_changed = Signal(object)
    """list[NodePath]: nodes of the run that is looked at."""
    records_arrived = Signal(object)
    """list[Record]: new events of the run that is looked at, after the nodes they changed."""
    compared_changed = Signal()
    """Two other runs shall be compared."""
    node_changed = Signal(object)
    """Another node is looked at; the argument is who chose it."""
    live_changed = Signal()
    """A run began or ended."""

    def __init__(
        self,
        workspace: Workspace,
        tasks: Tasks,
        calls: GuiThreadCalls,
        report: Callable[..., None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._calls = calls
        self._report = report
        self.workspace = workspace
        self.engine = LazyRunEngine(workspace)
        self._live: RunHandle | None = None
        self._tree: RunTree | None = None
        self._going: _Going | None = None
        self._served: dict[RunId, _Going] = {}
        self._wanted: RunId | None = None
        self._is_starting = False
        self._inbox: BatchInbox[Record] = BatchInbox(calls, self._on_records, self)
        self.words = LiveOutput(calls, self)
        self.summaries: Sequence[RunSummary] = ()
        self.run: RunId | None = None
        self.node: NodePath | None = None
        self._clock: Clock | None = None
        self.compared: tuple[RunId, RunId] | None = None
        self.debugger_for: Callable[[RunSpec], Debugger] | None = None
        """Makes the debugger of a run that is about to start."""
        self.interrupted: Sequence[RunId] = ()
        """Runs that were found interrupted since the workspace was opened."""
        self._list = LatestState(tasks, self, lambda: read_list(workspace), self._on_list)
        self._others = ExternalRuns(workspace, tasks, self._followed, self)
        self._others.changed.connect(self.refresh)
        self._others.interrupted.connect(self._on_interrupted)
        self._others.went_on.connect(self._on_went_on)
        tasks.spawn(self._read_first(), owner=self)

    @property
    def is_live(self) -> bool:
        """Whether a run goes on."""
        return self._is_starting or self._live is not None

    @property
    def live_run(self) -> RunId | None:
        """The run that goes on, None before its first event and after its end."""
        return None if self._going is None else self._going.run

    @property
    def is_run_live(self) -> bool:
        """Whether the run that is looked at goes on."""
        return self._clock is not None

    def now_ns(self) -> int | None:
        """Where the run that is looked at stands on its own clock, by which its events are dated
        and which stands still while all of it is held; None once it is over."""
        return None if self._clock is None else self._clock.mono_ns()

    @property
    def is_none_chosen(self) -> bool:
        """Whether no run is looked at, nor is one being read to be looked at."""
        return self.run is None and self._wanted is None

    @property
    def nodes(self) -> Mapping[NodePath, Node]:
        """Nodes of the run that is looked at."""
        return {} if self._tree is None else self._tree.nodes

    @property
    def last_seq(self) -> int:
        """Number of the last event of the run that is looked at, 0 for none."""
        return 0 if self._tree is None else self._tree.last_seq

    def speech_at(self, path: NodePath) -> list[LiveReply]:
        """What is being said at a node of the run that is looked at."""
        return self.words.at(path) if self.is_run_live else []

    @property
    def summary(self) -> RunSummary | None:
        """Totals of the run that is looked at."""
        return next((s for s in self.summaries if s.run == self.run), None)

    def release(self) -> Callable[[], None] | None:
        """Let go of the engine; the workspace is going to be closed.

        Returns:
            What ends the engine, to be called off the GUI thread; None when there is none.
        """
        end = self.engine.release()
        self._inbox.flush()
        return end

    def refresh(self) -> None:
        """Read the list of runs again."""
        self._list.refresh()

    def show_run(self, run: RunId) -> None:
        """Look at a run."""
        if self._must_read(run):
            self._tasks.spawn(self._show(run), owner=self)

    async def shown(self, run: RunId) -> None:
        """Look at a run; its nodes are there afterwards."""
        if self._must_read(run):
            await self._show(run)

    def select_node(self, path: NodePath | None, origin: object = None) -> None:
        """Look at a node of the run."""
        if path != self.node:
            self.node = path
            self.node_changed.emit(origin)

    def node_of_event(self, seq: int) -> NodePath | None:
        """The node an event belongs to: where a cause leads."""
        return None if self._tree is None else self._tree.causes.path_of(seq)

    def compare(self, left: RunId, right: RunId) -> None:
        """Compare two runs; the Compare panel shows how they differ."""
        self.compared = (left, right)
        self.compared_changed.emit()

    def compare_nothing(self) -> None:
        """The comparison is over."""
        if self.compared is not None:
            self.compared = None
            self.compared_changed.emit()

    def start(self, spec: RunSpec) -> None:
        """Run a query; what happens is shown as it happens."""
        if not self.is_live:
            self._is_starting = True
            self.compare_nothing()
            self.live_changed.emit()
            self._tasks.spawn(self._start(spec), owner=self)

    def stop(self) -> None:
        """Stop the run that goes on; its log stays."""
        if self._live is not None:
            self._live.cancel()

    def _on_interrupted(self, runs: Sequence[RunId]) -> None:
        self.interrupted = runs
        self.refresh()

    async def _read_first(self) -> None:
        await self._others.look_now()
        await self._list.refresh()

    def _on_list(self, found: tuple[RunListState, Sequence[RunSummary]]) -> None:
        before = [summary.run for summary in self.summaries]
        seen, self.summaries = found
        self._others.note(seen)
        self._leave_deleted(before)
        self.runs_changed.emit()

    def _leave_deleted(self, before: Sequence[RunId]) -> None:
        """Look at the run that stands where the one that was looked at stood, if it was deleted."""
        left = [summary.run for summary in self.summaries]
        gone = set(before).difference(left)
        if gone.intersection(self.compared or ()):
            self.compare_nothing()
        if self.run is None or self.run not in gone or self.is_run_live:
            return
        place = min(before.index(self.run), len(left) - 1)
        if left:
            self.show_run(left[place])
        else:
            self._look_at(None, None, clock=None)

    def _must_read(self, run: RunId) -> bool:
        """Whether a run that is asked for is not looked at already; makes older wishes void."""
        is_shown = run == self.run and self._tree is not None
        self._wanted = None if is_shown else run
        return not is_shown

    async def _show(self, run: RunId) -> None:
        from toolplanner_core.runs.log.stored_runs import load_tree

        going = self._own(run)
        if going is None:
            try:
                tree = await self._tasks.in_thread(lambda: load_tree(self.workspace, run))
            except Exception:
                if self._wanted == run:
                    self._wanted = None
                raise
            if self._wanted != run:
                return  # another one was asked for, or this one began, while it was read
            clock = None
        else:
            tree, clock = going.tree, going.clock
        self._look_at(run, tree, clock=clock)

    def _look_at(self, run: RunId | None, tree: RunTree | None, *, clock: Clock | None) -> None:
        self._tree = tree
        self.run, self._wanted = run, None
        self._clock = clock
        self.node = None
        self.node_changed.emit(None)
        self.run_changed.emit()

    async def _start(self, spec: RunSpec) -> None:
        try:
            engine = await self._tasks.in_thread(self.engine.get)
            if self.engine.is_released:
                return
            self._live = engine.start(
                spec,
                debugger=self.debugger_for(spec) if self.debugger_for else None,
                on_records=self._inbox.put,
                on_speech=self.words.put,
                on_end=lambda summary, error: self._calls.post(
                    lambda: self._on_ended(summary, error)
                ),
            )
        finally:
            self._is_starting = False
            self.live_changed.emit()

    def _on_records(self, records: list[Record]) -> None:
        from toolplanner_core.runs.tree.tree import RunTree

        if self.engine.is_released:
            return
        run = records[-1].run
        # Also of a fork: the engine begins with what it took over.
        if records[0].seq == 1 and self._live is not None:
            clock, tree = self._live.clock, RunTree()
            self._going = _Going(run=run, tree=tree, clock=clock)
            self._look_at(run, tree, clock=clock)
            self.refresh()
        going = self._going
        if going is None or going.run != run:
            return
        # Folded whether or not it is looked at: whoever comes back to it sees it go on.
        changed = going.tree.apply(records)
        self.words.follow(going.tree.nodes, changed)
        if going.tree is self._tree:
            self._tell_growth(changed, records)

    def hear_served(self, clock: Clock, records: list[Record]) -> None:
        """What an agent asked for in a run that the gateway of this window serves; seen by whoever
        looks at that run."""
        from toolplanner_core.runs.tree.tree import RunTree

        run = records[-1].run
        going = self._served.get(run)
        if going is None:
            going = self._served[run] = _Going(run=run, tree=RunTree(), clock=clock)
            self.refresh()
        changed = going.tree.apply(records)
        if going.tree is self._tree:
            self._tell_growth(changed, records)

    def end_served(self, run: RunId) -> None:
        """Such a run has ended."""
        going = self._served.pop(run, None)
        if going is not None and going.tree is self._tree:
            self._clock = None
        self.live_changed.emit()
        self.refresh()

    def served_tree(self, run: RunId) -> RunTree | None:
        """The tree of such a run while it goes on."""
        going = self._served.get(run)
        return None if going is None else going.tree

    def _own(self, run: RunId | None) -> _Going | None:
        """A run of this window that goes on."""
        if self._going is not None and self._going.run == run:
            return self._going
        return None if run is None else self._served.get(run)

    def _followed(self) -> ExternalRun | None:
        """The run that is looked at, if it goes on elsewhere."""
        is_own = self._own(self.run) is not None
        if self.run is None or self._tree is None or self._tree.is_over or is_own:
            return None
        return ExternalRun(self.run, self._tree.last_seq)

    def _on_went_on(self, followed: ExternalRun, records: list[Record]) -> None:
        if followed == self._followed() and self._tree is not None:
            self._tell_growth(self._tree.apply(records), records)

    def _tell_growth(self, changed: set[NodePath], records: list[Record]) -> None:
        if changed:
            self.nodes_changed.emit(sorted(changed, key=str.__len__))
        self.records_arrived.emit(records)

    def _on_ended(self, summary: RunSummary | None, error: BaseException | None) -> None:
        self._inbox.flush()
        self.words.clear()
        self._live = None
        if self._going is not None and self._going.tree is self._tree:
            self._clock = None
        self._going = None
        self.live_changed.emit()
        self.refresh()
        if error is not None:
            self._report(error, about=A_RUN)
