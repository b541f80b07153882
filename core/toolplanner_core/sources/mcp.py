"""Read what MCP servers offer: from the configuration files that people have, or from an address.

Each server is started or reached, asked for everything, and ended. None that nobody
has allowed is: `StartNotAllowed` names all of them, and whoever reads asks the person.
Prompts and resources are named in the report. Found by the registry of sources.
"""

import asyncio
import contextlib
import queue
import threading
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from toolplanner_core.errors import BadInput
from toolplanner_core.mcp_servers.connection import START_S, Connection
from toolplanner_core.mcp_servers.consent import StartNotAllowed, is_allowed
from toolplanner_core.mcp_servers.failures import McpFailure
from toolplanner_core.mcp_servers.listing import ServerListing
from toolplanner_core.mcp_servers.reading import (
    NamedServer,
    read_server,
    read_servers,
    servers_in,
    without_comments,
)
from toolplanner_core.mcp_servers.secrets import keep_secrets, secrets_of
from toolplanner_core.options.option import option
from toolplanner_core.sources.cleaning import clean_line
from toolplanner_core.sources.documents import decode, parse
from toolplanner_core.sources.files import walk
from toolplanner_core.sources.identity import ApiIds
from toolplanner_core.sources.location import Location, LocationKind
from toolplanner_core.sources.mcp_tools import ToolPlace, api_of_tool
from toolplanner_core.sources.members import Member
from toolplanner_core.sources.source import (
    FileGroup,
    FoundBeside,
    Mended,
    Record,
    Rejected,
    Sample,
    SourcePlugin,
)
from toolplanner_core.words.wording import counted

_ANSWER_S = 20.0
"""For all lists of a server that is ready."""
_HEARTBEAT_S = 0.1
"""How often a cancel can be noticed while servers start."""
_NAMED = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class McpOptions:
    """Which servers are read, and where their tools are placed."""

    servers: tuple[str, ...] = option((), "Names of the servers to be read; none means all.")
    category: str = option("MCP", "Category of their tools.")
    start_s: float = option(START_S, "Seconds for a server to be ready.", minimum=0.1, maximum=3600)


class _Found(NamedTuple):
    """A server with the file that names it."""

    where: str
    server: NamedServer


class _Heard(NamedTuple):
    """What a server said of itself, or why it did not."""

    found: _Found
    listing: ServerListing | None
    why: str


def recognises(sample: Sample) -> float:
    """Whether the first documents name servers."""
    if sample.documents:
        return sample.share(lambda document: bool(servers_in(document)))
    return float(any(servers_in(_with_comments(head.text)) for head in sample.heads))


def read(location: Location, options: McpOptions, *, source: str) -> Generator[Record]:
    """All tools of all servers that a location names.

    Raises:
        StartNotAllowed: servers would have to be started or reached that nobody has allowed.
        BadInput: a server that was asked for is not there.
    """
    found: list[_Found] = []
    for record in _servers(location):
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
            keep_secrets(each.server.spec, each.server.secrets)
        if each.server.passed_over:
            yield Mended(where=each.where, why=each.server.passed_over)
    ids = ApiIds(source)
    heard: list[_Heard] = []
    with contextlib.closing(_asking(usable, options.start_s)) as answers:
        for answer in answers:
            heard += [answer] if answer else []
            yield FileGroup(done=len(heard), total=len(usable))
    # In the order of the configuration, whoever was first to answer.
    for answer in sorted(heard, key=lambda each: usable.index(each.found)):
        yield from _records(answer, ids, source, clean_line(options.category) or "MCP")


def _servers(location: Location) -> Iterator[_Found | Rejected]:
    if location.kind is LocationKind.URL and location.content is None:
        server = read_server(location.name, {"url": location.where})
        yield _Found(location.where, server)
        return
    for item in walk(location):
        if isinstance(item, Rejected):
            yield item
        elif isinstance(item, Member):
            text = decode(item.data)
            try:
                document = parse(text)
            except BadInput as error:
                document = _with_comments(text)
                if document is None:
                    yield Rejected(where=item.where, why=error.what)
            for server in read_servers(document):
                yield _Found(f"{item.where} {server.name}", server)


def _with_comments(text: str) -> object:
    try:
        return parse(without_comments(text))
    except BadInput:
        return None


def _asking(found: Sequence[_Found], start_s: float) -> Generator[_Heard | None]:
    """What each server says, as it says it; None now and then, so that a reader can stop.

    The servers are asked at the same time, on a loop of their own: whoever reads a source has none.
    """
    heard: queue.SimpleQueue[_Heard] = queue.SimpleQueue()
    loop = asyncio.new_event_loop()

    async def ask_all() -> None:
        try:
            async with asyncio.TaskGroup() as group:
                for each in found:
                    group.create_task(_ask(each, start_s, heard))
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
                yield heard.get(timeout=_HEARTBEAT_S)
                left -= 1
            except queue.Empty:
                if not thread.is_alive() and heard.empty():
                    return
                yield None
    finally:
        if thread.is_alive():
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(task.cancel)
        thread.join()


async def _ask(found: _Found, start_s: float, heard: "queue.SimpleQueue[_Heard]") -> None:
    spec = found.server.spec
    assert spec is not None
    connection = Connection(spec, secrets_of(spec))
    try:
        await connection.open(timeout_s=start_s)
        listing = await connection.listing(timeout_s=_ANSWER_S)
        answer = _Heard(found, listing, "")
    except McpFailure as failure:
        answer = _Heard(found, None, f"{spec.address}: {failure.message}")
    finally:
        await connection.close()
    heard.put(answer)


def _records(heard: _Heard, ids: ApiIds, source: str, category: str) -> Iterator[Record]:
    spec, listing, where = heard.found.server.spec, heard.listing, heard.found.where
    assert spec is not None
    if listing is None:
        yield Rejected(where=where, why=heard.why)
        return
    place = ToolPlace(
        source=source,
        category=category,
        server=clean_line(spec.name).replace("/", "_") or "server",
        instructions=listing.instructions,
    )
    for tool in listing.tools:
        yield api_of_tool(tool, spec, place, ids, where)
    if listing.is_cut:
        yield Mended(where=where, why="its list of tools does not end; the rest was left")
    for what, names in (("prompt", listing.prompts), ("resource", listing.resources)):
        if names:
            named = ", ".join(clean_line(name, cap=100) for name in names[:_NAMED])
            more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
            yield FoundBeside(where=where, what=f"{counted(len(names), what)}: {named}{more}")


PLUGIN = SourcePlugin(
    id="mcp",
    title="MCP servers",
    description="Tools of servers of the Model Context Protocol, which are started and asked.",
    accepts="the configuration of MCP servers (mcpServers) as Claude, Cursor or VS Code keep it",
    options=McpOptions,
    recognises=recognises,
    read=read,
    order=5,
    reaches_addresses=True,
    address_ending="/mcp",
    provider="mcp",
)
