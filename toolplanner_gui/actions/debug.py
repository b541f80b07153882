"""The Debug menu, with the keys of VS Code, and what the debugger adds to the menu of a node.

F5 continues a held run, else runs what stands in the query bar; F10 and F11 step, else begin a run
that is held at its first stop point.
"""

from collections.abc import Callable, Sequence
from functools import partial

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.plan import Status
from toolplanner_core.errors import UserError
from toolplanner_core.runs.debugging.breakpoints import write_breakpoint
from toolplanner_core.runs.debugging.faults import FaultKind, FaultTarget
from toolplanner_core.runs.telling.debug_words import FAULT_WORDS
from toolplanner_core.runs.telling.node_subject import breakpoint_parts, subject_of
from toolplanner_core.words.wording import one_line
from toolplanner_core.workspace.catalogue import apis_by_rowid
from toolplanner_gui.actions.action import (
    Action,
    Entry,
    Menu,
    Separator,
    Submenu,
    to_dialog,
    to_panel,
)
from toolplanner_gui.actions.runs_again import fork_run
from toolplanner_gui.context import AppContext


def resume(context: AppContext, action: str) -> None:
    """Let the held run go on with a `debugger.StepCommand`; begin one when none goes on."""
    from toolplanner_core.runs.debugging.debugger import StepCommand

    if context.debug.is_paused:
        try:
            context.debug.resume(StepCommand(action))
        except UserError as error:
            context.report(error)
    elif not context.run_view.is_live:
        context.shell.start_run(is_stepping=action != StepCommand.CONTINUE)


def can_resume(context: AppContext) -> bool:
    """Whether a run is held, or one can begin."""
    return context.debug.is_paused or not context.run_view.is_live


def run_to(context: AppContext, path: NodePath) -> None:
    """Let the held run go on until it comes to a node."""
    try:
        context.debug.run_to(path)
    except UserError as error:
        context.report(error)


def toggle_breakpoint(context: AppContext, path: NodePath) -> None:
    """Set or remove the breakpoint that is meant by a node, and say which."""
    text = write_breakpoint(breakpoint_parts(context.run_view.nodes, path))
    is_set = context.debug.breakpoints.toggle(text)
    context.tell(f"{'Set' if is_set else 'Removed'} the breakpoint {text}")


def fault_entries(target: FaultTarget, *, is_next_only: bool = False) -> Sequence[Action]:
    """One entry for each way in which calls can be made to fail; for any context menu."""
    return [
        Action(
            f"debug.fault.{kind}.{'next' if is_next_only else 'all'}",
            words,
            "",
            "",
            partial(_inject, target=target, kind=kind, is_next_only=is_next_only),
        )
        for kind, words in FAULT_WORDS.items()
    ]


def fault_menus(target: FaultTarget) -> Sequence[Submenu]:
    """ "Make it fail" in its two forms, for the context menu of an API or a toolkit."""
    return [
        Submenu(
            "debug.fail_next",
            "Make its next call fail",
            lambda _: fault_entries(target, is_next_only=True),
        ),
        Submenu("debug.fail_all", "Make all its calls fail", lambda _: fault_entries(target)),
    ]


def node_debug_entries(context: AppContext, path: NodePath) -> Sequence[Entry]:
    """What the debugger can do at a node of the run that is looked at."""
    view = context.run_view
    node = view.nodes.get(path)
    if node is None:
        return []
    text = write_breakpoint(breakpoint_parts(view.nodes, path))
    is_set = context.debug.breakpoints.find(text) is not None
    entries: list[Entry] = [
        Action(
            "debug.break_here",
            f"{'Remove the breakpoint' if is_set else 'Break'} here  (F9)",
            "",
            "circle",
            lambda c: toggle_breakpoint(c, path),
        ),
        Action(
            "debug.run_here",
            "Run to here  (Ctrl+F10)",
            "",
            "arrow-collapse-right",
            lambda c: run_to(c, path),
            enabled_when=lambda c: _can_run_to(c, path),
        ),
    ]
    subject = subject_of(view.nodes, path)
    if subject.target is not None and not node.is_run:
        entries += [Separator(), *fault_menus(subject.target)]
    return entries


def selection_fault_entries(context: AppContext, _target: object) -> Sequence[Entry]:
    """ "Make it fail" for the one toolkit or the one API that is selected on map and lists."""
    selection, workspace = context.selection, context.workspace
    toolkit = None
    if selection.toolkit is not None:
        toolkit = context.catalogue.toolkit(selection.toolkit)
    if toolkit is not None:
        return [Separator(), *fault_menus(FaultTarget(toolkit=toolkit.name))]
    if workspace is None or len(selection.apis) != 1:
        return []
    found = apis_by_rowid(workspace, [int(selection.apis[0])])
    targets = [FaultTarget(api=api.title) for api in found.values()]
    return [Separator(), *fault_menus(targets[0])] if targets else []


def _inject(
    context: AppContext, *, target: FaultTarget, kind: FaultKind, is_next_only: bool
) -> None:
    context.debug.inject(target, kind, is_next_only=is_next_only)
    calls = "The next call" if is_next_only else "Calls"
    name = one_line(target.api or target.toolkit or "any API", 60)
    context.tell(f"{calls} of {name} will fail: {FAULT_WORDS[kind].lower()}")


def _can_run_to(context: AppContext, path: NodePath | None) -> bool:
    view = context.run_view
    node = view.nodes.get(path) if path else None
    is_ahead = node is not None and node.closed_seq is None
    return context.debug.is_paused and view.is_run_live and is_ahead


def _at_node(work: Callable[[AppContext, NodePath], None]) -> Callable[[AppContext], None]:
    def run(context: AppContext) -> None:
        if context.run_view.node is not None:
            work(context, context.run_view.node)

    return run


def _fork_at(context: AppContext, path: NodePath) -> None:
    if context.run_view.run is not None:
        fork_run(context, context.run_view.run, path)


def _can_fork(context: AppContext) -> bool:
    summary = context.run_view.summary
    is_over = summary is not None and summary.status is not Status.RUNNING
    is_ours = summary is not None and not summary.is_imported
    return _has_node(context) and is_over and is_ours and not context.run_view.is_live


def _has_node(context: AppContext) -> bool:
    return context.run_view.node is not None and bool(context.run_view.nodes)


def _step(action: str) -> Callable[[AppContext], None]:
    return lambda context: resume(context, action)


_ENTRIES: tuple[Entry, ...] = (
    Action(
        "debug.continue",
        "&Continue, or run the query",
        "F5",
        "play",
        _step("continue"),
        enabled_when=can_resume,
    ),
    Action(
        "debug.pause",
        "&Pause",
        "F6",
        "pause",
        lambda c: c.debug.pause(),
        enabled_when=lambda c: c.debug.is_running,
    ),
    Action(
        "debug.step_over",
        "Step &over",
        "F10",
        "debug-step-over",
        _step("step over"),
        enabled_when=can_resume,
    ),
    Action(
        "debug.step_into",
        "Step &into",
        "F11",
        "debug-step-into",
        _step("step into"),
        enabled_when=can_resume,
    ),
    Action(
        "debug.step_out",
        "Step o&ut",
        "Shift+F11",
        "debug-step-out",
        _step("step out"),
        enabled_when=lambda c: c.debug.is_paused,
    ),
    Action(
        "debug.run_to",
        "Run &to the selected node",
        "Ctrl+F10",
        "arrow-collapse-right",
        _at_node(run_to),
        enabled_when=lambda c: _can_run_to(c, c.run_view.node),
    ),
    Separator(),
    Action(
        "debug.toggle_breakpoint",
        "&Break at the selected node",
        "F9",
        "circle",
        _at_node(toggle_breakpoint),
        enabled_when=_has_node,
    ),
    Action("debug.new_breakpoint", "&New breakpoint …", "Ctrl+F9", "plus", to_dialog("breakpoint")),
    Action(
        "debug.new_fault", "New &fault …", "Ctrl+F8", "lightning-bolt-outline", to_dialog("fault")
    ),
    Action(
        "debug.fork_here",
        "Fo&rk at the selected node …",
        "Ctrl+Shift+K",
        "source-fork",
        _at_node(_fork_at),
        enabled_when=_can_fork,
    ),
    Separator(),
    Action(
        "debug.breakpoints",
        "Brea&kpoints",
        "Ctrl+Shift+B",
        "circle-outline",
        to_panel("breakpoints", "focus_list"),
    ),
    Action(
        "debug.faults",
        "F&aults",
        "Ctrl+Shift+L",
        "lightning-bolt-outline",
        to_panel("faults", "focus_list"),
    ),
)

PLUGIN = Menu("debug", "&Debug", 6, _ENTRIES)
