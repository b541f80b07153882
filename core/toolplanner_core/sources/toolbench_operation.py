"""How a ToolBench API is called, as far as its document says.

A document has method and URL, the server's example values sometimes in it, and parameters without
their place. The crawl took what RapidAPI lists as parameters, not the payloads of bodies: what is
not named in the path is sent in the query, whatever the method, and names of headers as headers.
Servers of RapidAPI ask for a key and for their own name in headers.

Source: RapidAPI documentation, "Consume APIs": X-RapidAPI-Key and X-RapidAPI-Host.
"""

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from toolplanner_core.domain.operation import (
    Operation,
    Place,
    SchemeKind,
    SecurityScheme,
    Within,
)

_VARIABLE = re.compile(r"\{([^{}/]+)\}")
_HEADERS = frozenset({"accept", "accept-language", "authorization", "content-type", "user-agent"})
_RAPIDAPI = ".p.rapidapi.com"
_KEY = SecurityScheme(
    name="RapidAPI", kind=SchemeKind.KEY, within=Within.HEADER, parameter="X-RapidAPI-Key"
)
_IN_QUERY, _IN_HEADER = Place(within=Within.QUERY), Place(within=Within.HEADER)


def operation_of(method: str, url: str, parameters: Iterable[str]) -> Operation | None:
    """The operation behind a URL; None if it names no server."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not host:
        return None
    path = url[url.index(parts.netloc) + len(parts.netloc) :]
    is_rapidapi = host.endswith(_RAPIDAPI)
    return Operation(
        method=method or "GET",
        servers=(f"{parts.scheme}://{parts.netloc}",),
        path=path if path.startswith("/") else f"/{path}",
        places=_places(path, parameters),
        headers={"X-RapidAPI-Host": host} if is_rapidapi else {},
        security=((_KEY,),) if is_rapidapi else (),
    )


def _places(path: str, parameters: Iterable[str]) -> dict[str, Place]:
    # The crawl writes {venueid} for the parameter venueId: case does not tell them apart.
    variables = {name.casefold(): name for name in _VARIABLE.findall(path)}
    places: dict[str, Place] = {}
    for name in parameters:
        variable = variables.get(name.casefold())
        if variable is not None:
            places[name] = Place(within=Within.PATH, name="" if variable == name else variable)
        elif name.lower() in _HEADERS or name.lower().startswith("x-"):
            places[name] = _IN_HEADER
        else:
            places[name] = _IN_QUERY
    return places
