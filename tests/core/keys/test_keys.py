"""Keys of a person: where they are kept, for whom they are found, and that they stand nowhere."""

import io
import json
from pathlib import Path

import pytest
from fixtures.http_world import MemoryRing

from toolplanner_core.cli.app import run_command_line as main
from toolplanner_core.domain.operation import Origin
from toolplanner_core.errors import BadInput, NotFound
from toolplanner_core.keys import ANY_SCHEME, KeyLocation, KeyName, KeyStore, registered_secrets
from toolplanner_core.runs.log.redaction import Redactor

API = Origin.of("https://api.test")


@pytest.fixture
def ring() -> MemoryRing:
    return MemoryRing()


@pytest.fixture
def store(tmp_path: Path, ring: MemoryRing) -> KeyStore:
    return KeyStore(tmp_path / "keys.json", ring=lambda: ring, environment={})


def test_key_when_saved_then_in_the_keychain_and_only_its_name_in_the_file(
    store: KeyStore, tmp_path: Path
) -> None:
    assert store.save(KeyName(API, "main"), "tops3cret") is KeyLocation.KEYCHAIN
    assert store.find(API, "main") == "tops3cret"
    assert "tops3cret" not in (tmp_path / "keys.json").read_text()
    assert store.names() == {KeyName(API, "main"): KeyLocation.KEYCHAIN}


def test_key_when_it_is_long_then_split_and_put_together_and_wholly_deleted(
    store: KeyStore, ring: MemoryRing
) -> None:
    value = "".join(f"{n:05}" for n in range(1_000))
    store.save(KeyName(API), value)
    assert len(ring.kept) == 5
    assert store.find(API, "x") == value
    store.delete(KeyName(API))
    assert (ring.kept, store.names()) == ({}, {})
    with pytest.raises(NotFound):
        store.delete(KeyName(API))


@pytest.mark.parametrize(
    ("saved", "scheme", "asked", "is_found"),
    [
        ("https://api.test", "main", "https://api.test", True),
        ("https://api.test", ANY_SCHEME, "https://api.test", True),
        ("https://api.test", "other", "https://api.test", False),
        ("https://api.test", "main", "http://api.test", False),
        ("https://api.test", "main", "https://api.test:8443", False),
        ("https://api.test", "main", "https://evil.api.test", False),
        ("https://*.p.rapid.test", "main", "https://a.p.rapid.test", True),
        ("https://*.p.rapid.test", "main", "https://p.rapid.test", False),
        ("https://*.p.rapid.test", "main", "https://evilp.rapid.test", False),
    ],
)
def test_key_when_asked_for_then_found_for_its_own_origin_and_scheme_only(
    store: KeyStore, saved: str, scheme: str, asked: str, is_found: bool
) -> None:
    store.save(KeyName(Origin.of(saved), scheme), "tops3cret")
    assert (store.find(Origin.of(asked), "main") is not None) is is_found


def test_keys_when_several_fit_then_the_most_exact_is_found(store: KeyStore) -> None:
    store.save(KeyName(Origin.of("https://*.api.test"), "main"), "for all of them")
    store.save(KeyName(Origin.of("https://a.api.test")), "for one")
    assert store.find(Origin.of("https://a.api.test"), "main") == "for one"
    assert store.find(Origin.of("https://b.api.test"), "main") == "for all of them"


def test_key_when_there_is_no_keychain_then_kept_for_this_session(tmp_path: Path) -> None:
    store = KeyStore(tmp_path / "keys.json", ring=lambda: None, environment={})
    assert store.save(KeyName(API), "tops3cret") is KeyLocation.SESSION
    assert store.find(API, "main") == "tops3cret"
    assert not list(tmp_path.iterdir())
    again = KeyStore(tmp_path / "keys.json", ring=lambda: None, environment={})
    assert again.find(API, "main") is None


def test_key_when_the_keychain_breaks_then_kept_for_this_session(tmp_path: Path) -> None:
    class Broken(MemoryRing):
        def set_password(self, service: str, username: str, password: str) -> None:
            raise OSError("locked")

    store = KeyStore(tmp_path / "keys.json", ring=Broken, environment={})
    assert store.save(KeyName(API), "tops3cret") is KeyLocation.SESSION
    assert store.find(API, "main") == "tops3cret"


def test_key_when_in_the_environment_then_found(tmp_path: Path) -> None:
    environment = {"TOOLPLANNER_KEY_1": "https://api.test main two words", "TOOLPLANNER_KEY_2": "x"}
    store = KeyStore(tmp_path / "keys.json", ring=lambda: None, environment=environment)
    assert store.find(API, "main") == "two words"
    assert list(store.names().values()) == [KeyLocation.ENVIRONMENT]


@pytest.mark.parametrize("origin", ["https://*.test", "https://a.*.test.org", "https://*"])
def test_key_when_it_would_be_for_the_whole_world_then_refused(
    store: KeyStore, origin: str
) -> None:
    with pytest.raises(BadInput, match="star"):
        store.save(KeyName(Origin.of(origin)), "tops3cret")


@pytest.mark.parametrize("value", ["", "  ", "a\nb"])
def test_key_when_it_is_none_then_refused(store: KeyStore, value: str) -> None:
    with pytest.raises(BadInput):
        store.save(KeyName(API), value)


def test_redaction_when_a_key_is_loaded_later_then_knows_it(store: KeyStore) -> None:
    redactor = Redactor()
    assert "another-canary" in redactor.text("the answer was another-canary")
    store.save(KeyName(API), "user:another-canary")
    assert redactor.text("the answer was another-canary") == "the answer was •••"
    assert "another-canary" in registered_secrets()


def test_index_when_it_is_broken_then_there_are_no_keys(store: KeyStore, tmp_path: Path) -> None:
    (tmp_path / "keys.json").write_text('[{"origin": 5}]')
    assert store.names() == {}


def test_command_when_there_is_no_keychain_then_says_what_to_do_and_never_the_key(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("tops3cret-value\n"))
    assert main(["keys", "set", "https://api.test", "main"]) == 2
    said = capsys.readouterr()
    assert "TOOLPLANNER_KEY_1" in said.err
    assert "tops3cret" not in said.err + said.out


def test_commands_when_keys_and_origins_are_listed_then_as_they_stand(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("TOOLPLANNER_SETTINGS", str(tmp_path / "settings.json"))
    monkeypatch.setenv("TOOLPLANNER_KEY_9", "https://nine.test main tops3cret-value")
    assert main(["keys", "list", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {"origin": "https://nine.test", "scheme": "main", "in": "environment"} in rows
    assert main(["origins", "allow", "http://localhost:8080/v1"]) == 0
    assert main(["origins", "list", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == ["http://localhost:8080"]
    assert main(["origins", "forbid", "http://localhost:8080"]) == 0
    assert main(["origins", "forbid", "http://localhost:8080"]) == 2
