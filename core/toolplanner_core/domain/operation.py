"""How an API is called over HTTP: server, path, the place of each argument, what the server asks.

Kept as catalogues document it; nothing here is a request yet.

Where a request goes, apart from the path: keys and permissions belong to an origin.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from urllib.parse import urlsplit

from toolplanner_core.errors import BadInput

_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True, order=True)
class Origin:
    """Scheme, host and port, as browsers tell servers apart.

    Attributes:
        host: in small letters, ASCII; an IPv6 address without its brackets.
    """

    scheme: str
    host: str
    port: int

    @classmethod
    def of(cls, address: str) -> "Origin":
        """The origin of an address, whatever path follows.

        Raises:
            BadInput: it is no http or https address with a host.
        """
        try:
            parts = urlsplit(address.strip())
            host = (parts.hostname or "").rstrip(".")
            if parts.scheme in _PORTS and host:
                host = host if host.isascii() else host.encode("idna").decode("ascii")
                return cls(parts.scheme, host.lower(), parts.port or _PORTS[parts.scheme])
        except ValueError:  # a port that is none, a host that cannot be written in ASCII
            pass
        raise BadInput(
            "This is not an address of the web",
            where=address.partition("?")[0].rpartition("@")[2],
            why="Only http and https are called",
            todo="Write it like https://api.example.com",
        )

    @property
    def host_and_port(self) -> str:
        """As the Host header has it: without the port that everybody knows."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    def __str__(self) -> str:
        return f"{self.scheme}://{self.host_and_port}"


class RequestPart(StrEnum):
    """A part of a request."""

    PATH = "path"
    QUERY = "query"
    HEADER = "header"
    COOKIE = "cookie"
    BODY = "body"


class SchemeKind(StrEnum):
    """How a caller shows who it is."""

    KEY = "key"
    BASIC = "basic"
    BEARER = "bearer"
    OAUTH2 = "oauth2"
    OPENID = "openid"
    CERTIFICATE = "certificate"


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentPlace:
    """Where in the request an argument goes.

    Attributes:
        name: its name there; "" = the argument's own name.
        is_whole_body: the argument is the body, not a part of it.
        style: how lists and objects are written, in OpenAPI's words; "" = the default of the part.
        explode: None = the default of the style.
    """

    within: RequestPart
    name: str = ""
    is_whole_body: bool = False
    style: str = ""
    explode: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SecurityScheme:
    """One thing that a server asks of its callers.

    Attributes:
        name: what the catalogue calls it; keys are stored under it.
        within: where a key goes; None for other kinds.
        parameter: name of the header, query parameter or cookie of a key.
        token_url: where OAuth 2 gives tokens.
        scopes: what is asked for there.
    """

    name: str
    kind: SchemeKind
    within: RequestPart | None = None
    parameter: str = ""
    token_url: str = ""
    scopes: tuple[str, ...] = ()

    @property
    def in_words(self) -> str:
        """For people: "key in header X-API-Key"."""
        if self.within is None:
            return f"{self.kind} {self.name}".strip()
        return f"{self.kind} in {self.within} {self.parameter}".strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """How an API is called.

    Attributes:
        method: in capitals.
        servers: where it is offered, without a slash at the end; the first is taken by default.
        path: begins with a slash; {name} stands for a parameter in the path; may end in a query
            that is always sent.
        places: by the names of the parameters.
        headers: that are always sent.
        content_type: of the request's body, "" if it has none.
        other_content_types: of a patch, the other types that the server takes; the value decides.
        security: alternatives; of each, everything is asked. () = nothing is asked.
        is_deprecated: its makers want nobody to use it any more.
        hints: what its makers say of its effects, in words of their own: "read-only",
            "destructive", "idempotent".
    """

    method: str
    servers: tuple[str, ...]
    path: str
    places: Mapping[str, ArgumentPlace] = field(default_factory=dict[str, ArgumentPlace])
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    content_type: str = ""
    other_content_types: tuple[str, ...] = ()
    security: tuple[tuple[SecurityScheme, ...], ...] = ()
    is_deprecated: bool = False
    hints: tuple[str, ...] = ()

    @property
    def is_http(self) -> bool:
        """Whether it is a request; else a tool of a server or a function of a package."""
        return self.method not in ("MCP", "PYTHON")

    @property
    def in_words(self) -> str:
        """One line for people: "GET https://host/a · 2 in query, 1 in path · key in header X"."""
        server = self.servers[0] if self.servers else ""
        counts = Counter(place.within for place in self.places.values())
        parts = [
            f"{self.method} {server}{self.path}",
            ", ".join(f"{counts[within]} in {within}" for within in RequestPart if counts[within]),
            f"body as {self.content_type}" if self.content_type else "",
            " or ".join(
                " and ".join(scheme.in_words for scheme in all_of) or "nothing"
                for all_of in self.security
            ),
            "deprecated" if self.is_deprecated else "",
            f"said to be {', '.join(self.hints)}" if self.hints else "",
        ]
        return " · ".join(filter(None, parts))
