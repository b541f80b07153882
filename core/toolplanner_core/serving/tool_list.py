"""The list of tools that clients get: each API as one, or a few that find and call all of them.

Source: design/gateway.md section 3.
"""

import json
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from toolplanner_core.domain.api import Risk
from toolplanner_core.errors import BadInput
from toolplanner_core.serving.catalogue import ListVersion, ServedCatalogue
from toolplanner_core.serving.profile import (
    FLAT_APIS,
    FLAT_TOKENS,
    LARGEST_FLAT_LIST,
    ServingMode,
    ServingProfile,
)
from toolplanner_core.strategies.served import Fallback
from toolplanner_core.tool_schemas.dialect import Tool, dialects, tool_of
from toolplanner_core.words.formatting import counted, one_line

PORTABLE = dialects.get("plain")
"""The dialect that every client passes on."""
MOST_HITS = 20
"""APIs of one search."""
SAME_WORDS_S = 600.0
"""The few tools of a search say how much there is; so long they say the same, whatever is edited:
what a client has in its cache stays good, and what is found is searched anew anyway."""
_CHARACTERS_A_TOKEN = 4
_NAMED_TOOLKITS = 10
_TALKS_TO_AGENTS = re.compile(
    r"\b(?:ignor\w*|disregard|forget|overrid\w*|obey|bypass|instead|instructions?|prompts?|system"
    r"|assistants?|agents?|you\w*|must|always|never|do not|don't|keys?|tokens?|secrets?|passwords?"
    r"|tools?|calls?|execute|reply|send|\w+_\w+)\b|[<>{}\[\]`]|https?:",
    re.IGNORECASE,
)
"""Words of whoever gives orders, and of what they would be about. There are enough other toolkits
to be named as examples."""


class ListedTool(NamedTuple):
    """A tool as clients list it; the risk of what it may call, and whether calling it again does
    the same."""

    tool: Tool
    risk: Risk
    is_repeatable: bool = True


class ChosenMode(NamedTuple):
    """How a profile is served, and why, for people."""

    mode: ServingMode
    reason: str


class _KeptList(NamedTuple):
    """A list that was made: of what, and when."""

    version: ListVersion
    made_s: float
    tools: list[ListedTool]


class ToolList:
    """The list of a profile; one for all of its clients. Thread-safe.

    Args:
        clock: seconds that only grow.
    """

    def __init__(
        self,
        catalogue: ServedCatalogue,
        profile: ServingProfile,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._catalogue, self._profile, self._clock = catalogue, profile, clock
        self._mode: ChosenMode | None = None
        self._kept: _KeptList | None = None
        self._lock = threading.Lock()

    def mode(self) -> ChosenMode:
        """How it is served; decided once. Blocks.

        Raises:
            BadInput: a flat list is wanted, and is too long to be meant.
        """
        if self._mode is None:
            self._mode = self._choose_mode()
        return self._mode

    def listed(self) -> list[ListedTool]:
        """The tools as they are served now, in an order that does not change by itself. Blocks."""
        with self._lock:
            is_search, version = self.mode().mode is ServingMode.SEARCH, self._catalogue.version()
            kept, now_s = self._kept, self._clock()
            is_young = is_search and kept is not None and now_s - kept.made_s < SAME_WORDS_S
            if kept is None or (kept.version != version and not is_young):
                tools = self._search_tools() if is_search else self._flat_tools()
                kept = self._kept = _KeptList(version, now_s, tools)
            return kept.tools

    def _flat_tools(self) -> list[ListedTool]:
        flat = [
            ListedTool(tool_of(each.api, each.name), each.api.risk, each.api.risk is Risk.READ)
            for each in self._catalogue.listed()
        ]
        return [*flat, _MORE]

    def _choose_mode(self) -> ChosenMode:
        wanted = self._profile.mode
        if wanted is ServingMode.SEARCH:
            return ChosenMode(wanted, "it was asked for")
        # The largest toolkits alone say that a list would be long; a large one takes seconds.
        upper = sum(each.size for each in self._catalogue.toolkits())
        is_meant = wanted is ServingMode.FLAT
        if not is_meant and upper > 4 * FLAT_APIS and not self._profile.allows_changes:
            return ChosenMode(ServingMode.SEARCH, f"there are {counted(upper, 'API')}")
        if is_meant and upper > LARGEST_FLAT_LIST and not self._profile.is_long_list_meant:
            raise BadInput(
                f"A list of up to {counted(upper, 'tool')} is too long for most clients",
                why="Many take 128 at most, and models choose worse from 40 on",
                todo="Have them searched, serve some toolkits only, or say that it is meant",
            )
        tools = [tool_of(each.api, each.name) for each in self._catalogue.listed()]
        tokens = tokens_of(tools)
        size = f"{counted(len(tools), 'API')}, about {counted(tokens, 'token')}"
        if is_meant:
            return ChosenMode(wanted, f"it was asked for: {size}")
        is_short = len(tools) <= FLAT_APIS and tokens <= FLAT_TOKENS
        return ChosenMode(ServingMode.FLAT if is_short else ServingMode.SEARCH, size)

    def largest_toolkits(self) -> str:
        """Their names, for agents. Such a name may be made of what strangers wrote: one that talks
        to whoever reads it is left out."""
        names = (one_line(toolkit.name, 40) for toolkit in self._catalogue.toolkits())
        harmless = (name for name in names if not _TALKS_TO_AGENTS.search(name))
        return ", ".join(islice(harmless, _NAMED_TOOLKITS))

    def _search_tools(self) -> list[ListedTool]:
        kits = self._catalogue.toolkits()
        apis = sum(each.size for each in kits)
        many = f"{counted(apis, 'API')} in {counted(len(kits), 'toolkit')}"
        named = self.largest_toolkits()
        among = f"{many}, such as: {named}" if named else many
        text = {"type": "string"}
        need = text | {"description": "What you want to find out or do, in a sentence."}
        name = text | {"description": "Name of a tool, as find_tools gives it."}
        limit = {"type": "integer", "minimum": 1, "maximum": MOST_HITS, "default": 8}
        values = {"type": "object", "description": "The arguments of that tool."}
        fallback = text | {
            "enum": [str(each) for each in Fallback],
            "description": "If its service fails: auto = another tool that can be asked exactly"
            " the same is called, ask = others are only named.",
        }
        risk = Risk.DESTRUCTIVE if self._profile.allows_changes else Risk.READ
        return [
            ListedTool(
                _tool(
                    "find_tools",
                    f"Find tools among {among}. Say one need in a sentence; use it whenever"
                    " something outside has to be looked up.",
                    required={"need": need},
                    optional={"limit": limit},
                ),
                Risk.READ,
            ),
            ListedTool(
                _tool(
                    "describe_tool",
                    "The full schema of a tool that find_tools found.",
                    required={"name": name},
                ),
                Risk.READ,
            ),
            ListedTool(
                _tool(
                    "call_tool",
                    "Call a tool that find_tools found, with its arguments.",
                    required={"name": name, "arguments": values},
                    optional={"fallback": fallback},
                ),
                risk,
                is_repeatable=risk is Risk.READ,
            ),
            _MORE,
        ]


def tokens_of(tools: Sequence[Tool]) -> int:
    """What a list of tools takes of a model's context, about."""
    written = (json.dumps(PORTABLE.write(tool), ensure_ascii=False) for tool in tools)
    return sum(map(len, written)) // _CHARACTERS_A_TOKEN


def _tool(
    name: str,
    description: str,
    *,
    required: Mapping[str, Any],
    optional: Mapping[str, Any] | None = None,
) -> Tool:
    schema = {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
    }
    return Tool(name=name, description=description, parameters=schema)


_MORE = ListedTool(
    _tool(
        "more",
        "The next part of a long result, or the reply of a call that waited for a person.",
        required={},
        optional={
            "result": {"type": "string", "description": "Its name, as the note below it says."},
            "from": {"type": "integer", "minimum": 0, "description": "The line to begin with."},
            "ticket": {"type": "string", "description": "Of a call that waited for a person."},
        },
    ),
    Risk.READ,
)
