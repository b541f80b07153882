"""The tools that an agent sees: either each API as one, or a few that find, describe and call all.

Names that are given are looked up in what is served, and nowhere else: an API that is excluded,
waits, or may change something where only reading is served has no name that would call it.

Source: design/gateway.md section 3.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from toolplanner_core.domain.api import Api, Risk
from toolplanner_core.domain.observation import SIMULATED, VIRTUAL, Observation
from toolplanner_core.errors import BadInput, NotFound, UserError
from toolplanner_core.runs.log.redaction import Redactor
from toolplanner_core.serving.catalogue import ServedApi, ServedCatalogue
from toolplanner_core.serving.profile import (
    FLAT_APIS,
    FLAT_TOKENS,
    LARGEST_FLAT_LIST,
    ServingMode,
    ServingProfile,
)
from toolplanner_core.strategies.served import Fallback, OfferedApi, ServedReply
from toolplanner_core.tool_schemas.dialect import Tool, dialects, tool_of
from toolplanner_core.tool_schemas.portable import portable_schema
from toolplanner_core.words.formatting import counted, one_line

if TYPE_CHECKING:
    from toolplanner_core.serving.session import ServingSession

PORTABLE = dialects.get("plain")
"""The dialect that every client passes on."""
MOST_HITS = 20
_CHARACTERS_A_TOKEN = 4
_NAMED_TOOLKITS = 10


class ListedTool(NamedTuple):
    """A tool as clients list it; the risk of what it may call, and whether calling it again does
    the same."""

    tool: Tool
    risk: Risk
    is_repeatable: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolReply:
    """What an agent reads of a call.

    Attributes:
        texts: one or more blocks; what we say is a block of its own, apart from data.
        about: the same for machines.
    """

    texts: tuple[str, ...]
    is_error: bool = False
    about: Mapping[str, Any] = field(default_factory=dict[str, Any])


class ChosenMode(NamedTuple):
    """How a profile is served, and why, for people."""

    mode: ServingMode
    reason: str


class ServedTools:
    """The tools of a profile; one for all of its clients."""

    def __init__(self, catalogue: ServedCatalogue, profile: ServingProfile) -> None:
        self._catalogue, self._profile = catalogue, profile
        self._mode: ChosenMode | None = None
        # Replies come without secrets out of the log; arguments are as they were sent.
        self._redactor = Redactor()

    def mode(self) -> ChosenMode:
        """How it is served; decided once. Blocks.

        Raises:
            BadInput: a flat list is wanted, and is too long to be meant.
        """
        if self._mode is None:
            self._mode = self._choose_mode()
        return self._mode

    def listed(self) -> list[ListedTool]:
        """The list of tools, in an order that does not change by itself. Blocks."""
        if self.mode().mode is ServingMode.SEARCH:
            return self._search_tools()
        return [
            ListedTool(tool_of(each.api, each.name), each.api.risk, each.api.risk is Risk.READ)
            for each in self._catalogue.listed()
        ]

    async def call(
        self, session: "ServingSession", name: str, arguments: Mapping[str, Any]
    ) -> ToolReply:
        """Do what a tool does. What goes wrong is a reply that says what to do."""
        try:
            match name:
                case "find_tools":
                    return await self._find(session, arguments)
                case "describe_tool":
                    return await asyncio.to_thread(self._describe, _text(arguments, "name"))
                case "call_tool":
                    return await self._call(
                        session, *_call_of(arguments), fallback=_fallback_of(arguments)
                    )
                case "more":
                    return _more(session, arguments)
                case _:
                    return await self._call(session, name, arguments)
        except UserError as error:
            return ToolReply(texts=(error.sentence,), is_error=True)

    async def _find(self, session: "ServingSession", arguments: Mapping[str, Any]) -> ToolReply:
        need = _text(arguments, "need")
        limit = arguments.get("limit", 8)
        if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= MOST_HITS:
            raise BadInput(f'"limit" is a number from 1 to {MOST_HITS}')
        found = await self._catalogue.search(need, limit)
        session.looked_up(need, found)
        if not found:
            names = await asyncio.to_thread(self._largest_toolkits)
            return ToolReply(texts=(f"Nothing here does that. The largest toolkits: {names}.",))
        lines = [_hit_line(each) for each in found]
        note = "* = required. Call one with call_tool; describe_tool tells more of it."
        return ToolReply(texts=("\n".join([*lines, note]),))

    def _describe(self, name: str) -> ToolReply:
        found = self._catalogue.named(name)
        tool = PORTABLE.write(tool_of(found.api, found.name))
        risk = "It only reads." if found.api.risk is Risk.READ else "It may change something."
        return ToolReply(texts=(json.dumps(tool, ensure_ascii=False, indent=1), risk))

    async def _call(
        self,
        session: "ServingSession",
        name: str,
        arguments: Mapping[str, Any],
        fallback: Fallback = Fallback.AUTO,
    ) -> ToolReply:
        found = await asyncio.to_thread(self._catalogue.named, name)
        real = portable_schema(found.api.parameters).restore(arguments)
        reply = await session.call(
            found,
            real,
            is_served=lambda api: self._catalogue.served(api) is not None,
            fallback=fallback,
        )
        seen = reply.seen
        about: dict[str, Any] = {"api": reply.answered_by.title, "origin": seen.origin}
        if seen.ok:
            if reply.failed:
                about["in_the_place_of"] = found.api.title
            answered = self._answered(session, seen, about)
            notes = (self._redactor.text(stand_in_words(reply, real)),) if reply.failed else ()
            return replace(answered, texts=(*answered.texts, *notes))
        about["error"] = str(seen.error)
        failed = [failure_words(*each) for each in reply.failed or ((found.api, seen),)]
        offers = await asyncio.to_thread(self._offers, reply)
        text = self._redactor.text("\n".join([*failed, *offers]))
        return ToolReply(texts=(text,), is_error=True, about=about)

    def _offers(self, reply: ServedReply) -> list[str]:
        """Calls that the agent may make itself, prepared as far as they can be."""
        named = [(each, self._catalogue.served(each.api.id)) for each in reply.offered]
        return [offer_words(each, served.name) for each, served in named if served is not None]

    def _answered(
        self, session: "ServingSession", seen: Observation, about: Mapping[str, Any]
    ) -> ToolReply:
        page = session.results.first_page(seen.value)
        is_made_up = seen.origin in (SIMULATED, VIRTUAL)
        if is_made_up and not self._profile.allows_made_up:
            said = "The reply was invented, and invented replies are not served here."
            return ToolReply(texts=(said,), is_error=True, about=about)
        text = f"[made up] {page.text}" if is_made_up else page.text
        return ToolReply(
            texts=(text, page.note) if page.note else (text,),
            about={**about, "made_up": True} if is_made_up else about,
        )

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

    def _largest_toolkits(self) -> str:
        return ", ".join(one_line(t.name, 40) for t in self._catalogue.toolkits()[:_NAMED_TOOLKITS])

    def _search_tools(self) -> list[ListedTool]:
        kits = self._catalogue.toolkits()
        apis = sum(each.size for each in kits)
        many = f"{counted(apis, 'API')} in {counted(len(kits), 'toolkit')}"
        text = {"type": "string"}
        need = text | {"description": "What you want to find out or do, in a sentence."}
        name = text | {"description": "Name of a tool, as find_tools gives it."}
        limit = {"type": "integer", "minimum": 1, "maximum": MOST_HITS, "default": 8}
        values = {"type": "object", "description": "The arguments of that tool."}
        result = text | {"description": "Its name, as the note below a long result says."}
        fallback = text | {
            "enum": [str(each) for each in Fallback],
            "description": "If its service fails: auto = another tool that can be asked exactly"
            " the same is called, ask = others are only named.",
        }
        begin = {"type": "integer", "minimum": 0, "description": "The line to begin with."}
        risk = Risk.DESTRUCTIVE if self._profile.allows_changes else Risk.READ
        return [
            ListedTool(
                _tool(
                    "find_tools",
                    f"Find tools among {many}, such as: {self._largest_toolkits()}. Say one need"
                    " in a sentence; use it whenever something outside has to be looked up.",
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
            ListedTool(
                _tool(
                    "more",
                    "The next part of a long result.",
                    required={"result": result, "from": begin},
                ),
                Risk.READ,
            ),
        ]


def tokens_of(tools: Sequence[Tool]) -> int:
    """What a list of tools takes of a model's context, about."""
    written = (json.dumps(PORTABLE.write(tool), ensure_ascii=False) for tool in tools)
    return sum(map(len, written)) // _CHARACTERS_A_TOKEN


def failure_words(api: Api, seen: Observation) -> str:
    """Whose call failed, and what happened, for the agent."""
    return f"{api.title} failed: {one_line(seen.message, 600).rstrip('.')}."


def stand_in_words(reply: ServedReply, given: Mapping[str, Any]) -> str:
    """Who answered in whose place, why, and what was sent, for the agent."""
    first, seen = reply.failed[0]
    also = "".join(f" {api.title} failed, too." for api, _ in reply.failed[1:])
    sent = ", ".join(f"{k}={_shown(v)}" for k, v in (reply.seen.arguments or {}).items())
    why = one_line(seen.message, 160).rstrip(".")
    return (
        f"Answered by {reply.answered_by.title}, in the place of {first.title}, which failed:"
        f" {why}.{also}\nSent: {sent or 'nothing'} (you gave {', '.join(given) or 'nothing'})."
    )


def offer_words(offered: OfferedApi, name: str) -> str:
    """A call that was not made: what is known of its arguments, and what is not."""
    carried = offered.carried
    values = {**carried.arguments, **dict.fromkeys(carried.missing, "?")}
    said = f"{offered.api.title} may do it, and was not called:"
    call = f"call_tool(name={_shown(name)}, arguments={_shown(values)})."
    lost = ", ".join(f"{k}={_shown(v)}" for k, v in carried.lost.items())
    missing = f" To be filled in: {', '.join(carried.missing)}." if carried.missing else ""
    return f"{said} {call}{missing}{f' Has no sure place in it: {lost}.' if lost else ''}"


def _shown(value: Any) -> str:
    return one_line(json.dumps(value, ensure_ascii=False, default=str), 400)


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


def _hit_line(found: ServedApi) -> str:
    api = found.api
    schema = portable_schema(api.parameters).schema
    required = set(schema.get("required", ()))
    arguments = ", ".join(
        f"{name}{'*' if name in required else ''}: {part.get('type', 'any')}"
        for name, part in schema["properties"].items()
    )
    text = one_line(api.description or api.tool_description or api.title, 120)
    changes = "" if api.risk is Risk.READ else " May change something."
    return f"{found.name} ({one_line(arguments, 240)}): {text}{changes}"


def _text(arguments: Mapping[str, Any], name: str) -> str:
    value = arguments.get(name)
    if not isinstance(value, str) or not value.strip():
        raise BadInput(f'"{name}" is missing', todo="Give it as a text")
    return value.strip()


def _call_of(arguments: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """Name and arguments, also where a model slipped: arguments as a JSON text, or the name among
    them."""
    given: Any = arguments.get("arguments", {})
    if isinstance(given, str):
        try:
            given = json.loads(given) if given.strip() else {}
        except ValueError:
            given = None
    if not isinstance(given, Mapping):
        raise BadInput('"arguments" is no object', todo="Give the tool's arguments as an object")
    values = dict(cast("Mapping[str, Any]", given))
    if "name" not in arguments and set(values) == {"name", "arguments"}:
        return _call_of(values)
    return _text(arguments, "name"), values


def _fallback_of(arguments: Mapping[str, Any]) -> Fallback:
    try:
        return Fallback(arguments.get("fallback") or Fallback.AUTO)
    except ValueError:
        raise BadInput(f'"fallback" is one of: {", ".join(Fallback)}') from None


def _more(session: "ServingSession", arguments: Mapping[str, Any]) -> ToolReply:
    begin = arguments.get("from", 0)
    if isinstance(begin, bool) or not isinstance(begin, int):
        raise NotFound('"from" is the number of a line')
    page = session.results.page(_text(arguments, "result"), begin)
    return ToolReply(texts=(page.text, page.note))
