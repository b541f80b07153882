"""Read the configuration files of MCP servers that people already have, each server for itself.

Which forms there are stands in `config_forms.py`, what becomes of variables in `variables.py`.

Source: modelcontextprotocol.io, "Connect to local MCP servers"; code.visualstudio.com, "MCP
configuration reference".
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, cast

from toolplanner_core.domain.operation import Origin
from toolplanner_core.errors import BadInput
from toolplanner_core.mcp_servers.config_forms import entries_in, inputs_in, plain_entry
from toolplanner_core.mcp_servers.server_spec import (
    ServerSpec,
    is_asked_for,
    is_secret,
    secret_argument,
)
from toolplanner_core.mcp_servers.variables import (
    Variable,
    fill_in,
    unknown_at_start,
    variables_in,
)

_OLD_TRANSPORT = "sse"
_PARTS_OF_PROGRAMS = ("builtin", "platform", "frontend")  # of Goose
_DISK = re.compile(r"(?:^|[\s\"'=])[A-Za-z]:[\t\n\r\f\b]|[\t\n\r\f\b]\w+\.(?:exe|cmd|bat|js|py)$")


class NamedServer(NamedTuple):
    """An entry of a configuration.

    Attributes:
        spec: None if it cannot be used.
        why: the reason then.
        secrets: values to be kept outside the workspace, by name.
        passed_over: what of it is not used, and why.
        asked: variables that it names and nobody has given; a person may.
    """

    name: str
    spec: ServerSpec | None
    why: str = ""
    secrets: Mapping[str, str] = {}
    passed_over: str = ""
    asked: tuple[Variable, ...] = ()


def read_servers(
    document: Any, variables: Mapping[str, str] | None = None
) -> Iterator[NamedServer]:
    """All servers of a configuration; those that cannot be used say why.

    Args:
        variables: values that a person gives for those of the configuration.
    """
    inputs = inputs_in(document)
    for entry in entries_in(document):
        yield read_server(entry.name, entry.value, variables, inputs)


def read_server(
    name: str,
    entry: Any,
    variables: Mapping[str, str] | None = None,
    inputs: Mapping[str, Variable] | None = None,
) -> NamedServer:
    """One entry, whatever it is.

    Args:
        variables: values that a person gives.
        inputs: what its configuration says of its inputs.
    """
    entry = plain_entry(entry)
    if not isinstance(entry, Mapping):
        return NamedServer(name, None, "a server is an object")
    known = cast("Mapping[str, Any]", entry)
    url, command = known.get("url"), known.get("command")
    if known.get("disabled") is True or known.get("enabled") is False:
        return NamedServer(name, None, "it is switched off in the configuration")
    if known.get("type") in _PARTS_OF_PROGRAMS:
        return NamedServer(name, None, "it is a part of the program whose configuration this is")
    if str(known.get("type") or known.get("transport")) == _OLD_TRANSPORT:
        why = "it speaks the old transport of server-sent events; ask for its streamable HTTP"
        return NamedServer(name, None, why)
    filling = _Filling(variables or {}, inputs or {})
    if isinstance(url, str) and url:
        url = filling.text(url.strip())
        found = _with_values(name, known.get("headers"), filling, url=url)
        if problem := filling.problem("url") or _problem_of_address(url):
            found = NamedServer(name, None, problem)
    else:
        found = _program(name, known, command, filling)
    return filling.noted(found)


def _program(name: str, known: Mapping[str, Any], command: Any, filling: "_Filling") -> NamedServer:
    if not isinstance(command, str) or not command.strip():
        return NamedServer(name, None, "it has neither a command nor a url")
    given = known.get("args") or []
    if not isinstance(given, list) or not all(
        isinstance(each, str | int | float) for each in cast("list[Any]", given)
    ):
        return NamedServer(name, None, "its args are no list of texts")
    words = [command.strip(), *map(str, cast("list[Any]", given))]
    if spoiled := next((word for word in words if _DISK.search(word)), ""):
        why = f"a backslash in JSON is written twice; this became other signs: {spoiled!r}"
        return NamedServer(name, None, why)
    command, *args = map(filling.text, words)
    problem = filling.problem("command")
    found = _with_values(name, known.get("env"), filling, command=command, args=tuple(args))
    folder = filling.text(str(known.get("cwd") or ""))
    if problem:
        return NamedServer(name, None, problem)
    if shown := secret_argument(tuple(args)):
        why = f"its argument {shown} looks like a key; give it in env, where keys are kept apart"
        return NamedServer(name, None, why)
    if not folder or found.spec is None:
        return found
    place = Path(folder).expanduser()
    if not place.is_absolute():
        why = "its cwd is not used, for it is no absolute path: it runs in an empty folder"
        return found._replace(passed_over=why)
    return found._replace(spec=replace(found.spec, folder=str(place)))


def _problem_of_address(url: str) -> str:
    if not url.startswith(("http://", "https://")):
        return "only http and https addresses are reached"
    try:
        Origin.of(url)
    except BadInput:
        return f"its url is no address of the web: {url[:200]}"
    return ""


class _Filling:
    """Fills in the variables of one entry, and says which were not given."""

    def __init__(self, given: Mapping[str, str], inputs: Mapping[str, Variable]) -> None:
        self._given, self._inputs = given, inputs
        self._missing: list[str] = []
        self._defaults: list[str] = []
        self._in_plain: list[str] = []
        self._asked: dict[str, Variable] = {}

    def text(self, text: str) -> str:
        """The text with its variables; of passwords none, since it is kept in plain."""
        secret = [name for name in variables_in(text) if self._variable(name).is_secret]
        self._in_plain += secret
        filled = fill_in(text, {k: v for k, v in self._given.items() if k not in secret})
        self._missing += filled.missing
        self._defaults += filled.defaults
        self._ask([name for name in filled.missing if name not in secret])
        return filled.text

    def value(self, key: str, text: str) -> str:
        """A value of env or headers, with what a person gives; the rest is filled in when the
        server is started."""
        self._ask(unknown_at_start(text, self._given), of=key)
        is_filled = "${input:" in text or self.is_given(text)
        return fill_in(text, self._given).text if is_filled else text

    def is_given(self, text: str) -> bool:
        """Whether a person gives a variable of it."""
        return any(name in self._given for name in variables_in(text))

    def _variable(self, name: str) -> Variable:
        return self._inputs.get(name, Variable(name))

    def _ask(self, names: Sequence[str], *, of: str = "") -> None:
        """Args: of: the environment variable or header, which may be that of a key."""
        for name in names:
            known = self._asked.get(name, self._variable(name))
            hides = bool(of) and (is_secret(of, "") or is_secret(name, ""))
            self._asked[name] = known._replace(is_secret=known.is_secret or hides)

    def problem(self, what: str) -> str:
        """Why the entry cannot be used, "" if all is known."""
        if self._in_plain:
            why = f"its {what} would hold the password {self._in_plain[0]} for all to read"
            return f"{why}; give it in env or headers, where keys are kept apart"
        if not self._missing:
            return ""
        names = ", ".join(dict.fromkeys(self._missing))
        first = self._missing[0]
        return f"its {what} names what is not known here: {names}; give {first}=... as variables"

    def noted(self, found: NamedServer) -> NamedServer:
        """The server, with the defaults that were taken and what is left to the person."""
        found = found._replace(asked=tuple(self._asked.values()))
        if found.spec is None or not self._defaults:
            return found
        names = ", ".join(dict.fromkeys(self._defaults))
        said = f"taken as the configuration has it: {names}"
        return found._replace(passed_over="; ".join(filter(None, [found.passed_over, said])))


def _with_values(name: str, given: Any, filling: _Filling, **how: Any) -> NamedServer:
    if not isinstance(given or {}, Mapping):
        return NamedServer(name, None, "its env or headers are no object of texts")
    named = cast("Mapping[Any, Any]", given or {})
    values = {str(key): _word(value) for key, value in named.items() if value is not None}
    secrets = {
        key: value
        for key, value in values.items()
        if is_secret(key, value) or filling.is_given(value)
    }
    spec = ServerSpec(
        name=name,
        settings={key: value for key, value in values.items() if key not in secrets},
        secrets=tuple(sorted(secrets)),
        **how,
    )
    filled = {key: filling.value(key, value) for key, value in values.items()}
    known = {key: filled[key] for key in secrets}
    known = {key: value for key, value in known.items() if not is_asked_for(value)}
    return NamedServer(name, spec, secrets=known)


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
