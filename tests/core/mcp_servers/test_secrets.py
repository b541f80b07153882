"""Keys of servers: kept for exactly one server, blacked out, asked for where they are missing."""

from collections.abc import Iterator

import pytest
from fixtures.mcp_world import RawServer

from toolplanner_core.errors import BadInput
from toolplanner_core.keys import KeyName, person_keys, registered_secrets
from toolplanner_core.mcp_servers.config_files import read_server
from toolplanner_core.mcp_servers.server_spec import (
    ServerSpec,
    missing_secrets,
    origin_of_server,
    save_secrets,
    secrets_of,
)
from toolplanner_core.mcp_servers.stdio_transport import environment_of


@pytest.fixture(autouse=True)
def own_keys() -> Iterator[None]:
    """Keys of this test's own: what is kept for this session must not meet the next test."""
    person_keys.cache_clear()
    yield
    person_keys.cache_clear()


@pytest.fixture
def spec(tmp_path) -> ServerSpec:
    """A server that asks for a key, as only this test has it."""
    command = RawServer(tmp_path, is_allowed=False).spec
    return ServerSpec(name="s", command=command.command, args=command.args, secrets=("A_TOKEN",))


def test_key_when_kept_then_given_to_this_very_server_only(spec, monkeypatch):
    assert "save it for https://" in missing_secrets(spec)
    save_secrets(spec, {"A_TOKEN": "canary-kept-1"})
    assert secrets_of(spec) == {"A_TOKEN": "canary-kept-1"}
    assert missing_secrets(spec) == ""
    assert "canary-kept-1" in registered_secrets()
    other = ServerSpec(name="s", command="x", secrets=("A_TOKEN",))
    assert secrets_of(other) == {}
    monkeypatch.setenv("A_TOKEN", "canary-environment")
    assert secrets_of(other) == {"A_TOKEN": "canary-environment"}
    # An address never gets a variable of ours by its name alone.
    assert secrets_of(ServerSpec(name="s", url="https://x.org/mcp", secrets=("A_TOKEN",))) == {}


def test_key_of_an_address_when_kept_then_for_its_origin(monkeypatch):
    spec = ServerSpec(name="s", url="https://x.example.org/mcp", secrets=("Authorization",))
    save_secrets(spec, {"Authorization": "Bearer canary-web"})
    name = KeyName(origin_of_server(spec), "Authorization")
    assert str(name.origin) == "https://x.example.org"
    assert name in person_keys().names()
    with pytest.raises(BadInput):
        person_keys().save(name, "two\nlines")


def test_reference_to_a_variable_when_read_then_kept_as_such_and_its_value_blacked_out(monkeypatch):
    monkeypatch.setenv("MY_SECRET", "canary-referred")
    entry = {"command": "x", "env": {"API_KEY": "${env:MY_SECRET}", "AUTH_TOKEN": "${input:ask}"}}
    found = read_server("s", entry)
    assert found.spec is not None
    assert found.spec.settings == {"API_KEY": "${env:MY_SECRET}"}
    assert found.spec.secrets == ("AUTH_TOKEN",)
    assert found.secrets == {}
    assert environment_of(found.spec, {})["API_KEY"] == "canary-referred"
    assert "canary-referred" in registered_secrets()
