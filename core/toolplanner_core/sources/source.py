"""What a source plug-in is, what it yields, and the registry of sources.

A source reads somebody's catalogue of tools: it turns files into `Api`s, one by one, and never
stops at a bad record. Callers: `importing.py`, `detect.py`, the command line, the import dialog.
"""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from toolplanner_core.domain.api import Api
from toolplanner_core.registry import Registry


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    """A record that could not be taken in; the rest of the import goes on.

    Attributes:
        where: file, member and place, such as "tools.zip:Weather/a.json $.api_list[3].name".
        why: the reason, a sentence for people without its full stop.
    """

    where: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Mended:
    """A record that was taken in without a part that could not be used, such as a parameter whose
    name appears twice. `where` and `why` as in `Rejected`."""

    where: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FileGroup:
    """Marks that a file is finished: a good place to store what was read so far.

    Attributes:
        done: finished files of the location.
        total: all files of the location.
    """

    done: int
    total: int


Record = Api | Rejected | Mended | FileGroup
"""What reading a source yields."""


class Read(Protocol):
    """The function that reads a location."""

    def __call__(self, location: Path, options: Any, *, source: str) -> Generator[Record]:
        """Yield all records of a file or folder, streamed.

        Args:
            options: an instance of the plug-in's `options` class.
            source: name of the catalogue, part of every API's id.

        Raises:
            BadInput: the location as a whole cannot be read.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePlugin:
    """A catalogue format.

    Attributes:
        accepts: what it reads, for the message when nothing fits ("a folder or zip of ...").
        options: frozen dataclass with defaults: the CLI makes flags and the GUI a form of it.
        recognises: whether the content at a path looks like this format; never raises for dirt.
    """

    id: str
    title: str
    description: str
    accepts: str
    options: type
    recognises: Callable[[Path], bool]
    read: Read


sources: Registry[SourcePlugin] = Registry("toolplanner_core.sources", "source format")
