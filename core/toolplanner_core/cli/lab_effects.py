"""`toolplanner lab effects|ablation`: what tools, and what settings of arms, are worth."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from toolplanner_core.cli.lab_experiments import store_argument
from toolplanner_core.cli.lab_failures import description_of
from toolplanner_core.cli.options import SEED, json_option
from toolplanner_core.cli.terminal import print_json, print_line, print_table
from toolplanner_core.lab.experiments.ablations import ablate
from toolplanner_core.lab.experiments.tool_effects import MOST, ToolEffects, tool_effects
from toolplanner_core.lab.results import ExperimentResults
from toolplanner_core.lab.statistics.effects import SELECTED, FoundEffect
from toolplanner_core.words.formatting import one_line
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.lab_store import LabStore

_LONGEST = 40


@click.command("effects")
@store_argument
@click.option("--arm", default="", help="The first whose faults are drawn by API if none.")
@click.option("--judge", default="", help="Who says what is solved; the first if none.")
@click.option("--of", type=click.Choice(["apis", "toolkits"]), default="apis", show_default=True)
@click.option(
    "--most", type=click.IntRange(1, 200), default=MOST, show_default=True, help="Most called ones."
)
@click.option("--seed", type=SEED, default=0, show_default=True, help="Of draws.")
@json_option
def effects_command(
    *, store: Path, arm: str, judge: str, of: str, most: int, seed: int, as_json: bool
) -> None:
    """Say what each tool is worth: solved with it up minus solved with it down.

    For an arm with a fault such as "500:all,p=0.3" and several seeds, chance decides which APIs
    are down in a trial; so the difference within a query is caused by the tool. Then pairs whose
    being down together matters, by an L1 logit, with how often draws select them.
    """
    file = description_of(store)
    with LabStore.open(store) as opened, Workspace.open(file.workspace) as workspace:
        found = tool_effects(
            opened,
            workspace,
            arm=arm,
            judge=judge,
            of_toolkits=of == "toolkits",
            most=most,
            seed=seed,
        )
    if as_json:
        effects = [
            {**each._asdict(), "effect": each.effect and asdict(each.effect)}
            for each in found.effects
        ]
        print_json({**asdict(found), "effects": effects, "pairs": _pairs(found)})
        return
    print_line(f"{found.trials:,} trials of {found.arm} (judge {found.judge}).")
    print_table(
        [of.removesuffix("s"), "Solved: up minus down", ">Trials down", ">Queries"],
        [
            [each.name, str(each.effect or "chance left no contrast"), each.down, each.queries]
            for each in found.effects
        ],
    )
    if found.pairs is None:
        print_line("All trials have one outcome, or nothing was down: no pairs.")
        return
    rows = [each for each in found.pairs.pairs if each.frequency >= SELECTED]
    print_line(
        f"Of {found.pairs.looked_at:,} pairs {len(rows):,} are selected in {SELECTED:.0%} of draws"
        f" or more; of permuted outcomes {found.pairs.by_chance:,} units and pairs are."
    )
    if rows:
        print_table(
            ["Both down", ">Coefficient", ">Selected", ">Trials"],
            [
                [
                    " + ".join(found.names[at] for at in each.columns),
                    f"{each.coefficient:+.2f}",
                    f"{each.frequency:.0%}",
                    each.both_down,
                ]
                for each in rows
            ],
        )


def _pairs(found: ToolEffects) -> dict[str, Any] | None:
    if found.pairs is None:
        return None

    def row(each: FoundEffect) -> dict[str, Any]:
        return {**each._asdict(), "names": [found.names[at] for at in each.columns]}

    return {
        **asdict(found.pairs),
        "units": [row(each) for each in found.pairs.units],
        "pairs": [row(each) for each in found.pairs.pairs],
    }


@click.command("ablation")
@store_argument
@click.option("--judge", default="", help="Who says what is solved; the first if none.")
@click.option("--seed", type=SEED, default=0, show_default=True, help="Of draws.")
@json_option
def ablation_command(*, store: Path, judge: str, seed: int, as_json: bool) -> None:
    """Say what each setting does in which arms differ, over all settings of the rest.

    Pairs of arms that differ in nothing else are compared query by query; then how much more one
    setting does with one value of another. Looks, not tests: no p is given.
    """
    with LabStore.open(store) as opened:
        found = ablate(ExperimentResults(opened), judge=judge, seed=seed)
    if as_json:
        row = asdict(found)
        for effect, each in zip(row["effects"], found.effects, strict=True):
            effect["effect"]["shares"]["table"] = each.effect.shares.table._asdict()
            del effect["effect"]["shares"]["p"]
        print_json(row)
        return
    print_table(
        [f"Setting (judge {found.judge})", "Value", "Minus", "Difference", "Odds ratio"],
        [
            [
                each.factor,
                one_line(each.one, _LONGEST),
                one_line(each.other, _LONGEST),
                str(each.effect.shares.difference or "no pair is complete"),
                str(each.effect.odds_ratio or "one-sided"),
            ]
            for each in found.effects
        ],
    )
    if found.interactions:
        print_table(
            ["Setting", "Does more with", "Than with", "By"],
            [
                [
                    each.factor,
                    one_line(f"{each.by} = {each.by_values[0]}", _LONGEST),
                    one_line(each.by_values[1], _LONGEST),
                    str(each.difference),
                ]
                for each in found.interactions
            ],
        )
