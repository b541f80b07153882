"""The plan of an experiment: all its trials, in the order in which they run.

The order is random by the experiment's seed, and blocked by query: all arms of a query are near in
time, so that what is there when it is stopped is paired.
"""

from random import Random

from toolplanner_core.domain.experiment import Experiment, Trial, trial_key
from toolplanner_core.domain.lab import DataSet


def plan_trials(experiment: Experiment, data_set: DataSet) -> list[Trial]:
    """All trials: queries x arms x seeds, numbered from 1 on."""
    draw = Random(experiment.order_seed)
    queries = list(data_set)
    draw.shuffle(queries)
    trials: list[Trial] = []
    for query in queries:
        block = [(arm, seed) for arm in experiment.arms for seed in experiment.seeds]
        draw.shuffle(block)
        for arm, seed in block:
            key = trial_key(dataset_version=data_set.version, query=query.id, arm=arm, seed=seed)
            number = len(trials) + 1
            trials.append(Trial(number=number, key=key, query=query.id, arm=arm.name, seed=seed))
    return trials
