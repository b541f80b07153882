"""`toolplanner probe`: what probing found out of APIs; look, compare, accept, reject.

Probing itself is a run: `toolplanner run WORKSPACE "weather" --strategy probe`.
"""

import json

import click

from toolplanner_core.cli.options import in_workspace, json_option
from toolplanner_core.cli.terminal import print_json, print_line, print_rows
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.errors import BadInput
from toolplanner_core.probing.protocol import ProtocolStatus
from toolplanner_core.probing.stored_protocols import (
    compare_with_documentation,
    decide_protocol,
    get_protocol,
    list_protocols,
)
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace import Workspace


@click.group()
def probe() -> None:
    """What probing found out of APIs: how they reply, and an example of their use.

    Probing itself is a run with the strategy "probe": its query says what the APIs are about, or
    names them by their ids. What it finds counts once it is accepted here.
    """


@probe.command("list")
@in_workspace
@json_option
def list_command(workspace: Workspace, as_json: bool) -> None:
    """List the protocols that probing found."""
    print_rows(
        list_protocols(workspace),
        ["API", "Id", "Found", "Status", "Documentation"],
        lambda kept: [
            kept.protocol.title,
            kept.protocol.api,
            kept.protocol.probed_at[:16].replace("T", " "),
            kept.protocol.status,
            compare_with_documentation(workspace, kept).words,
        ],
        as_json=as_json,
        to_json=lambda kept: kept.protocol.to_json() | {"version": kept.version},
        empty="Nothing was probed yet: toolplanner run WORKSPACE QUERY --strategy probe",
    )


@probe.command("show")
@in_workspace
@click.argument("api")
@json_option
def show_command(workspace: Workspace, api: str, as_json: bool) -> None:
    """Show what was found of API, beside its documentation."""
    kept = get_protocol(workspace, ApiId(api))
    found = kept.protocol
    if as_json:
        print_json(found.to_json() | {"version": kept.version})
        return
    print_line(f"{found.title}  ({found.api}), found {found.probed_at}, {found.status}")
    print_line(f"Documentation: {compare_with_documentation(workspace, kept).words}")
    if found.helpers:
        print_line(f"With the help of: {', '.join(found.helpers)}")
    print_line(f"\n{found.question}\n\n{found.program}\n")
    print_line(json.dumps(found.returns, ensure_ascii=False, indent=2))


def _decide(
    workspace: Workspace, apis: tuple[str, ...], status: ProtocolStatus, *, all_: bool
) -> None:
    if bool(apis) == all_:
        raise BadInput("Name APIs by their ids, or give --all", todo="See: toolplanner probe list")
    new = [k.protocol.api for k in list_protocols(workspace) if k.protocol.status == "new"]
    chosen = new if all_ else [ApiId(api) for api in apis]
    for api in chosen:
        decide_protocol(workspace, api, status)
    print_line(f"{counted(len(chosen), 'protocol')} {status}.")


@probe.command("accept")
@in_workspace
@click.argument("apis", nargs=-1)
@click.option("--all", "all_", is_flag=True, help="All that nobody has decided yet.")
def accept_command(workspace: Workspace, apis: tuple[str, ...], all_: bool) -> None:
    """Let the protocols of APIS count: programs are told them beside the documentation."""
    _decide(workspace, apis, "accepted", all_=all_)


@probe.command("reject")
@in_workspace
@click.argument("apis", nargs=-1)
@click.option("--all", "all_", is_flag=True, help="All that nobody has decided yet.")
def reject_command(workspace: Workspace, apis: tuple[str, ...], all_: bool) -> None:
    """Let the protocols of APIS never count."""
    _decide(workspace, apis, "rejected", all_=all_)
