"""`toolplanner serve`: let agents use the curated APIs, over standard streams or HTTP."""

import asyncio
from io import TextIOWrapper
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from toolplanner_core.cli.name_lookup import choose_toolkits
from toolplanner_core.cli.options import in_workspace
from toolplanner_core.cli.run_choice import fault_option
from toolplanner_core.cli.terminal import print_json, print_line, say
from toolplanner_core.domain.ids import RunId
from toolplanner_core.errors import BadInput
from toolplanner_core.runs.catalogue.workspace_catalogue import WorkspaceCatalogue
from toolplanner_core.runs.engine.interrupted import mark_interrupted
from toolplanner_core.serving.catalogue import ServedCatalogue
from toolplanner_core.serving.client_config import (
    ClientPlugin,
    GatewayAddress,
    clients,
    gateway_command,
)
from toolplanner_core.serving.faces.stdio import serve_stdio, stdout_for_protocol
from toolplanner_core.serving.gateway import refuse_made_up
from toolplanner_core.serving.guard import REQUESTS_A_SECOND, gateway_token, token_path
from toolplanner_core.serving.profile import ServingMode, ServingProfile
from toolplanner_core.serving.tool_list import PORTABLE
from toolplanner_core.serving.tools import ServedTools
from toolplanner_core.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolplanner_core.serving.session import ServingSession


@click.command("serve")
@in_workspace
@click.option(
    "--mode",
    type=click.Choice([str(mode) for mode in ServingMode]),
    default=str(ServingMode.AUTO),
    help="flat: each API is a tool. search: four tools find and call all. auto: by their number.",
)
@click.option("--toolkit", "toolkits", multiple=True, help="Only this one; can be repeated.")
@click.option(
    "--allow",
    type=click.Choice(["read", "write"]),
    default="read",
    help="write: also APIs that may change something; each such call still needs your leave.",
)
@click.option("--allow-made-up", is_flag=True, help="Also replies that a provider invents.")
@click.option(
    "--replay",
    type=int,
    metavar="RUN",
    help="Call nobody: answer with the replies of this run, for tests of agents.",
)
@fault_option
@click.option("--yes", is_flag=True, help="A flat list of many tools is meant.")
@click.option(
    "--print-config",
    "client",
    metavar="CLIENT",
    help="Print what a program with agents has to be told, and serve nothing: claude-code,"
    " claude-desktop, cursor, vscode, codex, gemini, windsurf, openai-agents, langchain,"
    " inspector.",
)
@click.option(
    "--http",
    "port",
    type=click.IntRange(0, 65_535),
    help="Listen at this port of this machine instead, for clients that have the token; 0 = any"
    " that is free. The address is printed.",
)
@click.option(
    "--requests-a-second",
    type=click.FloatRange(min=1),
    default=REQUESTS_A_SECOND,
    show_default=True,
    help="With --http: who asks more often is told to wait.",
)
@click.option("--dry-list", is_flag=True, help="Print the list of tools, and serve nothing.")
def serve_command(
    *,
    workspace: Workspace,
    mode: str,
    toolkits: tuple[str, ...],
    allow: str,
    allow_made_up: bool,
    replay: int | None,
    faults: tuple[str, ...],
    yes: bool,
    client: str | None,
    port: int | None,
    requests_a_second: float,
    dry_list: bool,
) -> None:
    """Serve the APIs of WORKSPACE to an agent, which starts this command itself.

    The agent speaks the Model Context Protocol over stdin and stdout, or over HTTP. What it asks
    for becomes a run of the workspace.
    """
    chosen = frozenset(choose_toolkits(workspace, toolkits)) if toolkits else None
    if client is not None:
        _print_config(client, workspace, port)
        return
    profile = ServingProfile(
        mode=ServingMode(mode),
        toolkits=chosen,
        allows_changes=allow == "write",
        allows_made_up=allow_made_up,
        replay=None if replay is None else RunId(replay),
        faults=faults,
        is_long_list_meant=yes,
    )
    search = WorkspaceCatalogue(workspace)
    try:
        catalogue = ServedCatalogue(workspace, profile, search)
        tools = ServedTools(catalogue, profile)
        if dry_list:
            print_json([PORTABLE.write(each.tool) for each in tools.list.listed()])
            return
        with stdout_for_protocol() as wire:
            _make_ready(workspace, catalogue, profile)
            taken = tools.list.mode()
            say(f"Serving {workspace.path.name} in the mode {taken.mode}: {taken.reason}")

            def new_session(client: str) -> "ServingSession":
                # What runs need is loaded for the first call: an agent waits for the list.
                from toolplanner_core.serving.session import ServingSession

                return ServingSession(workspace, profile, search, client=client)

            if port is None:
                asyncio.run(serve_stdio(tools, new_session, wire))
            else:
                _serve_over_http(tools, new_session, port, wire, requests_a_second)
    finally:
        search.close()


def _make_ready(workspace: Workspace, catalogue: ServedCatalogue, profile: ServingProfile) -> None:
    """Check what is served before a client waits, and leave a workspace that is good for days.

    Raises:
        NotFound: there is no such run to be replayed.
        BadInput: it called nothing, or replies would be invented.
    """
    refuse_made_up(catalogue, profile)
    if profile.replay is not None:
        _check_replay(workspace, profile.replay)
    mark_interrupted(workspace)
    workspace.keep_small_cache()


def _serve_over_http(
    tools: ServedTools,
    new_session: "Callable[[str], ServingSession]",
    port: int,
    wire: TextIOWrapper,
    requests_a_second: float,
) -> None:
    """Serve at a port until this process is told to end; the address is printed.

    Raises:
        BadInput: there is no safe token, or the port is taken.
    """
    from toolplanner_core.serving.faces.http import address_of, loopback_socket, serve_http

    token = gateway_token()
    with loopback_socket(port) as listener:
        say(f"Clients send the token in {token_path()} as Bearer. Ctrl+C ends it.")
        wire.write(address_of(listener.getsockname()[1]) + "\n")
        wire.flush()
        serving = serve_http(
            tools, new_session, listener, token=token, requests_a_second=requests_a_second
        )
        asyncio.run(serving)


def _print_config(client: str, workspace: Workspace, port: int | None) -> None:
    """Print the configuration of a client: with the other flags of this command, or with the
    address at which this command is served by HTTP.

    Raises:
        NotFound: no such client is known.
        BadInput: it cannot ask over HTTP, or the port is not known yet.
    """
    plugin = clients.get(client)
    if port is not None:
        _print_address(plugin, port)
        return
    given = click.get_current_context()
    flags: list[str] = []
    for name in ("mode", "toolkits", "allow", "allow_made_up", "replay", "faults", "yes"):
        value = given.params[name]
        if given.get_parameter_source(name) is not ParameterSource.COMMANDLINE:
            continue
        flag = f"--{'yes' if name == 'yes' else name.removesuffix('s').replace('_', '-')}"
        values = value if isinstance(value, tuple) else (value,)
        flags += [flag] if value is True else [w for each in values for w in (flag, str(each))]
    print_line(plugin.write(gateway_command(workspace.path, tuple(flags))))
    say(f"For {plugin.title}. It belongs into: {plugin.place}")


def _print_address(plugin: ClientPlugin, port: int) -> None:
    from toolplanner_core.serving.faces.http import address_of

    if port == 0:
        raise BadInput("Port 0 is another one at each start", todo="Name a port with --http")
    if plugin.write_address is None:
        raise BadInput(
            f"{plugin.title} asks no server of this machine over HTTP",
            todo="Leave out --http: it starts the gateway itself",
        )
    address = GatewayAddress(url=address_of(port))
    print_line(plugin.write_address(address))
    say(f"For {plugin.title}. It belongs into: {plugin.place}")
    say(f"The token is in {token_path()}, made when --http is started for the first time.")
    say(f"Give it to {plugin.title} as {address.variable}.")


def _check_replay(workspace: Workspace, run: RunId) -> None:
    """Check, before a client waits, that a run has replies.

    Raises:
        NotFound: there is no such run.
        BadInput: it called nothing.
    """
    from toolplanner_core.serving.run_replies import RunReplies

    RunReplies(workspace, run)
    say(f"Nobody is called: replies are those of run {run}.")
