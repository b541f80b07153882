"""One request and its reply against servers that mean no good."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from fixtures.rough_site import HttpSite, WebAnswer, bomb, moved

from toolplanner_core.domain.operation import Origin
from toolplanner_core.errors import NetworkError, NetworkRefused, NetworkTimeout, ReplyUnusable
from toolplanner_core.net.client import make_client
from toolplanner_core.net.exchange import ExchangeLimits, ExchangeReply, exchange

LIMITS = ExchangeLimits()
KEYS = {"Authorization": "Bearer tops3cret", "Cookie": "a=tops3cret", "X-Api-Key": "tops3cret"}


def ask(
    url: str,
    *allowed: str,
    method: str = "GET",
    limits: ExchangeLimits = LIMITS,
    resolve: Any = None,
    **request: Any,
) -> ExchangeReply:
    async def go() -> ExchangeReply:
        origins = map(Origin.of, allowed or (url,))
        async with make_client(origins, resolve=resolve) as client:
            return await exchange(client, client.build_request(method, url, **request), limits)

    return asyncio.run(go())


def test_reply_when_all_is_well_then_whole_with_its_status(site: HttpSite) -> None:
    site.on("/a", WebAnswer({"n": 1}, 404, {"X-Quota": "9"}))
    got = ask(f"{site.origin}/a?q=1", headers={"X-One": "1"})
    assert (got.status, got.content, got.headers["x-quota"]) == (404, b'{"n": 1}', "9")
    assert got.url == f"{site.origin}/a?q=1"
    assert (site.asked[0].query, site.asked[0].headers["x-one"]) == ([("q", "1")], "1")


def test_redirect_when_it_leads_to_a_private_address_then_nothing_is_sent_there(
    site: HttpSite, other: HttpSite
) -> None:
    site.on("/a", moved(f"{other.origin}/secret"))
    with pytest.raises(NetworkRefused, match="this machine"):
        ask(f"{site.origin}/a", headers=KEYS)
    assert not other.asked


def test_redirect_when_the_origin_changes_then_credentials_stay_behind(
    site: HttpSite, other: HttpSite
) -> None:
    site.on("/a", moved(f"http://me:pass@127.0.0.1:{other.port}/b"))
    other.on("/b", WebAnswer({}))
    ask(f"{site.origin}/a?key=tops3cret", site.origin, other.origin, headers=KEYS)
    assert "tops3cret" not in repr(other.asked)
    assert "authorization" not in other.asked[0].headers
    assert site.asked[0].headers["x-api-key"] == "tops3cret"


def test_redirect_when_the_origin_stays_then_credentials_go_on(site: HttpSite) -> None:
    site.on("/a", moved("/b", 307))
    site.on("/b", WebAnswer({}))
    ask(f"{site.origin}/a", method="POST", headers=KEYS, json={"x": 1})
    assert (site.asked[1].method, site.asked[1].json) == ("POST", {"x": 1})
    assert site.asked[1].headers["x-api-key"] == "tops3cret"


def test_redirect_when_something_is_changed_then_not_repeated_at_another_origin(
    site: HttpSite, other: HttpSite
) -> None:
    site.on("/a", moved(f"{other.origin}/b", 307))
    with pytest.raises(NetworkRefused, match="sends this POST on to"):
        ask(f"{site.origin}/a", site.origin, other.origin, method="POST", json={"x": 1})
    assert not other.asked


def test_redirect_when_the_server_says_see_other_then_read_without_the_body(site: HttpSite) -> None:
    site.on("/a", moved("/b", 303))
    site.on("/b", WebAnswer({}))
    ask(f"{site.origin}/a", method="POST", json={"x": 1})
    assert (site.asked[1].method, site.asked[1].body) == ("GET", b"")
    assert "content-type" not in site.asked[1].headers


@pytest.mark.parametrize("to", ["file:///etc/passwd", "ftp://127.0.0.1/", "http://[::1"])
def test_redirect_when_it_is_no_address_of_the_web_then_refused(site: HttpSite, to: str) -> None:
    site.on("/a", moved(to))
    with pytest.raises(NetworkError):
        ask(f"{site.origin}/a")


def test_redirect_when_it_never_ends_then_five_are_followed(site: HttpSite) -> None:
    site.on("/a", moved("/a"))
    with pytest.raises(ReplyUnusable, match="more than 5 times"):
        ask(f"{site.origin}/a")
    assert len(site.asked) == 6


def test_name_when_it_means_another_address_at_the_next_request_then_checked_again(
    site: HttpSite,
) -> None:
    answers = iter([["127.0.0.1"], ["10.0.0.1"]])

    async def changing(host: str, port: int) -> Sequence[str]:
        return next(answers)

    site.on("/a", WebAnswer({}))
    url = f"http://rebinding.test:{site.port}/a"
    with pytest.raises(NetworkRefused, match=r"rebinding\.test, which means 127"):
        ask(url, site.origin, resolve=changing)
    with pytest.raises(NetworkRefused, match=r"rebinding\.test, which means 10"):
        ask(url, site.origin, resolve=changing)
    assert not site.asked


def test_name_when_only_one_of_its_addresses_is_private_then_refused() -> None:
    async def both(host: str, port: int) -> Sequence[str]:
        return ["93.184.215.14", "192.168.0.1"]

    with pytest.raises(NetworkRefused, match="private network"):
        ask("http://both.test/", "http://other.test", resolve=both)


def test_name_when_found_then_looked_up_once_and_its_own_name_sent(site: HttpSite) -> None:
    asked: list[str] = []

    async def here(host: str, port: int) -> Sequence[str]:
        asked.append(host)
        return ["127.0.0.1"]

    site.on("/a", WebAnswer({}))
    ask(f"http://tool.test:{site.port}/a", resolve=here)
    assert asked == ["tool.test"]
    assert site.asked[0].headers["host"] == f"tool.test:{site.port}"


@pytest.mark.parametrize("times", [1, 2])
def test_reply_when_it_unpacks_to_too_much_then_given_up(site: HttpSite, times: int) -> None:
    site.on("/a", bomb(times=times))
    with pytest.raises(ReplyUnusable, match=r"larger than|packed as gzip, gzip"):
        ask(f"{site.origin}/a")


def test_reply_when_it_has_no_end_then_given_up_and_the_connection_closed(site: HttpSite) -> None:
    site.on("/a", site.endless)
    with pytest.raises(ReplyUnusable, match="larger than 100,000 bytes"):
        ask(f"{site.origin}/a", limits=ExchangeLimits(max_bytes=100_000))
    assert site.was_left.wait(30)


def test_reply_when_it_does_not_come_then_the_whole_is_limited(site: HttpSite) -> None:
    site.on("/a", moved("/b"))
    site.on("/b", site.never)
    with pytest.raises(NetworkTimeout, match="not there after"):
        ask(f"{site.origin}/a", limits=ExchangeLimits(total_s=0.2))


def test_reply_when_it_is_not_packed_as_it_says_then_unusable(site: HttpSite) -> None:
    site.on("/a", WebAnswer(b"plain", headers={"Content-Encoding": "gzip"}))
    with pytest.raises(ReplyUnusable, match="not packed as it says"):
        ask(f"{site.origin}/a")


def test_connection_when_it_is_cut_then_a_failure_of_the_network(site: HttpSite) -> None:
    site.on("/a", site.reset)
    with pytest.raises(NetworkError) as cut:
        ask(f"{site.origin}/a")
    assert type(cut.value) is NetworkError


def test_request_when_cancelled_then_the_connection_is_closed_at_once(site: HttpSite) -> None:
    site.on("/a", site.endless)

    async def go() -> None:
        async with make_client([Origin.of(site.origin)]) as client:
            request = client.build_request("GET", f"{site.origin}/a")
            limits = ExchangeLimits(max_bytes=10**12)
            task = asyncio.ensure_future(exchange(client, request, limits))
            await asyncio.to_thread(site.was_asked.wait, 30)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            # The client is still open: the connection was closed by the cancelling.
            assert await asyncio.to_thread(site.was_left.wait, 30)

    asyncio.run(go())


def test_cookies_when_a_server_sets_them_then_not_sent_back(site: HttpSite) -> None:
    site.on("/a", WebAnswer({}, headers={"Set-Cookie": "track=1"}))

    async def go() -> None:
        async with make_client([Origin.of(site.origin)]) as client:
            for _ in range(2):
                await exchange(client, client.build_request("GET", f"{site.origin}/a"))

    asyncio.run(go())
    assert "cookie" not in site.asked[1].headers
