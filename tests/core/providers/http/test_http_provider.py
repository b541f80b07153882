"""Calls over HTTP against servers on loopback: what is sent, and what is made of the reply."""

import asyncio
import gzip

import pytest
from fixtures.hostile_pictures import GOOD, based
from fixtures.http_world import HttpWorld, http_api
from fixtures.rough_site import HttpSite, WebAnswer, bomb, moved

from toolplanner_core.domain.api import Risk
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.observation import NOT_SENT
from toolplanner_core.domain.operation import (
    ArgumentPlace,
    Operation,
    Origin,
    RequestPart,
    SchemeKind,
    SecurityScheme,
)
from toolplanner_core.providers.classify import observe
from toolplanner_core.providers.http import Pacer
from toolplanner_core.providers.provider import CallLimits


def get(site: HttpSite, path: str = "/a", **more: object) -> Operation:
    return Operation(method="GET", servers=(site.origin,), path=path, **more)  # pyright: ignore


def test_call_when_the_server_answers_then_its_reply_with_what_matters(
    site: HttpSite, world: HttpWorld
) -> None:
    answer = WebAnswer({"n": 1}, headers={"X-RateLimit-Remaining": "4", "Set-Cookie": "s=1"})
    site.on("/a/7", answer)
    places = {
        "id": ArgumentPlace(within=RequestPart.PATH),
        "q": ArgumentPlace(within=RequestPart.QUERY),
    }
    result = world.call(get(site, "/a/{id}", places=places), {"id": 7, "q": "x y"})
    assert (result.status, result.body, result.origin) == (200, '{"n": 1}', "http")
    assert result.headers == {"X-Ratelimit-Remaining": "4"}
    asked = site.asked[0]
    assert (asked.method, asked.path, asked.query) == ("GET", "/a/7", [("q", "x y")])
    assert asked.headers["accept"].startswith("application/json")


def test_call_when_a_picture_comes_then_named_in_the_text_and_kept_beside_it(
    site: HttpSite, world: HttpWorld
) -> None:
    site.on("/a", WebAnswer(GOOD, headers={"Content-Type": "image/png"}))
    result = world.call(get(site))
    assert result.body == f"({len(GOOD):,} bytes of image/png)"
    (kept,) = result.pictures
    assert (kept["type"], kept["data"]) == ("image/png", based(GOOD))
    assert observe(result, http_api(get(site))).value == result.body


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (WebAnswer({"message": "no"}, 500), ErrorClass.SERVER_ERROR),
        (WebAnswer({"message": "slow down"}, 429, {"Retry-After": "7"}), ErrorClass.RATE_LIMITED),
        (WebAnswer({"error": "gone"}, 410), ErrorClass.NOT_FOUND),
        (WebAnswer(b"[" * 300 + b"]" * 300), ErrorClass.BAD_PAYLOAD),
        (WebAnswer(b'{"a": '), ErrorClass.BAD_PAYLOAD),
        (WebAnswer(b"", 204), ErrorClass.EMPTY_RESULT),
        (bomb(), ErrorClass.BAD_PAYLOAD),
        (WebAnswer(b"x", headers={"Content-Encoding": "br"}), ErrorClass.BAD_PAYLOAD),
        (moved("http://169.254.169.254/latest"), ErrorClass.BLOCKED_BY_POLICY),
        (moved("/a"), ErrorClass.BAD_PAYLOAD),
    ],
)
def test_call_when_it_fails_then_a_result_with_its_class(
    site: HttpSite, world: HttpWorld, answer: WebAnswer, error: ErrorClass
) -> None:
    site.on("/a", answer)
    operation = get(site)
    assert observe(world.call(operation), http_api(operation)).error is error


@pytest.mark.parametrize(
    ("behaviour", "error"),
    [
        ("never", ErrorClass.TIMEOUT),
        ("endless", ErrorClass.BAD_PAYLOAD),
        ("reset", ErrorClass.NETWORK),
    ],
)
def test_call_when_the_connection_is_bad_then_a_result_with_its_class(
    site: HttpSite, world: HttpWorld, behaviour: str, error: ErrorClass
) -> None:
    site.on("/a", getattr(site, behaviour))
    timeout_s = 0.3 if behaviour == "never" else 60.0
    limits = CallLimits(timeout_s=timeout_s, max_bytes=100_000)
    result = world.call(get(site), limits=limits)
    assert (result.failure, result.status) == (error, None)


def test_reply_when_it_is_a_page_where_data_were_promised_then_a_failure(
    site: HttpSite, world: HttpWorld
) -> None:
    site.on("/a", WebAnswer(b"<html>Hello", headers={"Content-Type": "text/html"}))
    assert world.call(get(site), response_schema={}).failure is ErrorClass.BAD_PAYLOAD
    assert world.call(get(site)).failure is None


@pytest.mark.parametrize("status", [200, 201, 202, 204, 205])
@pytest.mark.parametrize("kind", ["application/json", "text/html", "application/octet-stream"])
def test_reply_when_what_changes_something_is_answered_by_nothing_then_well(
    site: HttpSite, world: HttpWorld, status: int, kind: str
) -> None:
    site.on("/a", WebAnswer(status=status, headers={"Content-Type": kind}))
    operation = Operation(method="DELETE", servers=(site.origin,), path="/a")
    api = http_api(operation, risk=Risk.DESTRUCTIVE, response_schema={})
    assert observe(world.call(operation, risk=api.risk, response_schema={}), api).ok
    reading = http_api(get(site), response_schema={})
    is_read = observe(world.call(get(site), response_schema={}), reading).ok
    assert is_read == (kind == "application/octet-stream")  # as ever: its size is told


def test_reply_when_it_is_no_text_then_named_and_other_charsets_are_read(
    site: HttpSite, world: HttpWorld
) -> None:
    site.on("/a", WebAnswer(b"\x89PNG", headers={"Content-Type": "image/png"}))
    assert world.call(get(site)).body == "(4 bytes of image/png)"
    latin = {"Content-Type": "text/plain; charset=latin-1"}
    site.on("/a", WebAnswer("hä".encode("latin-1"), headers=latin))
    assert world.call(get(site)).body == "hä"
    site.on("/a", WebAnswer(gzip.compress(b'{"a":1}'), headers={"Content-Encoding": "gzip"}))
    assert world.call(get(site)).body == '{"a":1}'


def test_call_when_the_server_is_not_allowed_then_nothing_is_sent(
    site: HttpSite, world: HttpWorld
) -> None:
    world.allowed = frozenset()
    result = world.call(get(site))
    assert result.failure is ErrorClass.BLOCKED_BY_POLICY
    assert "Run > Providers and keys > Servers" in result.message
    assert not site.asked


def test_call_when_nothing_left_then_it_says_so(
    site: HttpSite, other: HttpSite, world: HttpWorld
) -> None:
    places = {"id": ArgumentPlace(within=RequestPart.PATH)}
    plain = get(site, "/a/{id}", places=places)
    key = SecurityScheme(
        name="k", kind=SchemeKind.KEY, within=RequestPart.HEADER, parameter="X-Key"
    )
    assert world.call(get(site, security=((key,),))).origin == NOT_SENT, "no key"
    assert world.call(plain, {"id": ""}).origin == NOT_SENT, "nothing would stand in the path"
    nowhere = world.call(Operation(method="GET", servers=(), path="/a"))
    assert (nowhere.origin, nowhere.failure) == (NOT_SENT, ErrorClass.UNKNOWN_API)
    assert not site.asked
    for target in ("http://169.254.169.254/latest", "ftp://else.example/a", "http://[::1/"):
        site.on("/a/1", moved(target))
        result = world.call(plain, {"id": 1})
        assert result.failure is ErrorClass.BLOCKED_BY_POLICY
        assert result.origin == "http", "a server was asked, and led astray"
    assert len(site.asked) == 3
    assert not other.asked


def test_call_when_the_person_names_another_server_then_it_goes_there(
    site: HttpSite, other: HttpSite, world: HttpWorld
) -> None:
    other.on("/v2/a", WebAnswer({"n": 2}))
    world.base_urls = {"shop": f"{other.origin}/v2/"}
    assert world.call(get(site)).body == '{"n": 2}'
    assert not site.asked


def test_call_when_there_is_no_operation_then_says_so(world: HttpWorld) -> None:
    async def work() -> ErrorClass | None:
        provider = world.provider()
        try:
            return (await provider.call(http_api(None), {}, CallLimits())).failure
        finally:
            await provider.close()

    assert asyncio.run(work()) is ErrorClass.UNKNOWN_API


def test_call_when_written_then_body_and_method_arrive(site: HttpSite, world: HttpWorld) -> None:
    site.on("/a", WebAnswer({"id": 1}, 201))
    operation = Operation(
        method="POST", servers=(site.origin,), path="/a", content_type="application/json"
    )
    world.call(operation, {"name": "x"}, risk=Risk.WRITE)
    assert (site.asked[0].method, site.asked[0].json) == ("POST", {"name": "x"})


def test_requests_when_they_come_too_fast_then_spread_over_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    async def work() -> None:
        loop = asyncio.get_running_loop()
        monkeypatch.setattr(loop, "time", lambda: 100.0)
        pacer = Pacer(4)
        monkeypatch.setattr(asyncio, "sleep", sleep)
        for host in ("a", "a", "b", "a"):
            await pacer.wait(Origin("http", host, 80))
        monkeypatch.undo()

    asyncio.run(work())
    assert waited == [0.25, 0.5]


def test_call_when_cancelled_then_the_connection_is_closed(
    site: HttpSite, world: HttpWorld
) -> None:
    site.on("/a", site.endless)

    async def work() -> None:
        provider = world.provider()
        limits = CallLimits(timeout_s=60.0, max_bytes=10**12)
        call = asyncio.ensure_future(provider.call(http_api(get(site)), {}, limits))
        await asyncio.to_thread(site.was_asked.wait, 30)
        call.cancel()
        await asyncio.wait([call])
        assert call.cancelled()
        # The server notices while the provider lives on: it was the call that let go.
        assert await asyncio.to_thread(site.was_left.wait, 30)
        await provider.close()

    asyncio.run(work())
