"""`toolplanner routes`: which provider serves which source, and at which address."""

from dataclasses import asdict

import click

from toolplanner_core.cli.options import in_workspace, json_option
from toolplanner_core.cli.terminal import print_rows
from toolplanner_core.providers.routes import routes_of, set_route
from toolplanner_core.workspace import Workspace


@click.group()
def routes() -> None:
    """Who executes the calls of each source, when a run names no provider."""


@routes.command("list")
@in_workspace
@json_option
def list_command(workspace: Workspace, as_json: bool) -> None:
    """List the sources of WORKSPACE with their providers."""
    print_rows(
        routes_of(workspace),
        ["Source", "Provider", "Base URL", ">Per second", "Chosen"],
        lambda route: [
            route.source, route.provider, route.base_url or "–",
            "–" if route.per_second is None else f"{route.per_second:g}",
            "yes" if route.is_chosen else "",
        ],
        as_json=as_json,
        to_json=asdict,
        empty="There are no sources. Import one: toolplanner import WORKSPACE FILE",
    )  # fmt: skip


@routes.command("set")
@in_workspace
@click.argument("source")
@click.option("--provider", metavar="ID", help='"" goes back to what is usual.')
@click.option("--base-url", metavar="URL", help='Instead of the catalogue\'s servers; "" = those.')
@click.option(
    "--per-second",
    type=click.FloatRange(0, 1000),
    help="Requests to each of its servers at most; 0 = as the provider does.",
)
def set_command(
    *,
    workspace: Workspace,
    source: str,
    provider: str | None,
    base_url: str | None,
    per_second: float | None,
) -> None:
    """Choose who executes the calls of SOURCE, where, and how fast."""
    set_route(workspace, source, provider=provider, base_url=base_url, per_second=per_second)
