"""Codex: servers among its settings, in TOML.

Source: https://github.com/openai/codex, docs/config.md ("mcp_servers").
"""

import json

from toolplanner_core.serving.client_config import (
    SERVER,
    ClientPlugin,
    GatewayAddress,
    GatewayCommand,
)


def write(command: GatewayCommand) -> str:
    """A table; strings and lists of strings are written in TOML as in JSON."""
    return "\n".join(
        [
            f"[mcp_servers.{SERVER}]",
            f"command = {json.dumps(command.program)}",
            f"args = {json.dumps(list(command.arguments))}",
        ]
    )


def write_address(address: GatewayAddress) -> str:
    """A table that names the variable of the token."""
    return "\n".join(
        [
            f"[mcp_servers.{SERVER}]",
            f"url = {json.dumps(address.url)}",
            f"bearer_token_env_var = {json.dumps(address.variable)}",
        ]
    )


PLUGIN = ClientPlugin(
    id="codex",
    title="Codex",
    place="~/.codex/config.toml",
    write=write,
    write_address=write_address,
)
