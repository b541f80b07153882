"""`toolplanner prices` and `toolplanner budgets`: what models cost, and what may be spent."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

import click

from toolplanner_core.cli.options import FiniteFloat, in_workspace, json_option
from toolplanner_core.cli.plugin_flags import explain_option
from toolplanner_core.cli.terminal import print_json, print_line, print_rows
from toolplanner_core.errors import NotFound
from toolplanner_core.llm.day_budget import DayBudget
from toolplanner_core.llm.prices import Price, list_prices, own_prices, person_prices, save_prices
from toolplanner_core.options.option import describe_options
from toolplanner_core.options.values import make_options, options_to_json
from toolplanner_core.runs.config.presets import usual_limits
from toolplanner_core.runs.config.spec import Limits
from toolplanner_core.settings import DayLimits, load_settings, save_settings
from toolplanner_core.workspace import Workspace

_DOLLARS = FiniteFloat(min=0)


@click.group()
def prices() -> None:
    """Show and set what models cost, in US dollars per million tokens."""


@prices.command("list")
@in_workspace
@json_option
def list_command(workspace: Workspace, as_json: bool) -> None:
    """List all known prices: the workspace's own, yours for all workspaces, list prices. The first
    that fits a name counts."""
    print_rows(
        [*own_prices(workspace), *person_prices(), *list_prices()],
        ["Models", ">Input", ">Cached", ">Output", "As of", "Source"],
        lambda price: [
            ", ".join(price.models),
            f"{price.input:g}",
            "–" if price.cached is None else f"{price.cached:g}",
            f"{price.output:g}",
            price.as_of,
            price.source,
        ],
        as_json=as_json,
        to_json=asdict,
        empty="",
    )


@prices.command("set")
@in_workspace
@click.argument("pattern")
@click.option("--input", "input_price", type=_DOLLARS, required=True)
@click.option("--output", "output_price", type=_DOLLARS, required=True)
@click.option("--cached", type=_DOLLARS, help="Cached input; as other input when not given.")
def set_command(
    workspace: Workspace,
    pattern: str,
    input_price: float,
    output_price: float,
    cached: float | None,
) -> None:
    """Set the workspace's own price of models whose name fits PATTERN, such as "my-model*"."""
    new = {
        "models": [pattern],
        "input": input_price,
        "cached": cached,
        "output": output_price,
    }
    others = [asdict(price) for price in _without(own_prices(workspace), pattern)]
    save_prices(workspace, [new, *others])
    print_line(f"{pattern}: ${input_price:g} for input, ${output_price:g} for output.")


@prices.command("remove")
@in_workspace
@click.argument("pattern")
def remove_command(workspace: Workspace, pattern: str) -> None:
    """Take an own price away; the price that came with the program counts again."""
    own = own_prices(workspace)
    left = _without(own, pattern)
    if len(left) == len(own):
        raise NotFound(
            f"This workspace has no own price for {pattern}",
            todo=f"See them with: toolplanner prices list {workspace.path}",
        )
    save_prices(workspace, [asdict(price) for price in left])


def _without(own: tuple[Price, ...], pattern: str) -> list[Price]:
    return [price for price in own if price.models != (pattern,)]


_KINDS: Mapping[str, type] = {"run": Limits, "day": DayLimits}


@click.group()
def budgets() -> None:
    """Show and set what a run and a day may cost you, in all workspaces."""


@budgets.command("show")
@json_option
def show_command(as_json: bool) -> None:
    """Show the budgets, and what was spent today."""
    day = DayBudget()
    spent, limits = day.spent(), {"run": usual_limits(), "day": day.limits}
    if as_json:
        rows = {kind: options_to_json(limits[kind]) for kind in _KINDS}
        print_json({**rows, "today": asdict(spent)})
        return
    for kind, options in _KINDS.items():
        said = (
            f"{each.title}: {'no limit' if value is None else f'{value:,.12g}'}"
            for each in describe_options(options)
            for value in [getattr(limits[kind], each.name)]
        )
        print_line(f"A {kind} at most: {' · '.join(said)}")
    print_line(f"Spent today: {spent.words}")


def _flags() -> list[click.Parameter]:
    made: list[click.Parameter] = []
    for kind, options in _KINDS.items():
        for each in describe_options(options):
            flag = f"--{kind}-{each.name.removeprefix('max_').replace('_', '-')}"
            names = [flag, f"{kind}__{each.name}"]
            made.append(click.Option(names, metavar="N|none", help=explain_option(each)))
    return made


@budgets.command("set", params=_flags())
def set_budget_command(**given: Any) -> None:
    """Set budgets; what is not named stays. A run that says its own keeps its own."""
    settings = load_settings()
    now = {"run": options_to_json(usual_limits()), "day": options_to_json(settings.day_limits)}
    for flag, value in given.items():
        kind, _, name = flag.partition("__")
        if value is not None:
            now[kind][name] = value
    limits = make_options(Limits, now["run"], of="a run")
    day = make_options(DayLimits, now["day"], of="a day")
    save_settings(replace(settings, run_limits=options_to_json(limits), day_limits=day))
