"""30 secrets, in what agents give and in what services reply: no agent reads one, and none stays in
the workspace, its logs, or the calls that wait for a person."""

import asyncio
import json
import logging
import zlib
from collections.abc import Generator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from fixtures.canaries import CANARIES, KNOWN, NAMED, every_form, name_of, spoken
from fixtures.command_line import command_here
from fixtures.gateway_here import serving
from fixtures.rough_site import HttpSite, WebAnswer

from toolplanner_core.curation.edits.history import do
from toolplanner_core.curation.edits.move import NewToolkit
from toolplanner_core.curation.sharing.exports.tools import names_of
from toolplanner_core.providers.routes import set_route
from toolplanner_core.serving.profile import ServingMode, ServingProfile
from toolplanner_core.sources.importing import import_source
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import apis_by_rowid

PROFILE = ServingProfile(mode=ServingMode.SEARCH)


def operation(name: str) -> dict[str, Any]:
    query = {"name": "q", "in": "query", "required": True, "schema": {"type": "string"}}
    done = {"200": {"description": "Done"}}
    said = f"Echo of a text: {name}."
    return {"get": {"operationId": name, "summary": said, "parameters": [query], "responses": done}}


def echoed(handler: Any) -> None:
    """What was asked for, in texts, under the name that a secret has, and in headers."""
    said = dict(parse_qsl(urlsplit(handler.path).query))["q"]
    canary = next(each for each in CANARIES if spoken(each) == said)
    body = {"echo": f"You said {said} today", name_of(canary): canary, "list": [said]}
    handler.send(WebAnswer(body, headers={"X-Echo": said.replace("\n", " ")}))


def broken(handler: Any) -> None:
    """An error with it in its words."""
    said = dict(parse_qsl(urlsplit(handler.path).query))["q"]
    handler.send(WebAnswer({"message": f"Cannot sign in with {said}"}, 400))


def long(handler: Any) -> None:
    """A reply of several pages, with it in each line."""
    said = dict(parse_qsl(urlsplit(handler.path).query))["q"]
    handler.send(WebAnswer([{"n": n, "text": f"{said} {'x' * 150}"} for n in range(150)]))


@pytest.fixture
def echo(workspace: Workspace, tmp_path: Path) -> Generator[Workspace]:
    """A workspace over a real server that says again what it is told."""
    described = tmp_path / "echo.json"
    with HttpSite() as site:
        for path, answer in (("/echo", echoed), ("/broken", broken), ("/long", long)):
            site.on(path, answer)
        document = {
            "openapi": "3.1.0",
            "info": {"title": "Echo", "version": "1"},
            "servers": [{"url": site.origin}],
            "paths": {f"/{name}": operation(name) for name in ("echo", "broken", "long")},
        }
        described.write_text(json.dumps(document), encoding="utf-8")
        import_source(workspace, described, source_name="Echo")
        set_route(workspace, "Echo", per_second=1_000)
        do(workspace, NewToolkit(name="Echoes", rowids=(1, 2, 3)))
        assert command_here("origins", "allow", site.origin).status == 0
        names_of(workspace, list(apis_by_rowid(workspace, (1, 2, 3)).values()))
        yield workspace


async def replies_with(call: Any, canary: str) -> list[Any]:
    """Whatever an agent reads whose needs, names and arguments have the canary in them."""
    said = spoken(canary)
    asked = [
        ("find_tools", {"need": f"echo of {said}"}),
        ("describe_tool", {"name": said}),
        ("call_tool", {"name": said, "arguments": {}}),
        ("call_tool", {"name": "Echo_echo", "arguments": {"q": said}}),
        ("call_tool", {"name": "Echo_echo", "arguments": {"text": said}}),
        ("call_tool", {"name": "Echo_echo", "arguments": said}),
        ("Echo_broken", {"q": said}),
        ("Echo_long", {"q": said}),
        (said, {}),
        ("more", {"result": said}),
        ("more", {"ticket": said}),
    ]
    replies = [await call(name, **arguments) for name, arguments in asked]
    [page] = [reply for reply in replies if "more(" in reply.texts[-1]]
    rest = page.texts[-1].partition("more(result=")[2]
    name, _, begin = rest.removesuffix(").").partition(", from=")
    return [*replies, await call("more", result=json.loads(name), **{"from": int(begin)})]


def test_secrets_when_given_and_replied_then_no_agent_reads_them_and_none_stays(
    echo: Workspace, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for number, value in enumerate(KNOWN):
        monkeypatch.setenv(f"CANARY_{number}_API_KEY", value)
    caplog.set_level(logging.DEBUG)

    async def go() -> list[str]:
        async with serving(echo, PROFILE) as call:
            replies = [each for canary in CANARIES for each in await replies_with(call, canary)]
        assert sum(not each.is_error for each in replies) == 4 * len(CANARIES)
        return [text for each in replies for text in (*each.texts, json.dumps(dict(each.about)))]

    read = asyncio.run(go())
    folder = echo.path.parent
    files = [each.read_bytes() for each in folder.iterdir() if each.name.startswith(echo.path.name)]
    assert len(files) >= 2, "the write-ahead log is looked at too"
    blobs = [
        zlib.decompress(data) if codec == "zlib" else data
        for codec, data in echo.reader().conn.execute("SELECT codec, data FROM blobs")
    ]
    places = {
        "read by the agent": "\n".join(read).encode(),
        "files": b"".join(files),
        "blobs": b"\n".join(blobs),
        "logs": caplog.text.encode(),
    }
    found = [
        (place, CANARIES.index(canary), canary in NAMED)
        for place, content in places.items()
        for canary in CANARIES
        for form in (*every_form(canary), json.dumps(canary)[1:-1])
        if form.encode() in content
    ]
    assert found == []
