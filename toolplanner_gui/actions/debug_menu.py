"""The Debug menu, with the keys of VS Code, and what the debugger adds to the menu of a node.

F5 continues a held run, else runs what stands in the query bar; F10 and F11 step, else begin a run
that is held at its first stop point.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.plan import Status
from toolplanner_core.errors import UserError
from toolplanner_core.words.formatting import one_line
from toolplanner_core.workspace.catalogue import apis_by_rowid
from toolplanner_gui import dialog_commands, panel_commands
from toolplanner_gui.actions.action import (
    Action,
    Entry,
    Menu,
    Run,
    Separator,
    Submenu,
    listed,
    rows,
    to_dialog,
    to_panel,
)
from toolplanner_gui.actions.run_actions import fork_run
from toolplanner_gui.context import AppContext

if TYPE_CHECKING:
    # Loaded when somebody opens such a menu.
    from toolplanner_core.runs.debugging.faults import FaultKind, FaultTarget

_RUN_TO = "Run &to the selected node"
_RUN_HERE = "Run to here  (Ctrl+F10)"
_BREAK = "&Break at the selected node"
_FORK = "Fo&rk at the selected node …"


def resume(context: AppContext, action: str) -> None:
    """Let the held run go on with a `debugger.StepCommand`; begin one when none goes on."""
    from toolplanner_core.runs.debugging.debugger import StepCommand

    if context.debug.is_paused:
        try:
            context.debug.go_on(StepCommand(action))
        except UserError as error:
            context.report(error, about=context.debug.current)
    elif not context.run_view.is_live:
        context.shell.start_run(is_stepping=action != StepCommand.CONTINUE)


def _cannot_resume(context: AppContext) -> bool:
    return context.run_view.is_live and not context.debug.is_paused


def _is_idle(context: AppContext) -> bool:
    """Whether the keys that let a held run go on begin one instead."""
    return not context.debug.is_paused and not context.run_view.is_live


def _is_not_held(context: AppContext) -> bool:
    return not context.debug.is_paused


def run_to(context: AppContext, path: NodePath) -> None:
    """Let the held run go on until it comes to a node."""
    try:
        context.debug.run_to(path)
    except UserError as error:
        context.report(error, about=context.debug.current)


def toggle_breakpoint(context: AppContext, path: NodePath) -> None:
    """Set or remove the breakpoint that is meant by a node, and say which."""
    text = _breakpoint_at(context, path)
    is_set = context.debug.breakpoints.toggle(text)
    said = _breakpoint_words(text)
    context.show_message(
        f"{said} from now on" if is_set else f"Removed: {said[:1].lower()}{said[1:]}"
    )


def _breakpoint_words(text: str) -> str:
    """What it does, as a sentence: at a run as a whole nothing else would say it."""
    from toolplanner_core.runs.debugging.breakpoints import parse_breakpoint
    from toolplanner_core.runs.presentation.debug_words import describe_breakpoint

    return describe_breakpoint(parse_breakpoint(text))


def _breakpoint_at(context: AppContext, path: NodePath) -> str:
    from toolplanner_core.runs.debugging.breakpoints import write_breakpoint
    from toolplanner_core.runs.presentation.node_subject import breakpoint_parts

    return write_breakpoint(breakpoint_parts(context.run_view.nodes, path))


def fault_entries(target: FaultTarget, *, is_next_only: bool = False) -> Sequence[Action]:
    """One entry for each way in which calls can be made to fail; for any context menu."""
    from toolplanner_core.runs.presentation.debug_words import FAULT_WORDS

    def inject(kind: FaultKind) -> Run:
        return lambda context: _inject(context, target, kind, is_next_only=is_next_only)

    name = f"debug.fault.{'next' if is_next_only else 'all'}"
    return listed(name, ((kind, words, inject(kind)) for kind, words in FAULT_WORDS.items()))


def fault_menus(target: FaultTarget) -> Sequence[Submenu]:
    """ "Make it fail" in its two forms, for the context menu of an API or a toolkit."""
    return [
        Submenu("Make its next call fail", lambda _: fault_entries(target, is_next_only=True)),
        Submenu("Make all its calls fail", lambda _: fault_entries(target)),
    ]


def node_debug_entries(context: AppContext, path: NodePath) -> Sequence[Entry]:
    """What the debugger can do at a node of the run that is looked at."""
    from toolplanner_core.runs.presentation.debug_words import what_of
    from toolplanner_core.runs.presentation.node_subject import breakpoint_parts, subject_of

    view = context.run_view
    node = view.nodes.get(path)
    if node is None:
        return []
    is_set = context.debug.breakpoints.find(_breakpoint_at(context, path)) is not None

    def cannot_run(context: AppContext) -> bool:
        return not _can_run_to(context, path)

    what = what_of(breakpoint_parts(view.nodes, path))
    where = f"when {what[:1].lower()}{what[1:]}" if node.is_run else "here"
    here = f"{'Do not break' if is_set else 'Break'} {where}  (F9)"
    entries = rows(
        "debug",
        ("break_here", here, "", "circle", lambda c: toggle_breakpoint(c, path)),
        ("run_here", _RUN_HERE, "", "arrow-collapse-right", lambda c: run_to(c, path), cannot_run),
    )
    subject = subject_of(view.nodes, path)
    if subject.target is not None and not node.is_run:
        entries += (Separator(), *fault_menus(subject.target))
    return entries


def selection_fault_entries(context: AppContext, _target: object) -> Sequence[Entry]:
    """ "Make it fail" for the one toolkit or the one API that is selected on map and lists."""
    from toolplanner_core.runs.debugging.faults import FaultTarget

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
    context: AppContext, target: FaultTarget, kind: FaultKind, *, is_next_only: bool
) -> None:
    from toolplanner_core.runs.presentation.debug_words import FAULT_WORDS

    context.debug.inject(target, kind, is_next_only=is_next_only)
    calls = "The next call" if is_next_only else "Calls"
    name = one_line(target.api or target.toolkit or "any API", 60)
    context.show_message(f"{calls} of {name} will fail: {FAULT_WORDS[kind].lower()}")


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


def _cannot_fork(context: AppContext) -> bool:
    summary = context.run_view.summary
    is_over = summary is not None and summary.status is not Status.RUNNING
    is_ours = summary is not None and not summary.is_imported
    return _has_no_node(context) or context.run_view.is_live or not (is_over and is_ours)


def _has_no_node(context: AppContext) -> bool:
    return context.run_view.node is None or not context.run_view.nodes


def _cannot_run_there(context: AppContext) -> bool:
    return not _can_run_to(context, context.run_view.node)


def _step(action: str) -> Callable[[AppContext], None]:
    return lambda context: resume(context, action)


_breakpoints = to_panel(panel_commands.focus_breakpoints)
_faults = to_panel(panel_commands.focus_faults)
_demonstrations = to_panel(panel_commands.focus_demonstrations)
_ENTRIES = rows(
    "debug",
    Action(
        "debug.continue",
        "&Continue, or run the query",
        "F5",
        "play",
        _step("continue"),
        _cannot_resume,
        title_now=lambda c: "Run the &query" if _is_idle(c) else "&Continue the held run",
    ),
    ("pause", "&Pause", "F8", "pause", lambda c: c.debug.pause(), lambda c: not c.debug.is_running),
    Action(
        "debug.step_over",
        "Step &over",
        "F10",
        "debug-step-over",
        _step("step over"),
        _cannot_resume,
        title_now=lambda c: "Run, held at the &first step" if _is_idle(c) else "Step &over",
    ),
    ("step_into", "Step &into", "F11", "debug-step-into", _step("step into"), _cannot_resume),
    ("step_out", "Step o&ut", "Shift+F11", "debug-step-out", _step("step out"), _is_not_held),
    ("run_to", _RUN_TO, "Ctrl+F10", "arrow-collapse-right", _at_node(run_to), _cannot_run_there),
    Separator(),
    ("toggle_breakpoint", _BREAK, "F9", "circle", _at_node(toggle_breakpoint), _has_no_node),
    (
        "new_breakpoint",
        "&New breakpoint …",
        "Ctrl+F9",
        "plus",
        to_dialog(dialog_commands.edit_breakpoint),
    ),
    (
        "new_fault",
        "New &fault …",
        "Ctrl+F8",
        "lightning-bolt-outline",
        to_dialog(dialog_commands.edit_fault),
    ),
    ("fork_here", _FORK, "Ctrl+Shift+K", "source-fork", _at_node(_fork_at), _cannot_fork),
    Separator(),
    ("breakpoints", "Brea&kpoints", "Ctrl+Shift+B", "circle-outline", _breakpoints),
    ("faults", "F&aults", "Ctrl+Shift+L", "lightning-bolt-outline", _faults),
    ("demonstrations", "De&monstrations", "", "school-outline", _demonstrations),
)

PLUGIN = Menu("debug", "&Debug", 6, _ENTRIES)
