"""`toolplanner lab`: experiments over many queries. Each group of its commands is a file."""

import click

from toolplanner_core.cli.lab_control import gate_command, stop_command
from toolplanner_core.cli.lab_datasets import datasets
from toolplanner_core.cli.lab_effects import ablation_command, effects_command
from toolplanner_core.cli.lab_experiments import (
    compare_command,
    plan_command,
    results_command,
    run_command,
    status_command,
)
from toolplanner_core.cli.lab_export import export_command, reproduce_command
from toolplanner_core.cli.lab_failures import (
    fallbacks_command,
    forks_command,
    parting_command,
)
from toolplanner_core.cli.lab_judge import agreement_command, judge_command, panel_command
from toolplanner_core.cli.lab_offline import (
    ceiling_command,
    retrievers_command,
    stand_ins_command,
)
from toolplanner_core.cli.lab_tasks import build_tasks_command
from toolplanner_core.cli.lab_templates import (
    new_command,
    published_command,
    templates_command,
)
from toolplanner_core.cli.lab_whatif import whatif_command


@click.group()
def lab() -> None:
    """Experiments over many queries: the data sets that they ask, and what they say.

    An experiment is a file, NAME.lab.toml; its trials are in NAME.lab beside it. Begin with:
    toolplanner lab datasets import FILE
    """


for command in (
    datasets,
    build_tasks_command,
    templates_command,
    new_command,
    plan_command,
    run_command,
    status_command,
    stop_command,
    results_command,
    compare_command,
    gate_command,
    published_command,
    judge_command,
    panel_command,
    agreement_command,
    export_command,
    reproduce_command,
    ceiling_command,
    retrievers_command,
    stand_ins_command,
    whatif_command,
    forks_command,
    parting_command,
    fallbacks_command,
    effects_command,
    ablation_command,
):
    lab.add_command(command)
