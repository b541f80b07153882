"""What a source plug-in is, what it yields, and the registry of sources.

A source reads somebody's catalogue of tools: it turns files into `Api`s, one by one, and never
stops at a bad record.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from toolplanner_core.domain.api import Api
from toolplanner_core.registry import Registry
from toolplanner_core.sources.location import Location


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
class FoundBeside:
    """Something that is no API and is worth knowing, such as the prompts that a server offers.

    Attributes:
        where: as in `Rejected`.
        what: a sentence for people without its full stop.
    """

    where: str
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FileGroup:
    """Marks that a file is finished: a good place to store what was read so far.

    Attributes:
        done: finished files of the location.
        total: all files of the location.
        file: the one that has just been finished; "" where records are not read file by file.
    """

    done: int
    total: int
    file: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """An API that a person left out of an import."""

    api: Api


Record = Api | Rejected | Mended | FoundBeside | FileGroup
"""What reading a source yields."""


class Read(Protocol):
    """The function that reads a location."""

    def __call__(self, location: Location, options: Any, *, source: str) -> Generator[Record]:
        """Yield all records of a location, streamed.

        Args:
            options: an instance of the plug-in's `options` class.
            source: name of the catalogue, part of every API's id.

        Raises:
            BadInput: the location as a whole cannot be read.
        """
        ...


class Head(NamedTuple):
    """The beginning of a file of a location.

    Attributes:
        text: its first characters.
        outline: of a file that may be YAML, the lines at its margin, from its beginning to its end:
            what stands first in a document says little where its keys are sorted.
    """

    name: str
    text: str
    outline: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """What a location begins with, read once for all sources.

    Attributes:
        documents: the first JSON values, of broken files what can be read.
        heads: the first files as text, whatever they hold.
        problems: why the first of those that cannot be read cannot.
    """

    documents: Sequence[Any]
    heads: Sequence[Head]
    problems: Sequence[str] = ()

    def share(self, is_mine: Callable[[Any], bool]) -> float:
        """How many of the documents are somebody's, 0 to 1."""
        return sum(map(is_mine, self.documents)) / max(1, len(self.documents))


@dataclass(frozen=True, slots=True, kw_only=True)
class Offered:
    """What a location has for one option, such as the columns of a table.

    Attributes:
        values: what can be chosen.
        guessed: what an empty option takes, "" = nothing.
        none: the value that stands for none of them, "" = one is needed.
    """

    values: tuple[str, ...]
    guessed: str = ""
    none: str = ""


class AskedValue(NamedTuple):
    """A value that a location leaves to the person who imports it.

    Attributes:
        option: of the format, a list of NAME=VALUE, that takes it.
        explanation: a text of whoever wrote the location, "" = nothing is said.
        needed_by: what of the location cannot do without it.
        is_secret: nobody may read it, neither while it is written nor in the workspace.
        default: what the location proposes, "" = nothing.
        choices: the only values that there are; none = any.
    """

    name: str
    option: str
    explanation: str = ""
    needed_by: tuple[str, ...] = ()
    is_secret: bool = False
    default: str = ""
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePlugin:
    """A catalogue format.

    Attributes:
        accepts: what it reads, for the message when nothing fits ("a folder or zip of ...").
        options: frozen dataclass, see `toolplanner_core.options`.
        recognises: how certain it is that a sample is of its format, 0 (not at all) to 1; the most
            certain format reads the location. Never raises for dirt.
        order: who goes first among equally certain ones: the lower.
        is_whole: a location holds the whole catalogue: what does not come again is gone, not only
            what is missing of tools that do.
        reaches_addresses: it talks to an address itself; others get what was fetched from there.
        address_ending: of the paths of such addresses, by which they are told; "" = they are not.
        offers: what a location has for some options, by their names; reads its beginning only.
        asks: what a location leaves to the person, with these options; starts and reaches nothing.
        provider: id of who can call what comes in so; "" = whoever the workspace has for the rest.
    """

    id: str
    title: str
    description: str
    accepts: str
    options: type
    recognises: Callable[[Sample], float]
    read: Read
    order: int = 100
    reaches_addresses: bool = False
    address_ending: str = ""
    provider: str = ""
    is_whole: bool = False
    offers: Callable[[Location], Mapping[str, Offered]] | None = None
    asks: Callable[[Location, Any], Sequence[AskedValue]] | None = None


sources = Registry(
    SourcePlugin, package="toolplanner_core.sources", kind="sources", what="source format"
)
