"""Which addresses are refused, in all the forms in which they can be written."""

import asyncio

import pytest

from toolplanner_core.domain.operation import Origin
from toolplanner_core.errors import BadInput, NetworkError, NetworkRefused
from toolplanner_core.net.addresses import why_refused
from toolplanner_core.net.client import make_client
from toolplanner_core.net.exchange import exchange

FORMS = [
    "127.0.0.1", "127.1", "0x7f.0.0.1", "017700000001", "2130706433", "localhost", "0.0.0.0",
    "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "168.63.129.16",
    "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "[fe80::1]",
    "[fc00::1]", "[fd00:ec2::254]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[ff02::1]",
    "127.0.0.1.", "LOCALHOST", "[64:ff9b:1::1]",
]  # fmt: skip


async def _get(url: str) -> int:
    async with make_client() as client:
        return (await exchange(client, client.build_request("GET", url))).status


@pytest.mark.parametrize("host", FORMS)
def test_request_when_the_address_is_not_of_the_open_internet_then_refused(host: str) -> None:
    # Some systems do not know every way of writing an address: then there is nobody to connect to.
    with pytest.raises((NetworkRefused, NetworkError)) as refused:
        asyncio.run(_get(f"http://{host}:1/"))
    said = refused.value.sentence
    assert isinstance(refused.value, NetworkRefused) or "Nobody knows the name" in said, said


@pytest.mark.parametrize(
    "address",
    ["93.184.215.14", "1.1.1.1", "2606:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101"],
)
def test_address_when_it_is_of_the_open_internet_then_nothing_is_said(address: str) -> None:
    assert why_refused(address) == ""


@pytest.mark.parametrize("text", ["", "example", "1.2.3", "::ffff:127.0.0.1%eth0", "240.0.0.1"])
def test_address_when_it_is_none_or_reserved_then_refused(text: str) -> None:
    assert why_refused(text)


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://a/", "gopher://a/", "http:///x"])
def test_request_when_the_scheme_is_another_then_refused(url: str) -> None:
    with pytest.raises(NetworkRefused):
        asyncio.run(_get(url))


@pytest.mark.parametrize(
    ("address", "origin"),
    [
        ("HTTPS://API.Example.com./v1?x=1", "https://api.example.com"),
        ("http://a:80/", "http://a"),
        ("http://me:secret@a:8080", "http://a:8080"),
        ("http://[::1]:9/x", "http://[::1]:9"),
        ("https://bücher.example", "https://xn--bcher-kva.example"),
    ],
)
def test_origin_when_read_then_written_in_one_way(address: str, origin: str) -> None:
    assert str(Origin.of(address)) == origin
    assert Origin.of(origin) == Origin.of(address)


@pytest.mark.parametrize("text", ["", "a", "file:///x", "http://", "http://a:b", "http://[::1"])
def test_origin_when_it_is_none_then_refused_without_what_may_be_secret(text: str) -> None:
    with pytest.raises(BadInput) as refused:
        Origin.of(f"{text}?key=secret" if text else text)
    assert "secret" not in refused.value.sentence
