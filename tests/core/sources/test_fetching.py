"""Catalogues behind addresses: a real server on loopback, and the rules for the network."""

import gzip
import json
import threading
from collections.abc import Iterator

import pytest
from fixtures.loopback import Answering, serving

from toolplanner_core.errors import BadInput
from toolplanner_core.sources.import_preview import preview_source
from toolplanner_core.sources.importing import import_source
from toolplanner_core.sources.location import fetch_address
from toolplanner_core.workspace import Workspace

FUNCTION = {"name": "tides", "description": "Tides of a harbour.", "parameters": {}}


class _Handler(Answering):
    asked: list[tuple[str, str | None]]
    may_end: threading.Event

    def do_GET(self) -> None:
        self.asked.append((self.path, self.headers["Host"]))
        content, headers, status = b"", {}, 200
        match self.path.split("?")[0]:
            case "/tools.json":
                content = json.dumps([FUNCTION]).encode()
            case "/packed":
                content, headers = gzip.compress(b" " * 2_000_000), {"Content-Encoding": "gzip"}
            case "/never":
                self.may_end.wait()
            case "/round":
                status, headers = 302, {"Location": "/round"}
            case "/on":
                status, headers = 301, {"Location": "/tools.json"}
            case "/elsewhere":
                port = self.headers["Host"].rpartition(":")[2]
                status, headers = 302, {"Location": f"http://localhost:{port}/tools.json"}
            case "/file":
                status, headers = 302, {"Location": "file:///etc/passwd"}
            case _:
                status = 404
        self.send(status, content, headers)


@pytest.fixture
def origin() -> Iterator[str]:
    _Handler.asked, _Handler.may_end = [], threading.Event()
    with serving(_Handler) as address:
        yield address


def test_address_when_imported_then_its_tools_come_in(workspace: Workspace, origin: str) -> None:
    address = f"{origin}/tools.json?key=secret"
    assert preview_source(address).first[0].name == "tides"
    assert import_source(workspace, address).added == 1
    rows = workspace.reader().execute("SELECT location FROM sources").fetchall()
    assert rows == [(f"{origin}/tools.json",)]
    assert _Handler.asked[0] == ("/tools.json?key=secret", origin.removeprefix("http://"))


def test_redirect_when_it_stays_at_the_origin_then_followed(origin: str) -> None:
    assert json.loads(fetch_address(f"{origin}/on")) == [FUNCTION]


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("/elsewhere", "not on the open internet"),
        ("/file", "Only http and https"),
        ("/round", "leads on more than 5 times"),
        ("/nothing", "404 Not Found"),
        ("/packed", "larger than 1,000,000 bytes"),
    ],
)
def test_reply_when_it_is_not_allowed_then_refused_with_the_reason(
    origin: str, path: str, why: str
) -> None:
    with pytest.raises(BadInput, match=why):
        fetch_address(origin + path, largest=1_000_000)


def test_reply_when_it_takes_too_long_then_given_up(origin: str) -> None:
    try:
        with pytest.raises(BadInput, match=r"not there after 0\.2 s"):
            fetch_address(f"{origin}/never", longest_s=0.2)
    finally:
        _Handler.may_end.set()


def test_address_when_it_was_not_typed_and_is_not_allowed_then_never_asked(origin: str) -> None:
    with pytest.raises(BadInput, match="this machine"):
        fetch_address(f"{origin}/tools.json", allowed=())
    assert not _Handler.asked


@pytest.mark.parametrize(
    "address", ["http://127.0.0.1:1/x", "http://", "https://[::1", "http://a b/"]
)
def test_address_when_nobody_answers_there_then_says_so_without_secrets(address: str) -> None:
    with pytest.raises(BadInput, match="could not be fetched") as refused:
        fetch_address(f"{address}?key=secret")
    assert "secret" not in refused.value.sentence
