"""`toolplanner prices`: what models cost, as this workspace reckons."""

from pathlib import Path

import click

from toolplanner_core.cli.options import FiniteFloat, json_option, workspace_argument
from toolplanner_core.cli.terminal import print_json, print_line, print_table
from toolplanner_core.errors import NotFound
from toolplanner_core.llm.prices import Price, list_prices, own_prices, save_prices
from toolplanner_core.workspace import Workspace

_DOLLARS = FiniteFloat(min=0)


@click.group()
def prices() -> None:
    """Show and set what models cost, in US dollars per million tokens."""


@prices.command("list")
@workspace_argument
@json_option
def list_command(workspace: Path, as_json: bool) -> None:
    """List all known prices, the workspace's own first; the first that fits a name counts."""
    with Workspace.open(workspace) as opened:
        own = own_prices(opened)
    if as_json:
        print_json([price.to_json() for price in (*own, *list_prices())])
        return
    print_table(
        ["Models", ">Input", ">Cached", ">Output", "As of", "Source"],
        [
            [
                ", ".join(price.models),
                f"{price.input:g}",
                "–" if price.cached is None else f"{price.cached:g}",
                f"{price.output:g}",
                price.as_of,
                price.source,
            ]
            for price in (*own, *list_prices())
        ],
    )


@prices.command("set")
@workspace_argument
@click.argument("pattern")
@click.option("--input", "input_price", type=_DOLLARS, required=True)
@click.option("--output", "output_price", type=_DOLLARS, required=True)
@click.option("--cached", type=_DOLLARS, help="Cached input; as other input when not given.")
def set_command(
    workspace: Path, pattern: str, input_price: float, output_price: float, cached: float | None
) -> None:
    """Set the workspace's own price of models whose name fits PATTERN, such as "my-model*"."""
    with Workspace.open(workspace) as opened:
        new = {
            "models": [pattern],
            "input": input_price,
            "cached": cached,
            "output": output_price,
        }
        others = [price.to_json() for price in _without(own_prices(opened), pattern)]
        save_prices(opened, [new, *others])
    print_line(f"{pattern}: ${input_price:g} for input, ${output_price:g} for output.")


@prices.command("remove")
@workspace_argument
@click.argument("pattern")
def remove_command(workspace: Path, pattern: str) -> None:
    """Take an own price away; the price that came with the program counts again."""
    with Workspace.open(workspace) as opened:
        own = own_prices(opened)
        left = _without(own, pattern)
        if len(left) == len(own):
            raise NotFound(
                f"This workspace has no own price for {pattern}",
                todo=f"See them with: toolplanner prices list {workspace}",
            )
        save_prices(opened, [price.to_json() for price in left])


def _without(own: tuple[Price, ...], pattern: str) -> list[Price]:
    return [price for price in own if price.models != (pattern,)]
