"""The configurations of MCP servers in the forms of many programs, as one: entries by name.

JSON, also with comments and trailing commas, TOML and YAML. Known forms: ``mcpServers`` of Claude
Desktop, Cursor, Windsurf and others, in ~/.claude.json also for each of its projects; ``servers``
of VS Code, alone, under "mcp" in its settings and in a workspace's; ``context_servers`` of Zed;
``mcp`` of opencode; ``extensions`` of Goose; ``[mcp_servers.NAME]`` of Codex; keys with the name of
a program before them, such as ``amp.mcpServers``; lists with names, as Continue and the vendors'
endpoints have them; servers by name with nothing around; one bare server. Of a page that shows one,
or a piece cut out of a configuration, what it means.

Source: modelcontextprotocol.io, "Connect to local MCP servers"; documentation of VS Code ("MCP
configuration reference"), Claude Code, Cursor, Windsurf, Zed, opencode, Codex, Continue, Goose,
Amp, Cherry Studio and Dify.
"""

import re
import shlex
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any, NamedTuple, cast

from toolplanner_core.errors import BadInput
from toolplanner_core.mcp_servers.variables import Variable, in_our_spelling

_LISTS = ("mcpServers", "mcp_servers", "servers", "context_servers", "mcp", "extensions")
_AROUND = ("mcp", "settings", "customizations", "vscode")
_PROJECTS = "projects"
_START = ("command", "cmd")
_ADDRESS = ("url", "httpUrl", "serverUrl", "uri")
_OTHER_ADDRESS = ("baseUrl", "server_url")
"""What others call it; many things that are no servers have these, too."""
_NAMED_BY = ("name", "id", "server_label")
_TRANSPORTS = frozenset({"stdio", "http", "sse", "local", "remote", "streamablehttp"})
_KNOWN = frozenset(
    {
        *_START, *_ADDRESS, "args", "env", "envs", "environment", "headers", "http_headers", "type",
        "transport", "cwd", "name", "disabled", "enabled", "description", "timeout", "alwaysAllow",
        "autoApprove", "source", "requestInit", "id", "inputs",
    }
)  # fmt: skip
_MOST_LEVELS = 4
_NAMES_IT = re.compile(r"mcpServers|mcp_servers|context_servers|\"servers\"\s*:|\"mcp\"\s*:")
_WORDS = re.compile(r"\b(?:command|cmd|url|httpUrl|serverUrl|uri|baseUrl|server_url)\b")
_OPENAPI = re.compile(r"""(?:^\s*|[{,]\s*)["']?(?:openapi|swagger)["']?\s*:""", re.MULTILINE)
_HEADER = re.compile(r"^\s*\[[A-Za-z_][\w.\- \"]*\]\s*(?:#.*)?$", re.MULTILINE)
_FENCED = re.compile(r"^\s*`{3,}\w*[ \t]*\n(.*?)^\s*`{3,}", re.DOTALL | re.MULTILINE)
_PIECE = re.compile(r"""\s*"[^"\n]+"\s*:\s*\{.*\}\s*,?\s*""", re.DOTALL)
_TABLE = re.compile(r"^\s*\[{1,2}[^\[\]\n]+\]{1,2}\s*(?:#.*)?$|^\s*[\w.-]+\s*=\s*\S", re.MULTILINE)


class Entry(NamedTuple):
    """A server of a configuration, as its program writes it.

    Attributes:
        place: what it belongs to where that is not the whole, such as a project.
    """

    name: str
    value: Any
    place: str = ""


def may_name_servers(text: str) -> bool:
    """Whether a text has the words that a server is written with; cheap."""
    return _WORDS.search(text) is not None and _OPENAPI.search(text) is None


def names_servers(text: str) -> bool:
    """Whether a text that cannot be read looks like a configuration of servers."""
    return _NAMES_IT.search(text) is not None


def meant_text(text: str) -> str:
    """The configuration in a text: the first block between fences that holds one, and what was cut
    out of one with the braces that it had around it."""
    blocks = (found[1] for found in _FENCED.finditer(text))
    text = next((block for block in blocks if may_name_servers(block)), text)
    return f"{{{text.strip().rstrip(',')}}}" if _PIECE.fullmatch(text) else text


def toml_value(text: str) -> Any:
    """The value of a TOML text, None if it is none.

    Raises:
        BadInput: it can only be TOML, and is broken.
    """
    import tomllib

    if not _TABLE.search(text):
        return None
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        if _HEADER.match(text) or (text.lstrip()[:1] not in ("{", "[") and _HEADER.search(text)):
            raise BadInput(f"broken TOML: {error}") from error
        return None


def entries_in(document: Any) -> list[Entry]:
    """The servers of a configuration, none if it is none; equal ones of several projects once."""
    found = list(_entries(document, 0))
    if not found:
        found = list(_without_frame(document))
    once: list[Entry] = []
    for entry in found:
        if any(entry[:2] == known[:2] for known in once):
            continue
        is_taken = any(entry.name == known.name for known in once) and bool(entry.place)
        name = f"{entry.name} ({PurePath(entry.place).name})" if is_taken else entry.name
        once.append(entry._replace(name=name))
    return once


def _entries(document: Any, level: int) -> Iterator[Entry]:
    if not isinstance(document, Mapping) or level > _MOST_LEVELS:
        return
    known = cast("Mapping[str, Any]", document)
    if "openapi" in known or "swagger" in known:  # these have servers, too
        return
    for key in known:
        if _is_list(key):
            yield from _listed(known[key])
    for key in _AROUND:
        yield from _entries(known.get(key), level + 1)
    projects = known.get(_PROJECTS)
    if isinstance(projects, Mapping):
        for path, project in cast("Mapping[str, Any]", projects).items():
            for entry in _entries(project, level + 1):
                yield entry._replace(place=str(path))


def _is_list(key: str) -> bool:
    """Whether servers stand under a key; a program's name may stand before it."""
    program, _, bare = key.rpartition(".")
    return bare in _LISTS and (not program or bare.lower().startswith("mcp") or program == "mcp")


def _listed(given: Any) -> Iterator[Entry]:
    """The servers of an object by name, or of a list with names in it."""
    if isinstance(given, list):
        values = cast("list[Any]", given)
        if any(_is_server(each) and _given_name(each) for each in values):
            for number, each in enumerate(values, start=1):
                name = _given_name(each) if isinstance(each, Mapping) else ""
                yield Entry(name or f"server {number}", each)
    elif isinstance(given, Mapping):
        named = cast("Mapping[str, Any]", given)
        if any(map(_is_server, named.values())):
            for name, value in named.items():
                yield Entry(str(name), value)


def _without_frame(document: Any) -> Iterator[Entry]:
    """One bare server, servers by name, or a list of them."""
    if isinstance(document, list):
        if any(
            isinstance(each, Mapping) and _is_bare(each) for each in cast("list[Any]", document)
        ):
            yield from _listed(document)
    elif isinstance(document, Mapping):
        known = cast("Mapping[str, Any]", document)
        if _is_bare(known):
            yield Entry(_given_name(known) or _name_of(known), known)
        elif known and all(isinstance(each, Mapping) and _is_bare(each) for each in known.values()):
            yield from _listed(known)


def _is_server(entry: Any) -> bool:
    keys = (*_START, *_ADDRESS, *_OTHER_ADDRESS)
    return isinstance(entry, Mapping) and any(key in entry for key in keys)


def inputs_in(document: Any, level: int = 0) -> dict[str, Variable]:
    """What a configuration says of its ``${input:NAME}``, by name; what cannot be read is not told.

    Source: code.visualstudio.com, "MCP configuration reference" (input variables).
    """
    if not isinstance(document, Mapping) or level > _MOST_LEVELS:
        return {}
    known = cast("Mapping[str, Any]", document)
    found: dict[str, Variable] = {}
    for key in _AROUND:
        found |= inputs_in(known.get(key), level + 1)
    listed = known.get("inputs")
    for each in cast("list[Any]", listed) if isinstance(listed, list) else ():
        one = cast("Mapping[str, Any]", each) if isinstance(each, Mapping) else {}
        if isinstance(one.get("id"), str):
            choices = one.get("options")
            values = cast("list[Any]", choices) if isinstance(choices, list) else []
            found[one["id"]] = Variable(
                one["id"],
                _plain(one.get("description")),
                one.get("password") is True,
                _plain(one.get("default")),
                tuple(filter(None, map(_choice, values))),
            )
    return found


def _choice(given: Any) -> str:
    is_named = isinstance(given, Mapping)
    return _plain(cast("Mapping[str, Any]", given).get("value") if is_named else given)


def _plain(given: Any) -> str:
    return given if isinstance(given, str) else ""


def _given_name(entry: Mapping[str, Any]) -> str:
    return next((_plain(entry[key]) for key in _NAMED_BY if _plain(entry.get(key))), "")


def _is_bare(entry: Mapping[str, Any]) -> bool:
    """Whether an object can only be a server: it holds nothing that others have."""
    if not _is_server(entry):
        return False
    spoken = _plain(entry.get("type") or entry.get("transport")).lower()
    if spoken == "mcp" and "server_url" in entry:  # a tool of an endpoint of OpenAI
        return True
    is_spoken = spoken.replace("_", "").replace("-", "") in _TRANSPORTS
    if not any(key in entry for key in (*_START, *_ADDRESS)):
        return False
    if not (is_spoken or set(entry) <= _KNOWN):
        return False
    begun = entry.get("command", entry.get("cmd"))
    is_list = isinstance(begun, list) and all(isinstance(each, str) for each in begun)
    if isinstance(begun, str):
        return bool(begun) and bool({"args", "env", "type", "transport", "cwd"} & set(entry))
    return is_list or bool({"type", "transport", "headers", "httpUrl", "serverUrl"} & set(entry))


def _name_of(entry: Mapping[str, Any]) -> str:
    """What a server without a name is called: the last word of it that is no option."""
    args = entry.get("args")
    words = cast("list[Any]", args) if isinstance(args, list) else []
    command = entry.get("command")
    words = [*(cast("list[Any]", command) if isinstance(command, list) else [command]), *words]
    address = next((entry[key] for key in _ADDRESS if isinstance(entry.get(key), str)), "")
    if address:
        return re.sub(r"^\w+://", "", address).split("/")[0].split("?")[0] or "server"
    plain = [word for word in words if isinstance(word, str) and word and word[0] not in "-$"]
    return PurePath(plain[1 if len(plain) > 1 else 0]).name if plain else "server"


def plain_entry(value: Any) -> Any:
    """An entry of any program in the words of ``mcpServers``, with variables in our spelling."""
    if not isinstance(value, Mapping):
        return value
    known = {
        key: _spelled(each) if key not in _NAMED_BY else each
        for key, each in cast("Mapping[str, Any]", value).items()
    }
    command = known.get("command", known.pop("cmd", None))
    if isinstance(command, Mapping):  # Zed, before 2025
        within = cast("Mapping[str, Any]", command)
        known = {**known, **within, "command": within.get("path", within.get("command"))}
    elif isinstance(command, list) and command:  # opencode
        parts = cast("list[Any]", command)
        args = known.get("args")
        rest = cast("list[Any]", args) if isinstance(args, list) else []
        known.update(command=parts[0], args=[*parts[1:], *rest])
    elif isinstance(command, str):
        known.update(_as_words(command, known.get("args")))
    elif command is not None:
        known["command"] = command
    for key, other in (
        ("env", "environment"), ("env", "envs"), ("headers", "http_headers"), ("url", "httpUrl"),
        ("url", "serverUrl"), ("url", "uri"), ("url", "baseUrl"), ("url", "server_url"),
        ("enabled", "isActive"),
    ):  # fmt: skip
        if known.get(key) is None and other in known:
            known[key] = known[other]
    if isinstance(known.get("env_http_headers"), Mapping):  # Codex: names of our variables
        named = cast("Mapping[str, Any]", known["env_http_headers"])
        known["headers"] = {
            **(known.get("headers") or {}),
            **{header: f"${{{variable}}}" for header, variable in named.items()},
        }
    if isinstance(known.get("bearer_token_env_var"), str):
        bearer = {"Authorization": f"Bearer ${{{known['bearer_token_env_var']}}}"}
        known["headers"] = {**bearer, **(known.get("headers") or {})}
    token = known.get("authorization_token") or known.get("authorization")  # Anthropic, OpenAI
    if token and isinstance(token, str):
        bearer = {"Authorization": f"Bearer {token.removeprefix('Bearer ')}"}
        known["headers"] = {**bearer, **(known.get("headers") or {})}
    return known


def _spelled(value: Any, level: int = 0) -> Any:
    if isinstance(value, str):
        return in_our_spelling(value)
    if isinstance(value, list) and level < _MOST_LEVELS:
        return [_spelled(each, level + 1) for each in cast("list[Any]", value)]
    if isinstance(value, Mapping) and level < _MOST_LEVELS:
        named = cast("Mapping[Any, Any]", value)
        return {key: _spelled(each, level + 1) for key, each in named.items()}
    return value


def _as_words(command: str, args: Any) -> dict[str, Any]:
    """A command with its arguments, which some write as one text."""
    try:
        given = shlex.split(args) if isinstance(args, str) else args
        words = shlex.split(command) if not given and "\\" not in command else [command]
    except ValueError:
        return {"command": command}
    if len(words) < 2 or "/" in words[0]:  # a path may have a blank in it
        return {"command": command, "args": given}
    return {"command": words[0], "args": words[1:]}
