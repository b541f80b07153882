"""The tools that an agent sees: either each API as one, or a few that find, describe and call all.

Names that are given are looked up in what is served, and nowhere else: an API that is excluded,
waits, or may change something where only reading is served has no name that would call it.

Source: design/gateway.md section 3.
"""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from toolplanner_core.domain.api import Api, Risk
from toolplanner_core.domain.observation import SIMULATED, VIRTUAL, Observation
from toolplanner_core.errors import BadInput, NotFound, UserError
from toolplanner_core.runs.log.redaction import Redactor
from toolplanner_core.serving.catalogue import ServedCatalogue
from toolplanner_core.serving.profile import ServingProfile
from toolplanner_core.serving.reply_words import (
    failure_words,
    hit_words,
    offer_words,
    stand_in_words,
    ticket_words,
)
from toolplanner_core.serving.tool_arguments import call_of, fallback_of, text_of
from toolplanner_core.serving.tool_list import MOST_HITS, PORTABLE, ToolList
from toolplanner_core.strategies.served import Fallback, ServedReply
from toolplanner_core.tool_schemas.dialect import tool_of

if TYPE_CHECKING:
    from toolplanner_core.serving.held_calls import HeldCall, Leave
    from toolplanner_core.serving.pending_calls import PendingCall
    from toolplanner_core.serving.session import ServingSession

WINDOW_S = 45.0
"""How long an agent waits for somebody at the window: its client gives up after a minute."""
TICKET_S = 2.0
"""How long an agent that asks for a reply waits for the person, at most."""


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
        self, session: "ServingSession", name: str, arguments: Mapping[str, Any]
    ) -> "ToolReply | HeldCall":
        """Do what a tool does, or say which call waits for a person. What goes wrong is a reply
        that says what to do."""
        try:
            match name:
                case "find_tools":
                    return await self._find(session, arguments)
                case "describe_tool":
                    return await asyncio.to_thread(self._describe, text_of(arguments, "name"))
                case "call_tool":
                    return await self._call(
                        session, *call_of(arguments), fallback=fallback_of(arguments)
                    )
                case "more":
                    return await self._more(session, arguments)
                case _:
                    return await self._call(session, name, arguments)
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
            names = await asyncio.to_thread(self.list.largest_toolkits)
            there = f" The largest toolkits: {names}." if names else ""
            return ToolReply(texts=(f"Nothing here does that.{there}",))
        lines = [hit_words(each, self.catalogue.schema_of(each.api)) for each in found]
        note = "* = required. Call one with call_tool; describe_tool tells more of it."
        return ToolReply(texts=("\n".join([*lines, note]),))

    def _describe(self, name: str) -> ToolReply:
        found = self.catalogue.named(name)
        tool = PORTABLE.write(tool_of(found.api, found.name))
        risk = "It only reads." if found.api.risk is Risk.READ else "It may change something."
        return ToolReply(texts=(json.dumps(tool, ensure_ascii=False, indent=1), risk))

    async def _call(
        self,
        session: "ServingSession",
        name: str,
        arguments: Mapping[str, Any],
        fallback: Fallback = Fallback.AUTO,
    ) -> "ToolReply | HeldCall":
        # Some look-ups by key: a thread would take longer than they do.
        found = self.catalogue.named(name)
        pending = await session.begin(
            found,
            self.catalogue.schema_of(found.api).restore(arguments),
            is_served=lambda api: self.catalogue.served(api) is not None,
            fallback=fallback,
        )
        try:
            return await self._outcome(session, pending)
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
        self, session: "ServingSession", pending: "PendingCall"
    ) -> "ToolReply | HeldCall":
        reply = await pending.outcome()
        if not isinstance(reply, ServedReply):
            return reply
        request = pending.request
        return await self._replied(session, request.api, request.arguments, reply)

    async def _more(
        self, session: "ServingSession", arguments: Mapping[str, Any]
    ) -> "ToolReply | HeldCall":
        """The next lines of a result, or what came of a call that waited."""
        if "ticket" not in arguments:
            return _next_page(session, arguments)
        name = text_of(arguments, "ticket")
        pending = session.of_ticket(name)
        held = pending.held
        if held is not None:
            await pending.wait_for_decision(TICKET_S)
            if pending.held is held:
                return ToolReply(texts=(ticket_words(name),), about={"ticket": name})
        try:
            return await self._outcome(session, pending)
        finally:
            session.close_ticket(name)

    async def _replied(
        self,
        session: "ServingSession",
        api: Api,
        given: Mapping[str, Any],
        reply: ServedReply,
    ) -> ToolReply:
        seen = reply.seen
        about: dict[str, Any] = {"api": reply.answered_by.title, "origin": seen.origin}
        if seen.ok:
            if reply.failed:
                about["in_the_place_of"] = api.title
            answered = self._answered(session, seen, about)
            notes = (self._redactor.text(stand_in_words(reply, given)),) if reply.failed else ()
            return replace(answered, texts=(*answered.texts, *notes))
        about["error"] = str(seen.error)
        failed = [failure_words(*each) for each in reply.failed or ((api, seen),)]
        offers = await asyncio.to_thread(self._offers, reply)
        text = self._redactor.text("\n".join([*failed, *offers]))
        return ToolReply(texts=(text,), is_error=True, about=about)

    def _offers(self, reply: ServedReply) -> list[str]:
        """Calls that the agent may make itself, prepared as far as they can be."""
        named = [(each, self.catalogue.served(each.api.id)) for each in reply.offered]
        return [offer_words(each, served.name) for each, served in named if served is not None]

    def _answered(
        self, session: "ServingSession", seen: Observation, about: Mapping[str, Any]
    ) -> ToolReply:
        page = session.results.first_page(self._redactor.value(seen.value))
        is_made_up = seen.origin in (SIMULATED, VIRTUAL)
        if is_made_up and not self._profile.allows_made_up:
            said = "The reply was invented, and invented replies are not served here."
            return ToolReply(texts=(said,), is_error=True, about=about)
        text = f"[made up] {page.text}" if is_made_up else page.text
        return ToolReply(
            texts=(text, page.note) if page.note else (text,),
            about={**about, "made_up": True} if is_made_up else about,
        )


def _next_page(session: "ServingSession", arguments: Mapping[str, Any]) -> ToolReply:
    begin = arguments.get("from", 0)
    if isinstance(begin, bool) or not isinstance(begin, int):
        raise NotFound('"from" is the number of a line')
    page = session.results.page(text_of(arguments, "result"), begin)
    return ToolReply(texts=(page.text, page.note))
