"""The configurations that people have become servers; keys in them are told apart."""

import json
import shlex

import pytest

from toolplanner_core.mcp_servers.config_files import read_server, read_servers
from toolplanner_core.mcp_servers.server_spec import ServerSpec, spec_of, tool_of
from toolplanner_core.sources.documents import without_comments

PROGRAM = {"command": "npx", "args": ["-y", "server", "a b"], "env": {"LOG": "x", "API_KEY": "k1"}}


@pytest.mark.parametrize(
    "document",
    [
        {"mcpServers": {"one": PROGRAM}, "theme": "dark"},
        {"servers": {"one": {"type": "stdio", **PROGRAM}}, "inputs": []},
        {"editor.tabSize": 4, "mcp": {"servers": {"one": PROGRAM}}},
    ],
    ids=["claude", "vscode", "vscode-settings"],
)
def test_config_of_any_program_when_read_then_the_same_server(document):
    (found,) = read_servers(document)
    assert found.spec == ServerSpec(
        name="one", command="npx", args=("-y", "server", "a b"),
        settings={"LOG": "x"}, secrets=("API_KEY",),
    )  # fmt: skip
    assert found.secrets == {"API_KEY": "k1"}
    assert "k1" not in repr(found.spec)


def test_config_with_comments_when_read_then_as_without():
    text = '{"servers": { // mine\n "a": {"url": "https://x.org//mcp", /* , } */ },\n}, }'
    assert json.loads(without_comments(text)) == {"servers": {"a": {"url": "https://x.org//mcp"}}}


def test_documents_that_are_no_config_when_read_then_no_server():
    for document in ({"openapi": "3.1.0", "servers": [{"url": "https://x.org"}]}, [], 5, {}, None,
                     {"servers": {"production": {"host": "x"}}}):  # fmt: skip
        assert list(read_servers(document)) == []


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        (5, "an object"),
        ({}, "neither a command nor a url"),
        ({"command": "x", "disabled": True}, "switched off"),
        ({"url": "https://x.org/sse", "type": "sse"}, "old transport"),
        ({"url": "file:///etc/passwd"}, "only http and https"),
        ({"command": "x", "args": 5}, "no list"),
        ({"command": "x", "env": ["A=1"]}, "no object"),
        ({"command": "x", "args": ["--api-key", "s3cret"]}, "--api-key looks like a key"),
        ({"command": "x", "args": ["--token=s3cret"]}, "--token looks like a key"),
        ({"command": "x", "args": ["postgresql://me:s3cret@h/db"]}, "postgresql://… looks like"),
    ],
)
def test_server_that_cannot_be_used_when_read_then_says_why_without_its_key(entry, why):
    found = read_server("one", entry)
    assert found.spec is None
    assert why in found.why
    assert "s3cret" not in found.why


def test_server_when_its_folder_is_named_then_it_is_part_of_what_is_consented_to(tmp_path):
    found = read_server("one", {"command": "x", "cwd": str(tmp_path), "env": {"A": "1"}})
    assert found.spec is not None
    assert found.spec.folder == str(tmp_path)
    assert f"(in the folder {shlex.quote(str(tmp_path))}, A=1)" in found.spec.in_words
    assert not found.passed_over


def test_server_when_its_folder_is_seen_from_nowhere_then_told_and_not_used():
    for cwd in ("here", "${workspaceFolder}", "../up"):
        found = read_server("one", {"command": "x", "cwd": cwd})
        assert found.spec == ServerSpec(name="one", command="x")
        assert "runs in an empty folder" in found.passed_over


@pytest.mark.parametrize(
    "spec",
    [
        ServerSpec(name="s", command="C:\\a b\\x.exe", args=("it's", '"', "", "$HOME", "a\nb")),
        ServerSpec(name="s", command="npx", settings={"A": "1"}, secrets=("K", "T")),
        ServerSpec(name="s", command="./x", args=("a",), folder="/home/it's me"),
        ServerSpec(name="s", url="https://x.org/mcp?a=1", secrets=("Authorization",)),
    ],
)
def test_server_when_kept_in_an_operation_then_the_same_comes_back(spec):
    operation = spec.operation_of("a/b c")
    assert spec_of(operation, "s") == spec
    assert tool_of(operation) == "a/b c"


def test_command_with_hidden_characters_when_shown_then_they_are_seen():
    spec = ServerSpec(name="s", command="x", args=("a\u202eb", "c\nd"))
    assert spec.in_words == r"x 'a\u202eb' 'c\nd'"


def test_server_ids_when_anything_that_runs_changes_then_change():
    base = ServerSpec(name="s", command="x", args=("a", "b"), settings={"A": "1"})
    others = [
        ServerSpec(name="s", command="x", args=("a b",), settings={"A": "1"}),
        ServerSpec(name="s", command="x", args=("a", "b"), settings={"LD_PRELOAD": "1"}),
        ServerSpec(name="s", command="x", args=("a", "b"), settings={"A": "1"}, secrets=("K",)),
        ServerSpec(name="s", command="x", args=("a", "b"), settings={"A": "1"}, folder="/home"),
        ServerSpec(name="s", url="x"),
    ]
    assert len({base.id, *(other.id for other in others)}) == 6
    assert ServerSpec(name="t", command="x", args=("a", "b"), settings={"A": "1"}).id == base.id
