"""The dialogs that `Shell.open` opens, and the arguments that each takes.

A command is made of a function without a body: its parameters are what the dialog takes, so that a
type checker sees a wrong dialog or argument, where it is opened and where it is implemented (a
module of `windows/`, which is not imported for it).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Generic, ParamSpec

from toolplanner_core.domain.cases import Case
from toolplanner_core.domain.ids import NodePath, RunId

if TYPE_CHECKING:
    from toolplanner_core.cases.case_drafts import CaseDraft
    from toolplanner_core.curation.edits.edit import Edit
    from toolplanner_core.curation.grouping.what_is_new import WhatIsNew
    from toolplanner_core.curation.sharing.decisions.outcome import ApplyReport
    from toolplanner_core.runs.replay.replay import ReplayReport
    from toolplanner_core.sources.import_report import ImportReport

P = ParamSpec("P")


@dataclass(frozen=True)  # with slots, `DialogCommand[...]("id")` fails under Python 3.11
class DialogCommand(Generic[P]):
    """Opens the dialog with this id; `P` are the arguments that it takes."""

    id: str


def dialog(dialog_id: str) -> Callable[[Callable[P, None]], DialogCommand[P]]:
    """Turn the signature of a function into the command of the dialog with this id."""
    return lambda _signature: DialogCommand(dialog_id)


@dialog("about")
def about() -> None:
    """Version, licence and paper."""


@dialog("breakpoint")
def edit_breakpoint(text: str = "") -> None:
    """A new breakpoint, or the one that is written as `text`."""


@dialog("budgets")
def budgets() -> None:
    """What a run and a day may cost."""


@dialog("case")
def edit_case(*, draft: "CaseDraft | None" = None, case: Case | None = None) -> None:
    """A case that is made of a run, or one that there is."""


@dialog("catalogue_report")
def catalogue_report() -> None:
    """How the catalogue stands."""


@dialog("changes")
def changed_documentation() -> None:
    """APIs whose documentation has changed and waits to be accepted."""


@dialog("compare_states")
def compare_states() -> None:
    """What differs between two states of the toolkits."""


@dialog("concepts")
def concepts() -> None:
    """The words of the program, explained."""


@dialog("console")
def call_api(*, rowid: int | None = None) -> None:
    """Call one API by hand: the one of the row, or the selected one."""


@dialog("crash")
def crash_report(*, report: str) -> None:
    """What is sent about a fault of the program."""


@dialog("decisions")
def apply_decisions(*, place: Path, expected: "ApplyReport") -> None:
    """What the decisions of a file would do here."""


@dialog("describe")
def describe() -> None:
    """Have a model describe what is selected."""


@dialog("edit_effects")
def edit_effects(*, edit: "Edit") -> None:
    """Which queries an edit would plan otherwise, before it is made."""


@dialog("exclude")
def exclude() -> None:
    """Exclude the selected APIs from planning."""


@dialog("export_toolkits")
def export_toolkits() -> None:
    """Which toolkits are exported, for whom, and how large that is."""


@dialog("fault")
def edit_fault(text: str = "") -> None:
    """A new fault, or the one that is written as `text`."""


@dialog("fork")
def fork_run(*, run: RunId, path: NodePath) -> None:
    """Run again from a node of a run, with something changed."""


@dialog("guide")
def guide(*, about: str = "") -> None:
    """The guide, at the page that explains the panel or dialog `about`; "" = where one is."""


@dialog("import")
def import_tools(*, paths: Sequence[Path] = ()) -> None:
    """Import tools, from these files if there are some."""


@dialog("import_report")
def import_report(*, report: "ImportReport", then: Callable[[], object] | None = None) -> None:
    """What an import brought; `then` is offered next."""


@dialog("judging")
def judge_blindly() -> None:
    """Answers of the experiment that is looked at, one by one, without their arms."""


@dialog("merge_reach")
def merge_reach() -> None:
    """Whether whole toolkits are merged, or only what is selected."""


@dialog("move")
def move() -> None:
    """Move the selected APIs to a toolkit."""


@dialog("new_experiment")
def new_experiment() -> None:
    """A new experiment beside the workspace."""


@dialog("new_toolkit")
def new_toolkit() -> None:
    """Make a toolkit of the selected APIs."""


@dialog("palette")
def command_palette() -> None:
    """Find a command, a toolkit or an API by typing."""


@dialog("plans_since")
def plans_since() -> None:
    """Which saved queries are planned otherwise since edits were made."""


@dialog("preferences")
def preferences() -> None:
    """Language model and other preferences."""


@dialog("prepare")
def prepare(*, is_anew: bool = False) -> None:
    """Group the APIs into toolkits; anew, where they are grouped already."""


@dialog("prices")
def prices() -> None:
    """What models cost."""


@dialog("probing")
def probe_apis() -> None:
    """Probe the selected APIs."""


@dialog("prompts")
def prompts() -> None:
    """The prompts of the workspace."""


@dialog("proposals")
def proposals() -> None:
    """Texts and names that a model has proposed."""


@dialog("proposed_names")
def proposed_names() -> None:
    """Other names that the rule proposes for toolkits whose members changed."""


@dialog("protocols")
def probing_results() -> None:
    """What was learnt by probing."""


@dialog("providers")
def providers() -> None:
    """Who answers calls, and the keys for it."""


@dialog("region")
def edit_region() -> None:
    """Change the region of the selected toolkits."""


@dialog("replay")
def replay_report(report: "ReplayReport") -> None:
    """How a replay went."""


@dialog("run_mark")
def label_run(*, run: RunId) -> None:
    """Label and note of a run."""


@dialog("save_selection")
def save_selection() -> None:
    """Save the selection under a name."""


@dialog("shortcuts")
def shortcuts() -> None:
    """All keys."""


@dialog("snapshot")
def save_snapshot() -> None:
    """Give the toolkits as they are now a name."""


@dialog("split")
def split_toolkit() -> None:
    """Split the selected toolkit."""


@dialog("tour")
def tour() -> None:
    """Five steps through the demo."""


@dialog("train")
def train_retriever(*, begin_with: str = "") -> None:
    """Train a retriever; `begin_with` is the name of one to show."""


@dialog("what_is_new")
def what_is_new(*, new: "WhatIsNew") -> None:
    """New APIs and where they were put."""
