"""Read the tools of MCP servers: from the configuration files that people have, or from an address.

The provider makes the same of what a server says before it calls, and compares: so a tool that
changes after it was imported is noticed.

Each server is started or reached, asked for everything, and ended. None that nobody
has allowed is: `StartNotAllowed` names all of them, and whoever reads asks the person.
Prompts and resources are named in the report. Found by the registry of sources.

Source: MCP 2025-11-25, "Tools"; `ToolAnnotations` in its schema.
"""

import asyncio
import contextlib
import queue
import threading
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from toolplanner_core.domain.api import Api, Risk
from toolplanner_core.errors import BadInput
from toolplanner_core.mcp_servers.config_files import (
    NamedServer,
    read_server,
    read_servers,
)
from toolplanner_core.mcp_servers.config_forms import (
    entries_in,
    may_name_servers,
    meant_text,
    names_servers,
    toml_value,
)
from toolplanner_core.mcp_servers.connection import START_S, Connection
from toolplanner_core.mcp_servers.consent import StartNotAllowed, is_allowed
from toolplanner_core.mcp_servers.failures import McpFailure
from toolplanner_core.mcp_servers.listing import ServerListing
from toolplanner_core.mcp_servers.server_spec import ServerSpec, save_secrets, secrets_of
from toolplanner_core.options.option import option
from toolplanner_core.sources.documents import (
    MAX_DEPTH,
    decode,
    is_too_deep,
    parse,
    parse_yaml,
    without_comments,
)
from toolplanner_core.sources.files import JSON_SUFFIXES, YAML_SUFFIXES, Caps, Member, walk
from toolplanner_core.sources.functions import schema_problem
from toolplanner_core.sources.identity import ApiIds, doc_hash
from toolplanner_core.sources.location import Location, LocationKind
from toolplanner_core.sources.risk import risk_of
from toolplanner_core.sources.source import (
    AskedValue,
    FileGroup,
    FoundBeside,
    Mended,
    Record,
    Rejected,
    Sample,
    SourcePlugin,
)
from toolplanner_core.sources.text_cleaning import clean_json, clean_line, clean_text
from toolplanner_core.words.formatting import counted

if TYPE_CHECKING:
    from mcp_types import Tool, ToolAnnotations


class ToolPlace(NamedTuple):
    """Where in the catalogue the tools of one server belong.

    Attributes:
        instructions: what the server says of itself.
    """

    source: str
    category: str
    server: str
    instructions: str


def documented(tool: "Tool", spec: ServerSpec, place: ToolPlace) -> dict[str, Any]:
    """All that is said of a tool, cleaned: what `doc_hash` hashes."""
    title = tool.title or (tool.annotations.title if tool.annotations else None)
    return {
        "tool": place.server,
        "name": clean_line(tool.name),
        "description": clean_text(tool.description) or clean_text(title),
        "tool_description": clean_text(place.instructions),
        "parameters": {"type": "object", "properties": {}, **clean_json(tool.input_schema)},
        "response_schema": clean_json(tool.output_schema) if tool.output_schema else None,
        "operation": spec.operation_of(tool.name, _hints(tool.annotations)),
    }


def api_of_tool(
    tool: "Tool", spec: ServerSpec, place: ToolPlace, ids: ApiIds, where: str
) -> Api | Rejected:
    """The API, or why there is none.

    Args:
        where: the server, for messages.
    """
    where = f"{where} {tool.name[:100]}"
    if is_too_deep(tool.input_schema) or is_too_deep(tool.output_schema):
        return Rejected(where=where, why=f"its schema is nested deeper than {MAX_DEPTH} levels")
    if problem := schema_problem(tool.input_schema):
        return Rejected(where=where, why=problem)
    said = documented(tool, spec, place)
    name = said["name"]
    if not name:
        return Rejected(where=where, why="the tool has no name")
    return Api(
        id=ids.next(category=place.category, tool=place.server, name=name, method="", url=""),
        source=place.source,
        key=f"{place.category}/{place.server}/{name.replace('/', '_')}",
        category=place.category,
        method="",
        url="",
        risk=risk_of_tool(name, said["description"], tool.annotations),
        doc_hash=doc_hash(**said),
        **said,
    )


def risk_of_tool(name: str, description: str, says: "ToolAnnotations | None") -> Risk:
    """The risk by what a server says of its tool, never lower than a name that speaks of deleting.

    A server that says nothing is judged by names, like every other source.
    """
    by_name = risk_of("", name, description)
    if says is None or by_name is Risk.DESTRUCTIVE:
        return by_name
    if says.read_only_hint:
        return Risk.READ
    if says.destructive_hint or (says.read_only_hint is False and says.destructive_hint is None):
        # "Default: true", says the protocol of tools that are not read-only.
        return Risk.DESTRUCTIVE
    return Risk.WRITE if says.destructive_hint is False else by_name


def _hints(says: "ToolAnnotations | None") -> tuple[str, ...]:
    if says is None:
        return ()
    known = {
        "read-only": says.read_only_hint,
        "destructive": says.destructive_hint,
        "idempotent": says.idempotent_hint,
        "open-world": says.open_world_hint,
    }
    return tuple(
        word if value else f"not {word}" for word, value in known.items() if value is not None
    )


_ANSWER_S = 20.0
"""For each list of a server that is ready."""
_HEARTBEAT_S = 0.1
"""How often a cancel can be noticed while servers start."""
_NAMED = 20
_SUFFIXES = (*YAML_SUFFIXES, ".toml")
_CAPS = Caps(endings=(*JSON_SUFFIXES, *_SUFFIXES))


@dataclass(frozen=True, slots=True, kw_only=True)
class McpOptions:
    """Which servers are read, and where their tools are placed."""

    servers: tuple[str, ...] = option((), "Names of the servers to be read; none means all.")
    category: str = option("MCP", "Category of their tools.")
    variables: tuple[str, ...] = option(
        (), "Values of variables that the configuration names, like HOST=127.0.0.1."
    )
    start_s: float = option(START_S, "Seconds for a server to be ready.", minimum=0.1, maximum=3600)


def _variables(options: McpOptions, location: Location) -> dict[str, str]:
    """The values that a person gives, by name.

    Raises:
        BadInput: one is no NAME=VALUE.
    """
    given: dict[str, str] = {}
    for pair in options.variables:
        name, is_pair, value = pair.partition("=")
        if not is_pair or not name.strip():
            raise BadInput(
                f"{pair!r} is no value of a variable",
                where=location.where,
                todo="Write it like HOST=127.0.0.1",
            )
        given[name.strip().removeprefix("env:").removeprefix("input:")] = value
    return given


def asks(location: Location, options: McpOptions) -> list[AskedValue]:
    """The variables that a configuration names and nobody has given, in its order.

    Raises:
        BadInput: the location cannot be read, or a given one is no NAME=VALUE.
    """
    found: dict[str, AskedValue] = {}
    for record in _servers(location, _variables(options, location)):
        if isinstance(record, Rejected) or record.server.name not in (
            options.servers or (record.server.name,)
        ):
            continue
        for each in record.server.asked:
            known = found.get(each.name)
            needed_by = (*known.needed_by, record.server.name) if known else (record.server.name,)
            found[each.name] = AskedValue(
                name=each.name,
                option="variables",
                explanation=clean_line(each.explanation),
                needed_by=needed_by,
                is_secret=each.is_secret or (known is not None and known.is_secret),
                default=each.default,
                choices=each.choices,
            )
    return list(found.values())


class _Found(NamedTuple):
    """A server with the file that names it."""

    where: str
    server: NamedServer


class _ServerAnswer(NamedTuple):
    """What a server said of itself, or why it did not."""

    found: _Found
    listing: ServerListing | None
    why: str


def recognises(sample: Sample) -> float:
    """Whether the first files name servers, also where they cannot be read."""
    if any(map(entries_in, sample.documents)):
        return sample.share(lambda document: bool(entries_in(document)))
    for head in sample.heads:
        is_read = any(isinstance(each, dict | list) for each in sample.documents)
        if is_read and not head.name.lower().endswith(_SUFFIXES):
            continue
        document, why = _value(head.text) if may_name_servers(head.text) else (None, "")
        if entries_in(document) or (why and names_servers(head.text)):
            return 1.0
    return 0.0


def read(location: Location, options: McpOptions, *, source: str) -> Generator[Record]:
    """All tools of all servers that a location names.

    Raises:
        StartNotAllowed: servers would have to be started or reached that nobody has allowed.
        BadInput: a server that was asked for is not there.
    """
    found: list[_Found] = []
    variables = _variables(options, location)
    for record in _servers(location, variables):
        if not isinstance(record, _Found):
            yield record
        elif not options.servers or record.server.name in options.servers:
            found.append(record)
    if missing := set(options.servers) - {each.server.name for each in found}:
        raise BadInput(f"There is no server {sorted(missing)[0]!r}", where=location.where)
    usable = [each for each in found if each.server.spec is not None]
    for each in found:
        if each.server.spec is None:
            yield Rejected(where=each.where, why=each.server.why)
    asked = [each.server.spec for each in usable if each.server.spec]
    if unasked := [spec for spec in asked if not is_allowed(spec)]:
        raise StartNotAllowed(*unasked)
    for each in usable:
        if each.server.spec is not None:
            save_secrets(each.server.spec, each.server.secrets)
        if each.server.passed_over:
            yield Mended(where=each.where, why=each.server.passed_over)
    ids = ApiIds(source)
    answers: list[_ServerAnswer] = []
    with contextlib.closing(_asking(usable, options.start_s)) as arriving:
        for answer in arriving:
            answers += [answer] if answer else []
            yield FileGroup(done=len(answers), total=len(usable))
    # In the order of the configuration, whoever was first to answer.
    for answer in sorted(answers, key=lambda each: usable.index(each.found)):
        yield from _records(answer, ids, source, clean_line(options.category) or "MCP")


def _servers(location: Location, variables: Mapping[str, str]) -> Iterator[_Found | Rejected]:
    if location.kind is LocationKind.URL and location.content is None:
        server = read_server(location.name, {"url": location.where})
        yield _Found(location.where, server)
        return
    for item in walk(location, _CAPS):
        if isinstance(item, Rejected):
            yield item
        elif isinstance(item, Member):
            document, why = _value(decode(item.data))
            if why:
                yield Rejected(where=item.where, why=why)
            for server in read_servers(document, variables):
                yield _Found(f"{item.where} {server.name}", server)


def _value(text: str) -> tuple[object, str]:
    """What a configuration holds, and why it cannot be read: JSON as it is meant, TOML or YAML."""
    text = meant_text(text.lstrip("\ufeff"))
    try:
        if (toml := toml_value(text)) is not None:
            return toml, ""
    except BadInput as error:
        return None, error.what
    if text.lstrip()[:1] not in ("{", "[", "/"):
        try:
            return parse_yaml(text), ""
        except BadInput as error:
            return None, error.what
    try:
        return parse(text), ""
    except BadInput as error:
        why = error.what
    try:
        return parse(without_comments(text)), ""
    except BadInput as error:
        with contextlib.suppress(BadInput):  # keys without quotes, remarks behind #
            if entries_in(value := parse_yaml(text)):
                return value, ""
        if "escape" in error.what:
            why = f"{error.what}: a backslash in JSON is written twice, like C:\\\\tools"
        return None, why


def _asking(found: Sequence[_Found], start_s: float) -> Generator[_ServerAnswer | None]:
    """What each server says, as it says it; None now and then, so that a reader can stop.

    The servers are asked at the same time, on a loop of their own: whoever reads a source has none.
    """
    answers: queue.SimpleQueue[_ServerAnswer] = queue.SimpleQueue()
    loop = asyncio.new_event_loop()

    async def ask_all() -> None:
        try:
            async with asyncio.TaskGroup() as group:
                for each in found:
                    group.create_task(_ask(each, start_s, answers))
        finally:  # of a reader that stops while a server leaves, too: nothing of it stays behind
            if leaving := asyncio.all_tasks() - {asyncio.current_task()}:
                await asyncio.wait(leaving)

    task = loop.create_task(ask_all())

    def work() -> None:
        with contextlib.closing(loop), contextlib.suppress(asyncio.CancelledError):
            loop.run_until_complete(task)

    thread = threading.Thread(target=work, name="asking MCP servers")
    thread.start()
    try:
        left = len(found)
        while left:
            try:
                yield answers.get(timeout=_HEARTBEAT_S)
                left -= 1
            except queue.Empty:
                if not thread.is_alive() and answers.empty():
                    return
                yield None
    finally:
        if thread.is_alive():
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(task.cancel)
        thread.join()


async def _ask(found: _Found, start_s: float, answers: "queue.SimpleQueue[_ServerAnswer]") -> None:
    spec = found.server.spec
    assert spec is not None
    connection = Connection(spec, secrets_of(spec))
    try:
        await connection.open(timeout_s=start_s)
        listing = await connection.listing(timeout_s=_ANSWER_S)
        answer = _ServerAnswer(found, listing, "")
    except McpFailure as failure:
        answer = _ServerAnswer(found, None, f"{spec.address}: {failure.message}")
    finally:
        await connection.close()
    answers.put(answer)


def _records(answer: _ServerAnswer, ids: ApiIds, source: str, category: str) -> Iterator[Record]:
    spec, listing, where = answer.found.server.spec, answer.listing, answer.found.where
    assert spec is not None
    if listing is None:
        yield Rejected(where=where, why=answer.why)
        return
    place = ToolPlace(
        source=source,
        category=category,
        server=clean_line(spec.name).replace("/", "_") or "server",
        instructions=listing.instructions,
    )
    for tool in listing.tools:
        yield api_of_tool(tool, spec, place, ids, where)
    for name, why in listing.left_out:
        yield Rejected(where=f"{where} {clean_line(name, cap=100)}", why=why)
    if listing.failure is not None:
        why = f"its tools could not be listed: {listing.failure.message}"
        yield Rejected(where=where, why=why)
    for remark in listing.remarks:
        yield Mended(where=where, why=remark)
    for what, names in (("prompt", listing.prompts), ("resource", listing.resources)):
        if names:
            named = ", ".join(clean_line(name, cap=100) for name in names[:_NAMED])
            more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
            yield FoundBeside(where=where, what=f"{counted(len(names), what)}: {named}{more}")


PLUGIN = SourcePlugin(
    id="mcp",
    title="MCP servers",
    description="Tools of servers of the Model Context Protocol, which are started and asked.",
    accepts="the configuration of MCP servers as Claude, Cursor, VS Code and others keep it",
    options=McpOptions,
    recognises=recognises,
    read=read,
    order=5,
    asks=asks,
    reaches_addresses=True,
    address_ending="/mcp",
    provider="mcp",
)
