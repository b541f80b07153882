"""`toolplanner endpoints`: what was learned of the endpoints of models on this machine."""

from dataclasses import asdict

import click

from toolplanner_core.cli.options import json_option
from toolplanner_core.cli.terminal import print_line, print_rows
from toolplanner_core.errors import BadInput
from toolplanner_core.llm.capabilities import (
    capabilities_path,
    forget_capabilities,
    known_capabilities,
)
from toolplanner_core.words.formatting import counted


@click.group()
def endpoints() -> None:
    """What was found out of endpoints: how they are asked, what they refuse."""


@endpoints.command("list")
@json_option
def list_command(as_json: bool) -> None:
    """List what was learned, a row for each model of each endpoint."""
    print_rows(
        known_capabilities(),
        ["Endpoint", "Model", "Learned"],
        lambda known: [known.base_url, known.model, known.words],
        as_json=as_json,
        to_json=asdict,
        empty="Nothing was learned yet: it is found out when a model is asked.",
    )


@endpoints.command("forget")
@click.argument("address", required=False, default="")
@click.option("--model", default="", metavar="NAME", help="Only of this model.")
def forget_command(address: str, model: str) -> None:
    """Forget what was learned of the endpoint at ADDRESS, or of all; it is found out again."""
    try:
        gone = forget_capabilities(address, model)
    except OSError as error:
        where = str(capabilities_path())
        raise BadInput("It cannot be forgotten", where=where, why=str(error)) from error
    print_line(f"Forgotten: {counted(gone, 'model')}.")
