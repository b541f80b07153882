"""Where a catalogue is (a file, a folder, an address, pasted text), and fetching an address.

An address that a person typed may be anywhere; one that stands in somebody's document only on the
open internet, or where the person allowed it.
"""

from __future__ import annotations

import asyncio
import json
import stat
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from urllib.parse import urlsplit

from toolplanner_core.domain.operation import Origin
from toolplanner_core.domain.workspace_file import SUFFIX
from toolplanner_core.errors import BadInput, UserError
from toolplanner_core.words.window_places import PASTED

LARGEST_BYTES = 200_000_000
"""After unpacking; the largest catalogue known, ToolBench's, is 45 MB as a zip."""
LONGEST_S = 300.0
"""For the whole reply."""


def fetch_address(
    address: str,
    *,
    allowed: Iterable[Origin] | None = None,
    largest: int = LARGEST_BYTES,
    longest_s: float = LONGEST_S,
) -> bytes:
    """What an http or https address holds; blocks for seconds, on a thread without an event loop.

    Args:
        allowed: origins that need not be of the open internet; None = the address itself was
            typed by a person, and its own origin is.

    Raises:
        BadInput: it is not allowed, cannot be reached, fails, is too large or takes too long.
    """
    try:
        return asyncio.run(_get(address, allowed, largest=largest, longest_s=longest_s))
    except UserError as error:
        why = f"{error.what}. {error.why}" if error.why else error.what
    raise BadInput(
        "The address could not be fetched",
        why=why,
        todo="Check it in a browser, or download it and import the file",
    )


async def _get(
    address: str, allowed: Iterable[Origin] | None, *, largest: int, longest_s: float
) -> bytes:
    # Here, not above: each source of catalogues imports this file, few fetch anything.
    import httpx2

    from toolplanner_core.net.client import make_client
    from toolplanner_core.net.exchange import ExchangeLimits, exchange

    limits = ExchangeLimits(max_bytes=largest, total_s=longest_s)
    typed = [Origin.of(address)]
    try:
        url = httpx2.URL(address.strip())
    except httpx2.InvalidURL as error:
        raise BadInput(str(error)) from error
    async with make_client(typed if allowed is None else allowed) as client:
        reply = await exchange(client, client.build_request("GET", url), limits)
    if 200 <= reply.status < 300:
        return reply.content
    raise BadInput(f"The server answers {reply.status} {reply.reason}")


Fetch = Callable[[str], bytes]
"""Gives what an address holds, within the rules for the network; raises `UserError`."""

PACKAGES_KEY = "pythonFunctions"
"""In a document that names installed packages; "python:NAME" stands for one with one name."""
_PACKAGE = "python:"
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_KINDS = (
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


class LocationKind(StrEnum):
    """What a location is; archives are files."""

    PATH = "path"
    URL = "url"
    TEXT = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Location:
    """Where a catalogue is.

    Attributes:
        where: as a person gave it, for messages.
        path: of a file or folder; None for an address and for pasted text.
        content: what was fetched or pasted; None for a path, and before an address is fetched.
    """

    kind: LocationKind
    where: str
    path: Path | None = None
    content: bytes | None = None

    @classmethod
    def of(cls, given: str | Path | Location) -> Location:
        """The location of what a person typed: http(s) addresses, packages, else a path."""
        if isinstance(given, Location):
            return given
        if isinstance(given, str) and given.startswith(_PACKAGE):
            document = json.dumps({PACKAGES_KEY: [given.removeprefix(_PACKAGE).strip()]})
            return cls(kind=LocationKind.TEXT, where=given, content=document.encode())
        if isinstance(given, str) and given.lower().startswith(("http://", "https://")):
            return cls(kind=LocationKind.URL, where=given)
        return cls(kind=LocationKind.PATH, where=str(given), path=Path(given))

    @classmethod
    def of_text(cls, text: str | bytes) -> Location:
        """Text that was pasted, or came through a pipe."""
        content = text.encode("utf-8", "replace") if isinstance(text, str) else text
        return cls(kind=LocationKind.TEXT, where="pasted text", content=content)

    @property
    def name(self) -> str:
        """Its last part, which tools and messages are named after."""
        if self.path is not None:
            # "." has no name of its own.
            return self.path.resolve().name
        if self.kind is LocationKind.TEXT:
            return self.where.removeprefix(_PACKAGE) if self._is_package else "pasted"
        parts = urlsplit(self.where)
        return parts.path.rstrip("/").rpartition("/")[2] or parts.hostname or "fetched"

    @property
    def _is_package(self) -> bool:
        return self.path is None and self.where.startswith(_PACKAGE)

    @property
    def address(self) -> str:
        """Where it is for the list of imports: an absolute path, an address without secrets."""
        if self.path is not None:
            return str(self.path.resolve())
        if self.kind is LocationKind.TEXT:
            return self.where
        parts = urlsplit(self.where)
        host = parts.netloc.rpartition("@")[2]
        return f"{parts.scheme}://{host}{parts.path}"

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder."""
        return self.path is not None and self.path.is_dir()

    @property
    def is_zip(self) -> bool:
        """Whether it begins like a zip archive, whatever its name."""
        if self.content is not None:
            return self.content.startswith(_ZIP)
        return self.path is not None and self.path.is_file() and is_zip(self.path)

    def fetched(self, fetch: Fetch = fetch_address) -> Location:
        """The same with its content, if it is an address.

        Raises:
            BadInput: it cannot be fetched.
        """
        if self.kind is not LocationKind.URL or self.content is not None:
            return self
        return replace(self, content=fetch(self.where))

    def check(self) -> None:
        """Refuse what is not there, holds nothing, or would have to be waited for.

        Raises:
            BadInput: no such file or folder, an empty one, a workspace, a pipe, socket or device.
        """
        if self.path is None:
            if not self.content:
                raise BadInput("There is nothing in it", where=self.where)
            return
        if not self.path.exists():
            raise BadInput(
                "There is no such file or folder", where=self.where, todo="Check the spelling"
            )
        if what := special_file_kind(self.path):
            raise BadInput(
                f"This is {what}, not a file",
                where=self.where,
                why="Nobody knows when or whether it ends",
                todo=f"Write it into a file, or {PASTED}",
            )
        if self.path.is_file() and not self.path.stat().st_size:
            raise BadInput("The file is empty", where=self.where, todo="Choose another file")
        if self.path.suffix == SUFFIX and self.path.is_file():
            # Not even looked into: where it is open here, closing the file would end its locks.
            raise BadInput("A ToolPlanner workspace is opened, not imported", where=self.where)


def is_zip(path: Path) -> bool:
    """Whether a file begins like a zip archive, whatever its name."""
    with path.open("rb") as file:
        return file.read(4) in _ZIP


def special_file_kind(path: Path) -> str:
    """What a path is if reading it could wait for ever, "" for files and folders."""
    mode = path.stat().st_mode
    return next((what for is_kind, what in _KINDS if is_kind(mode)), "")
