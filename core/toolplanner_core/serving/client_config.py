"""How programs with agents are told of the gateway: one plug-in each, one file to paste into.

A configuration has absolute paths and no secret, and nothing is written here: people paste it.
"""

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from toolplanner_core.registry import Registry
from toolplanner_core.serving.guard import TOKEN_VARIABLE
from toolplanner_core.serving.profile import ServingMode, ServingProfile

SERVER = "toolplanner"
"""What the gateway is called in configurations; clients put it before the names of tools."""


@dataclass(frozen=True, slots=True)
class GatewayCommand:
    """What a client starts: a program by its absolute path, and its arguments."""

    program: str
    arguments: tuple[str, ...]

    @property
    def server(self) -> dict[str, object]:
        """As most configurations have it."""
        return {"command": self.program, "args": list(self.arguments)}


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewayAddress:
    """Where a client asks a gateway that a person has started.

    Attributes:
        variable: the environment variable of the client in which the token is.
    """

    url: str
    variable: str = TOKEN_VARIABLE

    def headers(self, form: str) -> dict[str, str]:
        """What is sent with each request; `form` is how a client names a variable, as "${NAME}"."""
        return {"Authorization": f"Bearer {form.replace('NAME', self.variable)}"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientPlugin:
    """A program with agents.

    Attributes:
        place: for people: the file, or where else the text belongs.
        write: the text with which it starts the gateway.
        write_address: the text with which it asks one over HTTP; None = it cannot.
    """

    id: str
    title: str
    place: str
    write: Callable[[GatewayCommand], str]
    write_address: Callable[[GatewayAddress], str] | None


clients = Registry(
    ClientPlugin,
    package="toolplanner_core.serving.snippets",
    kind="clients",
    what="program with agents",
)


def gateway_command(workspace: Path, flags: tuple[str, ...]) -> GatewayCommand:
    """The command that serves a workspace, from wherever it is started."""
    program = () if getattr(sys, "frozen", False) else ("-m", "toolplanner_core.cli")
    serve = ("serve", str(workspace.resolve()), *flags)
    return GatewayCommand(sys.executable, (*program, *serve))


def profile_flags(profile: ServingProfile) -> tuple[str, ...]:
    """The flags with which that command serves what a window serves."""
    mode = () if profile.mode is ServingMode.AUTO else ("--mode", str(profile.mode))
    writes = ("--allow", "write") if profile.allows_changes else ()
    return (*mode, *writes, *(("--allow-made-up",) if profile.allows_made_up else ()))


def json_text(value: object) -> str:
    """A configuration in JSON."""
    return json.dumps(value, ensure_ascii=False, indent=2)


def mcp_servers(server: Mapping[str, object]) -> str:
    """The object that most programs read."""
    return json_text({"mcpServers": {SERVER: server}})
