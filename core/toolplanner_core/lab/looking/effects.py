"""What each tool is worth, as a figure of the Lab: effects of availability that chance decided."""

from dataclasses import dataclass

from toolplanner_core.domain.experiment import Arm
from toolplanner_core.lab.experiments.tool_effects import ToolEffects, arms_by_chance, tool_effects
from toolplanner_core.lab.export.tables import ResultTable
from toolplanner_core.lab.results import ExperimentResults
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.lab_store import LabStore

MOST_SHOWN = 20
"""Tools of a picture, those with the largest effects either way; its table has all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectsReading:
    """Effects in the trials of an arm.

    Attributes:
        of_toolkits: of toolkits, not of APIs.
    """

    found: ToolEffects
    of_toolkits: bool


def offered_arms(results: ExperimentResults) -> list[Arm]:
    """Arms in whose trials chance decides what is down."""
    return arms_by_chance(results)


def read_effects(
    store: LabStore, workspace: Workspace, *, arm: str, judge: str, of_toolkits: bool
) -> EffectsReading:
    """Effects in the trials of an arm. Blocks for seconds.

    Raises:
        BadInput: no fault of the arm is drawn by API or toolkit, or the judge says nothing of it.
        NotFound: there is no such arm.
    """
    found = tool_effects(store, workspace, arm=arm, judge=judge, of_toolkits=of_toolkits)
    return EffectsReading(found=found, of_toolkits=of_toolkits)


def effects_table(reading: EffectsReading) -> ResultTable:
    """The same as a table, the largest effect first."""
    what = "toolkit" if reading.of_toolkits else "API"
    return ResultTable(
        id="effects",
        title=f"Solved with the {what} up minus with it down, in trials of {reading.found.arm}",
        note="Chance decided what was down, so the difference is caused by it. No figure where"
        " chance left no query with both.",
        columns=(what, "effect", "trials down", "queries"),
        rows=tuple((e.name, e.effect, e.down, e.queries) for e in reading.found.effects),
        shares=frozenset({"effect"}),
    )
