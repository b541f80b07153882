"""All that a server offers, page by page, with bounds on a server whose pages never end."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mcp import Client
    from mcp_types import Tool

_MOST_PAGES = 200
_MOST_ITEMS = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerListing:
    """What a server offers.

    Attributes:
        title: the server's own name and version, "" if it does not say.
        instructions: how it wants to be used.
        tools: as it describes them.
        prompts, resources: their names and addresses; they are shown, not called.
        is_cut: its pages did not end, and the rest was left.
    """

    title: str
    instructions: str
    tools: "tuple[Tool, ...]"
    prompts: tuple[str, ...]
    resources: tuple[str, ...]
    is_cut: bool


async def list_all(client: "Client") -> ServerListing:
    """Ask for everything; errors of the SDK come through."""
    can = client.server_capabilities
    info = client.server_info
    tools, are_cut = await _pages(client.list_tools, "tools") if can.tools else ([], False)
    prompts, _ = await _pages(client.list_prompts, "prompts") if can.prompts else ([], False)
    resources: list[Any] = []
    if can.resources:
        resources, _ = await _pages(client.list_resources, "resources")
        templates, _ = await _pages(client.list_resource_templates, "resource_templates")
        resources += templates
    return ServerListing(
        title=f"{info.title or info.name} {info.version}".strip() if info else "",
        instructions=client.instructions or "",
        tools=tuple(tools),
        prompts=tuple(prompt.name for prompt in prompts),
        resources=tuple(
            str(getattr(each, "uri", None) or getattr(each, "uri_template", ""))
            for each in resources
        ),
        is_cut=are_cut,
    )


async def _pages(ask: Callable[..., Awaitable[Any]], what: str) -> tuple[list[Any], bool]:
    """All items, and whether the pages were left before their end."""
    found: list[Any] = []
    seen: set[str] = set()
    cursor: str | None = None
    for _ in range(_MOST_PAGES):
        page = await ask(cursor=cursor)
        found += getattr(page, what)
        cursor = page.next_cursor
        if cursor is None:
            return found[:_MOST_ITEMS], len(found) > _MOST_ITEMS
        if cursor in seen or len(found) > _MOST_ITEMS:
            break
        seen.add(cursor)
    return found[:_MOST_ITEMS], True
