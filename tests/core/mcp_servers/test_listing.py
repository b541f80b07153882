"""Lists of servers as they really are: each list, each page and each tool stands alone."""

from pathlib import Path
from typing import Any

import pytest
from fixtures.mcp_world import write_config
from fixtures.scripted_mcp import TOOL, InTurn, ScriptedServer, handshake

from toolplanner_core.sources.import_preview import preview_source
from toolplanner_core.sources.importing import import_source
from toolplanner_core.workspace.catalogue import all_rowids, apis_by_rowid

ALL = {"tools": {}, "prompts": {}, "resources": {}}
OTHER = {**TOOL, "name": "send_mail"}
ERROR = '{"jsonrpc":"2.0","id":@ID@,"error":{"code":-32601,"message":"No such list"}}'
PROMPTS, RESOURCES = (
    {"prompts": [{"name": "sum_up"}]},
    {"resources": [{"uri": "a://b", "name": "b"}]},
)
TEMPLATES = {"resourceTemplates": [{"uriTemplate": "a://{n}", "name": "n"}]}
LISTS = {
    "tools/list": {"tools": [TOOL]},
    "prompts/list": PROMPTS,
    "resources/list": RESOURCES,
    "resources/templates/list": TEMPLATES,
}


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Consents of this test's own."""
    monkeypatch.setenv("TOOLPLANNER_SETTINGS", str(tmp_path / "settings.json"))


class Imported:
    """The report of an import of one server, in words."""

    def __init__(self, folder: Path, workspace: Any, answers: dict[str, Any], **more: Any) -> None:
        server = ScriptedServer(folder, {"initialize": handshake(**more), **answers})
        config = write_config(folder, s=server.entry)
        self.report = import_source(workspace, config)
        stored = apis_by_rowid(workspace, all_rowids(workspace))
        self.tools = sorted(api.name for api in stored.values())
        self.rejected = "\n".join(f"{each.where}: {each.why}" for each in self.report.rejected)
        self.mended = "\n".join(each.why for each in self.report.mended)
        self.noted = "\n".join(each.what for each in self.report.noted)
        self.server = server


@pytest.mark.parametrize("broken", sorted(LISTS))
@pytest.mark.parametrize(
    "answer",
    [
        ERROR,
        '{"jsonrpc":"2.0","id":@ID@,"error":{"code":"boom","message":"No such list"}}',
        {},
        {"tools": None, "prompts": None, "resources": None, "resourceTemplates": None},
        {"tools": 5, "prompts": "x", "resources": True, "resourceTemplates": 1.5},
        ["not", "an", "object"],
        '{"jsonrpc":"2.0","id":@ID@,"result":null}',
        '{"jsonrpc":"2.0","id":@ID@,"result":{"tools":[{',
    ],
    ids=["unknown", "text-code", "nothing", "null", "wrong", "bare-list", "null-result", "cut"],
)
def test_list_that_cannot_be_had_when_imported_then_the_others_come_in_and_it_is_noted(
    tmp_path, workspace, broken, answer
):
    found = Imported(tmp_path, workspace, {**LISTS, broken: answer}, capabilities=ALL)
    assert found.tools == ([] if broken == "tools/list" else ["get_weather"])
    assert ("sum_up" in found.noted) == (broken != "prompts/list")
    assert ("a://b" in found.noted) == (broken != "resources/list")
    assert ("a://{n}" in found.noted) == (broken != "resources/templates/list")
    word = broken.removesuffix("/list").split("/")[-1]
    if answer != ["not", "an", "object"]:
        assert word in found.mended + found.rejected
    if isinstance(answer, str) and "No such list" in answer:
        assert "No such list" in found.mended + found.rejected


@pytest.mark.parametrize("broken", sorted(LISTS))
def test_list_when_its_second_page_fails_then_the_first_is_taken_and_the_failure_noted(
    tmp_path, workspace, broken
):
    pages = InTurn({**LISTS[broken], "nextCursor": "2"}, ERROR)
    found = Imported(tmp_path, workspace, {**LISTS, broken: pages}, capabilities=ALL)
    assert "the rest of its" in found.mended
    assert found.tools == ["get_weather"]
    for words in ("sum_up", "a://b", "a://{n}"):
        assert words in found.noted


@pytest.mark.parametrize("capabilities", [None, {}, [], ["tools"], True, {"tools": None}])
def test_tools_when_a_server_does_not_announce_them_then_asked_for_all_the_same(
    tmp_path, workspace, capabilities
):
    found = Imported(tmp_path, workspace, {}, capabilities=capabilities)
    assert found.tools == ["get_weather"]
    assert not found.rejected


def test_server_without_tools_that_announces_none_when_imported_then_nothing_is_wrong(
    tmp_path, workspace
):
    answers = {"tools/list": ERROR, "prompts/list": PROMPTS}
    found = Imported(tmp_path, workspace, answers, capabilities={"prompts": {}})
    assert (found.tools, found.rejected, found.mended) == ([], "", "")
    assert "sum_up" in found.noted


def page(*tools: Any, after: Any = None) -> dict[str, Any]:
    return {"tools": list(tools), "nextCursor": after}


@pytest.mark.parametrize(
    ("given", "n_asked", "words"),
    [
        (InTurn(page(TOOL, after="a"), page(OTHER, after="a")), 2, "does not end"),
        (InTurn(page(TOOL, OTHER, after="a"), page(TOOL, OTHER, after="b")), 2, "does not end"),
        (
            InTurn(page(TOOL, after="a"), page(OTHER, after="b"), page(TOOL, after="a")),
            3,
            "does not end",
        ),
        (page(TOOL, OTHER, after=None), 1, ""),
        (page(TOOL, OTHER, after=""), 1, ""),
        (InTurn(page(TOOL, after=1), {"tools": [OTHER]}), 2, ""),
        (page(TOOL, OTHER, after={"page": 2}), 1, "no text"),
        (page(TOOL, OTHER, after=True), 1, "no text"),
        (InTurn(page(TOOL, after="a"), page(after="b"), {"tools": [OTHER]}), 3, ""),
    ],
    ids=["stands", "repeats", "circle", "null", "empty", "number", "object", "flag", "empty-page"],
)  # fmt: skip
def test_pages_of_any_kind_when_listed_then_each_tool_once_and_their_end_is_found(
    tmp_path, workspace, given, n_asked, words
):
    found = Imported(tmp_path, workspace, {"tools/list": given})
    assert found.tools == ["get_weather", "send_mail"]
    assert found.report.added == 2
    assert words in found.mended
    assert bool(words) == bool(found.mended)
    assert len(found.server.heard("tools/list")) == n_asked


NO_SCHEMA = {"name": "odd", "description": "Odd."}
NAMED = {**TOOL, "name": "odd"}
OBJECT = {"type": "object", "properties": {"city": {"type": "string"}}}


def odd(schema: Any) -> dict[str, Any]:
    return {**NO_SCHEMA, "inputSchema": schema}


def with_a(about: Any) -> dict[str, Any]:
    return odd({"type": "object", "properties": {"a": about}})


@pytest.mark.parametrize(
    ("tool", "words"),
    [
        (NO_SCHEMA, "no inputSchema"),
        (odd(None), "no inputSchema"),
        (odd(True), "says nothing"),
        (odd({}), "no type"),
        (odd({"properties": {}}), "no type"),
        (odd({"type": None}), "type of its inputSchema"),
        (odd({"type": ["object", "null"]}), "type of its inputSchema"),
        (odd({"type": "Object"}), "type of its inputSchema"),
        (odd('{"type": "object"}'), "a text that holds JSON"),
        ({**NO_SCHEMA, "input_schema": OBJECT}, "no inputSchema"),
        (odd({"$ref": "#/$defs/A", "$defs": {"A": OBJECT}}), "a reference"),
        (odd({"type": "object", "properties": None}), "properties"),
        (odd({"type": "object", "required": None}), "required"),
        (odd({"type": "object", "required": "a"}), "required"),
        (odd({**OBJECT, "required": ["city", "city"]}), "required"),
        (with_a(None), "nothing is said"),
        ({**NAMED, "outputSchema": "none"}, "outputSchema"),
        ({**NAMED, "outputSchema": True}, "outputSchema"),
        ({**NAMED, "outputSchema": {"type": "nothing"}}, "outputSchema"),
        ({**NAMED, "description": 5}, "description"),
        ({**NAMED, "description": ["Odd.", "Very."]}, "description"),
        ({**NAMED, "title": {"en": "Odd"}}, "title"),
        ({**NAMED, "annotations": "harmless"}, "annotations"),
        ({**NAMED, "annotations": ["readOnly"]}, "annotations"),
        ({**NAMED, "annotations": {"readOnlyHint": "yes"}}, "readOnlyHint"),
        ({**NAMED, "icons": "no.png"}, ""),
        ({**NAMED, "_meta": 5}, ""),
        ({**NAMED, "outputSchema": {"type": "array"}}, ""),
    ],
)  # fmt: skip
def test_tool_with_a_bad_part_when_imported_then_mended_and_named(tmp_path, workspace, tool, words):
    found = Imported(tmp_path, workspace, {"tools/list": {"tools": [TOOL, tool]}})
    assert found.tools == ["get_weather", "odd"]
    assert words in found.mended
    assert not words or "odd" in found.mended
    assert not found.rejected


@pytest.mark.parametrize(
    ("tool", "where", "words"),
    [
        (None, "tool 2", "an object"),
        ("odd", "tool 2", "an object"),
        (["odd"], "tool 2", "an object"),
        ({}, "tool 2", "no name"),
        ({**TOOL, "name": ""}, "tool 2", "no name"),
        ({**TOOL, "name": "  "}, "tool 2", "no name"),
        ({**TOOL, "name": None}, "tool 2", "no name"),
        ({**TOOL, "name": {"en": "odd"}}, "tool 2", "no name"),
        (odd("a city"), "odd", "no JSON"),
        (odd(["city"]), "odd", "no object"),
        (odd(5), "odd", "no object"),
        (odd(False), "odd", "no object"),
        (odd({"type": "string"}), "odd", "no object but \"string\""),
        (odd({"$ref": "#/$defs/B"}), "odd", "leads nowhere"),
        (odd({"$ref": "https://x.org/a.json"}), "odd", "leads nowhere"),
        (odd({"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#"}}}), "odd", "leads nowhere"),
        (odd({"type": "object", "properties": ["a"]}), "odd", "no object"),
        (with_a({"type": "no"}), "odd", "no JSON Schema"),
        ({**TOOL, "description": "Another one."}, "get_weather", "appears twice"),
    ],
)  # fmt: skip
def test_tool_that_cannot_be_used_when_imported_then_named_and_the_others_come_in(
    tmp_path, workspace, tool, where, words
):
    found = Imported(tmp_path, workspace, {"tools/list": {"tools": [TOOL, tool, OTHER]}})
    assert found.tools == ["get_weather", "send_mail"]
    assert found.rejected.startswith(f"mcp.json s {where}")
    assert words in found.rejected


def test_hints_of_the_wrong_kind_when_imported_then_they_warn_and_never_calm(tmp_path, workspace):
    tools = [
        {**TOOL, "name": "warns", "annotations": {"destructiveHint": "true"}},
        {**TOOL, "name": "store", "annotations": {"readOnlyHint": "true"}},
    ]
    server = ScriptedServer(tmp_path, {"tools/list": {"tools": tools}})
    apis = preview_source(write_config(tmp_path, s=server.entry)).first
    assert {api.name: api.risk.name for api in apis} == {"warns": "DESTRUCTIVE", "store": "WRITE"}


def test_tools_by_their_names_or_with_names_that_are_odd_when_imported_then_taken(
    tmp_path, workspace
):
    by_name = {"get weather": {"inputSchema": OBJECT}, "7": {"name": 7, "inputSchema": OBJECT}}
    found = Imported(tmp_path, workspace, {"tools/list": {"tools": by_name}})
    assert found.tools == ["7", "get weather"]


@pytest.mark.parametrize(
    "more",
    [
        {"protocolVersion": "2024-10-07"},
        {"protocolVersion": "2099-01-01"},
        {"protocolVersion": "1.0"},
        {"protocolVersion": 1},
        {"protocolVersion": None},
        {"protocolVersion": "2024-11-05"},
        {"serverInfo": None},
        {"serverInfo": "me"},
        {"serverInfo": {"name": "me"}},
        {"serverInfo": {"name": None, "version": 2}},
        {"instructions": ["Use", "me"]},
        {"capabilities": {"tools": True, "prompts": False, "logging": None, "x": 5}},
        {"_meta": "none"},
    ],
)
def test_handshake_of_any_kind_when_imported_then_the_tools_come_in(tmp_path, workspace, more):
    found = Imported(tmp_path, workspace, {}, **more)
    assert found.tools == ["get_weather"]
    assert not found.rejected
    version = more.get("protocolVersion", "2024-11-05")
    assert ("which is unknown" in found.mended) == (
        version != "2024-11-05" and "protocolVersion" in more
    )


def test_list_that_changes_while_it_is_told_when_imported_then_asked_for_again(tmp_path, workspace):
    changed = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n'
    first = changed + '{"jsonrpc":"2.0","id":@ID@,"result":{"tools":[]}}'
    found = Imported(tmp_path, workspace, {"tools/list": InTurn(first, {"tools": [TOOL]})})
    assert found.tools == ["get_weather"]
