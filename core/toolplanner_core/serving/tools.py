"""The tools that an agent sees: either each API as one, or a few that find, describe and call all.

Names that are given are looked up in what is served, and nowhere else: an API that is excluded,
waits, or may change something where only reading is served has no name that would call it.

Source: design/gateway.md section 3.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from toolplanner_core.domain.ids import ApiId, ToolkitId
from toolplanner_core.domain.observation import SIMULATED, VIRTUAL, Observation
from toolplanner_core.domain.toolkit import Toolkit
from toolplanner_core.errors import BadInput, NotFound, UserError
from toolplanner_core.runs.log.redaction import Redactor
from toolplanner_core.serving.call_wait import LONGEST_S, CallWait
from toolplanner_core.serving.catalogue import ServedApi, ServedCatalogue
from toolplanner_core.serving.pictures import ShownPicture, shown_pictures
from toolplanner_core.serving.profile import ServingMode, ServingProfile
from toolplanner_core.serving.reply_words import (
    description_words,
    failure_words,
    filled_words,
    going_on_words,
    hit_words,
    more_offers_words,
    offer_words,
    stand_in_words,
    ticket_words,
)
from toolplanner_core.serving.tool_arguments import call_of, fallback_of, text_of
from toolplanner_core.serving.tool_list import MOST_HITS, PORTABLE, ToolList, harmless_names
from toolplanner_core.serving.toolkit_tools import (
    MOST_CHOICES,
    choice_words,
    toolkit_of_tool_name,
    toolkit_request,
)
from toolplanner_core.strategies.served import Fallback, ServedCall, ServedReply
from toolplanner_core.tool_schemas.dialect import tool_of
from toolplanner_core.workspace.call_statistics import CallFigures

if TYPE_CHECKING:
    from toolplanner_core.serving.held_calls import HeldCall, Leave
    from toolplanner_core.serving.pending_calls import PendingCall
    from toolplanner_core.serving.session import ServingSession

_MOST_REGIONS = 3
"""Named where nothing was found."""
WINDOW_S = 45.0
"""How long an agent waits for somebody at the window: its client gives up after a minute."""
_MOST_OFFERS = 3
"""Calls that are prepared where a service failed."""
TICKET_S = 2.0
"""How long an agent that asks for a reply waits for the person, at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolReply:
    """What an agent reads of a call.

    Attributes:
        texts: one or more blocks; what we say is a block of its own, apart from data.
        pictures: those of the reply that are passed on.
        about: the same for machines.
    """

    texts: tuple[str, ...]
    pictures: tuple[ShownPicture, ...] = ()
    is_error: bool = False
    about: Mapping[str, Any] = field(default_factory=dict[str, Any])


class ServedTools:
    """The tools of a profile; one for all of its clients.

    Attributes:
        catalogue: the APIs behind them; list: what clients are told of them.
    """

    def __init__(self, catalogue: ServedCatalogue, profile: ServingProfile) -> None:
        self.catalogue, self._profile = catalogue, profile
        self.list = ToolList(catalogue, profile)
        # Replies and arguments are as they came and were sent; only the log has no secrets.
        self._redactor = Redactor()

    @property
    def may_ask(self) -> bool:
        """Whether calls are served that a person may be asked about while they go on."""
        return self._profile.allows_changes

    async def call(
        self,
        session: "ServingSession",
        name: str,
        arguments: Mapping[str, Any],
        wait: CallWait | None = None,
    ) -> "ToolReply | HeldCall":
        """Do what a tool does, or say which call waits for a person. What goes wrong is a reply
        that says what to do.

        Args:
            wait: is told of the call that goes on.
        """
        wait = wait or CallWait()
        try:
            match name:
                case "find_tools":
                    return await self._find(session, arguments)
                case "describe_tool":
                    figures = await self.catalogue.health.figures()
                    described = text_of(arguments, "name")
                    return await asyncio.to_thread(self._describe, described, figures)
                case "call_tool":
                    return await self._call(
                        session, *call_of(arguments), wait=wait, fallback=fallback_of(arguments)
                    )
                case "more":
                    return await self._more(session, arguments, wait)
                case _ if (toolkit := self._toolkit(name)) is not None:
                    return await self._ask_toolkit(session, toolkit, arguments, wait)
                case _:
                    return await self._call(session, name, arguments, wait=wait)
        except UserError as error:
            return self._refused(error)

    def _refused(self, error: UserError) -> ToolReply:
        """What is wrong; the words may be those that the agent gave, with a secret in them."""
        return ToolReply(texts=(self._redactor.text(error.sentence),), is_error=True)

    async def _find(self, session: "ServingSession", arguments: Mapping[str, Any]) -> ToolReply:
        need = text_of(arguments, "need")
        limit = arguments.get("limit", 8)
        if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= MOST_HITS:
            raise BadInput(f'"limit" is a number from 1 to {MOST_HITS}')
        found = await self.catalogue.search(need, limit)
        session.looked_up(need, found)
        if not found:
            return ToolReply(texts=(await self._nothing_found(need),))
        kits = {each.toolkit for each in found}
        members = await asyncio.to_thread(self.catalogue.members_served, kits)
        figures = await self.catalogue.health.figures()
        lines = [
            hit_words(
                each,
                self.catalogue.schema_of(each.api),
                figures=figures.get(each.api.id),
                others=max(0, len(members.get(each.toolkit, ())) - 1),
            )
            for each in found
        ]
        note = "* = required. Call one with call_tool; describe_tool tells more of it."
        return ToolReply(texts=("\n".join([*lines, note]),))

    async def _nothing_found(self, need: str) -> str:
        """That nothing fits, and where to look."""
        said = "Nothing here does that."
        near = await self.catalogue.nearest_regions(need, _MOST_REGIONS)
        if regions := ", ".join(harmless_names(near)):
            return f"{said} The nearest regions: {regions}."
        names = await asyncio.to_thread(self.list.largest_toolkits)
        return f"{said} The largest toolkits: {names}." if names else said

    def _describe(self, name: str, figures: Mapping[ApiId, CallFigures]) -> ToolReply:
        found = self.catalogue.named(name)
        tool = PORTABLE.write(tool_of(found.api, found.name))
        others = [each.name for each in self.catalogue.stand_ins(found)]
        about = description_words(found, figures.get(found.api.id), others)
        return ToolReply(texts=(json.dumps(tool, ensure_ascii=False, indent=1), about))

    def _toolkit(self, name: str) -> ToolkitId | None:
        """The toolkit whose tool this is, where toolkits are listed."""
        is_listed = self.list.mode().mode is ServingMode.TOOLKITS
        return toolkit_of_tool_name(name) if is_listed else None

    async def _ask_toolkit(
        self,
        session: "ServingSession",
        toolkit: ToolkitId,
        arguments: Mapping[str, Any],
        wait: CallWait,
    ) -> "ToolReply | HeldCall":
        """Call an API of a toolkit, or show the best for a need."""
        asked, kit = toolkit_request(arguments), self.catalogue.toolkit(toolkit)
        if asked.api:
            found = [self.catalogue.named(asked.api)]
        else:
            found = await self.catalogue.members(kit, asked.need)
        if not found:
            raise NotFound(f"Nothing of {kit.name} is served", todo="Choose another tool")
        first = found[0]
        is_named = bool(asked.api) or (len(found) == 1 and asked.arguments is not None)
        if is_named and (asked.arguments is not None or not first.api.parameters.get("required")):
            return await self._call(session, first.name, asked.arguments or {}, wait=wait)
        best = found[:MOST_CHOICES]
        if self._profile.model and not is_named and asked.arguments is None:
            return await self._begin(session, first, {}, wait, need=asked.need, others=best[1:])
        if asked.need:
            session.looked_up(asked.need, best)
        return await asyncio.to_thread(self._choices, kit, best)

    def _choices(self, toolkit: Toolkit, best: Sequence[ServedApi]) -> ToolReply:
        tools = [PORTABLE.write(tool_of(each.api, each.name)) for each in best]
        text = "\n".join(json.dumps(tool, ensure_ascii=False) for tool in tools)
        return ToolReply(texts=(text, choice_words(toolkit, [each.name for each in best])))

    async def _call(
        self,
        session: "ServingSession",
        name: str,
        arguments: Mapping[str, Any],
        *,
        wait: CallWait,
        fallback: Fallback = Fallback.AUTO,
    ) -> "ToolReply | HeldCall":
        # Some look-ups by key: a thread would take longer than they do.
        found = self.catalogue.named(name)
        values = self.catalogue.schema_of(found.api).restore(arguments)
        return await self._begin(session, found, values, wait, fallback=fallback)

    async def _begin(
        self,
        session: "ServingSession",
        found: ServedApi,
        arguments: Mapping[str, Any],
        wait: CallWait,
        *,
        fallback: Fallback = Fallback.AUTO,
        need: str = "",
        others: Sequence[ServedApi] = (),
    ) -> "ToolReply | HeldCall":
        pending = await session.begin(
            found,
            arguments,
            is_served=lambda api: self.catalogue.served(api) is not None,
            fallback=fallback,
            need=need,
            others=others,
        )
        wait.call = pending
        try:
            return await self._outcome(session, pending, wait)
        except asyncio.CancelledError:
            pending.give_up()
            raise

    async def answered(
        self, session: "ServingSession", held: str, leave: "Leave | None"
    ) -> "ToolReply | HeldCall":
        """The same by the id of the call; without an answer it still waits."""
        try:
            waits = session.waiting(held).held
        except UserError:
            return await self._told_elsewhere(session, held)
        assert waits is not None
        return waits if leave is None else await self.decided(session, waits, leave)

    async def decided(
        self, session: "ServingSession", held: "HeldCall", leave: "Leave"
    ) -> "ToolReply | HeldCall":
        """What comes of a call that waited, after a person has decided about it."""
        try:
            pending = session.waiting(held.id)
        except UserError:
            return await self._told_elsewhere(session, held.id)
        try:
            pending.decide(held, leave)
            return await self._outcome(session, pending)
        except UserError as error:
            return self._refused(error)

    async def _told_elsewhere(self, session: "ServingSession", held: str) -> "ToolReply | HeldCall":
        """What came of a call about which somebody has decided in the window."""
        try:
            return await self._outcome(session, session.decided_elsewhere(held))
        except UserError as error:
            return self._refused(error)

    async def by_ticket(
        self, session: "ServingSession", held: "HeldCall"
    ) -> "ToolReply | HeldCall":
        """What an agent reads whose call a person decides about in a terminal; where a window shows
        it, only when nobody has decided there for a while."""
        if session.watcher is not None:
            try:
                pending = session.waiting(held.id)
                await pending.wait_for_decision(WINDOW_S)
                if pending.held is not held:
                    return await self._outcome(session, pending)
            except UserError as error:
                return self._refused(error)
        try:
            ticket = await session.open_ticket(held)
        except UserError as error:
            session.give_up(held)
            said = f"This call needs the leave of a person: {error.sentence}"
            return ToolReply(texts=(said,), is_error=True)
        return ToolReply(texts=(ticket_words(ticket.id),), about={"ticket": ticket.id})

    async def _outcome(
        self, session: "ServingSession", pending: "PendingCall", wait: CallWait | None = None
    ) -> "ToolReply | HeldCall":
        longest_s = LONGEST_S if wait is None else wait.longest_s
        try:
            reply = await asyncio.wait_for(pending.outcome(), longest_s)
        except TimeoutError:
            name = session.open_number(pending)
            said = going_on_words(name, pending.words)
            return ToolReply(texts=(said,), about={"ticket": name})
        if not isinstance(reply, ServedReply):
            return reply
        return await self._replied(session, pending.request, reply)

    async def _more(
        self, session: "ServingSession", arguments: Mapping[str, Any], wait: CallWait
    ) -> "ToolReply | HeldCall":
        """The next lines of a result, or what came of a call that waited."""
        if "ticket" not in arguments:
            return _next_page(session, arguments)
        name = text_of(arguments, "ticket")
        pending = wait.call = session.of_ticket(name)
        held = pending.held
        if held is not None and held.id == name:
            await pending.wait_for_decision(TICKET_S)
            if pending.held is held:
                return ToolReply(texts=(ticket_words(name),), about={"ticket": name})
        try:
            told = await self._outcome(session, pending, wait)
        except UserError:
            session.close_ticket(name)
            raise
        if not isinstance(told, ToolReply) or told.about.get("ticket") != name:
            session.close_ticket(name)
        return told

    async def _replied(
        self,
        session: "ServingSession",
        request: ServedCall,
        reply: ServedReply,
    ) -> ToolReply:
        seen, given = reply.seen, request.arguments
        asked, first = reply.failed[0] if reply.failed else (reply.answered_by, seen)
        if request.need:
            given = first.arguments or {}
        about: dict[str, Any] = {"api": reply.answered_by.title, "origin": seen.origin}
        if seen.ok:
            if reply.failed:
                about["in_the_place_of"] = asked.title
            answered = self._answered(session, seen, about)
            notes = [stand_in_words(reply, given)] if reply.failed else []
            if request.need and not reply.failed:
                notes = [filled_words(reply)]
            return replace(answered, texts=(*answered.texts, *map(self._redactor.text, notes)))
        about["error"] = str(seen.error)
        failed = [failure_words(*each) for each in reply.failed or ((asked, seen),)]
        offers = await asyncio.to_thread(self._offers, reply)
        text = self._redactor.text("\n".join([*failed, *offers]))
        return ToolReply(texts=(text,), is_error=True, about=about)

    def _offers(self, reply: ServedReply) -> list[str]:
        """Calls that the agent may make itself, prepared as far as they can be; then names."""
        named = [(each, self.catalogue.served(each.api.id)) for each in reply.offered]
        known = [(each, served.name) for each, served in named if served is not None]
        prepared = [offer_words(*each) for each in known[:_MOST_OFFERS]]
        return [*prepared, *more_offers_words([name for _, name in known[_MOST_OFFERS:]])]

    def _answered(
        self, session: "ServingSession", seen: Observation, about: Mapping[str, Any]
    ) -> ToolReply:
        page = session.results.first_page(self._redactor.value(seen.value))
        is_made_up = seen.origin in (SIMULATED, VIRTUAL)
        if is_made_up and not self._profile.allows_made_up:
            said = "The reply was invented, and invented replies are not served here."
            return ToolReply(texts=(said,), is_error=True, about=about)
        text = f"[made up] {page.text}" if is_made_up else page.text
        shown = shown_pictures(seen.pictures)
        notes = [note for note in (page.note, shown.note) if note]
        return ToolReply(
            texts=(text, *notes),
            pictures=shown.pictures,
            about={**about, "made_up": True} if is_made_up else about,
        )


def _next_page(session: "ServingSession", arguments: Mapping[str, Any]) -> ToolReply:
    begin = arguments.get("from", 0)
    if isinstance(begin, bool) or not isinstance(begin, int):
        raise NotFound('"from" is the number of a line')
    page = session.results.page(text_of(arguments, "result"), begin)
    return ToolReply(texts=(page.text, page.note))
