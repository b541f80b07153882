"""The list of tools that clients get: each API as one, or a few that find and call all of them.

Source: design/gateway.md section 3.
"""

import json
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from toolplanner_core.domain.api import Risk
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.errors import BadInput
from toolplanner_core.serving.catalogue import ListVersion, ServedCatalogue
from toolplanner_core.serving.profile import (
    FLAT_APIS,
    FLAT_TOKENS,
    LARGEST_FLAT_LIST,
    MOST_TOOLKITS,
    ServingMode,
    ServingProfile,
)
from toolplanner_core.serving.toolkit_tools import toolkit_tool
from toolplanner_core.strategies.served import Fallback
from toolplanner_core.tool_schemas.checking import too_many_words
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
_NAMED_TOOLKITS, _NAMED_REGIONS = 10, 20
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
            BadInput: a list is wanted that is too long to be meant.
        """
        if self._mode is None:
            self._mode = self._choose_mode()
        return self._mode

    def listed(self) -> list[ListedTool]:
        """The tools as they are served now, in an order that does not change by itself. Blocks."""
        with self._lock:
            mode, version = self.mode().mode, self._catalogue.version()
            kept, now_s = self._kept, self._clock()
            has_same_words = mode is ServingMode.SEARCH
            is_young = has_same_words and kept is not None and now_s - kept.made_s < SAME_WORDS_S
            if kept is None or (kept.version != version and not is_young):
                tools = self._tools_of(mode)
                kept = self._kept = _KeptList(version, now_s, tools)
            return kept.tools

    def _tools_of(self, mode: ServingMode) -> list[ListedTool]:
        if mode is ServingMode.SEARCH:
            return self._search_tools()
        return self._toolkit_tools() if mode is ServingMode.TOOLKITS else self._flat_tools()

    def _toolkit_tools(self) -> list[ListedTool]:
        """The toolkits of which something is served, in the order in which they were made: new ones
        come last, so that what a client has in its cache stays a beginning."""
        members: dict[ToolkitId, list[Risk]] = {}
        for each in self._catalogue.listed():
            members.setdefault(each.toolkit, []).append(each.api.risk)
        kits = [each for each in self._catalogue.toolkits() if each.id in members]
        return [
            *(
                ListedTool(
                    toolkit_tool(kit, len(members[kit.id])),
                    risk=_highest(members[kit.id]),
                    is_repeatable=_highest(members[kit.id]) is Risk.READ,
                )
                for kit in sorted(kits, key=lambda each: each.id)
            ),
            _MORE,
        ]

    def _flat_tools(self) -> list[ListedTool]:
        flat = [
            ListedTool(tool_of(each.api, each.name), each.api.risk, each.api.risk is Risk.READ)
            for each in self._catalogue.listed()
        ]
        return [*flat, _MORE]

    def _choose_mode(self) -> ChosenMode:
        wanted, kits = self._profile.mode, self._catalogue.toolkits()
        if wanted is ServingMode.SEARCH:
            return ChosenMode(wanted, "it was asked for")
        if wanted is ServingMode.TOOLKITS:
            self._refuse_long(len(kits))
            return ChosenMode(wanted, f"it was asked for: {counted(len(kits), 'toolkit')}")
        # The largest toolkits alone say that a list would be long; a large one takes seconds.
        upper = sum(each.size for each in kits)
        is_meant = wanted is ServingMode.FLAT
        if not is_meant and upper > 4 * FLAT_APIS:
            return _shorter_list(len(kits), counted(upper, "API"))
        if is_meant:
            self._refuse_long(upper)
        tools = [tool_of(each.api, each.name) for each in self._catalogue.listed()]
        tokens = tokens_of(tools)
        size = f"{counted(len(tools), 'API')}, about {counted(tokens, 'token')}"
        if is_meant:
            return ChosenMode(wanted, f"it was asked for: {size}")
        if len(tools) <= FLAT_APIS and tokens <= FLAT_TOKENS:
            return ChosenMode(ServingMode.FLAT, size)
        return _shorter_list(len(kits), size)

    def _refuse_long(self, tools: int) -> None:
        if tools > LARGEST_FLAT_LIST and not self._profile.is_long_list_meant:
            raise BadInput(
                f"A list of up to {counted(tools, 'tool')} is too long for most clients",
                why="Many take 128 at most, and models choose worse from 40 on",
                todo="Have them searched, serve some toolkits only, or say that it is meant",
            )

    def largest_toolkits(self) -> str:
        """Their names, for agents. Such a name may be made of what strangers wrote: one that talks
        to whoever reads it is left out."""
        names = (toolkit.name for toolkit in self._catalogue.toolkits())
        return ", ".join(islice(harmless_names(names), _NAMED_TOOLKITS))

    def _largest_regions(self) -> str:
        """Their names, as those of toolkits; nothing where there is only one."""
        names = list(islice(harmless_names(self._catalogue.regions()), _NAMED_REGIONS))
        return ", ".join(names) if len(names) > 1 else ""

    def _search_tools(self) -> list[ListedTool]:
        kits = self._catalogue.toolkits()
        apis = sum(each.size for each in kits)
        many = f"{counted(apis, 'API')} in {counted(len(kits), 'toolkit')}"
        regions, named = self._largest_regions(), self.largest_toolkits()
        among = f"{many}, about: {regions}" if regions else many
        among += f"; the largest toolkits: {named}" if named else ""
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


def long_list_warning(tools: int) -> str:
    """What is wrong with a list of so many tools, for people; "" = nothing."""
    refusing = [each for each in dialects if each.most_tools is not None]
    limits = [too_many_words(each, tools) for each in refusing if tools > (each.most_tools or 0)]
    return "; ".join(limits) or too_many_words(PORTABLE, tools)


def harmless_names(names: Iterable[str]) -> Iterator[str]:
    """Names that may be made of what strangers wrote, but those that talk to whoever reads them."""
    short = (one_line(name, 40) for name in names)
    return (name for name in short if not _TALKS_TO_AGENTS.search(name))


def _shorter_list(toolkits: int, apis: str) -> ChosenMode:
    """The mode for more APIs than a flat list is good for."""
    mode = ServingMode.TOOLKITS if toolkits <= MOST_TOOLKITS else ServingMode.SEARCH
    return ChosenMode(mode, f"{apis} in {counted(toolkits, 'toolkit')}")


def _highest(risks: Sequence[Risk]) -> Risk:
    return max(risks, key=lambda risk: risk.level)


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
        "The next part of a long result, or the reply of a call that waited or took long.",
        required={},
        optional={
            "result": {"type": "string", "description": "Its name, as the note below it says."},
            "from": {"type": "integer", "minimum": 0, "description": "The line to begin with."},
            "ticket": {"type": "string", "description": "Of a call that waited or took long."},
        },
    ),
    Risk.READ,
)
