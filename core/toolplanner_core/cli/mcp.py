"""`toolplanner mcp`: which servers of tools may be started or reached; and the question whether."""

import asyncio
import sys
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import click

from toolplanner_core.cli.options import in_workspace, json_option
from toolplanner_core.cli.terminal import clean, print_line, print_rows, say
from toolplanner_core.domain.operation import Origin
from toolplanner_core.errors import Cancelled, NotFound, UserError
from toolplanner_core.mcp_servers.consent import (
    Startable,
    StartNotAllowed,
    allow,
    consents,
    is_allowed,
    revoke,
)
from toolplanner_core.mcp_servers.failures import McpFailure
from toolplanner_core.mcp_servers.server_spec import METHOD, ServerSpec, spec_of
from toolplanner_core.python_functions.packages import METHOD as PYTHON
from toolplanner_core.python_functions.packages import package_of
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import apis_of_method

T = TypeVar("T")


def with_servers_allowed(work: Callable[[], T], *, is_allowed: bool) -> T:
    """Do what may need servers; where one is not allowed yet, ask the person and do it again.

    Args:
        is_allowed: all of them are, without asking.

    Raises:
        StartNotAllowed: nobody is there to be asked.
        Cancelled: the person said no.
    """
    try:
        return work()
    except StartNotAllowed as unasked:
        if not is_allowed and not sys.stdin.isatty():
            raise
        for spec in unasked.specs:
            _ask(spec, is_answered=is_allowed)
            allow(spec)
    return work()


def _ask(spec: Startable, *, is_answered: bool) -> None:
    question = f"{spec.question} {clean(spec.name)}?\n  {clean(spec.in_words)}\n"
    if is_answered:
        say(f"Allowed {clean(spec.name)}: {clean(spec.in_words)}")
    elif not click.confirm(question, err=True):
        raise Cancelled(f"{spec.name} is neither started nor reached")


@click.group()
def mcp() -> None:
    """Servers of tools: which of them may be started or reached from this machine.

    A consent is yours, for exactly one command; it stands in your settings, not in a workspace.
    """


class _Row(NamedTuple):
    """A server of a workspace."""

    id: str
    name: str
    allowed: bool
    address: str


@mcp.command("list")
@in_workspace
@json_option
def list_command(workspace: Workspace, as_json: bool) -> None:
    """List the servers whose tools a workspace holds."""
    rows = [_Row(s.id, s.name, is_allowed(s), s.in_words) for s in _servers(workspace)]
    print_rows(
        rows,
        ["Id", "Server", "Allowed", "What is started or reached"],
        lambda row: [row.id, row.name, "yes" if row.allowed else "no", row.address],
        as_json=as_json,
        to_json=_Row._asdict,
        empty="This workspace holds no tools of such servers.",
    )


@mcp.command("allow")
@in_workspace
@click.argument("names", nargs=-1)
@click.option("--yes-start", is_flag=True, help="Do not ask for each of them.")
def allow_command(workspace: Workspace, names: tuple[str, ...], yes_start: bool) -> None:
    """Allow the servers NAMES of a workspace, or all of them, to be started or reached."""
    found = [spec for spec in _servers(workspace) if not names or spec.name in names]
    if missing := sorted(set(names) - {spec.name for spec in found}):
        raise NotFound(f"There is no server {missing[0]!r}", todo="List them: toolplanner mcp list")
    waiting = [spec for spec in found if not is_allowed(spec)]

    def check() -> None:
        if left := [spec for spec in waiting if not is_allowed(spec)]:
            raise StartNotAllowed(*left)

    with_servers_allowed(check, is_allowed=yes_start)
    print_line(f"{len(waiting)} allowed, {len(found) - len(waiting)} were already.")


@mcp.command("sign-in")
@click.argument("url")
def sign_in_command(url: str) -> None:
    """Sign in to the server at URL in your browser; what comes of it lies in the keychain."""
    from toolplanner_core.mcp_servers.oauth import sign_in

    Origin.of(url)
    say("A page of the server opens in your browser. Waiting until you come back ...")
    try:
        asyncio.run(sign_in(ServerSpec(name=url, url=url)))
    except McpFailure as failure:
        raise UserError(f"You are not signed in: {failure.message}", where=url) from failure
    print_line("Signed in.")


@mcp.command("consents")
@json_option
def consents_command(as_json: bool) -> None:
    """List all that you have allowed on this machine."""
    rows: list[tuple[str, str]] = list(consents().items())

    def to_json(row: tuple[str, str]) -> Any:
        return {"id": row[0], "address": row[1]}

    print_rows(
        rows,
        ["Id", "What may be started or reached"],
        lambda row: row,
        as_json=as_json,
        to_json=to_json,
        empty="Nothing has been allowed.",
    )


@mcp.command("revoke")
@click.argument("consent_id", metavar="ID")
def revoke_command(consent_id: str) -> None:
    """Take the consent ID back."""
    if not revoke(consent_id):
        raise NotFound(
            f"There is no consent {consent_id!r}", todo="List them: toolplanner mcp consents"
        )
    print_line("It will be asked for again.")


def _servers(workspace: Workspace) -> list[Startable]:
    specs: list[Startable | None] = [
        *(spec_of(api.operation, api.tool) for api in apis_of_method(workspace, METHOD)),
        *(package_of(api.operation) for api in apis_of_method(workspace, PYTHON)),
    ]
    return list({spec.id: spec for spec in specs if spec is not None}.values())
