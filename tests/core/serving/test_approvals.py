"""No write without a yes: by the form of a client, or by a ticket in a terminal; for one exact
call, once, and not for long. A real server counts what is sent; the clients are the SDK's."""

import asyncio
import contextlib
import json
import os
import subprocess
import sys
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from fixtures.command_line import command_here
from fixtures.gateway_client import ERAS, RunningGateway, gateway_over_http, over_stdio, texts_of
from fixtures.jumping_time import JumpingTime
from fixtures.notes_server import Notes
from fixtures.rough_site import HttpSite

from toolplanner_core.errors import BadInput
from toolplanner_core.runs.catalogue.workspace_catalogue import WorkspaceCatalogue
from toolplanner_core.runs.log.stored_runs import list_runs, load_tree
from toolplanner_core.serving.catalogue import ServedCatalogue
from toolplanner_core.serving.guard import gateway_token
from toolplanner_core.serving.held_calls import LEAVE_S, Leave
from toolplanner_core.serving.profile import ServingMode, ServingProfile
from toolplanner_core.serving.session import ServingSession
from toolplanner_core.serving.tickets import tickets_folder, waiting_tickets
from toolplanner_core.serving.tools import ServedTools, ToolReply
from toolplanner_core.workspace import Workspace

WRITING = ("--mode", "flat", "--allow", "write")
SAVE, NOTE = "Notes_createNote", {"text": "buy milk"}


def written(site: HttpSite) -> int:
    """How many notes were sent."""
    return sum(each.method == "POST" for each in site.asked)


class Person:
    """Answers the form of a client."""

    def __init__(self, *said: tuple[str, dict[str, Any] | None]) -> None:
        self._said = list(said)
        self.asked: list[str] = []

    async def __call__(self, _: Any, params: Any) -> Any:
        from mcp_types import ElicitResult

        self.asked.append(params.message)
        action, content = self._said.pop(0)
        return ElicitResult(action=action, content=content)  # type: ignore[arg-type]


YES: tuple[str, dict[str, Any]] = ("accept", {"allow": True})


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("way", ["stdio", "http"])
def test_write_when_a_person_allows_it_in_the_form_then_exactly_it_is_sent_once(
    notes: Notes, era: str, way: str
) -> None:
    file, site = notes
    person = Person(YES, YES)
    options = {"era": era, "elicitation_callback": person}

    async def talk(client: Any) -> list[Any]:
        return [await client.call_tool(SAVE, {"text": text}) for text in ("buy milk", "sell it")]

    async def by_http(gateway: RunningGateway) -> list[Any]:
        async with gateway.client(gateway_token(), **options) as client:
            return await talk(client)

    if way == "http":
        with gateway_over_http(file, *WRITING) as gateway:
            saved = asyncio.run(by_http(gateway))
    else:
        saved = over_stdio(file, talk, *WRITING, **options)
    assert [each.is_error for each in saved] == [False, False], texts_of(saved[0])
    assert written(site) == 2
    assert len(person.asked) == 2, "a yes is for one call"
    assert f"POST {site.origin}/notes" in person.asked[0]
    assert '{"text": "buy milk"}' in person.asked[0]
    with Workspace.open(file) as workspace:
        [summary] = list_runs(workspace)
        tree = load_tree(workspace, summary.run)
    assert sum(node.kind == "call" and node.state == "ok" for node in tree.nodes.values()) == 2


NO_YES: list[tuple[str, dict[str, Any] | None]] = [
    ("decline", None), ("cancel", None), ("accept", None), ("accept", {}),
    ("accept", {"allow": False}), ("accept", {"allow": "true"}), ("accept", {"allow": 1}),
    ("accept", {"Allow": True}), ("decline", {"allow": True}), ("cancel", {"allow": True}),
]  # fmt: skip


@pytest.mark.parametrize("era", ERAS)
def test_write_when_the_form_comes_back_without_a_yes_then_nothing_is_sent(
    notes: Notes, era: str
) -> None:
    file, site = notes
    person = Person(*NO_YES)

    async def talk(client: Any) -> list[Any]:
        return [await client.call_tool(SAVE, {"text": str(said)}) for said in NO_YES]

    refused = over_stdio(file, talk, *WRITING, era=era, elicitation_callback=person)
    assert len(person.asked) == len(NO_YES)
    assert [each.is_error for each in refused] == [True] * len(NO_YES), refused
    assert written(site) == 0


def decided_in_terminal(ticket: str, answer: str) -> str:
    """What `approvals decide` prints at a real terminal."""
    import pty

    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "toolplanner_core.cli", "approvals", "decide", ticket]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        os.write(ours, f"{answer}\n".encode())
        printed = b""
        with contextlib.suppress(OSError):  # the end of a terminal
            while piece := os.read(ours, 4096):
                printed += piece
        os.close(ours)
    assert process.returncode == 0, printed
    return printed.decode()


async def told_by_ticket(client: Any, ticket: str) -> Any:
    """The reply of a call that waited, when it is there."""
    while "Nothing was done yet" in texts_of(reply := await client.call_tool("more", ticket))[0]:
        pass
    return reply


@pytest.mark.skipif(os.name != "posix", reason="other systems have no such terminals")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("answer", ["y", "n", ""])
def test_write_when_a_client_has_no_form_then_a_person_decides_by_ticket(
    notes: Notes, era: str, answer: str
) -> None:
    file, site = notes

    async def talk(client: Any) -> tuple[Any, Any, str, Any]:
        first = await client.call_tool(SAVE, NOTE)
        again = await client.call_tool(SAVE, NOTE)
        ticket = first.meta["toolplanner/served"]
        [waits] = await asyncio.to_thread(waiting_tickets)
        by_pipe = await asyncio.to_thread(command_here, "approvals", "decide", waits.id)
        assert by_pipe.status == 2
        assert "Only a person at a terminal" in by_pipe.err
        assert written(site) == 0
        shown = await asyncio.to_thread(decided_in_terminal, waits.id, answer)
        reply = await told_by_ticket(client, ticket)
        gone = await client.call_tool("more", ticket)
        assert gone.is_error, "a reply is told once"
        return first, again, shown, reply

    first, again, shown, reply = over_stdio(file, talk, *WRITING, era=era)
    assert "Nothing was done yet" in texts_of(first)[0]
    assert texts_of(first) == texts_of(again), "the same call waits once"
    assert f"POST {site.origin}/notes" in shown
    assert '{"text": "buy milk"}' in shown
    assert written(site) == (answer == "y")
    assert reply.is_error is (answer != "y")
    assert waiting_tickets() == []


def test_ticket_when_its_decision_is_about_another_call_then_it_counts_for_nothing(
    notes: Notes,
) -> None:
    """Forged, damaged, or left from another call."""
    file, site = notes

    async def talk(client: Any) -> Any:
        first = await client.call_tool(SAVE, NOTE)
        ticket = first.meta["toolplanner/served"]["ticket"]
        decided = tickets_folder() / f"{ticket}.decided"
        for forged in ({"digest": "0" * 64, "allows": True}, {"allows": True}, [True], "yes"):
            decided.write_text(json.dumps(forged))
            reply = await client.call_tool("more", {"ticket": ticket})
            assert "Nothing was done yet" in texts_of(reply)[0]
        [waits] = waiting_tickets()
        decided.write_text(json.dumps({"digest": waits.digest, "allows": "yes"}))
        return await client.call_tool("more", {"ticket": ticket})

    assert "Nothing was done yet" in texts_of(over_stdio(file, talk, *WRITING))[0]
    assert written(site) == 0
    assert waiting_tickets() == [], "nobody waits any more where the gateway has ended"


@pytest.mark.skipif(os.name != "posix", reason="other systems have no such modes")
def test_ticket_when_others_may_write_to_its_folder_then_the_call_is_refused(notes: Notes) -> None:
    file, site = notes
    tickets_folder().chmod(0o777)
    with pytest.raises(BadInput, match="Others may write"):
        waiting_tickets()

    async def talk(client: Any) -> Any:
        return await client.call_tool(SAVE, NOTE)

    refused = over_stdio(file, talk, *WRITING)
    assert refused.is_error
    assert "Others may write" in texts_of(refused)[0]
    assert written(site) == 0


def test_ticket_when_another_client_asks_for_it_then_it_gets_nothing(notes: Notes) -> None:
    from mcp_types import Implementation

    file, site = notes

    async def talk(gateway: RunningGateway) -> list[Any]:
        other = {"client_info": Implementation(name="other", version="1")}
        async with (
            gateway.client(gateway_token()) as mine,
            gateway.client(gateway_token(), **other) as others,
        ):
            saved: Any = await mine.call_tool(SAVE, NOTE)
            ticket = saved.meta["toolplanner/served"]
            names = [ticket["ticket"], "", "x", "../settings", "0" * 16]
            return [await others.call_tool("more", {"ticket": name}) for name in names]

    with gateway_over_http(file, *WRITING) as gateway:
        replies = asyncio.run(talk(gateway))
    assert all(each.is_error for each in replies)
    assert written(site) == 0


async def asked_by_hand(client: Any, text: str = "buy milk", **more: Any) -> Any:
    """A call whose question is not answered by the client itself; {} for a refusal."""
    from mcp.shared.exceptions import MCPError

    try:
        return await client.session.call_tool(
            SAVE, {"text": text}, allow_input_required=True, **more
        )
    except MCPError as error:
        return error


def test_state_when_it_is_forged_altered_or_used_before_then_nothing_is_sent(notes: Notes) -> None:
    """What a client of 2026 brings back with its yes: ten forms, and then the right one."""
    from mcp_types import ElicitResult, InputRequiredResult

    file, site = notes
    yes = {"leave": ElicitResult(action="accept", content={"allow": True})}

    async def talk(client: Any) -> list[int]:
        first = await asked_by_hand(client)
        assert isinstance(first, InputRequiredResult)
        state = str(first.request_state)
        [ticketless] = [waiting_tickets()]
        assert ticketless == []
        forged = [
            "", "v1.", "x" * 40, state[:-1], state + "A", state.swapcase(), state[::-1],
            f"v1.{state}", state.replace("v1.", "v2."),
        ]  # fmt: skip
        for each in forged:
            await asked_by_hand(client, request_state=each, input_responses=yes)
        await asked_by_hand(client, text="sell it", request_state=state, input_responses=yes)
        await asked_by_hand(client, request_state=state, input_responses={"other": yes["leave"]})
        before = written(site)
        done = await asked_by_hand(client, request_state=state, input_responses=yes)
        assert not done.is_error
        once = written(site)
        await asked_by_hand(client, request_state=state, input_responses=yes)
        return [before, once, written(site)]

    assert over_stdio(file, talk, *WRITING, elicitation_callback=Person()) == [0, 1, 1]


@contextlib.asynccontextmanager
async def serving(file: Path) -> AsyncGenerator[Any]:
    profile = ServingProfile(mode=ServingMode.FLAT, allows_changes=True)
    with Workspace.open(file) as workspace:
        search = WorkspaceCatalogue(workspace)
        tools = ServedTools(ServedCatalogue(workspace, profile, search), profile)
        session = ServingSession(workspace, profile, search, client="test")
        tools.list.listed()
        try:
            yield tools, session
        finally:
            await session.close()
            search.close()


def test_call_when_nobody_decides_in_time_then_it_is_given_up_and_can_be_asked_for_again(
    notes: Notes, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, site = notes
    time = JumpingTime(monkeypatch)

    async def go() -> list[Any]:
        async with serving(file) as (tools, session):
            held = await tools.call(session, SAVE, NOTE)
            assert not isinstance(held, ToolReply)
            ticket = await tools.by_ticket(session, held)
            time.jump(LEAVE_S + 1)
            told = await tools.call(session, "more", {"ticket": held.id})
            late = await tools.decided(session, held, Leave.ALLOW)
            return [ticket, told, late, await tools.call(session, SAVE, NOTE)]

    ticket, told, late, again = asyncio.run(go())
    assert "ticket" in ticket.about
    assert told.is_error
    assert "nobody allowed it in time" in told.texts[0]
    assert late.is_error
    assert not isinstance(again, ToolReply), "it waits anew"
    assert written(site) == 0
    assert waiting_tickets() == []


def test_ticket_when_its_id_is_drawn_then_it_never_looks_like_an_option(
    notes: Notes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With these bytes a text for addresses would begin with "-"."""
    file, _ = notes

    async def go() -> str:
        async with serving(file) as (tools, session):
            held = await tools.call(session, SAVE, NOTE)
            assert not isinstance(held, ToolReply)
            return held.id

    monkeypatch.setattr("secrets.token_bytes", lambda n: b"\xfb" * n)
    assert asyncio.run(go()).isalnum()


def test_gateway_when_it_ends_while_calls_wait_then_it_ends_and_nothing_was_sent(
    notes: Notes,
) -> None:
    file, site = notes

    async def go() -> Any:
        async with serving(file) as (tools, session):
            held = await tools.call(session, SAVE, NOTE)
            await tools.by_ticket(session, held)
            assert len(waiting_tickets()) == 1
            return await session.close()

    assert asyncio.run(go()).status == "served"
    assert written(site) == 0
    assert waiting_tickets() == []


def test_write_when_a_run_is_replayed_then_its_reply_is_read_and_nothing_is_sent(
    notes: Notes,
) -> None:
    """Nobody is asked for leave where nothing can happen; what the run never wrote is missing."""
    file, site = notes

    async def talk(client: Any) -> list[list[str]]:
        return [texts_of(await client.call_tool(SAVE, {"text": t})) for t in ("buy milk", "new")]

    person = Person(YES, ("decline", None))
    first = over_stdio(file, talk, *WRITING, elicitation_callback=person)
    assert written(site) == 1
    again = over_stdio(file, talk, "--mode", "flat", "--replay", "1")
    assert again[0] == first[0]
    assert "refused" in again[1][0]
    assert written(site) == 1
