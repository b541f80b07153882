"""Servers of tools as a source: consent first, then every tool with its risk; the rest is named."""

import gc
import sys
from pathlib import Path

import pytest
from fixtures.mcp_world import CLOCK, RawServer, is_alive, write_config

from toolplanner_core.domain.api import Risk
from toolplanner_core.errors import BadInput, Cancelled
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.mcp_servers.consent import (
    StartNotAllowed,
    allow,
    consents,
    is_allowed,
    revoke,
)
from toolplanner_core.sources.format_detection import detect
from toolplanner_core.sources.import_preview import preview_source
from toolplanner_core.sources.importing import import_source
from toolplanner_core.sources.location import Location
from toolplanner_core.sources.source import FoundBeside


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Consents of this test's own."""
    monkeypatch.setenv("TOOLPLANNER_SETTINGS", str(tmp_path / "settings.json"))


def test_configs_when_detected_then_servers(tmp_path):
    for key in ("mcpServers", "servers"):
        path = write_config(tmp_path, key, one={"command": "x"})
        assert detect(Location.of(path)).id == "mcp"
    path.write_text('{// mine\n"servers": {"one": {"url": "https://x.org/mcp"}},}')
    assert detect(Location.of(path)).id == "mcp"


def test_server_nobody_allowed_when_read_then_not_started_and_its_exact_command_is_told(
    tmp_path, workspace
):
    server = RawServer(tmp_path, "a b", is_allowed=False)
    config = write_config(tmp_path, raw=server.entry)
    for work in (lambda: preview_source(config), lambda: import_source(workspace, config)):
        with pytest.raises(StartNotAllowed) as caught:
            work()
        assert caught.value.specs == (server.spec,)
        assert f"{server.path} 'a b'" in caught.value.sentence
    assert not server.diary("started")
    allow(server.spec)
    assert import_source(workspace, config).added == 8
    assert revoke(server.spec.id)
    assert not revoke(server.spec.id)
    with pytest.raises(StartNotAllowed):
        preview_source(config)


def test_consent_when_the_command_or_a_variable_changes_then_asked_again(tmp_path):
    server = RawServer(tmp_path)
    assert is_allowed(server.spec)
    for change in ({"args": [*server.spec.args, "--more"]}, {"env": {"LD_PRELOAD": "/tmp/x.so"}}):
        config = write_config(tmp_path, raw={**server.entry, **change})
        with pytest.raises(StartNotAllowed):
            preview_source(config)
    assert not server.diary("started")
    assert list(consents()) == [server.spec.id]


def test_tools_when_imported_then_schemas_risks_and_what_else_there_is(tmp_path, workspace):
    config = write_config(tmp_path, raw=RawServer(tmp_path).entry)
    report = import_source(workspace, config)
    assert (report.added, report.rejected, report.mended) == (8, [], [])
    assert report.noted == [
        FoundBeside(where="mcp.json raw", what="1 prompt: summarise"),
        FoundBeside(where="mcp.json raw", what="2 resources: memo://1, memo://{n}"),
    ]
    apis = {api.name: api for api in preview_source(config).first}
    assert {name: api.risk for name, api in apis.items()} == {
        "echo": Risk.WRITE,  # nothing is known of it
        "add": Risk.READ,  # its name adds, its server says that it only reads
        "draw": Risk.WRITE,
        "wait": Risk.WRITE,
        "steps": Risk.WRITE,
        "break": Risk.WRITE,
        "store": Risk.WRITE,
        "empty": Risk.DESTRUCTIVE,
    }
    add = apis["add"]
    assert add.parameters["required"] == ["a", "b"]
    assert add.response_schema is not None
    assert add.response_schema["required"] == ["sum"]
    assert (add.key, add.title, add.tool_description) == (
        "MCP/raw/add",
        "raw · add",
        "Echoes and adds.",
    )
    assert "said to be read-only" in add.call_in_words
    again = import_source(workspace, config)
    assert (again.added, again.updated, again.unchanged) == (0, 0, 8)


def test_tool_that_a_server_calls_harmless_when_its_name_deletes_then_destructive():
    from mcp_types import ToolAnnotations

    from toolplanner_core.sources.mcp import risk_of_tool

    says = ToolAnnotations(read_only_hint=True)
    assert risk_of_tool("delete_everything", "", says) is Risk.DESTRUCTIVE
    assert risk_of_tool("get", "", ToolAnnotations(read_only_hint=False)) is Risk.DESTRUCTIVE


def test_several_servers_when_some_cannot_be_used_then_the_others_come_in(tmp_path, workspace):
    dead = RawServer(tmp_path, "dies", name="dead")
    allow(CLOCK)
    config = write_config(
        tmp_path,
        raw=RawServer(tmp_path).entry,
        dead=dead.entry,
        off={"command": "x", "disabled": True},
        clock={"command": sys.executable, "args": list(CLOCK.args), "cwd": "elsewhere"},
    )
    report = import_source(workspace, config)
    assert report.added == 10
    assert {each.where: each.why for each in report.rejected} == {
        "mcp.json off": "it is switched off in the configuration",
        "mcp.json dead": f"{dead.spec.address}: the server has ended"
        " (exit code 3: no configuration found)",
    }
    assert "its cwd is not used" in report.mended[0].why
    only = import_source(workspace, config, options={"servers": ["clock"]}, source_name="clocks")
    assert only.added == 2
    with pytest.raises(BadInput, match="no server 'nobody'"):
        import_source(workspace, config, options={"servers": ["nobody"]})


def test_keys_of_a_configuration_when_imported_then_not_in_the_workspace(tmp_path, workspace):
    server = RawServer(tmp_path, is_allowed=False)
    entry = {**server.entry, "env": {"SERVICE_TOKEN": "canary-s3cret", "LOG": "loud"}}
    config = write_config(tmp_path, raw=entry)
    with pytest.raises(StartNotAllowed) as caught:
        preview_source(config)
    assert "canary" not in str(caught.value)
    allow(*caught.value.specs)
    import_source(workspace, config)
    assert server.diary("started")[-1]["environment"]["SERVICE_TOKEN"] == "canary-s3cret"
    workspace.close()
    for path in workspace.path.parent.glob("w.toolplanner*"):
        assert b"canary-s3cret" not in path.read_bytes()
    assert b"canary" not in (tmp_path / "mcp_servers.json").read_bytes()


def test_tools_that_changed_when_imported_again_then_the_same_apis_updated(tmp_path, workspace):
    server = RawServer(tmp_path)
    before = import_source(workspace, write_config(tmp_path, raw=server.entry))
    changed = RawServer(tmp_path, "changing", "changed")
    again = import_source(workspace, write_config(tmp_path, raw=changed.entry))
    # Another command is another program: all that it says is to be looked at again.
    assert (before.added, again.added, again.updated, again.missing) == (8, 0, 8, 0)
    assert import_source(workspace, write_config(tmp_path, raw=changed.entry)).unchanged == 8


def test_import_when_cancelled_while_a_server_hangs_then_ends_without_it(tmp_path):
    server = RawServer(tmp_path, "deaf", "stubborn")
    config = write_config(tmp_path, raw=server.entry)

    def cancel(_report: object) -> None:
        if server.heard("initialize"):
            progress.cancel()

    progress = Progress(listener=cancel, clock=iter(range(1_000_000)).__next__)
    with pytest.raises(Cancelled):
        preview_source(config, progress=progress)
    assert server.heard("initialize")


def test_import_when_cancelled_while_a_server_leaves_then_it_is_gone_and_nothing_waits(tmp_path):
    server = RawServer(tmp_path, "stubborn")
    config = write_config(tmp_path, raw=server.entry)

    def cancel(_report: object) -> None:
        if server.diary("input ended"):
            progress.cancel()

    progress = Progress(listener=cancel, clock=iter(range(1_000_000)).__next__)
    with pytest.raises(Cancelled):
        preview_source(config, progress=progress)
    gc.collect()  # a task that nobody waits for any more says so when it goes
    assert not is_alive(server.diary("started")[0]["pid"])


def test_tool_with_a_hidden_text_or_a_wrong_schema_when_read_then_cleaned_or_left_out():
    from mcp_types import Tool

    from toolplanner_core.domain.api import Api
    from toolplanner_core.sources.identity import ApiIds
    from toolplanner_core.sources.mcp import ToolPlace, api_of_tool

    place = ToolPlace("mcp", "MCP", "s", "")
    hidden = Tool(name="a", description="Adds\u200b\u202e x", input_schema={"type": "object"})
    wrong = Tool(name="b", input_schema={"type": "object", "properties": {"x": {"type": "no"}}})
    api, rejected = (
        api_of_tool(tool, CLOCK, place, ApiIds("mcp"), "here") for tool in (hidden, wrong)
    )
    assert isinstance(api, Api)
    assert api.description == "Adds x"
    assert not isinstance(rejected, Api)
    assert "no JSON Schema" in rejected.why
