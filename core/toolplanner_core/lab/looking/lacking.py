"""Which figures an experiment cannot have, and why: its arms differ in nothing that they show."""

from collections.abc import Mapping

from toolplanner_core.lab.experiments.tool_effects import arms_by_chance
from toolplanner_core.lab.looking.resilience import resilience_families
from toolplanner_core.lab.looking.sweep import swept_families
from toolplanner_core.lab.results import ExperimentResults


def lacking_figures(results: ExperimentResults) -> Mapping[str, str]:
    """Sentences by the id of the figure; what is not named can be drawn."""
    found: dict[str, str] = {}
    if len(results.experiment.arms) < 2:
        found["paired"] = "It has one arm only"
    if not resilience_families(results):
        found["resilience"] = "Its arms have one failure rate"
    if not swept_families(results):
        found["sweep"] = "All its arms work with the same toolkits"
    if not arms_by_chance(results):
        found["effects"] = "In no arm chance decides which APIs are down"
    return found
