"""A gateway on the event loop of the window: over HTTP, and as the hub of its workspace."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from toolplanner_core.errors import BadInput
from toolplanner_core.runs.catalogue.workspace_catalogue import WorkspaceCatalogue
from toolplanner_core.serving.catalogue import ServedCatalogue
from toolplanner_core.serving.guard import gateway_token
from toolplanner_core.serving.profile import ServingMode, ServingProfile
from toolplanner_core.serving.tool_list import ToolList, long_list_warning, tokens_of
from toolplanner_core.serving.tools import ServedTools
from toolplanner_core.words.window_places import SERVE_MADE_UP, SOURCES
from toolplanner_core.workspace import Workspace

if TYPE_CHECKING:
    from toolplanner_core.serving.faces.streams import Served
    from toolplanner_core.serving.session import ServingSession
    from toolplanner_core.serving.session_watcher import SessionWatcher


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedAt:
    """Where a gateway answers, and what its list costs its clients.

    Attributes:
        tools: of the list; tokens: what they take of a model's context, about.
        reason: why it has this mode.
        warning: what is wrong with so long a list, for people; "" = nothing.
    """

    address: str
    port: int
    mode: ServingMode
    reason: str
    tools: int
    tokens: int
    warning: str


class ListSize(NamedTuple):
    """What a list is, and costs its clients; `warning` is for people, "" = nothing is wrong."""

    mode: ServingMode
    tools: int
    tokens: int
    warning: str


def size_of_list(workspace: Workspace, profile: ServingProfile) -> ListSize:
    """The list that a profile would give its clients. Blocks; seconds for a flat one of 45,000.

    Raises:
        BadInput: it is too long to be meant.
    """
    search = WorkspaceCatalogue(workspace)  # is asked for nothing, so that it loads nothing
    try:
        tools = ToolList(ServedCatalogue(workspace, profile, search), profile)
        mode, listed = tools.mode().mode, [each.tool for each in tools.listed()]
    finally:
        search.close()
    warning = "" if mode is ServingMode.SEARCH else long_list_warning(len(listed))
    return ListSize(mode, len(listed), tokens_of(listed), warning)


def refuse_made_up(catalogue: ServedCatalogue, profile: ServingProfile) -> None:
    """Check that no provider would invent replies, where nobody allowed that. Blocks.

    Raises:
        BadInput: one would.
    """
    is_allowed = profile.allows_made_up or profile.replay is not None
    invented = [] if is_allowed else catalogue.made_up_sources()
    if invented:
        raise BadInput(
            f"Replies of {', '.join(invented)} would be invented",
            why="No real provider is chosen for them",
            todo=f"Choose one in {SOURCES}, or {SERVE_MADE_UP}",
        )


async def serve_workspace(
    workspace: Workspace,
    profile: ServingProfile,
    search: WorkspaceCatalogue,
    *,
    port: int,
    started: Callable[[ServedAt], None],
    ending: asyncio.Event,
    watcher: "SessionWatcher | None" = None,
) -> None:
    """Serve until `ending` is set; the runs of all clients have ended then.

    Args:
        search: stays open.
        port: of this machine; 0 = any that is free.
        started: called when clients are answered from now on.

    Raises:
        BadInput: replies would be invented, the list is too long to be meant, the port is taken, or
            there is no safe token.
    """
    from toolplanner_core.serving.faces.http import address_of, loopback_socket, serve_http
    from toolplanner_core.serving.faces.streams import HubServer

    def served(profile: ServingProfile) -> "Served":
        catalogue = ServedCatalogue(workspace, profile, search)
        refuse_made_up(catalogue, profile)
        tools = ServedTools(catalogue, profile)
        tools.list.listed()  # raises where it is too long to be meant

        def new_session(client: str) -> "ServingSession":
            from toolplanner_core.serving.session import ServingSession

            return ServingSession(workspace, profile, search, client=client, watcher=watcher)

        return tools, new_session

    def look() -> tuple["Served", ServingMode, str, int, int]:
        made = served(profile)
        taken, listed = made[0].list.mode(), [each.tool for each in made[0].list.listed()]
        return made, taken.mode, taken.reason, len(listed), tokens_of(listed)

    (tools, new_session), mode, reason, count, tokens = await asyncio.to_thread(look)
    token = await asyncio.to_thread(gateway_token)
    async with HubServer(served).open(workspace):
        with loopback_socket(port) as listener:
            taken_port = int(listener.getsockname()[1])
            started(
                ServedAt(
                    address=address_of(taken_port),
                    port=taken_port,
                    mode=mode,
                    reason=reason,
                    tools=count,
                    tokens=tokens,
                    warning="" if mode is ServingMode.SEARCH else long_list_warning(count),
                )
            )
            await serve_http(tools, new_session, listener, token=token, ending=ending)
