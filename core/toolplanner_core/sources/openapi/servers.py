"""Addresses of the servers of a document: variables filled in, relative ones put after their own.

Source: OpenAPI 2.0: host, basePath, schemes; 3.1.1: Server Object.
"""

import re
from itertools import islice, product
from typing import Any
from urllib.parse import urljoin, urlsplit

from toolplanner_core.sources.cleaning import clean_line
from toolplanner_core.sources.openapi.parts import Notes, as_list, as_object

_VARIABLE = re.compile(r"\{([^{}]+)\}")
_MOST = 20
"""Addresses that one server with variables may stand for."""


def servers_of(owners: list[Any], *, near: str, notes: Notes) -> tuple[str, ...]:
    """Where an operation is offered, the default first, without a slash at the end.

    Args:
        owners: operation, path and document: the first that names servers counts.
        near: an http(s) address that relative ones are relative to, "" if nobody knows.
    """
    listed = next(
        (found for owner in owners if (found := as_list(as_object(owner).get("servers")))), []
    )
    addresses = [address for server in listed for address in _addresses(as_object(server))]
    return _absolute(addresses or ["/"], near, notes)


def old_servers_of(document: dict[str, Any], *, near: str, notes: Notes) -> tuple[str, ...]:
    """The same of 2.0."""
    host = clean_line(document.get("host"))
    path = clean_line(document.get("basePath"))
    path = path if path.startswith("/") or not path else f"/{path}"
    schemes = [scheme for scheme in as_list(document.get("schemes")) if scheme in ("https", "http")]
    if not host:
        return _absolute([path or "/"], near, notes)
    # The safer one first, whatever their order.
    addresses = [
        f"{scheme}://{host}{path}" for scheme in sorted(schemes or ["https"], reverse=True)
    ]
    return _absolute(addresses, near, notes)


def _addresses(server: dict[str, Any]) -> list[str]:
    """One address per combination of the values that variables can have, the defaults first."""
    url = clean_line(server.get("url"))
    variables = as_object(server.get("variables"))
    names = [name for name in dict.fromkeys(_VARIABLE.findall(url)) if name in variables]
    values: list[list[str]] = []
    for name in names:
        variable = as_object(variables[name])
        listed = [variable.get("default"), *as_list(variable.get("enum"))]
        texts = [str(value) for value in listed if isinstance(value, str | int | float)]
        values.append([*dict.fromkeys(texts)] or [f"{{{name}}}"])
    filled: list[str] = []
    for chosen in islice(product(*values), _MOST):
        address = url
        for name, text in zip(names, chosen, strict=True):
            address = address.replace(f"{{{name}}}", text)
        filled.append(address)
    return filled


def _absolute(addresses: list[str], near: str, notes: Notes) -> tuple[str, ...]:
    found: list[str] = []
    for address in addresses:
        try:
            whole = urljoin(near, address) if near else address
            parts = urlsplit(whole)
        except ValueError:
            notes.add(f"the server {address[:100]!r} is no address")
            continue
        if parts.scheme in ("http", "https") and parts.netloc:
            found.append(whole.rstrip("/"))
        elif parts.scheme:
            notes.add(f"the server {address[:100]!r} is not reached by http or https")
        else:
            notes.add(
                f"the server {address[:100]!r} is relative to an address that nobody knows;"
                " the option server says it"
            )
            found += [whole.rstrip("/")] if whole.rstrip("/") else []
    return tuple(dict.fromkeys(found))
