"""`toolplanner approvals`: what you allowed and refused for later calls that change something."""

import time
from dataclasses import asdict
from datetime import UTC, datetime

import click

from toolplanner_core.approvals import (
    add_approval,
    approvals_path,
    load_approvals,
    remove_approval_at,
)
from toolplanner_core.cli.name_lookup import choose_api
from toolplanner_core.cli.options import in_workspace, json_option
from toolplanner_core.cli.terminal import is_person_there, print_line, print_rows, say
from toolplanner_core.domain.api import Risk
from toolplanner_core.domain.approval import Approval, ApprovalScope, scope_title, scope_value
from toolplanner_core.domain.plain_data import without_defaults
from toolplanner_core.errors import BadInput
from toolplanner_core.risk_overrides import override_risk, risk_overrides
from toolplanner_core.serving.tickets import decide_ticket, waiting_ticket, waiting_tickets
from toolplanner_core.words.formatting import one_line
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import get_api


@click.group()
def approvals() -> None:
    """Rules for calls that may change something; they are yours, not the workspace's."""


@approvals.command("list")
@json_option
def list_command(as_json: bool) -> None:
    """List the rules; a refusal goes before any leave, and without a rule a person is asked.

    Below them stands what you said of the risk of APIs, which decides what asks at all; with
    --json it is left to `approvals risks --json`.
    """
    said = risk_overrides().values()
    print_rows(
        list(enumerate(load_approvals(), start=1)),
        [">No", "Rule", "About", "Given"],
        lambda row: [row[0], row[1].in_words, str(row[1].scope), row[1].given],
        as_json=as_json,
        to_json=lambda row: {"number": row[0], **without_defaults(row[1])},
        empty="There are no rules: every call that may change something asks. They would stand in"
        f" {approvals_path()}",
    )
    if said and not as_json:
        print_line("\nWhat you said of the risk of APIs:")
        for each in said:
            print_line(f"  {each.in_words}")


@approvals.command("waiting")
@json_option
def waiting_command(as_json: bool) -> None:
    """List the calls of agents that wait for you, of all that `serve` serves on this machine."""
    print_rows(
        waiting_tickets(),
        ["Ticket", "Client", "Call", "Minutes left"],
        lambda each: [
            each.id,
            each.client,
            one_line(each.shown.partition("\n")[0], 60),
            str(max(1, round((each.until_s - time.time()) / 60))),
        ],
        as_json=as_json,
        to_json=asdict,
        empty="No agent waits for you.",
    )


@approvals.command("decide")
@click.argument("ticket")
def decide_command(ticket: str) -> None:
    """Allow, once, a call of an agent that waits, or refuse it; TICKET may be its beginning.

    The call is shown whole, and you are asked. Nobody but a person at a terminal can answer.
    """
    waits = waiting_ticket(ticket)
    if not is_person_there():
        raise BadInput(
            "Only a person at a terminal decides about a call", todo="Run this command in one"
        )
    say(f"{waits.client} asks, by {waits.workspace}:\n\n{waits.shown}\n")
    allows = click.confirm("Make this call, once?", err=True)
    decide_ticket(waits, allows=allows)
    say("It is made." if allows else "It is refused.")


@approvals.command("risks")
@json_option
def risks_command(as_json: bool) -> None:
    """List what you said of the risk of APIs; `approvals risk` says and takes back."""
    print_rows(
        [*risk_overrides().values()],
        ["API", "Risk", "Documented", "Said"],
        lambda said: [said.title, said.risk, said.documented, said.given],
        as_json=as_json,
        to_json=without_defaults,
        empty="Nothing was said: the documented risks hold.",
    )


@approvals.command("add")
@in_workspace
@click.argument("effect", type=click.Choice(["allow", "refuse"]))
@click.argument("api_id", metavar="API")
@click.option(
    "--for",
    "scope",
    type=click.Choice([scope.value for scope in ApprovalScope]),
    default="api",
    show_default=True,
    help="This API, all of its tool, or all that is called at its origin.",
)
@click.option(
    "--where",
    "patterns",
    multiple=True,
    metavar="NAME=PATTERN",
    help="Only calls whose argument fits, * and ? as in file names.",
)
@click.option(
    "--up-to",
    type=click.Choice([Risk.WRITE.value, Risk.DESTRUCTIVE.value]),
    help="The highest risk that is allowed; the API's own when not given.",
)
def add_command(
    *,
    workspace: Workspace,
    effect: str,
    api_id: str,
    scope: str,
    patterns: tuple[str, ...],
    up_to: str | None,
) -> None:
    """Allow or refuse calls like those of API, from now on."""
    api, about = choose_api(workspace, api_id), ApprovalScope(scope)
    if broken := next((text for text in patterns if not text.partition("=")[0].strip()), None):
        raise BadInput(f"{broken!r} names no argument", todo="Write it as NAME=PATTERN")
    pairs = (text.partition("=") for text in patterns)
    rule = Approval(
        allows=effect == "allow",
        scope=about,
        value=scope_value(about, api),
        title=scope_title(about, api),
        up_to=Risk(up_to) if up_to else api.risk,
        doc_hash=api.doc_hash if about is ApprovalScope.API and effect == "allow" else "",
        arguments={name.strip(): pattern for name, _, pattern in pairs},
        given=datetime.now(UTC).date().isoformat(),
    )
    add_approval(rule)
    print_line(f"From now on: {rule.in_words}.")


@approvals.command("revoke")
@click.argument("number", type=click.IntRange(min=1))
def revoke_command(number: int) -> None:
    """Forget the rule of this NUMBER in the list."""
    print_line(f"Forgotten: {remove_approval_at(number).in_words}.")


@approvals.command("risk")
@in_workspace
@click.argument("api_id", metavar="API")
@click.argument("risk", type=click.Choice([*(each.value for each in Risk), "documented"]))
def risk_command(workspace: Workspace, api_id: str, risk: str) -> None:
    """Say what calls of API may do: what is above read asks first. "documented" takes it back."""
    api = choose_api(workspace, api_id)
    said = override_risk(api, None if risk == "documented" else Risk(risk))
    if said is not None and said.risk.level < said.documented.level:
        say(f"Warning: such calls ask less than their documentation would have them: {api.title}")
    now = get_api(workspace, api.id).risk
    print_line(f"{api.title}: {now}")
