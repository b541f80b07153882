"""Keys: each goes to its own origin, by its own way, and nowhere else."""

import base64
from typing import Any

import pytest
from fixtures.http_world import HttpWorld
from fixtures.rough_site import HttpSite, WebAnswer, moved

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.operation import Operation, RequestPart, SchemeKind, SecurityScheme
from toolplanner_core.keys import registered_secrets

SECRET = "user-7:tops3cret-value"


def scheme(kind: SchemeKind, **more: Any) -> SecurityScheme:
    return SecurityScheme(name="main", kind=kind, **more)


def asking(site: HttpSite, *alternatives: tuple[SecurityScheme, ...]) -> Operation:
    return Operation(method="GET", servers=(site.origin,), path="/a", security=alternatives)


def key_in(within: RequestPart) -> SecurityScheme:
    return scheme(SchemeKind.KEY, within=within, parameter="X-Key")


@pytest.mark.parametrize(
    ("asked", "sent"),
    [
        (key_in(RequestPart.HEADER), ("x-key", SECRET)),
        (key_in(RequestPart.COOKIE), ("cookie", "X-Key=user-7%3Atops3cret-value")),
        (scheme(SchemeKind.BEARER), ("authorization", f"Bearer {SECRET}")),
        (
            scheme(SchemeKind.BASIC),
            ("authorization", f"Basic {base64.b64encode(SECRET.encode()).decode()}"),
        ),
    ],
)
def test_key_when_saved_for_the_origin_then_sent_as_the_server_asks(
    site: HttpSite, world: HttpWorld, asked: SecurityScheme, sent: tuple[str, str]
) -> None:
    site.on("/a", WebAnswer({}))
    world.key(site.origin, "main", SECRET)
    world.call(asking(site, (asked,)))
    assert sent in site.asked[0].headers.items()


def test_key_when_it_belongs_into_the_query_then_it_stands_there(
    site: HttpSite, world: HttpWorld
) -> None:
    site.on("/a", WebAnswer({}))
    world.key(site.origin, "main", SECRET)
    result = world.call(asking(site, (key_in(RequestPart.QUERY),)))
    assert site.asked[0].query == [("X-Key", SECRET)]
    assert SECRET not in repr(result)


def test_key_when_the_catalogue_asks_for_it_at_another_origin_then_not_sent(
    site: HttpSite, other: HttpSite, world: HttpWorld
) -> None:
    world.key(other.origin, "main", SECRET)
    result = world.call(asking(site, (key_in(RequestPart.HEADER),)))
    assert result.failure is ErrorClass.UNAUTHORISED
    assert f"Save it for {site.origin}, scheme" in result.message
    assert not site.asked


def test_key_when_the_base_url_leads_elsewhere_then_it_stays(
    site: HttpSite, other: HttpSite, world: HttpWorld
) -> None:
    world.key(site.origin, "main", SECRET)
    world.base_urls = {"shop": other.origin}
    assert (
        world.call(asking(site, (key_in(RequestPart.HEADER),))).failure is ErrorClass.UNAUTHORISED
    )
    assert not other.asked


def test_key_when_the_server_redirects_to_another_origin_then_it_stays(
    site: HttpSite, other: HttpSite, world: HttpWorld
) -> None:
    site.on("/a", moved(f"{other.origin}/b"))
    other.on("/b", WebAnswer({}))
    world.key(site.origin, "main", SECRET)
    world.call(asking(site, (key_in(RequestPart.HEADER),)))
    assert SECRET in site.asked[0].headers.values()
    assert SECRET not in repr(other.asked)


def test_alternatives_when_one_has_its_keys_then_it_is_taken(
    site: HttpSite, world: HttpWorld
) -> None:
    site.on("/a", WebAnswer({}))
    world.key(site.origin, "second", SECRET)
    second = SecurityScheme(name="second", kind=SchemeKind.BEARER)
    world.call(asking(site, (), (key_in(RequestPart.HEADER),), (second,)))
    assert site.asked[0].headers["authorization"] == f"Bearer {SECRET}"


def test_alternatives_when_nothing_is_asked_in_one_then_called_without(
    site: HttpSite, world: HttpWorld
) -> None:
    site.on("/a", WebAnswer({}))
    assert world.call(asking(site, (key_in(RequestPart.HEADER),), ())).status == 200
    assert "x-key" not in site.asked[0].headers


def token_scheme(other: HttpSite) -> SecurityScheme:
    url = f"{other.origin}/token"
    return scheme(SchemeKind.OAUTH2, token_url=url, scopes=("read", "write"))


def test_token_when_asked_for_then_fetched_once_and_known_as_secret(
    site: HttpSite, other: HttpSite, world: HttpWorld
) -> None:
    site.on("/a", WebAnswer({}))
    other.on("/token", WebAnswer({"access_token": "t0ken-of-today"}))
    for origin in (site.origin, other.origin):
        world.key(origin, "main", SECRET)
    world.call(asking(site, (token_scheme(other),)), times=2)
    assert [asked.headers["authorization"] for asked in site.asked] == ["Bearer t0ken-of-today"] * 2
    (asked,) = other.asked
    assert asked.body == b"grant_type=client_credentials&scope=read+write"
    assert asked.headers["authorization"].startswith("Basic ")
    assert "t0ken-of-today" in registered_secrets()


def test_token_when_it_has_run_out_then_a_new_one_is_fetched(
    site: HttpSite, other: HttpSite, world: HttpWorld
) -> None:
    site.on("/a", WebAnswer({}, 401), WebAnswer({"n": 1}))
    other.on("/token", WebAnswer({"access_token": "one"}), WebAnswer({"access_token": "two"}))
    for origin in (site.origin, other.origin):
        world.key(origin, "main", SECRET)
    assert world.call(asking(site, (token_scheme(other),))).status == 200
    assert [asked.headers["authorization"] for asked in site.asked] == ["Bearer one", "Bearer two"]


@pytest.mark.parametrize("known", ["site", "other"])
def test_token_when_only_one_of_both_servers_has_the_key_then_nothing_is_sent(
    site: HttpSite, other: HttpSite, world: HttpWorld, known: str
) -> None:
    world.key(site.origin if known == "site" else other.origin, "main", SECRET)
    result = world.call(asking(site, (token_scheme(other),)))
    assert result.failure is ErrorClass.UNAUTHORISED
    assert not site.asked
    assert not other.asked


@pytest.mark.parametrize(
    "answer", [WebAnswer({}, 400), WebAnswer(b"no"), WebAnswer({"access_token": 5})]
)
def test_token_when_it_is_refused_then_the_call_fails(
    site: HttpSite, other: HttpSite, world: HttpWorld, answer: WebAnswer
) -> None:
    other.on("/token", answer)
    for origin in (site.origin, other.origin):
        world.key(origin, "main", SECRET)
    result = world.call(asking(site, (token_scheme(other),)))
    assert result.failure is ErrorClass.NETWORK
    assert "gave no token" in result.message
    assert not site.asked
