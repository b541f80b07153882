"""A change that was refused is not done, whatever else could be called in its place."""

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from fixtures.command_line import Outcome, command_here, toolplanner
from fixtures.gateway_client import over_stdio, texts_of
from fixtures.notes_server import Notes, notes_workspace
from fixtures.rough_site import WebAnswer

pytestmark = pytest.mark.slow
SAVE = "Save a note with the text buy milk"


@pytest.fixture(scope="module")
def made_notes(tmp_path_factory: pytest.TempPathFactory) -> Generator[Notes]:
    """A workspace over a real server of notes."""
    with notes_workspace(tmp_path_factory.mktemp("notes")) as made:
        yield made


@pytest.fixture
def notes(made_notes: Notes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Notes:
    """A copy of it."""
    return made_notes.copied_to(tmp_path, monkeypatch)


def ended(file: Path, run: int) -> dict[str, Any]:
    return command_here("runs", "show", file, run, "--json").data


@pytest.mark.parametrize(
    "refused", ["k", ""], ids=["a person refuses it", "nobody is there to allow it"]
)
def test_write_when_refused_then_no_read_takes_over_and_nothing_is_solved(
    notes: Notes, refused: str
) -> None:
    file, site = notes
    ran: Outcome = (
        toolplanner("run", file, SAVE, "--break", "risk=write", said=f"c\n{refused}\n")
        if refused
        else command_here("run", file, SAVE)
    )
    assert [each.method for each in site.asked] == [], ran.out + ran.err
    assert ran.status == 1, ran.out + ran.err
    assert ended(file, 1)["status"] == "unsolved"
    assert "refused" in ran.out or "nobody is there" in ran.out


def test_write_when_it_fails_then_no_read_stands_in_for_it(notes: Notes) -> None:
    file, site = notes
    site.on("/notes", lambda handler: handler.send(_broken_for(handler.command)))
    found = command_here("apis", "list", file, "--json").data
    write = next(api["id"] for api in found if api["name"] == "createNote")
    assert command_here("approvals", "add", file, "allow", write).status == 0
    ran = command_here("run", file, SAVE)
    assert "POST" in [each.method for each in site.asked], ran.out + ran.err
    assert ran.status == 1, ran.out + ran.err
    assert ended(file, 1)["status"] == "unsolved"


def _broken_for(method: str) -> WebAnswer:
    """Notes are read, and cannot be written."""
    if method == "POST":
        return WebAnswer({"error": "the disk is full"}, status=500)
    return WebAnswer([{"id": 7, "text": "buy milk"}])


def test_list_when_it_is_empty_then_the_answer_is_none(notes: Notes) -> None:
    file, site = notes
    ran = command_here("run", file, "List all the notes that were saved")
    assert [each.method for each in site.asked] == ["GET"], ran.out + ran.err
    assert ran.status == 0, ran.out + ran.err
    assert "none" in ran.out.lower()
    assert ended(file, 1)["status"] == "solved"


@pytest.mark.parametrize("flags", [(), ("--allow", "write")], ids=["read only", "writes listed"])
def test_write_when_an_agent_asks_for_it_and_nobody_is_there_then_nothing_is_sent(
    notes: Notes, flags: tuple[str, ...]
) -> None:
    file, site = notes

    async def talk(client: Any) -> tuple[list[str], Any, Any]:
        names = [tool.name for tool in (await client.list_tools()).tools]
        save, read = "Notes_createNote", next(name for name in names if "list" in name.lower())
        return names, await client.call_tool(save, {"text": "x"}), await client.call_tool(read, {})

    names, saved, read = over_stdio(file, talk, "--mode", "flat", *flags)
    assert ("Notes_createNote" in names) is bool(flags), names
    assert saved.is_error is not bool(flags), "with flags it waits"
    assert ("leave" in texts_of(saved)[0] or "allow" in texts_of(saved)[0]) is bool(flags), (
        texts_of(saved)
    )
    assert not read.is_error, texts_of(read)
    assert [each.method for each in site.asked] == ["GET"]
