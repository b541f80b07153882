"""All that a server offers, list by list and page by page.

Each list stands alone: one that the server announces and cannot give, that is broken or that never
comes is noted, and the others come in. Pages end where they bring nothing new.

Source: MCP 2025-11-25, "Pagination".
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.mcp_servers.failures import McpFailure
from toolplanner_core.mcp_servers.results import LEFT_OUT, REMARKS

if TYPE_CHECKING:
    from mcp.client import ClientSession
    from mcp_types import Tool

_MOST_PAGES = 200
_MOST_ITEMS = 10_000


class UnusableTool(NamedTuple):
    """A tool, or another entry of a list, that cannot be used."""

    name: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerListing:
    """What a server offers.

    Attributes:
        title: the server's own name and version, "" if it does not say.
        instructions: how it wants to be used.
        tools: as it describes them, each name once.
        prompts, resources: their names and addresses; they are shown, not called.
        left_out: tools that cannot be used.
        remarks: what was mended, and which lists could not be had; sentences.
        failure: why there is no list of tools at all, None if there is one.
    """

    title: str
    instructions: str
    tools: "tuple[Tool, ...]"
    prompts: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    left_out: tuple[UnusableTool, ...] = ()
    remarks: tuple[str, ...] = ()
    failure: McpFailure | None = None


class _List(NamedTuple):
    """What could be read of one list."""

    items: list[Any]
    left_out: list[UnusableTool]
    remarks: list[str]
    failure: McpFailure | None


AsFailure = Callable[[BaseException], McpFailure]


async def list_all(
    session: "ClientSession", *, timeout_s: float, as_failure: AsFailure, is_whole: bool
) -> ServerListing:
    """Ask for the tools, and then for everything else at the same time.

    Args:
        timeout_s: for each of the lists.
        as_failure: what an exception means.
        is_whole: also prompts and resources.
    """
    can, info = session.server_capabilities, session.server_info

    async def listed(ask: Callable[..., Awaitable[Any]], what: str, key: str = "name") -> _List:
        return await _pages(ask, what, key, timeout_s, as_failure)

    # Asked for whatever the server announces: some forget to.
    tools = await listed(session.list_tools, "tools")
    beside: list[_List] = [_List([], [], [], None)] * 3
    if is_whole and can:
        asked = [
            (bool(can.prompts), session.list_prompts, "prompts", "name"),
            (bool(can.resources), session.list_resources, "resources", "uri"),
            (
                bool(can.resources),
                session.list_resource_templates,
                "resource_templates",
                "uri_template",
            ),
        ]
        found = await asyncio.gather(*(listed(*each[1:]) for each in asked if each[0]))
        answers = iter(found)
        beside = [next(answers) if each[0] else _List([], [], [], None) for each in asked]
    prompts, resources, templates = beside
    is_announced = can is None or can.tools is not None
    is_missing = tools.failure is not None and tools.failure.error is ErrorClass.NOT_FOUND
    failure = tools.failure if is_announced or not is_missing else None
    return ServerListing(
        title=f"{info.title or info.name} {info.version}".strip() if info else "",
        instructions=session.instructions or "",
        tools=tuple(tools.items),
        prompts=tuple(str(each.name) for each in prompts.items),
        resources=(
            *(str(each.uri) for each in resources.items),
            *(str(each.uri_template) for each in templates.items),
        ),
        left_out=tuple(tools.left_out),
        remarks=tuple(_remarks(session, tools, prompts, resources, templates)),
        failure=None if tools.items or tools.left_out else failure,
    )


def _remarks(session: "ClientSession", *lists: _List) -> Iterator[str]:
    result = session.initialize_result
    yield from (result.meta or {}).get(REMARKS, []) if result else []
    named = ("tools", "prompts", "resources", "resource templates")
    for what, found in zip(named, lists, strict=True):
        yield from found.remarks
        is_shown = what != "tools" or found.items or found.left_out
        if found.failure is not None and is_shown:
            some = "the rest of its" if found.items else "its"
            yield f"{some} {what} could not be listed: {found.failure.message}"
        if what != "tools":
            yield from (f"{name[:100]} was left out: {why}" for name, why in found.left_out)


async def _pages(
    ask: Callable[..., Awaitable[Any]],
    what: str,
    key: str,
    timeout_s: float,
    as_failure: AsFailure,
) -> _List:
    """The items of all pages; what was read before a page that fails is kept."""
    from mcp_types import PaginatedRequestParams

    found: dict[str, Any] = {}
    left_out: list[UnusableTool] = []
    remarks: list[str] = []
    seen: set[str] = set()
    cursor: str | None = None
    spelled = what.replace("_", " ")
    try:
        async with asyncio.timeout(timeout_s):
            for _ in range(_MOST_PAGES):
                params = PaginatedRequestParams(cursor=cursor) if cursor else None
                page = await ask(params=params)
                meta = page.meta or {}
                remarks += meta.get(REMARKS, [])
                rejected = [UnusableTool(*each) for each in meta.get(LEFT_OUT, [])]
                items = getattr(page, what)
                is_new = _add(items, key, found, rejected, is_first=not seen)
                left_out += [each for each in rejected if each not in left_out]
                cursor = page.next_cursor
                if not cursor:
                    break
                if cursor in seen or (items and not is_new) or len(found) > _MOST_ITEMS:
                    remarks.append(f"its list of {spelled} does not end; the rest was left")
                    break
                seen.add(cursor)
            else:
                remarks.append(f"its list of {spelled} has too many pages; the rest was left")
    except Exception as error:  # noqa: BLE001 - whatever it is, the other lists stand
        return _List([*found.values()], left_out, remarks, as_failure(error))
    return _List([*found.values()][:_MOST_ITEMS], left_out, remarks, None)


def _add(
    items: list[Any],
    key: str,
    found: dict[str, Any],
    rejected: list[UnusableTool],
    *,
    is_first: bool,
) -> bool:
    """Take in the items of a page by name; whether one of them was new."""
    is_new = False
    for item in items:
        name = str(getattr(item, key))
        known = found.get(name)
        if known is None:
            found[name] = item
            is_new = True
        elif is_first or known != item:
            rejected.append(UnusableTool(name, "its name appears twice; the first was taken"))
    return is_new
