"""`toolplanner call`: try one API without a plan."""

import dataclasses
import json
from typing import Any

import click

from toolplanner_core.cli.name_lookup import choose_api
from toolplanner_core.cli.options import in_workspace, json_option
from toolplanner_core.cli.terminal import print_json, print_line, say
from toolplanner_core.domain.api import Risk
from toolplanner_core.errors import BadInput
from toolplanner_core.runs.preview.single_call import CallTrial, keep_example, what_is_sent
from toolplanner_core.workspace import Workspace


@click.command("call")
@in_workspace
@click.argument("api_id", metavar="API")
@click.argument("arguments", default="{}", metavar="[JSON]")
@click.option("--curl", is_flag=True, help="Print the request as a curl command; send nothing.")
@click.option("--dry-run", is_flag=True, help="Print the request; send nothing.")
@click.option("--yes", is_flag=True, help="Send it although it may change something outside.")
@click.option("--keep", is_flag=True, help="Keep a reply that worked as a recorded call.")
@json_option
def call_command(
    *,
    workspace: Workspace,
    api_id: str,
    arguments: str,
    curl: bool,
    dry_run: bool,
    yes: bool,
    keep: bool,
    as_json: bool,
) -> int:
    """Call API with arguments as a JSON object; exit status 0 when it worked, 1 when not."""
    api = choose_api(workspace, api_id)
    given = _read(arguments)
    sent = what_is_sent(workspace, api, given)
    if sent.misfit:
        raise BadInput("This cannot be sent", why=sent.misfit)
    if curl or dry_run:
        print_line(sent.curl if curl else sent.text)
        return 0
    if api.risk is not Risk.READ and not yes:
        raise BadInput(
            f"{api.title} may change something outside",
            todo="Look at it with --dry-run, and send it with --yes",
        )
    done = CallTrial(workspace, api, given).run()
    seen = done.observation
    if keep:
        why = keep_example(workspace, api, given, done)
        say(f"Not kept: {why}." if why else "Kept as a recorded call.")
    if as_json:
        print_json(dataclasses.asdict(done) | {"request": sent.text})
    else:
        say(f"{done.provider}, {done.elapsed_ms:.0f} ms. {seen.message}".strip())
        print_line(done.text)
    return 0 if seen.ok else 1


def _read(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise BadInput("The arguments are no JSON", why=str(error)) from error
    if not isinstance(value, dict):
        raise BadInput("The arguments are no JSON object", todo='Write them like {"city": "Lyon"}')
    return value
