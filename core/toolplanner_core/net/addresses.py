"""Which addresses are of the open internet, and which others a person allowed.

An address that is not of the open internet (this machine, a private network, a cloud's metadata) is
refused unless its origin is allowed on this machine.
"""

import ipaddress
import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from toolplanner_core.domain.operation import Origin
from toolplanner_core.errors import BadInput, NotFound
from toolplanner_core.settings import settings_path
from toolplanner_core.words.window_places import SERVERS

_Ip = ipaddress.IPv4Address | ipaddress.IPv6Address
_METADATA = frozenset(
    ipaddress.ip_address(text)
    for text in (
        "169.254.169.254",
        "168.63.129.16",
        "100.100.100.200",
        "192.0.0.192",
        "fd00:ec2::254",
    )
)  # fmt: skip
"""Where clouds tell a machine its own secrets; Azure's second one lies in the open internet.
Source: the documentation of AWS, Azure, Alibaba Cloud and Oracle Cloud on instance metadata."""
_CARRIER_GRADE = ipaddress.ip_network("100.64.0.0/10")
_IPV4_INSIDE = (ipaddress.ip_network("64:ff9b::/96"), ipaddress.ip_network("::/96"))
"""NAT64, and the old way of writing IPv4 as IPv6."""
_LOCAL_NAT64 = ipaddress.ip_network("64:ff9b:1::/48")


def why_refused(address: str) -> str:
    """What an IP address is if it is not of the open internet, "" if it is."""
    try:
        given = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return "not an address"
    return next(filter(None, map(_kind, _all_of(given))), "")


def _all_of(address: _Ip) -> Iterator[_Ip]:
    """What an address really leads to: itself, the IPv4 address that it stands for, or both."""
    if not isinstance(address, ipaddress.IPv6Address) or address.is_loopback:
        yield address
    elif address.ipv4_mapped is not None:
        yield address.ipv4_mapped
    elif any(address in network for network in _IPV4_INSIDE):
        yield ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
    else:
        yield from (address, *filter(None, (address.sixtofour, *(address.teredo or ()))))


def _kind(address: _Ip) -> str:
    if address in _METADATA:
        return "where a cloud keeps secrets of its machines"
    if address.is_loopback:
        return "this machine"
    if address.is_unspecified:
        return "no address of anybody"
    if address.is_link_local:
        return "on the local network (link-local)"
    if address.version == _CARRIER_GRADE.version and address in _CARRIER_GRADE:
        return "inside a provider's network (carrier-grade NAT)"
    if address.is_multicast:
        return "an address of many machines (multicast)"
    is_v6_site = isinstance(address, ipaddress.IPv6Address) and address.is_site_local
    is_v6_site |= address.version == _LOCAL_NAT64.version and address in _LOCAL_NAT64
    if address.is_private or is_v6_site:
        return "on a private network, or reserved"
    return "" if address.is_global and not address.is_reserved else "a reserved address"


def is_plainly_local(host: str) -> bool:
    """Whether whoever reads a host knows that it is not on the open internet."""
    try:
        return not ipaddress.ip_address(host).is_global
    except ValueError:
        return host == "localhost" or host.endswith((".localhost", ".local")) or "." not in host


def allowed_origins() -> frozenset[Origin]:
    """All of them; a file that cannot be read allows nothing."""
    try:
        texts: Any = json.loads(_file().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return frozenset()
    found: set[Origin] = set()
    for text in texts if isinstance(texts, list) else ():
        with suppress(BadInput):
            found.add(Origin.of(str(text)))
    return frozenset(found)


def allow_origin(origin: Origin) -> None:
    """Let an origin be called wherever it is."""
    _write(allowed_origins() | {origin})


def forbid_origin(origin: Origin) -> None:
    """Take that back.

    Raises:
        NotFound: it was not allowed.
    """
    allowed = allowed_origins()
    if origin not in allowed:
        raise NotFound(f"{origin} was not allowed", todo=f"See what is: {SERVERS}")
    _write(allowed - {origin})


def _write(origins: Iterable[Origin]) -> None:
    file = _file()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(sorted(map(str, origins)), indent=1), encoding="utf-8")


def _file() -> Path:
    return settings_path().with_name("allowed_origins.json")
