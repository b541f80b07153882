"""What panels can be asked to do, by menus, dialogs and other panels.

    context.shell.call_panel(panel_commands.focus_faults)

Each panel has a key, whose type says what it can do. `panels/builtin_panels.py` ties the keys to
the panels, so that a type checker sees a wrong name, in a command and where it is implemented, and
no panel is imported before it is seen.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

P = TypeVar("P")


@dataclass(frozen=True)  # with slots, `PanelKey[X]("id")` fails under Python 3.11
class PanelKey(Generic[P]):
    """The panel with this id; `P` is what it can be asked."""

    id: str


@dataclass(frozen=True, slots=True)
class PanelCommand(Generic[P]):
    """Shows a panel and calls one of its methods."""

    panel: PanelKey[P]
    call: Callable[[P], object]


class ListPanel(Protocol):
    """A panel that shows a list."""

    def focus_list(self) -> None:
        """Put the keyboard into the list."""


class SearchPanel(Protocol):
    """A panel with a search field."""

    def find(self) -> None:
        """Put the keyboard into the search field."""


class TreePanel(Protocol):
    """A panel that shows a tree."""

    def focus_tree(self) -> None:
        """Put the keyboard into the tree."""


class ApisCommands(Protocol):
    """The table of APIs."""

    def list_selected(self) -> None:
        """List only what is selected."""


class CasesCommands(ListPanel, Protocol):
    """The list of cases."""

    def run_all(self) -> None:
        """Run all cases."""


class ChartsCommands(Protocol):
    """The charts of the catalogue."""

    def focus_chart(self) -> None:
        """Put the keyboard into the chart."""


class DetailsCommands(Protocol):
    """Details of what is selected."""

    def edit_name(self) -> None:
        """Edit the name of the toolkit."""

    def edit_description(self) -> None:
        """Edit the description of the toolkit."""

    def edit_note(self) -> None:
        """Edit the note on the toolkit."""

    def refresh(self) -> None:
        """Show again what may have changed elsewhere."""


class ExperimentsCommands(ListPanel, Protocol):
    """The list of experiments."""

    def start(self) -> None:
        """Run what is left of the experiment that is looked at."""

    def stop(self) -> None:
        """Begin no further trial of it."""


class InspectorCommands(Protocol):
    """The inspector of a node."""

    def decide(self) -> None:
        """Put the keyboard where the held stop is decided."""


class MapCommands(SearchPanel, Protocol):
    """The map of APIs."""

    def fit(self) -> None:
        """Show all of the map."""

    def zoom_to_hits(self) -> None:
        """Show what a search found and the filters show."""

    def walk(self) -> None:
        """Put the keyboard on the map."""

    def export_png(self) -> None:
        """Save a picture."""

    def export_svg(self) -> None:
        """Save a drawing with text."""

    def export_table(self) -> None:
        """Save what is seen as a table."""


class ReviewCommands(Protocol):
    """The review of the toolkits."""

    def focus_card(self) -> None:
        """Put the keyboard on the question."""

    def show_details(self) -> None:
        """Show the toolkit that is asked about."""

    def open_batch(self) -> None:
        """Offer to accept many questions at once."""


class LabResultsCommands(Protocol):
    """The figures of an experiment."""

    def show_page(self, page: str) -> None:
        """Show the figure of this id."""

    def turn_table(self) -> None:
        """Show the figure as a table, or as a picture again."""

    def copy_as(self, form: str) -> None:
        """Copy the figure: "png", "svg", "csv" or "latex"."""

    def send_stand_ins(self) -> None:
        """Let the review ask about APIs that answered in the place of others."""


class TrialsCommands(SearchPanel, Protocol):
    """The trials of an experiment."""

    def open_run(self) -> None:
        """Show the run of the trial that is looked at as a tree."""

    def show_all(self) -> None:
        """Drop the filter."""


class RulesCommands(Protocol):
    """Breakpoints and faults."""

    def focus_breakpoints(self) -> None:
        """Put the keyboard into the list of breakpoints."""

    def focus_faults(self) -> None:
        """Put the keyboard into the list of faults."""


class RunsCommands(SearchPanel, Protocol):
    """The list of runs."""

    def compare_selected(self) -> None:
        """Compare the two selected runs."""


class ServingCommands(ListPanel, Protocol):
    """The gateway for agents."""

    def toggle(self) -> None:
        """Start serving, or stop."""

    def decide(self) -> None:
        """Put the keyboard where a call that waits is decided."""


class TimelineCommands(Protocol):
    """The timeline of a run."""

    def focus_bars(self) -> None:
        """Put the keyboard on the bars."""


APIS = PanelKey[ApisCommands]("apis")
ATTEMPTS = PanelKey[ListPanel]("attempts")
CASES = PanelKey[CasesCommands]("cases")
CHARTS = PanelKey[ChartsCommands]("charts")
COMPARE = PanelKey[TreePanel]("compare")
DEMONSTRATIONS = PanelKey[ListPanel]("demonstrations")
DETAILS = PanelKey[DetailsCommands]("details")
EVENT_LOG = PanelKey[SearchPanel]("event_log")
EXPERIMENT_LOG = PanelKey[ListPanel]("experiment_log")
EXPERIMENTS = PanelKey[ExperimentsCommands]("experiments")
GRAPH = PanelKey[object]("graph")
HISTORY = PanelKey[ListPanel]("history")
INSPECTOR = PanelKey[InspectorCommands]("inspector")
LAB_RESULTS = PanelKey[LabResultsCommands]("lab_results")
MAP = PanelKey[MapCommands]("map")
REVIEW = PanelKey[ReviewCommands]("review")
RULES = PanelKey[RulesCommands]("rules")
RUN_TREE = PanelKey[TreePanel]("run_tree")
RUNS = PanelKey[RunsCommands]("runs")
SERVING = PanelKey[ServingCommands]("serving")
STAGING = PanelKey[ListPanel]("staging")
TIMELINE = PanelKey[TimelineCommands]("timeline")
TOOLKITS = PanelKey[SearchPanel]("toolkits")
TRIALS = PanelKey[TrialsCommands]("trials")

list_selected_apis = PanelCommand(APIS, lambda panel: panel.list_selected())
focus_attempts = PanelCommand(ATTEMPTS, lambda panel: panel.focus_list())
focus_cases = PanelCommand(CASES, lambda panel: panel.focus_list())
run_all_cases = PanelCommand(CASES, lambda panel: panel.run_all())
focus_charts = PanelCommand(CHARTS, lambda panel: panel.focus_chart())
focus_comparison = PanelCommand(COMPARE, lambda panel: panel.focus_tree())
focus_demonstrations = PanelCommand(DEMONSTRATIONS, lambda panel: panel.focus_list())
edit_toolkit_name = PanelCommand(DETAILS, lambda panel: panel.edit_name())
edit_toolkit_description = PanelCommand(DETAILS, lambda panel: panel.edit_description())
edit_toolkit_note = PanelCommand(DETAILS, lambda panel: panel.edit_note())
refresh_details = PanelCommand(DETAILS, lambda panel: panel.refresh())
find_events = PanelCommand(EVENT_LOG, lambda panel: panel.find())
focus_history = PanelCommand(HISTORY, lambda panel: panel.focus_list())
decide_at_stop = PanelCommand(INSPECTOR, lambda panel: panel.decide())
focus_experiment_log = PanelCommand(EXPERIMENT_LOG, lambda panel: panel.focus_list())
focus_experiments = PanelCommand(EXPERIMENTS, lambda panel: panel.focus_list())
start_experiment = PanelCommand(EXPERIMENTS, lambda panel: panel.start())
stop_experiment = PanelCommand(EXPERIMENTS, lambda panel: panel.stop())
turn_figure_table = PanelCommand(LAB_RESULTS, lambda panel: panel.turn_table())
find_on_map = PanelCommand(MAP, lambda panel: panel.find())
fit_map = PanelCommand(MAP, lambda panel: panel.fit())
zoom_to_hits = PanelCommand(MAP, lambda panel: panel.zoom_to_hits())
focus_map = PanelCommand(MAP, lambda panel: panel.walk())
export_map_png = PanelCommand(MAP, lambda panel: panel.export_png())
export_map_svg = PanelCommand(MAP, lambda panel: panel.export_svg())
export_map_table = PanelCommand(MAP, lambda panel: panel.export_table())
focus_review = PanelCommand(REVIEW, lambda panel: panel.focus_card())
show_reviewed_toolkit = PanelCommand(REVIEW, lambda panel: panel.show_details())
accept_many_in_review = PanelCommand(REVIEW, lambda panel: panel.open_batch())
focus_breakpoints = PanelCommand(RULES, lambda panel: panel.focus_breakpoints())
focus_faults = PanelCommand(RULES, lambda panel: panel.focus_faults())
focus_run_tree = PanelCommand(RUN_TREE, lambda panel: panel.focus_tree())
find_runs = PanelCommand(RUNS, lambda panel: panel.find())
compare_selected_runs = PanelCommand(RUNS, lambda panel: panel.compare_selected())
toggle_serving = PanelCommand(SERVING, lambda panel: panel.toggle())
focus_serving = PanelCommand(SERVING, lambda panel: panel.focus_list())
decide_call_of_agent = PanelCommand(SERVING, lambda panel: panel.decide())
focus_staging_tray = PanelCommand(STAGING, lambda panel: panel.focus_list())
focus_timeline = PanelCommand(TIMELINE, lambda panel: panel.focus_bars())
find_toolkits = PanelCommand(TOOLKITS, lambda panel: panel.find())
find_trials = PanelCommand(TRIALS, lambda panel: panel.find())
open_run_of_trial = PanelCommand(TRIALS, lambda panel: panel.open_run())
send_stand_ins = PanelCommand(LAB_RESULTS, lambda panel: panel.send_stand_ins())
show_all_trials = PanelCommand(TRIALS, lambda panel: panel.show_all())
show_run_tree = PanelCommand(RUN_TREE, lambda _: None)


def show_figure(page: str) -> PanelCommand[LabResultsCommands]:
    """Show a figure of the experiment that is looked at."""
    return PanelCommand(LAB_RESULTS, lambda panel: panel.show_page(page))


def copy_figure(form: str) -> PanelCommand[LabResultsCommands]:
    """Copy the figure that is shown."""
    return PanelCommand(LAB_RESULTS, lambda panel: panel.copy_as(form))
