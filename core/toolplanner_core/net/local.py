"""Addresses that say by themselves that they are on this machine or the local network."""

import ipaddress


def is_plainly_local(host: str) -> bool:
    """Whether whoever reads a host knows that it is not on the open internet."""
    try:
        return not ipaddress.ip_address(host).is_global
    except ValueError:
        return host == "localhost" or host.endswith((".localhost", ".local")) or "." not in host
