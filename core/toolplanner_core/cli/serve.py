"""`toolplanner serve`: let agents use the curated APIs, over standard streams or HTTP."""

import asyncio
import socket
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from toolplanner_core.cli.fault_option import fault_option
from toolplanner_core.cli.options import in_workspace
from toolplanner_core.cli.serve_choice import (
    FLAG_OF,
    chosen_profile,
    kept_flags,
    profile_option,
    start_flags,
)
from toolplanner_core.cli.terminal import print_json, print_line, say
from toolplanner_core.domain.ids import RunId
from toolplanner_core.errors import BadInput
from toolplanner_core.serving.faces.stdio import (
    StdioClient,
    stdin_for_protocol,
    stdout_for_protocol,
)
from toolplanner_core.serving.guard import REQUESTS_A_SECOND, gateway_token, token_path
from toolplanner_core.serving.profile import ServingMode, ServingProfile
from toolplanner_core.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolplanner_core.cli.serve_stepping import SteppedSessions
    from toolplanner_core.runs.catalogue.workspace_catalogue import WorkspaceCatalogue
    from toolplanner_core.serving.client_config import ClientPlugin
    from toolplanner_core.serving.session import ServingSession
    from toolplanner_core.serving.tools import ServedTools


@click.command("serve")
@in_workspace
@profile_option
@kept_flags
@start_flags
@click.option(
    "--replay",
    type=int,
    metavar="RUN",
    help="Call nobody: answer with the replies of this run, for tests of agents.",
)
@fault_option
@click.option(
    "--break",
    "breaks",
    multiple=True,
    metavar="SPEC",
    help="With --http: hold calls, as of `toolplanner run --break`; commands from stdin.",
)
@click.option("--step", is_flag=True, help="With --http: hold each call; commands from stdin.")
@click.option(
    "--print-config",
    "client",
    metavar="CLIENT",
    help="Print what a program with agents has to be told, and serve nothing: claude-code,"
    " claude-desktop, cursor, vscode, codex, gemini, windsurf, openai-agents, langchain,"
    " python, inspector.",
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
    breaks: tuple[str, ...],
    step: bool,
    client: str | None,
    port: int | None,
    requests_a_second: float,
    dry_list: bool,
    **choice: Any,
) -> None:
    """Serve the APIs of WORKSPACE to an agent, which starts this command itself.

    The agent speaks the Model Context Protocol over stdin and stdout, or over HTTP. What it asks
    for becomes a run of the workspace.
    """
    profile = chosen_profile(workspace, **choice)
    watcher = _stepped(breaks, step=step, is_over_http=port is not None)
    gateway = _Gateway(workspace, profile, watcher)
    try:
        if client is not None:
            _print_config(client, workspace, port)
        if dry_list:
            _print_list(gateway)
        if client is not None or dry_list:
            gateway.say_what_is_missing()
            return
        with stdout_for_protocol() as wire:
            if port is not None:
                _serve_over_http(gateway, port, wire, requests_a_second)
                return
            with stdin_for_protocol() as source:
                at_streams = StdioClient(source, wire, workspace=workspace.path, profile=profile)
                at_streams.serve(gateway.serve)
    finally:
        gateway.close()


class _Gateway:
    """What this process serves; loaded when it does. Another one does where a window serves."""

    def __init__(
        self, workspace: Workspace, profile: ServingProfile, watcher: "SteppedSessions | None"
    ) -> None:
        self._workspace, self._profile, self._watcher = workspace, profile, watcher
        self._search: WorkspaceCatalogue | None = None
        self._tools: ServedTools | None = None

    @property
    def tools(self) -> "ServedTools":
        """The tools of the profile."""
        from toolplanner_core.runs.catalogue.workspace_catalogue import WorkspaceCatalogue
        from toolplanner_core.serving.catalogue import ServedCatalogue
        from toolplanner_core.serving.tools import ServedTools

        if self._tools is None:
            self._search = WorkspaceCatalogue(self._workspace)
            catalogue = ServedCatalogue(self._workspace, self._profile, self._search)
            self._tools = ServedTools(catalogue, self._profile)
        return self._tools

    def new_session(self, client: str) -> "ServingSession":
        """A session of a client. What runs need is loaded here: an agent waits for the list."""
        from toolplanner_core.serving.session import ServingSession

        assert self._search is not None
        return ServingSession(
            self._workspace, self._profile, self._search, client=client, watcher=self._watcher
        )

    def say_what_is_missing(self) -> None:
        """Tell a person what would keep it from starting: an agent's program would only say that it
        has ended."""
        try:
            self._refuse_made_up()
        except BadInput as error:
            say(f"It will not start yet. {error.sentence}")

    def make_ready(self) -> None:
        """Check what is served before a client waits, and leave a workspace good for days.

        Raises:
            NotFound: there is no such run to be replayed.
            BadInput: it called nothing, or replies would be invented.
        """
        from toolplanner_core.runs.engine.interrupted import mark_interrupted

        self._refuse_made_up()
        if self._profile.replay is not None:
            _check_replay(self._workspace, self._profile.replay)
        mark_interrupted(self._workspace)
        self._workspace.keep_small_cache()
        taken = self.tools.list.mode()
        say(f"Serving {self._workspace.path.name} in the mode {taken.mode}: {taken.reason}")
        if taken.mode is not ServingMode.SEARCH:
            from toolplanner_core.serving.tool_list import long_list_warning

            if warning := long_list_warning(len(self.tools.list.listed())):
                say(f"A long list: {warning}")

    def serve(self, joined: socket.socket) -> None:
        """Serve the client at the other end of a stream until it leaves.

        Raises:
            UserError: as `make_ready`.
        """
        from toolplanner_core.serving.faces.streams import serve_stream

        self.make_ready()
        asyncio.run(serve_stream(self.tools, self.new_session, joined))

    def _refuse_made_up(self) -> None:
        from toolplanner_core.serving.gateway import refuse_made_up

        refuse_made_up(self.tools.catalogue, self._profile)

    def close(self) -> None:
        """Let go of what it has loaded."""
        if self._search is not None:
            self._search.close()


def _print_list(gateway: _Gateway) -> None:
    from toolplanner_core.serving.tool_list import PORTABLE

    print_json([PORTABLE.write(each.tool) for each in gateway.tools.list.listed()])


def _stepped(
    breaks: "Sequence[str]", *, step: bool, is_over_http: bool
) -> "SteppedSessions | None":
    """Who holds the calls of agents, if somebody does.

    Raises:
        BadInput: nobody could decide about them, or a breakpoint cannot be read.
    """
    if not breaks and not step:
        return None
    if not is_over_http:
        raise BadInput(
            "Nobody could go on with a call that is held",
            why="Over standard streams stdin belongs to the agent",
            todo="Serve with --http, or from the window, which holds calls at its breakpoints",
        )
    from toolplanner_core.cli.serve_stepping import SteppedSessions
    from toolplanner_core.runs.debugging.breakpoints import parse_breakpoint

    return SteppedSessions([parse_breakpoint(text) for text in breaks], step=step)


def _serve_over_http(
    gateway: _Gateway, port: int, wire: TextIOWrapper, requests_a_second: float
) -> None:
    """Serve at a port until this process is told to end; the address is printed.

    Raises:
        BadInput: there is no safe token, or the port is taken.
        UserError: as `_Gateway.make_ready`.
    """
    from toolplanner_core.serving.faces.http import address_of, loopback_socket, serve_http

    gateway.make_ready()
    token = gateway_token()
    with loopback_socket(port) as listener:
        say(f"Clients send the token in {token_path()} as Bearer. Ctrl+C ends it.")
        wire.write(address_of(listener.getsockname()[1]) + "\n")
        wire.flush()
        serving = serve_http(
            gateway.tools,
            gateway.new_session,
            listener,
            token=token,
            requests_a_second=requests_a_second,
        )
        asyncio.run(serving)


def _print_config(client: str, workspace: Workspace, port: int | None) -> None:
    """Print the configuration of a client: with the other flags of this command, or with the
    address at which this command is served by HTTP.

    Raises:
        NotFound: no such client is known.
        BadInput: it cannot ask over HTTP, or the port is not known yet.
    """
    from toolplanner_core.serving.client_config import clients, gateway_command

    plugin = clients.get(client)
    if port is not None:
        _print_address(plugin, port)
        return
    given = click.get_current_context()
    flags: list[str] = []
    for name, flag in FLAG_OF.items():
        value = given.params[name]
        if given.get_parameter_source(name) is not ParameterSource.COMMANDLINE:
            continue
        values = value if isinstance(value, tuple) else (value,)
        flags += [flag] if value is True else [w for each in values for w in (flag, str(each))]
    print_line(plugin.write(gateway_command(workspace.path, tuple(flags))))
    say(f"For {plugin.title}. It belongs into: {plugin.place}")


def _print_address(plugin: "ClientPlugin", port: int) -> None:
    from toolplanner_core.serving.client_config import GatewayAddress
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
