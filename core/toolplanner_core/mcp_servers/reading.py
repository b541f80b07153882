"""Read the configuration files of MCP servers that people already have.

Shapes: ``{"mcpServers": {NAME: {"command", "args"?, "env"?} | {"url", "headers"?}}}`` of Claude
Desktop, Cursor and others; ``{"servers": {...}}`` of VS Code's mcp.json, and the same under "mcp"
in its settings.json. Comments and trailing commas, which VS Code allows, are read.

Source: modelcontextprotocol.io, "Connect to local MCP servers"; code.visualstudio.com, "MCP
configuration reference".
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, cast

from toolplanner_core.mcp_servers.spec import (
    ServerSpec,
    is_asked_for,
    is_secret,
    secret_argument,
)

_LISTS = ("mcpServers", "servers", "context_servers")
_OLD_TRANSPORT = "sse"
_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_LAST_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.DOTALL)


class NamedServer(NamedTuple):
    """An entry of a configuration.

    Attributes:
        spec: None if it cannot be used.
        why: the reason then.
        secrets: values to be kept outside the workspace, by name.
        passed_over: what of it is not used, and why.
    """

    name: str
    spec: ServerSpec | None
    why: str = ""
    secrets: Mapping[str, str] = {}
    passed_over: str = ""


def without_comments(text: str) -> str:
    """JSON as VS Code writes it, as JSON."""
    text = _COMMENT.sub(lambda found: found[1] or " ", text)
    return _LAST_COMMA.sub(lambda found: found[1] or "", text)


def servers_in(document: Any) -> Mapping[str, Any]:
    """The entries of a configuration by name, empty if it is none."""
    if not isinstance(document, Mapping):
        return {}
    known = cast("Mapping[str, Any]", document)
    inner = known.get("mcp")
    for holder in (known, cast("Mapping[str, Any]", inner) if isinstance(inner, Mapping) else {}):
        for key in _LISTS:
            entries = holder.get(key)
            if isinstance(entries, Mapping) and _are_servers(cast("Mapping[str, Any]", entries)):
                return cast("Mapping[str, Any]", entries)
    return {}


def _are_servers(entries: Mapping[str, Any]) -> bool:
    # OpenAPI documents have "servers" too: a list.
    return bool(entries) and any(
        isinstance(entry, Mapping) and ("command" in entry or "url" in entry or "httpUrl" in entry)
        for entry in entries.values()
    )


def read_servers(document: Any) -> Iterator[NamedServer]:
    """All servers of a configuration; those that cannot be used say why."""
    for name, entry in servers_in(document).items():
        yield read_server(str(name), entry)


def read_server(name: str, entry: Any) -> NamedServer:
    """One entry."""
    if not isinstance(entry, Mapping):
        return NamedServer(name, None, "a server is an object")
    known = cast("Mapping[str, Any]", entry)
    url, command = known.get("url") or known.get("httpUrl"), known.get("command")
    if known.get("disabled") is True or known.get("enabled") is False:
        return NamedServer(name, None, "it is switched off in the configuration")
    if str(known.get("type") or known.get("transport")) == _OLD_TRANSPORT:
        why = "it speaks the old transport of server-sent events; ask for its streamable HTTP"
        return NamedServer(name, None, why)
    if isinstance(url, str) and url:
        if not url.startswith(("http://", "https://")):
            return NamedServer(name, None, "only http and https addresses are reached")
        return _with_values(name, known.get("headers"), url=url)
    if not isinstance(command, str) or not command.strip():
        return NamedServer(name, None, "it has neither a command nor a url")
    args = known.get("args") or []
    if not isinstance(args, list) or not all(
        isinstance(each, str | int | float) for each in cast("list[Any]", args)
    ):
        return NamedServer(name, None, "its args are no list of texts")
    arguments = tuple(map(str, cast("list[Any]", args)))
    if shown := secret_argument(arguments):
        why = f"its argument {shown} looks like a key; give it in env, where keys are kept apart"
        return NamedServer(name, None, why)
    found = _with_values(name, known.get("env"), command=command.strip(), args=arguments)
    folder = known.get("cwd")
    if not folder or found.spec is None:
        return found
    place = Path(str(folder)).expanduser()
    if not place.is_absolute():
        why = "its cwd is not used, for it is no absolute path: it runs in an empty folder"
        return found._replace(passed_over=why)
    return found._replace(spec=replace(found.spec, folder=str(place)))


def _with_values(name: str, given: Any, **how: Any) -> NamedServer:
    if not isinstance(given or {}, Mapping):
        return NamedServer(name, None, "its env or headers are no object of texts")
    values = {str(key): str(value) for key, value in cast("Mapping[Any, Any]", given or {}).items()}
    secrets = {key: value for key, value in values.items() if is_secret(key, value)}
    spec = ServerSpec(
        name=name,
        settings={key: value for key, value in values.items() if key not in secrets},
        secrets=tuple(sorted(secrets)),
        **how,
    )
    known = {key: value for key, value in secrets.items() if not is_asked_for(value)}
    return NamedServer(name, spec, secrets=known)
