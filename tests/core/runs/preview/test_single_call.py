"""One call at the console: what is shown of it, that it is sent, cancelled, and keeps secrets."""

import json
import subprocess
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from fixtures.http_world import http_api
from fixtures.rough_site import HttpSite, WebAnswer

from toolplanner_core.cli.app import run_command_line
from toolplanner_core.domain.api import Api, Risk
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.operation import (
    ArgumentPlace,
    Operation,
    Origin,
    RequestPart,
    SchemeKind,
    SecurityScheme,
)
from toolplanner_core.keys import KeyName, person_keys
from toolplanner_core.net.addresses import allow_origin, forbid_origin
from toolplanner_core.providers.http_request import curl_text, with_key_placeholders
from toolplanner_core.runs.preview.single_call import CallTrial, what_is_sent
from toolplanner_core.sources.importing import import_apis
from toolplanner_core.workspace import Workspace

SECRET = "canary-s3cret-of-the-console"
SCHEMA = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
KEY = SecurityScheme(name="main", kind=SchemeKind.KEY, within=RequestPart.HEADER, parameter="X-Key")


@pytest.fixture
def site() -> Iterator[HttpSite]:
    with HttpSite() as made:
        allow_origin(Origin.of(made.origin))
        yield made
        forbid_origin(Origin.of(made.origin))


def stored(workspace: Workspace, site: HttpSite, **fields: Any) -> Api:
    places = {"q": ArgumentPlace(within=RequestPart.QUERY)}
    operation = Operation(
        method="GET", servers=(site.origin,), path="/a", places=places, security=((KEY,), ())
    )
    api = http_api(operation, parameters=SCHEMA, **fields)
    import_apis(workspace, [api], source_name="shop", format_id="openapi", location="a test")
    return api


def test_request_when_shown_then_without_the_key_and_with_what_does_not_fit(
    workspace: Workspace, site: HttpSite
) -> None:
    api = stored(workspace, site)
    sent = what_is_sent(workspace, api, {"q": "a b"})
    assert sent.text.splitlines() == [f"GET {site.origin}/a?q=a%20b", "X-Key: $KEY_MAIN"]
    assert sent.misfit == ""
    assert '"q" is missing' in what_is_sent(workspace, api, {}).misfit
    assert not site.asked


def test_call_when_the_server_repeats_the_key_then_it_is_not_shown(
    workspace: Workspace, site: HttpSite
) -> None:
    api = stored(workspace, site)
    name = KeyName(Origin.of(site.origin), "main")
    person_keys().save(name, SECRET)
    try:
        site.on("/a", WebAnswer({"echo": SECRET}))
        done = CallTrial(workspace, api, {"q": "x"}).run()
    finally:
        person_keys().delete(name)
    assert site.asked[0].headers["x-key"] == SECRET
    assert (done.provider, done.observation.ok) == ("http", True)
    assert SECRET not in repr(done)
    assert "200" in done.text


def test_call_when_cancelled_then_over_although_the_server_says_nothing(
    workspace: Workspace, site: HttpSite
) -> None:
    site.on("/a", site.never)
    trial = CallTrial(workspace, stored(workspace, site), {"q": "x"})
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(trial.run()))
    thread.start()
    assert site.was_asked.wait(60)
    trial.cancel()
    thread.join(60)
    assert found[0].observation.error is ErrorClass.CANCELLED


def test_call_when_cancelled_before_it_began_then_nothing_is_sent(
    workspace: Workspace, site: HttpSite
) -> None:
    trial = CallTrial(workspace, stored(workspace, site), {"q": "x"})
    trial.cancel()
    assert trial.run().observation.error is ErrorClass.CANCELLED
    assert not site.asked


def test_command_when_an_api_is_called_then_its_reply_is_printed(
    workspace: Workspace, site: HttpSite, capsys: pytest.CaptureFixture[str]
) -> None:
    site.on("/a", WebAnswer({"n": 1}))
    api = stored(workspace, site)
    path = str(workspace.path)
    assert run_command_line(["call", path, api.id, '{"q": "x"}', "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["observation"]["value"] == {"n": 1}
    assert run_command_line(["call", path, api.id, '{"q": "x"}', "--curl"]) == 0
    assert capsys.readouterr().out.startswith("curl ")
    assert run_command_line(["call", path, api.id, "{}"]) == 2
    assert run_command_line(["call", path, api.id, "[]"]) == 2
    assert len(site.asked) == 1


def test_command_when_it_may_change_something_then_only_after_a_yes(
    workspace: Workspace, site: HttpSite
) -> None:
    site.on("/a", WebAnswer({"n": 1}))
    api = stored(workspace, site, risk=Risk.WRITE)
    path = str(workspace.path)
    assert run_command_line(["call", path, api.id, '{"q": "x"}']) == 2
    assert not site.asked
    assert run_command_line(["call", path, api.id, '{"q": "x"}', "--yes"]) == 0
    assert len(site.asked) == 1


@pytest.mark.parametrize("value", ["a'b", 'a"b', "$(touch x)", "`x`", "a\nb", "$HOME", "$KEY_x"])
def test_curl_when_read_by_a_shell_then_nothing_is_expanded_but_names_of_keys(value: str) -> None:
    from toolplanner_core.providers.http_request import http_call

    header = ArgumentPlace(within=RequestPart.HEADER, name="X-A")
    body = ArgumentPlace(within=RequestPart.BODY)
    operation = Operation(
        method="POST", servers=("http://h.test",), path="/a", places={"h": header, "b": body}
    )
    safe = value.replace("\n", "")
    call = with_key_placeholders(http_call(operation, {"h": safe, "b": value}), ((KEY,),))
    command = curl_text(call).replace("curl ", "printf '%s\\0' ", 1)
    printed = subprocess.run(
        ["sh", "-c", command], capture_output=True, check=True, env={"KEY_MAIN": "the key"}
    )
    words = printed.stdout.decode().split("\0")
    assert f"X-A: {safe}" in words
    assert json.dumps({"b": value}) in words
    assert "X-Key: the key" in words
