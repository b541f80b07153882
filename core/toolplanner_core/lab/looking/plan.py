"""What an experiment would run, before it is begun: trials, the most that they can take, and which
differences its queries can show."""

from collections.abc import Sequence
from dataclasses import dataclass

from toolplanner_core.domain.experiment import Experiment
from toolplanner_core.domain.lab import DataSet
from toolplanner_core.lab.experiment_file import ExperimentFile, resolve
from toolplanner_core.lab.statistics.power import least_difference
from toolplanner_core.llm.model import OFFLINE
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.edit_history import read_head

_DISCORDANT = 0.2
"""Share of pairs that only one arm solves, where nothing was tried yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedExperiment:
    """A plan.

    Attributes:
        api_calls, model_calls: at most, by the limits of the arms; None = there is no limit.
        least_difference: of two shares that so many queries can be expected to show, if the arms
            differ on one query in five; None = none.
    """

    experiment: Experiment
    queries: int
    api_calls: int | None
    model_calls: int | None
    least_difference: float | None

    @property
    def trials(self) -> int:
        """Queries x arms x seeds."""
        return self.queries * len(self.experiment.arms) * len(self.experiment.seeds)


def read_plan(file: ExperimentFile) -> PlannedExperiment:
    """Check an experiment and count what it would run; makes no call. Blocks.

    Raises:
        UserError: see `resolve`; or its workspace cannot be opened.
    """
    with Workspace.open(file.workspace) as workspace:
        experiment, data_set = resolve(file, edit=read_head(workspace.reader()))
    return plan_of(experiment, data_set)


def plan_of(experiment: Experiment, data_set: DataSet) -> PlannedExperiment:
    """Count what an experiment would run."""
    queries = len(data_set)
    times = queries * len(experiment.seeds)
    groups = {query.cluster or f"query {query.id}" for query in data_set}
    return PlannedExperiment(
        experiment=experiment,
        queries=queries,
        api_calls=_at_most(experiment, "max_api_calls", times),
        model_calls=_at_most(experiment, "max_model_calls", times),
        least_difference=least_difference(len(groups), _DISCORDANT),
    )


def plan_lines(plan: PlannedExperiment) -> Sequence[str]:
    """What the plan says, in sentences."""
    experiment = plan.experiment
    product = (
        f"{counted(plan.queries, 'query', 'queries')} x {counted(len(experiment.arms), 'arm')} x"
        f" {counted(len(experiment.seeds), 'seed')}"
    )
    lines = [f"{counted(plan.trials, 'trial')}: {product}"]
    if plan.api_calls is None:
        lines.append("API calls: as many as they take; no limit is set")
    else:
        lines.append(f"At most {counted(plan.api_calls, 'API call')}")
    if all(arm.settings["model"] == OFFLINE for arm in experiment.arms):
        lines.append("No language model is asked: it costs nothing")
    elif plan.model_calls is None:
        lines.append("Model calls: as many as they take; the price is not known in advance")
    else:
        asked = counted(plan.model_calls, "model call")
        lines.append(f"At most {asked}; the price is not known in advance")
    lines.append(_power_line(plan))
    return lines


def _power_line(plan: PlannedExperiment) -> str:
    wanted, shown = plan.experiment.least_difference, plan.least_difference
    if shown is None:
        return "So few queries seldom show a difference, if arms part on 1 query in 5: take more"
    line = f"Can show differences from {100 * shown:.0f} points on, if arms part on 1 query in 5"
    if wanted is not None and wanted < shown:
        line += f"; the plan asks for {100 * wanted:.0f}: take more queries"
    return line


def _at_most(experiment: Experiment, limit: str, times: int) -> int | None:
    limits = [arm.settings["limits"][limit] for arm in experiment.arms]
    return None if None in limits else times * sum(limits)
