"""Where a request goes, apart from the path: keys and permissions belong to an origin."""

from dataclasses import dataclass
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
