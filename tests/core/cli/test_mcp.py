"""Servers of tools on the command line: asked for before they start, listed, taken back, run."""

import io
import sys
from pathlib import Path

import pytest
from fixtures.command_line import Outcome, command_here
from fixtures.mcp_world import RawServer, write_config
from fixtures.web_mcp_server import web_mcp_server

from toolplanner_core.workspace import Workspace


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Consents of this test's own."""
    monkeypatch.setenv("TOOLPLANNER_SETTINGS", str(tmp_path / "settings.json"))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """An empty workspace."""
    Workspace.create(tmp_path / "w.toolplanner").close()
    return tmp_path / "w.toolplanner"


@pytest.fixture
def server(tmp_path: Path) -> RawServer:
    """A server that nobody has allowed."""
    return RawServer(tmp_path, is_allowed=False)


def done(*arguments: object) -> Outcome:
    outcome = command_here(*arguments)
    assert outcome.status == 0, outcome.err
    return outcome


class Keyboard(io.StringIO):
    """A person at a terminal."""

    def isatty(self) -> bool:
        return True


def test_import_when_nobody_can_be_asked_then_refused_with_the_exact_command(
    tmp_path, file, server
):
    config = write_config(tmp_path, raw=server.entry)
    refused = command_here("import", file, config)
    assert refused.status == 2
    assert server.spec.address in refused.err
    assert "--yes-start" in refused.err
    assert not server.diary("started")


def test_import_when_a_person_is_asked_then_started_only_after_a_yes(
    tmp_path, file, server, monkeypatch
):
    config = write_config(tmp_path, raw=server.entry)
    for answer, status in (("n\n", 130), ("\n", 130), ("y\n", 0)):
        monkeypatch.setattr(sys, "stdin", Keyboard(answer))
        outcome = command_here("import", file, config)
        assert outcome.status == status
        assert server.spec.address in outcome.err
        assert bool(server.diary("started")) is (status == 0)


def test_address_of_a_server_when_imported_then_asked_before_it_is_reached(file):
    with web_mcp_server() as desk:
        refused = command_here("import", file, desk.url)
        assert refused.status == 2
        assert desk.url in refused.err
        assert not desk.requests
        assert done("import", file, desk.url, "--yes-start", "--json").data["added"] == 8


def test_servers_when_allowed_then_listed_and_revoked(tmp_path, file, server):
    config = write_config(tmp_path, raw=server.entry)
    imported = done("import", file, config, "--yes-start", "--json").data
    assert imported["added"] == 8
    assert imported["noted"][0]["what"] == "1 prompt: summarise"
    (row,) = done("mcp", "list", file, "--json").data
    assert row == {
        "id": server.spec.id, "name": "raw", "allowed": True, "address": server.spec.address,
    }  # fmt: skip
    assert done("mcp", "consents", "--json").data == [
        {"id": server.spec.id, "address": server.spec.address}
    ]
    done("mcp", "revoke", server.spec.id)
    assert not done("mcp", "list", file, "--json").data[0]["allowed"]
    assert command_here("mcp", "allow", file).status == 2
    assert "1 allowed" in done("mcp", "allow", file, "raw", "--yes-start").out
    assert command_here("mcp", "allow", file, "nobody").status == 2


def test_query_over_a_server_when_run_then_really_called(tmp_path, file, server):
    config = write_config(tmp_path, raw=server.entry)
    done("import", file, config, "--yes-start")
    done("prepare", file, "--embedder", "lsa", "--layout", "pca")
    query = "Add 2 and 3: adds two numbers a=2 b=3"
    ran = command_here("run", file, query, "--provider", "mcp", "--tree")
    assert server.heard("tools/call"), ran.out


def test_call_when_the_api_is_a_tool_of_a_server_then_the_server_answers(tmp_path, file, server):
    done("import", file, write_config(tmp_path, raw=server.entry), "--yes-start")
    listed = done("apis", "list", file, "--json").data
    echo = next(api["id"] for api in listed if api["name"] == "echo")
    assert "hello" in done("call", file, echo, '{"text": "hello"}', "--dry-run").out
    assert "hello" in done("call", file, echo, '{"text": "hello"}', "--yes").out
    assert server.diary("heard")[-1]["params"]["arguments"] == {"text": "hello"}
