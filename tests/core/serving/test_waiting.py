"""Calls that take long: words of progress, a ticket after a while; and pictures of replies."""

import asyncio
import threading
from typing import Any

import pytest
from fixtures.client_here import talk_here
from fixtures.gateway_client import ERAS, texts_of
from fixtures.hostile_pictures import GOOD, based
from fixtures.notes_server import Notes, answered
from fixtures.rough_site import WebAnswer

from toolplanner_core.runs.log.stored_runs import list_runs
from toolplanner_core.serving.faces.protocol import SECONDS
from toolplanner_core.serving.pictures import LARGEST_BYTES, MOST_SHOWN, shown_pictures
from toolplanner_core.workspace import Workspace

LIST = "Notes_listNotes"
GOES_ON = "calls Notes · listNotes"


async def told_of_second_call(client: Any) -> Any:
    """What its ticket says when it is at the service: before that it has only begun."""
    while True:
        reply = await client.call_tool("more", {"ticket": "call-1"}, meta={SECONDS: 0.01})
        if reply.is_error or GOES_ON in texts_of(reply)[0]:
            return reply


@pytest.mark.parametrize("era", ERAS)
def test_call_when_it_takes_long_then_progress_is_told_and_its_reply_is_fetched_with_a_ticket(
    notes: Notes, era: str
) -> None:
    goes_on, told = threading.Event(), asyncio.Event()
    words: list[str] = []

    def slow(handler: Any) -> None:
        goes_on.wait(60)
        answered(handler)

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        words.append(str(message))
        if words[-1] == GOES_ON:
            told.set()

    async def talk(client: Any) -> tuple[Any, Any, Any]:
        waiting = asyncio.ensure_future(client.call_tool(LIST, {}, progress_callback=hear))
        await told.wait()
        hurried = await client.call_tool(LIST, {}, meta={SECONDS: 0.01})
        still = await told_of_second_call(client)
        goes_on.set()
        return await waiting, (hurried, still), await client.call_tool("more", {"ticket": "call-1"})

    notes.site.on("/notes", slow)
    first, (hurried, still), fetched = talk_here(notes.file, talk, era=era, beat_s=0.01)
    assert not first.is_error
    assert words[-1] == GOES_ON
    for waits in (hurried, still):
        assert not waits.is_error
        assert 'more(ticket="call-1")' in texts_of(waits)[0]
    assert texts_of(fetched) == texts_of(first) == ["[]"]
    with Workspace.open(notes.file) as workspace:
        [summary] = list_runs(workspace)
        assert (summary.api_calls, summary.failed_calls) == (2, 0)


def test_ticket_when_its_reply_was_told_or_there_is_none_then_says_so(notes: Notes) -> None:
    async def talk(client: Any) -> Any:
        return await client.call_tool("more", {"ticket": "call-7"})

    reply = talk_here(notes.file, talk)
    assert reply.is_error
    assert "no such ticket" in texts_of(reply)[0]


def test_picture_when_a_reply_is_one_then_it_is_an_image_block_and_no_text(notes: Notes) -> None:
    def draw(handler: Any) -> None:
        handler.send(WebAnswer(GOOD, headers={"Content-Type": "image/png"}))

    async def talk(client: Any) -> Any:
        return await client.call_tool(LIST, {})

    notes.site.on("/notes", draw)
    reply = talk_here(notes.file, talk)
    [picture] = [block for block in reply.content if block.type == "image"]
    assert (picture.mime_type, picture.data) == ("image/png", based(GOOD))
    assert all(
        based(GOOD)[:40] not in block.text for block in reply.content if block is not picture
    )


def test_pictures_when_large_or_many_then_named_with_their_size() -> None:
    def kept(size: int, data: str = "AAAA") -> dict[str, Any]:
        return {"type": "image/png", "name": "", "size": size, "data": data}

    many = [kept(3), kept(LARGEST_BYTES + 1), kept(9, ""), *[kept(3)] * MOST_SHOWN]
    shown = shown_pictures(many)
    assert len(shown.pictures) == MOST_SHOWN
    assert shown.note.startswith("3 pictures not passed on: image/png of 1,048,577 bytes")
    assert shown_pictures([]).note == ""
