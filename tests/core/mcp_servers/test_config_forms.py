"""Configurations of other programs: the same servers come out, each for itself."""

import json
import os
from pathlib import Path

import pytest
from fixtures.mcp_world import RawServer

from toolplanner_core.errors import BadInput
from toolplanner_core.mcp_servers.config_files import read_server
from toolplanner_core.mcp_servers.consent import StartNotAllowed
from toolplanner_core.mcp_servers.server_spec import ServerSpec
from toolplanner_core.mcp_servers.stdio_transport import environment_of
from toolplanner_core.sources.format_detection import detect
from toolplanner_core.sources.import_preview import preview_source
from toolplanner_core.sources.importing import import_source
from toolplanner_core.sources.location import Location
from toolplanner_core.sources.mcp import McpOptions, asks

ONE = {"command": "npx", "args": ["-y", "server"], "env": {"LOG": "x"}}
SPEC = ServerSpec(name="one", command="npx", args=("-y", "server"), settings={"LOG": "x"})
WEB = ServerSpec(name="web", url="https://x.org/mcp")
TWO = {"one": ONE, "web": {"url": "https://x.org/mcp"}}
CODEX = """
model = "o3"
[mcp_servers.one]
command = "npx"
args = ["-y", "server"]
env = { "LOG" = "x" }

[mcp_servers.web]
url = "https://x.org/mcp"
"""
CONTINUE = """
name: Mine
version: 0.0.1
mcpServers:
  - name: one
    command: npx
    args: ["-y", server]
    env: {LOG: x}
  - name: web
    type: streamable-http
    url: https://x.org/mcp
"""
GOOSE = """
GOOSE_MODEL: x
extensions:
  one: {name: one, type: stdio, enabled: true, cmd: npx, args: ["-y", server], envs: {LOG: x}}
  web: {name: web, type: streamable_http, enabled: true, uri: https://x.org/mcp, timeout: 300}
"""
LOOSE = """{
  # those of mine
  mcpServers: {
    one: {command: 'npx', args: ['-y', 'server'], env: {LOG: 'x'}},
    web: {url: 'https://x.org/mcp'},
  },
}"""
PIECE = json.dumps({"mcpServers": TWO}, indent=2)[1:-1] + ","
PAGE = f"# Setup\nAdd `one`:\n```json\n{json.dumps({'mcpServers': TWO})}\n```\nand start it again."
COMMENTED = """{
  // those of mine
  "servers": {
    "one": {"type": "stdio", "command": "npx", "args": ["-y", "server",], "env": {"LOG": "x"},},
    /* "old": {"command": "x"}, */
    "web": {"type": "http", "url": "https://x.org/mcp"},
  },
}"""


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Consents of this test's own."""
    monkeypatch.setenv("TOOLPLANNER_SETTINGS", str(tmp_path / "settings.json"))


def servers_of(folder: Path, name: str, text: str) -> tuple[ServerSpec, ...]:
    """The servers that a person is asked about."""
    path = folder / name
    path.write_text(text, "utf-8")
    assert detect(Location.of(path)).id == "mcp"
    with pytest.raises(StartNotAllowed) as asked:
        preview_source(path)
    return tuple(spec for spec in asked.value.specs if isinstance(spec, ServerSpec))


FORMS = {
    "claude.json": {"mcpServers": TWO, "theme": "dark"},
    ".claude.json": {"numStartups": 3, "projects": {"/a": {"mcpServers": TWO, "history": []}}},
    "mcp.json": {"servers": TWO, "inputs": [{"id": "key", "type": "promptString"}]},
    "settings.json": {"editor.tabSize": 4, "mcp": {"servers": TWO, "inputs": []}},
    "x.code-workspace.json": {"folders": [], "settings": {"mcp": {"servers": TWO}}},
    "zed.json": {
        "context_servers": {
            "one": {"command": {"path": "npx", "args": ["-y", "server"], "env": {"LOG": "x"}}},
            "web": {"source": "custom", "url": "https://x.org/mcp"},
        }
    },
    "zed_new.json": {"context_servers": {"one": {"source": "custom", **ONE}, "web": TWO["web"]}},
    "windsurf.json": {"mcpServers": {"one": ONE, "web": {"serverUrl": "https://x.org/mcp"}}},
    "gemini.json": {"mcpServers": {"one": ONE, "web": {"httpUrl": "https://x.org/mcp"}}},
    "opencode.json": {
        "mcp": {
            "one": {
                "type": "local", "command": ["npx", "-y", "server"], "environment": {"LOG": "x"},
                "enabled": True,
            },
            "web": {"type": "remote", "url": "https://x.org/mcp"},
        }
    },
    "goose.json": {"mcpServers": {"one": {**ONE, "cmd": "npx"}, "web": TWO["web"]}},
    "amp.json": {"amp.mcpServers": TWO, "amp.notifications": True},
    "vscode_flat.json": {"editor.tabSize": 4, "mcp.servers": TWO},
    "devcontainer.json": {"customizations": {"vscode": {"mcp": {"servers": TWO}}}},
    "by_id.json": {"servers": [{"id": "one", **ONE}, {"id": "web", **TWO["web"]}]},
    "cherry.json": {
        "mcpServers": {
            "one": {"isActive": True, **ONE},
            "web": {"type": "streamableHttp", "isActive": True, "baseUrl": "https://x.org/mcp"},
        }
    },
    "dify.json": {
        "one": {"transport": "stdio", **ONE},
        "web": {"transport": "streamable_http", **TWO["web"], "sse_read_timeout": 50},
    },
    "texts.json": {
        "mcpServers": {
            "one": {"command": "npx -y server", "env": {"LOG": "x"}},
            "web": {"serverUrl": "https://x.org/mcp"},
        }
    },
    "args.json": {"mcpServers": {"one": {**ONE, "args": "-y server"}, "web": TWO["web"]}},
    "list.json": [{"name": "one", **ONE}, {"name": "web", **TWO["web"], "type": "http"}],
    "listed.json": {"mcpServers": [{"name": "one", **ONE}, {"name": "web", **TWO["web"]}]},
    "bare_map.json": {"one": ONE, "web": {"type": "http", "url": "https://x.org/mcp"}},
}  # fmt: skip


@pytest.mark.parametrize("name", FORMS)
def test_configuration_of_any_program_when_read_then_the_same_servers(tmp_path, name):
    assert servers_of(tmp_path, name, json.dumps(FORMS[name])) == (SPEC, WEB)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("config.toml", CODEX),
        ("config.yaml", CONTINUE),
        ("config.yml", CONTINUE.replace("- name: one", "one:").replace("- name: web", "web:")),
        ("mcp.json", COMMENTED),
        ("mcp.json", LOOSE),
        ("goose.yaml", GOOSE),
        ("mcp.json", PIECE),
        ("piece.txt", PIECE),
        ("README.md", PAGE),
        ("mcp.json", "\ufeff" + json.dumps({"mcpServers": TWO})),
    ],
)  # fmt: skip
def test_configuration_that_is_no_plain_json_when_read_then_the_same_servers(tmp_path, name, text):
    assert servers_of(tmp_path, name, text) == (SPEC, WEB)


@pytest.mark.parametrize(
    ("document", "name"),
    [
        (ONE, "server"),
        ({"name": "one", **ONE}, "one"),
        ({"command": "uvx", "args": ["mcp-server-time"]}, "mcp-server-time"),
        ({"type": "http", "url": "https://x.org/mcp"}, "x.org"),
        ({"url": "https://x.org/mcp", "headers": {"A": "b"}}, "x.org"),
        ([{"command": "npx", "name": "one", "args": []}], "one"),
        ([{"type": "mcp", "server_label": "one", "server_url": "https://x.org/mcp"}], "one"),
    ],
)
def test_bare_server_when_read_then_taken_by_a_name(tmp_path, document, name):
    (spec,) = servers_of(tmp_path, "one.json", json.dumps(document))
    assert spec.name == name


def test_projects_when_they_have_the_same_server_then_once_and_others_by_their_project(tmp_path):
    other = {**ONE, "args": ["-y", "other"]}
    projects = {"/a": {"mcpServers": {"one": ONE}}, "/b": {"mcpServers": {"one": other}}}
    text = json.dumps({"mcpServers": {"one": ONE}, "projects": projects})
    specs = servers_of(tmp_path, "claude.json", text)
    assert [spec.name for spec in specs] == ["one", "one (b)"]


@pytest.mark.parametrize(
    "document",
    [
        {"openapi": "3.2.0", "servers": [{"url": "https://x.org", "name": "main", "type": "x"}]},
        {"servers": [{"url": "https://x.org"}]},
        {"name": "lint", "command": "eslint ."},
        {"scripts": {"command": "x"}},
        {"command": "x"},
        {"url": "https://x.org"},
        {"mcpServers": {}},
        {"mcp": True},
        [{"name": "a page", "url": "https://x.org"}],
        {"openai": {"type": "openai", "baseUrl": "https://x.org"}},
        {"api.servers": {"main": {"url": "https://x.org"}}},
    ],
)
def test_documents_that_are_no_configuration_when_looked_at_then_not_recognised(tmp_path, document):
    path = tmp_path / "a.json"
    path.write_text(json.dumps(document))
    try:
        assert detect(Location.of(path)).id != "mcp"
    except BadInput as error:
        assert "No tools" in error.what


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"url": "http://${HOST}:1/mcp"}, "names what is not known here: HOST"),
        ({"url": "http://${env:HOST}/mcp"}, "give HOST=... as variables"),
        ({"url": "http://${input:host}/mcp"}, "give host=... as variables"),
        ({"url": "http://x.org:port/mcp"}, "no address of the web"),
        ({"url": "http://"}, "no address of the web"),
        ({"url": "http://[::1/mcp"}, "no address of the web"),
        ({"command": "${workspaceFolder}/serve"}, "not known here: workspaceFolder"),
        ({"command": "x", "args": ["${input:place}"]}, "not known here: place"),
        ({"command": "x", "args": {"a": 1}}, "no list"),
        ({"command": 5}, "neither a command nor a url"),
        ({"command": ""}, "neither a command nor a url"),
        ({"url": None}, "neither a command nor a url"),
        ({"command": "x", "env": "A=1"}, "no object"),
        ("npx server", "an object"),
        (None, "an object"),
        (["npx"], "an object"),
        ({"command": "x", "args": ["${input:secret}"]}, "would hold the password secret"),
        ({"url": "https://x.org/${input:secret}/mcp"}, "would hold the password secret"),
        ({"type": "builtin"}, "a part of the program"),
        ({"command": "x", "isActive": False}, "switched off"),
        ({"command": "C:\tools\\x.exe"}, "written twice"),
        ({"command": "x", "args": ["C:\new\\server.js"]}, "written twice"),
    ],
)
def test_server_that_cannot_be_used_when_imported_then_the_good_one_comes_in(
    tmp_path, workspace, entry, words
):
    path = tmp_path / "mcp.json"
    good = RawServer(tmp_path)
    inputs = [{"id": "secret", "password": True}]
    servers = {"bad": entry, "good": good.entry}
    path.write_text(json.dumps({"mcpServers": servers, "inputs": inputs}))
    report = import_source(workspace, path)
    assert report.added == 8
    ((where, why),) = [(each.where, each.why) for each in report.rejected]
    assert where == "mcp.json bad"
    assert words in why


def test_variables_when_they_have_defaults_or_are_given_then_filled_in_and_said(monkeypatch):
    monkeypatch.setattr(Path, "home", lambda: Path("/home/ada"))
    entry = {
        "command": "${workspaceFolder}/serve",
        "args": ["--host=${HOST:-127.0.0.1}", "--port=${env:PORT:-1}", "${HOME}"],
        "env": {"A": "${A:-b}", "T_KEY": "${input:key}"},
    }
    found = read_server("s", entry, {"workspaceFolder": "/w", "PORT": "2", "key": "k1"})
    assert found.spec is not None
    assert found.spec.command == "/w/serve"
    assert found.spec.args == ("--host=127.0.0.1", "--port=2", "/home/ada")
    assert found.spec.settings == {"A": "${A:-b}"}
    assert found.secrets == {"T_KEY": "k1"}
    assert "HOST=127.0.0.1" in found.passed_over
    web = read_server("s", {"url": "http://${HOST:-127.0.0.1}:3000/mcp"})
    assert web.spec == ServerSpec(name="s", url="http://127.0.0.1:3000/mcp")


def test_variables_when_a_person_may_give_them_then_asked_for_with_what_is_said_of_them(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("KNOWN", "here")
    servers = {
        "one": {
            "command": "${workspaceFolder}/serve",
            "cwd": "${PLACE}",
            "env": {
                "A": "${env:KNOWN}",
                "B": "${env:UNKNOWN}",
                "C_KEY": "${input:key}",
                "D": "${D:-d}",
                "E": "${HOME}",
            },
        },
        "two": {"url": "https://x.org/mcp", "headers": {"X-Region": "${input:region}"}},
        "bare": {"command": "x", "env": {"MY_TOKEN": "${MY_TOKEN}", "B": "${UNKNOWN}"}},
    }
    inputs = [
        {"id": "key", "description": "Your key", "password": True, "default": "k"},
        {"id": "region", "options": ["eu", {"label": "States", "value": "us"}, 5]},
        "junk",
        {"id": 5},
    ]
    path = tmp_path / "mcp.json"
    path.write_text(json.dumps({"mcp": {"servers": servers, "inputs": inputs}}))
    location = Location.of(path)
    found = {each.name: each for each in asks(location, McpOptions())}
    assert list(found) == ["workspaceFolder", "UNKNOWN", "key", "PLACE", "region", "MY_TOKEN"]
    assert [name for name, each in found.items() if each.is_secret] == ["key", "MY_TOKEN"]
    assert found["UNKNOWN"].needed_by == ("one", "bare")
    assert (found["key"].explanation, found["key"].default) == ("Your key", "k")
    assert found["region"].choices == ("eu", "us")
    given = McpOptions(variables=("region=eu", "PLACE=/w", "key=1"), servers=("two", "one"))
    assert [each.name for each in asks(location, given)] == ["workspaceFolder", "UNKNOWN"]


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("${{ secrets.KEY_1 }}", "KEY_1"),
        ("${{ inputs.KEY_1 }}", "KEY_1"),
        ("{env:KEY_1}", "KEY_1"),
        ("{file:~/key}", "file ~/key"),
        ("${localEnv:KEY_1}", "KEY_1"),
        ("${command:pick}", "pick"),
        ("${config:my.key}", "my.key"),
        ("${workspaceFolder:root}", "workspaceFolder"),
        ("${KEY_1:?it is needed}", "KEY_1"),
        ("${A_1:-${KEY_1}}", "KEY_1"),
        ("${input:my key}", "my key"),
    ],
)
def test_variable_as_any_program_writes_it_when_read_then_asked_for_and_filled_in(written, name):
    asked = read_server("s", {"url": f"https://x.org/{written}"})
    assert asked.spec is None
    assert [each.name for each in asked.asked] == [name]
    given = read_server("s", {"url": f"https://x.org/{written}"}, {name: "v"})
    assert given.spec is not None
    assert given.spec.url == "https://x.org/v"
    program = read_server("s", {"command": "x", "env": {"A": written}}, {name: "v"})
    kept = {**program.secrets, **(program.spec.settings if program.spec else {})}
    assert kept["A"] in ("v", written)


@pytest.mark.parametrize(
    "written", ["${P_1:-d}", "${P_1-d}", "${P_1:=d}", "${env:P_1:d}", "${localEnv:P_1:d}"]
)
def test_default_as_any_program_writes_it_when_read_then_taken_and_said(written):
    found = read_server("s", {"command": "x", "args": [written]})
    assert found.spec is not None
    assert (found.spec.args, "P_1=d" in found.passed_over) == (("d",), True)
    kept = read_server("s", {"command": "x", "env": {"A": written}}).spec
    assert kept is not None
    assert environment_of(kept, {})["A"] == "d"


@pytest.mark.parametrize("field", ["authorization_token", "authorization"])
def test_token_of_an_endpoints_tool_when_read_then_kept_as_keys_are(field):
    found = read_server("s", {"url": "https://x.org/mcp", field: "canary"})
    assert found.spec is not None
    assert found.spec.secrets == ("Authorization",)
    assert found.secrets == {"Authorization": "Bearer canary"}


def test_toml_that_is_broken_when_read_then_its_own_reason(tmp_path, workspace):
    path = tmp_path / "config.toml"
    path.write_text("[mcp_servers.one]\ncommand = 'npx'\n[mcp_servers.one]\ncommand = 'x'\n")
    (rejected,) = import_source(workspace, path).rejected
    assert "broken TOML" in rejected.why
    assert "line 3" in rejected.why


def test_variable_of_an_environment_when_given_then_kept_as_keys_are_and_else_as_before():
    entry = {"url": "https://x.org/mcp", "headers": {"Authorization": "Bearer ${X_1}", "Y": "y"}}
    given = read_server("s", entry, {"X_1": "canary"})
    assert given.spec is not None
    assert (given.spec.settings, given.spec.secrets) == ({"Y": "y"}, ("Authorization",))
    assert given.secrets == {"Authorization": "Bearer canary"}
    left = read_server("s", entry)
    assert left.spec is not None
    assert left.spec.settings == {"Authorization": "Bearer ${X_1}", "Y": "y"}
    assert [each.name for each in left.asked] == ["X_1"]


def test_environment_when_it_names_a_default_then_ours_goes_first(monkeypatch):
    spec = ServerSpec(name="s", command="x", settings={"A": "${A_1:-b}", "C": "${env:C_1:-d}"})
    monkeypatch.setenv("A_1", "ours")
    found = environment_of(spec, {})
    assert (found["A"], found["C"]) == ("ours", "d")
    assert "C_1" not in os.environ


def test_variables_when_given_with_the_import_then_the_server_comes_in(tmp_path, workspace):
    server = RawServer(tmp_path)
    entry = {**server.entry, "command": "${PROGRAM}"}
    path = tmp_path / "mcp.json"
    path.write_text(json.dumps({"mcpServers": {"s": entry}}))
    given = {"variables": [f"PROGRAM={server.spec.command}"]}
    assert import_source(workspace, path, options=given).added == 8
    with pytest.raises(BadInput, match="no value of a variable"):
        import_source(workspace, path, options={"variables": ["PROGRAM"]})


def test_backslashes_that_stand_alone_when_read_then_the_place_and_what_to_do(tmp_path, workspace):
    path = tmp_path / "mcp.json"
    path.write_text('{"mcpServers": {\n  "one": {"command": "C:\\Program Files\\x.exe"}\n}}')
    assert detect(Location.of(path)).id == "mcp"
    report = import_source(workspace, path)
    assert "line 2, column 25" in report.rejected[0].why
    assert "written twice" in report.rejected[0].why
