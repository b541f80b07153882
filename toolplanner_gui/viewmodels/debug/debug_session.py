"""The debugger of the window: the run that goes on, where it is held, breakpoints and faults.

One for each open workspace, `context.debug`. It gives every run that starts a debugger of the core
and passes on what people do: step bar, keys, tree menu and inspector call it and listen to it. Runs
that agents drive through the gateway of the window are steered beside it.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QObject, Signal

from toolplanner_core.domain.ids import NodePath, RunId
from toolplanner_core.runs.debugging.saved_rules import RuleKind
from toolplanner_gui.bridge.gui_thread import GuiThreadCalls
from toolplanner_gui.viewmodels.debug.rule_list import RuleList
from toolplanner_gui.viewmodels.debug.run_view import RunView

if TYPE_CHECKING:
    from toolplanner_core.runs.config.spec import RunSpec
    from toolplanner_core.runs.debugging.breakpoints import Breakpoint
    from toolplanner_core.runs.debugging.debugger import Debugger, Held, StepCommand
    from toolplanner_core.runs.debugging.faults import FaultTarget
    from toolplanner_core.runs.debugging.stops import StopDecision
    from toolplanner_core.runs.events.event import Record

Hold = Literal["all", "one"]


class DebugSession(QObject):
    """Steers the run that goes on. GUI thread.

    Attributes:
        breakpoints, faults: those of the workspace; a change acts at once.
    """

    held_changed = Signal()
    """Other branches are held, another one is looked at, or the run goes on or has ended."""
    breakpoints_changed = Signal()
    """Breakpoints or their hits are others."""
    faults_changed = Signal()
    """Faults, or how often they struck, are others."""

    def __init__(
        self,
        run_view: RunView,
        calls: GuiThreadCalls,
        report: Callable[[BaseException], None],
        tell: Callable[[str], None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._run_view = run_view
        self._calls = calls
        self._tell = tell
        self._debugger: Debugger | None = None
        self._served: dict[Debugger, RunId | None] = {}
        """Those of runs that agents drive, which go on beside the one of this window."""
        self.held: tuple[Held, ...] = ()
        """The branches that are held, the one that stopped first first."""
        self.current: Held | None = None
        """The held branch that is looked at."""
        self._own_faults: tuple[str, ...] = ()
        self.fired: Counter[str] = Counter()
        """How often each fault struck in the last run, by its text."""
        self._seen_hits = 0
        self.chosen: Callable[[Held], StopDecision | None] | None = None
        """What a person has chosen or written at a stop, asked of the panel that shows it; raises
        `BadInput` for what does not fit."""
        self.hold: Hold = "all"
        """Whether a stop holds all parallel branches or only its own."""
        self._is_step_at_start = False
        self._is_pausing = False

        def report_soon(error: BaseException) -> None:
            calls.post(lambda: report(error))

        self.breakpoints = RuleList(RuleKind.BREAKPOINT, run_view.workspace, report_soon, self)
        self.faults = RuleList(RuleKind.FAULT, run_view.workspace, report_soon, self)
        self.breakpoints.changed.connect(self._on_breakpoints_changed)
        self.faults.changed.connect(self._on_faults_changed)
        run_view.debugger_for = self._make_debugger
        run_view.live_changed.connect(self._on_live_changed)
        run_view.records_arrived.connect(self._on_records)

    @property
    def is_paused(self) -> bool:
        """Whether a run is held."""
        return bool(self.held)

    @property
    def is_running(self) -> bool:
        """Whether a run goes on and is not held."""
        return self._run_view.is_live and not self.held

    @property
    def is_pausing(self) -> bool:
        """Whether the run is going to be held at its next stop point."""
        return self._is_pausing and self.is_running

    @property
    def says(self) -> str:
        """One sentence: where the run stands and why it stopped; "" without a run."""
        if self.current is not None:
            from toolplanner_core.runs.presentation.debug_words import describe_held

            return describe_held(self.current)
        if not self._run_view.is_live:
            return ""
        return "Pausing at the next stop point" if self._is_pausing else "Running"

    def hits_of(self, text: str) -> int:
        """How often a breakpoint was met, the run that goes on included."""
        saved = self.breakpoints.find(text)
        live = sum(debugger.hits.get(text, 0) for debugger in self._debuggers)
        return (saved.hits if saved is not None else 0) + live

    def set_step_at_start(self, is_wanted: bool) -> None:
        """Hold the next run at its first stop point."""
        self._is_step_at_start = is_wanted

    def set_hold(self, hold: Hold) -> None:
        """Hold all parallel branches at a stop, or only the one that stops."""
        self.hold = hold
        if self._debugger is not None:
            self._debugger.set_hold(hold)
        self._take_over()

    def with_faults(self, spec: RunSpec) -> RunSpec:
        """The spec of a new run with the faults that are switched on."""
        return dataclasses.replace(spec, faults=(*spec.faults, *self.faults.active))

    def look_at(self, held: Held) -> None:
        """Look at one of the held branches: decisions and steps are for it."""
        if any(item is held for item in self.held) and held is not self.current:
            self.current = held
            self.held_changed.emit()

    def pause(self) -> None:
        """Hold the run at its next stop point."""
        if self._debugger is not None and not self.held:
            self._debugger.pause()
            self._is_pausing = True
            self.held_changed.emit()

    def resume(
        self,
        action: StepCommand,
        to: NodePath | None = None,
        decision: StopDecision | None = None,
    ) -> None:
        """Let the held run go on, with what a person decided at the branch that is looked at.

        Raises:
            BadInput: nothing is held, or the decision does not fit; the run stays held.
        """
        from toolplanner_core.errors import BadInput

        debugger = self._debugger if self.current is None else self._holding(self.current)
        if debugger is None:
            raise BadInput("No run is held", todo="Run a query, and pause it or set a breakpoint")
        debugger.resume(action, to=to, decision=decision, at=self.current)
        self._take_over()

    def go_on(self, action: StepCommand, to: NodePath | None = None) -> None:
        """Let the held run go on from a key or a menu: with what was chosen and written at the
        stop, which is never sent otherwise than it stands there.

        Raises:
            BadInput: nothing is held, or what was chosen does not fit; the run stays held.
        """
        held = self.current
        decision = self.chosen(held) if self.chosen is not None and held is not None else None
        self.resume(action, to=to, decision=decision)

    def run_to(self, path: NodePath) -> None:
        """Let the held run go on until it comes to a node.

        Raises:
            BadInput: as of `go_on`.
        """
        from toolplanner_core.runs.debugging.debugger import StepCommand

        self.go_on(StepCommand.RUN_TO, to=path)

    def inject(self, target: FaultTarget, kind: str, *, is_next_only: bool = False) -> None:
        """Let calls fail from now on: in the run that goes on, and in new ones.

        Args:
            target: `FaultTarget(api=TITLE)`, `FaultTarget(toolkit=NAME)`, or all.
            kind: a `FaultKind`, such as "500".
            is_next_only: only the next call, in whatever run; then the fault is gone.
        """
        text = f"{kind}:{target.text}{',once' if is_next_only else ''}"
        if is_next_only and self.faults.find(text) is not None:
            # Its one call may be used up: without it for a moment, it counts anew.
            self.faults.remove([text])
        self.faults.put(text)

    @property
    def held_runs(self) -> frozenset[RunId]:
        """The runs that are held somewhere."""
        found = (self.run_of(held) for held in self.held)
        return frozenset(run for run in found if run is not None)

    def run_of(self, held: Held) -> RunId | None:
        """The run that is held there, None before its first event has come."""
        debugger = self._holding(held)
        if debugger is None or debugger is self._debugger:
            return self._run_view.live_run
        return self._served.get(debugger)

    def is_served(self, held: Held) -> bool:
        """Whether an agent waits for it."""
        return self._holding(held) in self._served

    def decide_at(self, held: Held, decision: StopDecision) -> None:
        """Decide about one stop, whichever is looked at; nothing if it was decided meanwhile.

        Raises:
            BadInput: the decision does not fit; the run stays held.
        """
        debugger = self._holding(held)
        if debugger is not None:
            debugger.resume(decision=decision, at=held)
        self._take_over()

    def debugger_of_agent(self, spec: RunSpec, on_change: Callable[[], None]) -> Debugger:
        """The debugger of a run that an agent drives, with the breakpoints and faults of now. Any
        thread; to be adopted on this one.

        Args:
            on_change: told of each hold and release, on the thread of the run.
        """
        from toolplanner_core.runs.debugging.debugger import Debugger
        from toolplanner_core.runs.debugging.faults import FaultPlan, parse_fault
        from toolplanner_core.serving.served_lines import client_of_query

        rules = (*spec.faults, *self.faults.active)
        plan = FaultPlan((parse_fault(text) for text in rules), query=spec.query)
        return Debugger(
            self._breakpoints_on(),
            hold="one",
            on_change=on_change,
            faults=plan,
            client=client_of_query(spec.query),
        )

    def adopt(self, debugger: Debugger) -> None:
        """Steer a run that an agent drives, too: changes of breakpoints and faults act there."""
        self._served[debugger] = None
        self._arm(debugger, own=())
        self._take_over()

    def heard_served(self, debugger: Debugger, run: RunId, records: Sequence[Record]) -> None:
        """Events of such a run have come."""
        self._served[debugger] = run
        if debugger.faults is not None and self._note_struck(records) and debugger.faults.used_up:
            self.faults.remove(list(debugger.faults.used_up))
        self._tell_hits()

    def adopted_changed(self) -> None:
        """Others of the runs that agents drive are held."""
        self._take_over()

    def dismiss(self, debugger: Debugger) -> None:
        """Such a run has ended."""
        if debugger in self._served:
            del self._served[debugger]
            self._keep_hits(debugger)
            self._take_over()

    @property
    def _debuggers(self) -> list[Debugger]:
        own = [] if self._debugger is None else [self._debugger]
        return [*own, *self._served]

    def _holding(self, held: Held) -> Debugger | None:
        return next((d for d in self._debuggers if any(h is held for h in d.held)), None)

    def _make_debugger(self, spec: RunSpec) -> Debugger:
        from toolplanner_core.runs.debugging.debugger import Debugger
        from toolplanner_core.runs.debugging.faults import FaultPlan, parse_fault

        self.fired.clear()
        self._seen_hits = 0
        # What a fork took over and the plan does not know stays as it is.
        self._own_faults = tuple(t for t in spec.faults if self.faults.find(t) is None)
        made = Debugger(
            self._breakpoints_on(),
            step=self._is_step_at_start,
            hold=self.hold,
            on_change=lambda: self._calls.post(lambda: self._on_debugger_changed(made)),
            faults=FaultPlan((parse_fault(text) for text in spec.faults), query=spec.query),
        )
        self._debugger = made
        self._is_step_at_start = False
        self.faults_changed.emit()
        return made

    def _on_debugger_changed(self, debugger: Debugger) -> None:
        if debugger is self._debugger:
            self._take_over()

    def _take_over(self) -> None:
        """Look at what the debugger of the core says."""
        held = tuple(held for debugger in self._debuggers for held in debugger.held)
        self._tell_hits()
        if held == self.held and all(a is b for a, b in zip(held, self.held, strict=True)):
            return
        self.held = held
        if held:
            self._is_pausing = False
        if not any(item is self.current for item in held):
            self.current = held[0] if held else None
        self.held_changed.emit()

    def _on_live_changed(self) -> None:
        if not self._run_view.is_live:
            self._let_go()
        self.held_changed.emit()

    def _let_go(self) -> None:
        debugger, self._debugger = self._debugger, None
        self._is_pausing = False
        if debugger is not None:
            self._keep_hits(debugger)
        self._take_over()

    def _keep_hits(self, debugger: Debugger) -> None:
        if debugger.hits:
            self.breakpoints.count(debugger.hits)
        if debugger.faults is not None and debugger.faults.used_up:
            self.faults.remove(list(debugger.faults.used_up))

    def _on_records(self, records: Sequence[Record]) -> None:
        if self._debugger is not None and self._run_view.run == self._run_view.live_run:
            self._note_struck(records)
        self._tell_hits()

    def _note_struck(self, records: Sequence[Record]) -> bool:
        """Count the faults that struck, and say so; whether any did."""
        from toolplanner_core.runs.events.debug import FaultInjected

        struck = [r.event for r in records if isinstance(r.event, FaultInjected)]
        if struck:
            from toolplanner_core.runs.presentation.debug_words import describe_struck_call

            self.fired.update(event.rule for event in struck)
            self._tell(describe_struck_call(struck[-1]))
            self.faults_changed.emit()
        return bool(struck)

    def _tell_hits(self) -> None:
        seen = sum(sum(debugger.hits.values()) for debugger in self._debuggers)
        if seen != self._seen_hits:
            self._seen_hits = seen
            self.breakpoints_changed.emit()

    def _on_breakpoints_changed(self) -> None:
        for debugger in self._debuggers:
            debugger.set_breakpoints(self._breakpoints_on())
        self.breakpoints_changed.emit()

    def _breakpoints_on(self) -> list[Breakpoint]:
        from toolplanner_core.runs.debugging.breakpoints import parse_breakpoint

        return [parse_breakpoint(text) for text in self.breakpoints.active]

    def _on_faults_changed(self) -> None:
        for debugger in self._debuggers:
            own = self._own_faults if debugger is self._debugger else ()
            self._set_faults(debugger, own=own)
        self.faults_changed.emit()

    def _arm(self, debugger: Debugger, *, own: Sequence[str]) -> None:
        debugger.set_breakpoints(self._breakpoints_on())
        self._set_faults(debugger, own=own)

    def _set_faults(self, debugger: Debugger, *, own: Sequence[str]) -> None:
        """Let the faults that are switched on act, beside those of the run itself."""
        from toolplanner_core.runs.debugging.faults import parse_fault

        if debugger.faults is not None:
            rules = dict.fromkeys([*own, *self.faults.active])
            debugger.faults.set_rules(parse_fault(text) for text in rules)
