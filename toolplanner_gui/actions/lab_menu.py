"""The Lab menu: a new experiment, start and stop, its figures, its trials, judging blindly.

The letters work in the Lab layout only.
"""

from collections.abc import Callable

from toolplanner_gui import dialog_commands, panel_commands
from toolplanner_gui.actions.action import Menu, Separator, rows, to_dialog, to_panel
from toolplanner_gui.context import AppContext

_ICON = "flask-outline"
_FIGURES = (
    ("matrix", "&Matrix", "table-large"),
    ("paired", "&Paired", "compare"),
    ("cost", "&Cost", "cash"),
    ("failures", "&Failures", "close-circle-outline"),
    ("resilience", "&Resilience", "chart-line"),
    ("sweep", "S&weep", "chart-line"),
    ("effects", "&Effects", "target"),
    ("judges", "&Judges", "scale-balance"),
)
"""Ids, titles (those of the tabs) and icons."""
_COPIES = (("png", "Copy as PNG"), ("svg", "Copy as SVG"), ("csv", "Copy as CSV"))


def _not_shown(context: AppContext) -> str:
    return "" if context.shell.current_layout() == "lab" else "Go to the Lab first"


def _not_read(context: AppContext) -> str:
    if away := _not_shown(context):
        return away
    return "" if context.lab.reading is not None else "Start an experiment first"


def _cannot_start(context: AppContext) -> str:
    if away := _not_shown(context):
        return away
    if context.lab.runner.store is not None:
        return "An experiment runs already"
    return "" if context.lab.current is not None else "There is no experiment yet"


def _cannot_stop(context: AppContext) -> str:
    if away := _not_shown(context):
        return away
    current = context.lab.current
    is_going = context.lab.is_running or (current is not None and current.is_running)
    return "" if is_going else "It does not run"


def _lacking(page: str) -> Callable[[AppContext], str]:
    """Why a figure would be empty; "" where it would not."""

    def refuse(context: AppContext) -> str:
        # Asked before the Lab is: elsewhere it is not loaded.
        if refused := _not_read(context):
            return refused
        reading = context.lab.reading
        return "" if reading is None else reading.lacking.get(page, "")

    return refuse


def _no_trial(context: AppContext) -> str:
    return _not_read(context) or ("" if context.lab.trial is not None else "Choose a trial first")


_new, _judge = to_dialog(dialog_commands.new_experiment), to_dialog(dialog_commands.judge_blindly)
_ENTRIES = rows(
    "lab",
    ("new", "&New experiment …", "", "plus", _new),
    ("experiments", "E&xperiments", "", _ICON, to_panel(panel_commands.focus_experiments)),
    (
        "start", "&Start or go on", "F4@lab", "play", to_panel(panel_commands.start_experiment),
        _cannot_start,
    ),
    (
        "stop", "St&op", "Shift+F4@lab", "stop", to_panel(panel_commands.stop_experiment),
        _cannot_stop,
    ),
    Separator(),
    *(
        (page, title, "", icon, to_panel(panel_commands.show_figure(page)), _lacking(page))
        for page, title, icon in _FIGURES
    ),
    (
        "table", "Figure as &table", "T@lab", "table", to_panel(panel_commands.turn_figure_table),
        _not_read,
    ),
    *(
        (form, title, "", "content-copy", to_panel(panel_commands.copy_figure(form)), _not_read)
        for form, title in (*_COPIES, ("latex", "Copy as LaTeX"))
    ),
    Separator(),
    ("find", "F&ind trials", "", "magnify", to_panel(panel_commands.find_trials), _not_read),
    (
        "all", "Show &all trials", "", "filter-off-outline",
        to_panel(panel_commands.show_all_trials), _not_read,
    ),
    (
        "run", "Open the r&un of the trial", "", "file-tree-outline",
        to_panel(panel_commands.open_run_of_trial), _no_trial,
    ),
    (
        "stand_ins", "Stand-ins to the re&view", "", "swap-horizontal",
        to_panel(panel_commands.send_stand_ins), _not_read,
    ),
    ("judge", "Judge &blindly …", "", "scale-balance", _judge, _not_read),
    ("log", "&Log", "", "text-box-outline", to_panel(panel_commands.focus_experiment_log)),
)  # fmt: skip

PLUGIN = Menu("lab", "&Lab", 7, _ENTRIES)
