"""How an MCP server is reached (a program to start, or an address), and the secrets it is given.

It travels with each of its tools in the tool's `Operation`, so that a workspace can call what was
imported into it, a fallback can cross from one server to another, and a server whose command
changes has changed documentation. Values of secrets are never part of it, only their names.

They are kept as all keys are (`keys.py`). A key belongs to an origin: that of the server's address,
or for a program a name that is made of its exact command and that no network knows, so that its
keys go nowhere else, and another command does not get them.
"""

import hashlib
import json
import os
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field

from toolplanner_core.domain.operation import (
    Operation,
    Origin,
    RequestPart,
    SchemeKind,
    SecurityScheme,
)
from toolplanner_core.errors import BadInput
from toolplanner_core.keys import KeyName, person_keys, register_secrets
from toolplanner_core.words.window_places import KEYS

METHOD = "MCP"
"""The method of operations that are tools of such servers."""
_PROGRAM, _FOLDER = "stdio:", "folder:"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSpec:
    """How a server is reached: `command` or `url`, never both.

    Attributes:
        name: what its configuration calls it.
        command: the program to start; it is looked for in PATH.
        args: its arguments, one by one: no shell reads them.
        folder: absolute, that the program runs in; "" = an empty one of its own.
        url: of a server over streamable HTTP.
        settings: environment variables of the program, or headers of requests.
        secrets: names of further ones, whose values are kept elsewhere.
    """

    name: str
    command: str = ""
    args: tuple[str, ...] = ()
    folder: str = ""
    url: str = ""
    settings: Mapping[str, str] = field(default_factory=dict[str, str])
    secrets: tuple[str, ...] = ()

    @property
    def address(self) -> str:
        """Its command line as a person would type it, or its URL."""
        return self.url or shlex.join([self.command, *self.args])

    @property
    def id(self) -> str:
        """The same for exactly the same command, arguments and variables; 16 hex digits."""
        exact = [self.command, self.args, self.url, sorted(self.settings.items()), self.secrets]
        # Consents that were given before folders were read stay good.
        exact += [self.folder] if self.folder else []
        return hashlib.blake2b(json.dumps(exact).encode(), digest_size=8).hexdigest()

    @property
    def in_words(self) -> str:
        """What is started or reached, exactly, for people who are asked."""
        given = [f"in the folder {shlex.quote(self.folder)}"] if self.folder else []
        given += [f"{name}={value}" for name, value in sorted(self.settings.items())]
        given += [f"{name}=…" for name in self.secrets]
        said = f"{self.address}  ({', '.join(given)})" if given else self.address
        # Direction marks and line ends must not make it look like another one.
        return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in said)

    @property
    def question(self) -> str:
        """What a person is asked before."""
        return "Reach the server" if self.url else "Start the program"

    def operation_of(self, tool: str, hints: tuple[str, ...] = ()) -> Operation:
        """How one of its tools is called."""
        within = RequestPart.HEADER if self.url else None
        keys = tuple(
            SecurityScheme(name=name, kind=SchemeKind.KEY, within=within, parameter=name)
            for name in self.secrets
        )
        return Operation(
            method=METHOD,
            servers=(
                self.url or f"{_PROGRAM}{self.address}",
                *([f"{_FOLDER}{self.folder}"] if self.folder else []),
            ),
            path=f"/{tool}",
            headers=dict(self.settings),
            security=(keys,) if keys else (),
            hints=hints,
        )


def spec_of(operation: Operation | None, name: str) -> ServerSpec | None:
    """The server behind an operation; None if it is no tool of such a server.

    Args:
        name: what the server shall be called.
    """
    if operation is None or operation.method != METHOD or not operation.servers:
        return None
    server = operation.servers[0]
    keys = operation.security[0] if operation.security else ()
    words: list[str] = []
    if server.startswith(_PROGRAM):
        try:
            words = shlex.split(server.removeprefix(_PROGRAM))
        except ValueError:
            return None
    if not words and not server.startswith(("http://", "https://")):
        return None
    return ServerSpec(
        name=name,
        command=words[0] if words else "",
        args=tuple(words[1:]),
        folder=next(
            (each.removeprefix(_FOLDER) for each in operation.servers if each.startswith(_FOLDER)),
            "",
        ),
        url="" if words else server,
        settings=operation.headers,
        secrets=tuple(key.parameter for key in keys),
    )


def tool_of(operation: Operation) -> str:
    """The server's own name of the tool."""
    return operation.path.removeprefix("/")


_SECRET_NAME = re.compile(
    r"key|token|secret|passw|passphrase|\bpat\b|_pat$|credential|authori[sz]ation|cookie|dsn$",
    re.IGNORECASE,
)
_PASSWORD_IN_URL = re.compile(r"://[^/\s:@]*:[^/\s@]+@")
_REFERENCE = re.compile(r"(?:\w+ )?\$\{(?:env:)?[A-Za-z_][A-Za-z0-9_]*\}")
_ASKED = re.compile(r"\$\{input:[^}]*\}")


def is_secret(name: str, value: str) -> bool:
    """Whether an environment variable or header has to be kept like a key.

    A reference to a variable of ours holds nothing secret.
    """
    if _REFERENCE.fullmatch(value):
        return False
    named = _SECRET_NAME.search(name) is not None
    return named or bool(_PASSWORD_IN_URL.search(value) or _ASKED.search(value))


def is_asked_for(value: str) -> bool:
    """Whether a configuration leaves a value to be asked for: ``${input:NAME}``."""
    return _ASKED.search(value) is not None


def secret_argument(args: tuple[str, ...]) -> str:
    """The argument that looks like a key or a password, by its name; "" if none does."""
    for place, argument in enumerate(args):
        flag, _, value = argument.partition("=")
        is_flag = flag.startswith("-")
        follows = args[place + 1] if place + 1 < len(args) else ""
        if is_flag and _SECRET_NAME.search(flag) and (value or not follows.startswith("-")):
            if value or follows:
                return flag
        elif _PASSWORD_IN_URL.search(argument):
            return argument.partition("://")[0] + "://…"
    return ""


def origin_of_server(spec: ServerSpec) -> Origin:
    """What a server's keys are saved for.

    Source: RFC 2606: names below "invalid" never exist.
    """
    return Origin.of(spec.url or f"https://{spec.id}.mcp.invalid")


def save_secrets(spec: ServerSpec, values: Mapping[str, str]) -> None:
    """Keep values that a configuration holds; they are given to this very server only."""
    origin = origin_of_server(spec)
    keys = person_keys()
    for name, value in values.items():
        try:
            if keys.find(origin, name) != value:
                keys.save(KeyName(origin, name), value)
        except BadInput:  # empty, or several lines: not what keys are
            register_secrets(value)


def secrets_of(spec: ServerSpec) -> dict[str, str]:
    """The values of `spec.secrets` that are known; programs may get our own variables, too."""
    origin = origin_of_server(spec)
    known: dict[str, str] = {}
    for name in spec.secrets:
        value = person_keys().find(origin, name)
        if value is None and spec.command:
            value = os.environ.get(name)
        if value:
            register_secrets(value)
            known[name] = value
    return known


def missing_secrets(spec: ServerSpec) -> str:
    """What to do about values that are not known here, "" if all are."""
    missing = [name for name in spec.secrets if name not in secrets_of(spec)]
    if not missing:
        return ""
    name, origin = missing[0], origin_of_server(spec)
    return f"its {name} is not known here; save it for {origin}, scheme {name}: {KEYS}"
