"""`toolplanner prices`: what models cost, as this workspace reckons."""

from dataclasses import asdict

import click

from toolplanner_core.cli.options import FiniteFloat, in_workspace, json_option
from toolplanner_core.cli.terminal import print_line, print_rows
from toolplanner_core.errors import NotFound
from toolplanner_core.llm.prices import Price, list_prices, own_prices, person_prices, save_prices
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
