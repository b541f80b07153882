"""Real server processes: what they get, what they may do to us, and that nothing is left."""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, TypeVar

import pytest
from fixtures.mcp_world import CLOCK, RawServer, is_alive, until

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.mcp_servers.connection import Connection
from toolplanner_core.mcp_servers.failures import McpFailure
from toolplanner_core.mcp_servers.server_spec import ServerSpec

T = TypeVar("T")
LONG_S = 120.0


def using(
    spec: ServerSpec,
    work: Callable[[Connection], Awaitable[T]],
    *,
    open_s: float = LONG_S,
    **secrets: str,
) -> T:
    async def run() -> T:
        connection = Connection(spec, secrets)
        try:
            await connection.open(timeout_s=open_s)
            return await work(connection)
        finally:
            await connection.close()
            await connection.close()
            assert len(asyncio.all_tasks()) == 1

    return asyncio.run(run())


async def nothing(_connection: Connection) -> None:
    pass


def failing(spec: ServerSpec, work: Any = nothing, *, open_s: float = LONG_S) -> McpFailure:
    with pytest.raises(McpFailure) as caught:
        using(spec, work, open_s=open_s)
    return caught.value


def test_server_when_listed_then_all_pages_prompts_and_resources(tmp_path):
    listing = using(RawServer(tmp_path).spec, lambda c: c.listing(timeout_s=LONG_S))
    assert [tool.name for tool in listing.tools] == [
        "echo", "add", "draw", "wait", "steps", "break", "store", "empty",
    ]  # fmt: skip
    assert (listing.title, listing.instructions) == ("raw 1", "Echoes and adds.")
    assert listing.prompts == ("summarise",)
    assert listing.resources == ("memo://1", "memo://{n}")
    assert not listing.remarks
    assert not listing.left_out


def test_server_that_knows_no_handshake_when_opened_then_asked_in_the_new_way(tmp_path):
    async def work(connection: Connection) -> Any:
        listing = await connection.listing(timeout_s=LONG_S)
        result = await connection.call("add", {"a": 2, "b": 3}, timeout_s=LONG_S)
        return len(listing.tools), result.structured_content

    server = RawServer(tmp_path, "modern")
    assert using(server.spec, work) == (8, {"sum": 5})
    assert server.heard("server/discover")


def test_server_whose_pages_never_end_when_listed_then_cut(tmp_path):
    listing = using(
        RawServer(tmp_path, "endless-pages").spec, lambda c: c.listing(timeout_s=LONG_S)
    )
    assert "does not end" in listing.remarks[-1]
    names = [tool.name for tool in listing.tools]
    assert len(names) == len({*names}) > 17


def test_server_when_started_then_gets_an_empty_folder_and_only_what_is_named(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("OPENAI_API_KEY", "not for servers")
    monkeypatch.setenv("FROM_OUTSIDE", "named")
    server = RawServer(tmp_path)
    spec = ServerSpec(
        name="x", command=server.spec.command, args=server.spec.args,
        settings={"LOG": "<${env:FROM_OUTSIDE}>"}, secrets=("TOKEN",),
    )  # fmt: skip
    using(spec, nothing, TOKEN="t1")
    (start,) = server.diary("started")
    assert start["folder"] == []
    environment = start["environment"]
    assert (environment["LOG"], environment["TOKEN"]) == ("<named>", "t1")
    usual = {"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LC_CTYPE"}
    assert environment.keys() - usual == {"LOG", "TOKEN"}


def test_server_when_its_folder_is_named_then_runs_there_and_leaves_it_as_it_was(tmp_path):
    server, folder = RawServer(tmp_path), tmp_path / "its own"
    folder.mkdir()
    (folder / "notes.txt").write_text("kept")
    using(replace(server.spec, folder=str(folder)), nothing)
    (start,) = server.diary("started")
    assert start["folder"] == ["notes.txt"]
    assert (folder / "notes.txt").read_text() == "kept"


def test_server_when_its_folder_is_not_there_then_said_and_not_started(tmp_path):
    server = RawServer(tmp_path)
    failure = failing(replace(server.spec, folder=str(tmp_path / "gone")))
    assert "there is no folder" in failure.message
    assert not server.diary("started")


@pytest.mark.skipif(sys.platform == "win32", reason="programs there are no scripts")
def test_program_by_a_relative_path_when_started_then_seen_from_its_folder(tmp_path, monkeypatch):
    server, folder, here = RawServer(tmp_path), tmp_path / "its own", tmp_path / "here"
    for place, word in ((folder, "exec"), (here, "exit 9 #")):
        place.mkdir()
        script = place / "serve"
        script.write_text(f'#!/bin/sh\n{word} {server.spec.command} "$@"\n')
        script.chmod(0o700)
    monkeypatch.chdir(here)
    using(replace(server.spec, command="./serve", folder=str(folder)), nothing)
    assert len(server.diary("started")) == 1


def test_shell_words_in_arguments_when_started_then_only_arguments(tmp_path):
    server = RawServer(tmp_path, f"; touch {tmp_path}/broken", "$(id)")
    using(server.spec, nothing)
    assert not (tmp_path / "broken").exists()


@pytest.mark.parametrize(
    ("manner", "error", "words"),
    [
        ("dies", ErrorClass.NETWORK, "exit code 3: no configuration found"),
        ("refuses", ErrorClass.SERVER_ERROR, "licence has expired"),
        ("floods", ErrorClass.NETWORK, "lines that are no messages"),
        ("endless", ErrorClass.NETWORK, "without ending a line"),
    ],
)
def test_server_that_misbehaves_when_opened_then_typed_failure_and_nothing_left(
    tmp_path, manner, error, words
):
    server = RawServer(tmp_path, manner)
    failure = failing(server.spec)
    if manner == "refuses":  # the second way is tried as well, and ends in the same
        assert failure.error in (error, ErrorClass.NOT_FOUND)
    else:
        assert failure.error is error
    assert words in failure.message
    assert not any(is_alive(start["pid"]) for start in server.diary("started"))


def test_server_that_hangs_when_opened_then_timeout_and_nothing_left(tmp_path):
    server = RawServer(tmp_path, "deaf", "stubborn", "parent")
    failure = failing(server.spec, open_s=1.5)
    assert failure.error is ErrorClass.TIMEOUT
    assert "not ready within 1.5 s" in failure.message
    started = [*server.diary("started"), *server.diary("child")]
    assert started
    assert not any(is_alive(each["pid"]) for each in started)


def test_server_with_children_that_will_not_end_when_closed_then_all_are_killed(tmp_path):
    server = RawServer(tmp_path, "stubborn", "parent")
    using(server.spec, nothing)
    started = [*server.diary("started"), *server.diary("child")]
    assert len(started) == 2
    assert not any(is_alive(each["pid"]) for each in started)


def test_program_that_is_not_there_when_opened_then_said():
    failure = failing(ServerSpec(name="x", command="no-such-program-anywhere"))
    assert failure.error is ErrorClass.NETWORK
    assert "no program 'no-such-program-anywhere'" in failure.message


def test_noise_between_messages_when_called_then_passed_over(tmp_path):
    async def work(connection: Connection) -> Any:
        return await connection.call("add", {"a": 2, "b": 3}, timeout_s=LONG_S)

    assert using(RawServer(tmp_path, "noisy").spec, work).structured_content == {"sum": 5}


def test_server_that_dies_in_a_call_when_called_then_network_with_its_last_words(tmp_path):
    async def work(connection: Connection) -> Any:
        try:
            return await connection.call("echo", {"text": "x"}, timeout_s=LONG_S)
        finally:
            assert not connection.is_open

    failure = failing(RawServer(tmp_path, "crashes-calls").spec, work)
    assert failure.error is ErrorClass.NETWORK
    assert "has ended" in failure.message


def test_call_without_an_answer_when_its_time_is_over_then_timeout_and_still_open(tmp_path):
    async def work(connection: Connection) -> Any:
        with pytest.raises(McpFailure) as caught:
            await connection.call("wait", {}, timeout_s=0.3)
        assert caught.value.error is ErrorClass.TIMEOUT
        return await connection.call("add", {"a": 1, "b": 1}, timeout_s=LONG_S)

    assert using(RawServer(tmp_path).spec, work).structured_content == {"sum": 2}


def test_call_when_cancelled_then_the_server_is_told(tmp_path):
    server = RawServer(tmp_path)

    async def work(connection: Connection) -> None:
        calling = asyncio.ensure_future(connection.call("wait", {}, timeout_s=LONG_S))
        await until(lambda: server.heard("tools/call"))
        calling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await calling
        await until(lambda: server.heard("notifications/cancelled"))

    using(server.spec, work)


def test_reference_server_when_listed_and_called_then_answers():
    async def work(connection: Connection) -> Any:
        listing = await connection.listing(timeout_s=LONG_S)
        names = [tool.name for tool in listing.tools]
        arguments = {"timezone": "Europe/Berlin"}
        return names, await connection.call("get_current_time", arguments, timeout_s=LONG_S)

    names, result = using(CLOCK, work)
    assert names == ["get_current_time", "convert_time"]
    assert result.structured_content["timezone"] == "Europe/Berlin"
