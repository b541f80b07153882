"""The table of built-in panels: title, icon, where each stands in which layout, and its class.

The registry in `panel.py` reads it, and no panel is imported before it is made, so that a layout is
arranged without those that nobody sees.
"""

from collections.abc import Callable
from typing import TypeVar, cast

from toolplanner_gui import panel_commands
from toolplanner_gui.context import AppContext
from toolplanner_gui.layouts import DockPlace
from toolplanner_gui.panel_commands import PanelKey
from toolplanner_gui.panels.panel import Panel, PanelPlace, PanelPlugin

P = TypeVar("P")


def _apis(context: AppContext):
    from toolplanner_gui.panels.apis_panel import ApisPanel

    return ApisPanel(context)


def _attempts(context: AppContext):
    from toolplanner_gui.panels.attempts_panel import AttemptsPanel

    return AttemptsPanel(context)


def _cases(context: AppContext):
    from toolplanner_gui.panels.cases_panel import CasesPanel

    return CasesPanel(context)


def _charts(context: AppContext):
    from toolplanner_gui.panels.charts_panel import ChartsPanel

    return ChartsPanel(context)


def _compare(context: AppContext):
    from toolplanner_gui.panels.compare_panel import ComparePanel

    return ComparePanel(context)


def _demonstrations(context: AppContext):
    from toolplanner_gui.panels.demonstrations_panel import DemonstrationsPanel

    return DemonstrationsPanel(context)


def _details(context: AppContext):
    from toolplanner_gui.panels.details_panel import DetailsPanel

    return DetailsPanel(context)


def _event_log(context: AppContext):
    from toolplanner_gui.panels.event_log_panel import EventLogPanel

    return EventLogPanel(context)


def _experiment_log(context: AppContext):
    from toolplanner_gui.panels.lab.experiment_log_panel import ExperimentLogPanel

    return ExperimentLogPanel(context)


def _experiments(context: AppContext):
    from toolplanner_gui.panels.lab.experiments_panel import ExperimentsPanel

    return ExperimentsPanel(context)


def _graph(context: AppContext):
    from toolplanner_gui.panels.graph_panel import GraphPanel

    return GraphPanel(context)


def _history(context: AppContext):
    from toolplanner_gui.panels.history_panel import HistoryPanel

    return HistoryPanel(context)


def _inspector(context: AppContext):
    from toolplanner_gui.panels.inspector_panel import InspectorPanel

    return InspectorPanel(context)


def _lab_results(context: AppContext):
    from toolplanner_gui.panels.lab.results_panel import ResultsPanel

    return ResultsPanel(context)


def _map(context: AppContext):
    from toolplanner_gui.panels.map_panel import MapPanel

    return MapPanel(context)


def _review(context: AppContext):
    from toolplanner_gui.panels.review_panel import ReviewPanel

    return ReviewPanel(context)


def _rules(context: AppContext):
    from toolplanner_gui.panels.rules_panel import RulesPanel

    return RulesPanel(context)


def _run_tree(context: AppContext):
    from toolplanner_gui.panels.run_tree_panel import RunTreePanel

    return RunTreePanel(context)


def _runs(context: AppContext):
    from toolplanner_gui.panels.runs_panel import RunsPanel

    return RunsPanel(context)


def _serving(context: AppContext):
    from toolplanner_gui.panels.serving_panel import ServingPanel

    return ServingPanel(context)


def _staging(context: AppContext):
    from toolplanner_gui.panels.staging_panel import StagingPanel

    return StagingPanel(context)


def _timeline(context: AppContext):
    from toolplanner_gui.panels.timeline_panel import TimelinePanel

    return TimelinePanel(context)


def _toolkits(context: AppContext):
    from toolplanner_gui.panels.toolkits_panel import ToolkitsPanel

    return ToolkitsPanel(context)


def _trials(context: AppContext):
    from toolplanner_gui.panels.lab.trials_panel import TrialsPanel

    return TrialsPanel(context)


def _panel(
    key: PanelKey[P],
    title: str,
    icon: str,
    make: Callable[[AppContext], P],
    **places: PanelPlace,
) -> PanelPlugin:
    """A row: that the panel can do what its key says is seen by the type checker."""
    return PanelPlugin(
        id=key.id,
        title=title,
        icon=icon,
        make=cast("Callable[[AppContext], Panel]", make),
        places=places,
    )


PLUGINS = (
    _panel(
        panel_commands.APIS,
        "APIs",
        "format-list-bulleted",
        _apis,
        curate=PanelPlace(DockPlace.BOTTOM, order=4),
    ),
    _panel(
        panel_commands.ATTEMPTS,
        "Calls",
        "phone-outgoing-outline",
        _attempts,
        debug=PanelPlace(DockPlace.BOTTOM, order=7),
    ),
    _panel(
        panel_commands.CASES,
        "Cases",
        "clipboard-list-outline",
        _cases,
        curate=PanelPlace(DockPlace.BOTTOM, order=6),
        debug=PanelPlace(DockPlace.BOTTOM, order=5),
    ),
    _panel(
        panel_commands.CHARTS,
        "Charts",
        "chart-bar",
        _charts,
        curate=PanelPlace(DockPlace.BOTTOM, order=3),
    ),
    _panel(
        panel_commands.COMPARE,
        "Compare",
        "compare",
        _compare,
        debug=PanelPlace(DockPlace.CENTRE, order=2),
    ),
    _panel(
        panel_commands.DEMONSTRATIONS,
        "Demonstrations",
        "school-outline",
        _demonstrations,
        debug=PanelPlace(DockPlace.BOTTOM, order=6),
    ),
    _panel(
        panel_commands.DETAILS,
        "Details",
        "information-outline",
        _details,
        curate=PanelPlace(DockPlace.RIGHT),
        review=PanelPlace(DockPlace.RIGHT, order=2, share=42),
    ),
    _panel(
        panel_commands.EVENT_LOG,
        "Event log",
        "format-list-bulleted",
        _event_log,
        debug=PanelPlace(DockPlace.BOTTOM, order=2),
    ),
    _panel(
        panel_commands.EXPERIMENT_LOG,
        "Log of the experiment",
        "text-box-outline",
        _experiment_log,
        lab=PanelPlace(DockPlace.BOTTOM),
    ),
    _panel(
        panel_commands.EXPERIMENTS,
        "Experiments",
        "flask-outline",
        _experiments,
        lab=PanelPlace(DockPlace.LEFT),
    ),
    _panel(
        panel_commands.GRAPH,
        "Graph",
        "graph-outline",
        _graph,
        curate=PanelPlace(DockPlace.BOTTOM, order=5),
    ),
    _panel(
        panel_commands.HISTORY, "History", "history", _history, curate=PanelPlace(DockPlace.BOTTOM)
    ),
    _panel(
        panel_commands.INSPECTOR,
        "Inspector",
        "magnify-scan",
        _inspector,
        debug=PanelPlace(DockPlace.RIGHT, share=62),
    ),
    _panel(
        panel_commands.LAB_RESULTS,
        "Results",
        "table-large",
        _lab_results,
        lab=PanelPlace(DockPlace.CENTRE),
    ),
    _panel(
        panel_commands.MAP,
        "Map",
        "hexagon-multiple-outline",
        _map,
        curate=PanelPlace(DockPlace.CENTRE),
        debug=PanelPlace(DockPlace.RIGHT, order=2, share=38),
        review=PanelPlace(DockPlace.RIGHT, share=58),
    ),
    _panel(
        panel_commands.REVIEW,
        "Review",
        "clipboard-check-outline",
        _review,
        review=PanelPlace(DockPlace.CENTRE),
    ),
    _panel(
        panel_commands.RULES,
        "Breakpoints and faults",
        "circle-outline",
        _rules,
        debug=PanelPlace(DockPlace.BOTTOM, order=3),
    ),
    _panel(
        panel_commands.RUN_TREE,
        "Run",
        "file-tree-outline",
        _run_tree,
        debug=PanelPlace(DockPlace.CENTRE),
    ),
    _panel(panel_commands.RUNS, "Runs", "history", _runs, debug=PanelPlace(DockPlace.LEFT)),
    _panel(
        panel_commands.SERVING,
        "Serving",
        "robot-outline",
        _serving,
        debug=PanelPlace(DockPlace.BOTTOM, order=4),
    ),
    _panel(
        panel_commands.STAGING,
        "Staging tray",
        "tray",
        _staging,
        curate=PanelPlace(DockPlace.BOTTOM, order=2),
    ),
    _panel(
        panel_commands.TIMELINE,
        "Timeline",
        "chart-gantt",
        _timeline,
        debug=PanelPlace(DockPlace.BOTTOM),
    ),
    _panel(
        panel_commands.TOOLKITS,
        "Toolkits",
        "format-list-bulleted",
        _toolkits,
        curate=PanelPlace(DockPlace.LEFT),
    ),
    _panel(
        panel_commands.TRIALS,
        "Trials",
        "format-list-checks",
        _trials,
        lab=PanelPlace(DockPlace.RIGHT),
    ),
)
