"""What an importer of data sets is, the registry of them, and how most of them read: row by row.

An importer turns somebody's file of questions into `Query`s and never stops at a bad row. One file
each in `importers/`; which one reads a file is found by what the file begins with.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolplanner_core.domain.lab import Query
from toolplanner_core.errors import BadInput
from toolplanner_core.registry import Registry
from toolplanner_core.sources.documents import decode
from toolplanner_core.sources.files import ALL_SUFFIXES, Caps, Member, walk
from toolplanner_core.sources.location import Location
from toolplanner_core.sources.source import Rejected, Sample
from toolplanner_core.sources.table import TableRow, header_of, rows_of

Row = Mapping[str, Any]
Items = Iterator[Query | Rejected]


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSetImporter:
    """A format of questions with what is known of their answers.

    Attributes:
        accepts: what it reads, for the message when nothing fits.
        options: frozen dataclass, see `toolplanner_core.options`.
        recognises: how certain it is that a sample is of its format, 0 to 1.
        read: all queries of a path, in order, and what could not be read. Ids need not be unique
            yet: the import tells equal ones apart.
        source, licence: of what is published in this format, "" = the file's name, unknown.
        reads_workspaces: its files are workspaces, which are opened and not sampled.
        order: who goes first among equally certain ones: the lower.
    """

    id: str
    title: str
    description: str
    accepts: str
    options: type
    recognises: Callable[[Sample], float]
    read: Callable[[Path, Any], Items]
    source: str = ""
    licence: str = ""
    reads_workspaces: bool = False
    order: int = 100


importers = Registry(
    DataSetImporter,
    package="toolplanner_core.lab.datasets.importers",
    kind="datasets",
    what="format of data sets",
)


def read_rows(path: Path) -> Iterator[TableRow | Rejected]:
    """The rows of a file, folder or zip: JSON lines, lists of objects, CSV; plain or gzipped.

    Raises:
        BadInput: it is not there, or cannot be read at all.
    """
    location = Location.of(path)
    location.check()
    for member in walk(location, Caps(endings=ALL_SUFFIXES)):
        if isinstance(member, Member):
            text = decode(member.data)
            yield from rows_of(text, where=member.where, name=member.parts[-1])
        elif isinstance(member, Rejected):
            yield member


def by_row(query_of: Callable[[Row, Any], Query | None]) -> Callable[[Path, Any], Items]:
    """The `read` of a format that has one query in a row.

    Args:
        query_of: makes a query of a row and the options, None where the row is no query; raises
            `BadInput` where it cannot be used.
    """

    def read(path: Path, options: Any) -> Items:
        for row in read_rows(path):
            if isinstance(row, Rejected):
                yield row
                continue
            try:
                made = query_of(row.cells, options)
            except BadInput as error:
                yield Rejected(where=row.where, why=error.what)
                continue
            if made is not None:
                yield made

    return read


def has_members(*names: str) -> Callable[[Sample], float]:
    """Recognises by the members of the first row of each document."""

    def recognises(sample: Sample) -> float:
        def is_mine(document: Any) -> bool:
            first = document[0] if isinstance(document, list) and document else document
            return isinstance(first, dict) and set(names) <= first.keys()

        return sample.share(is_mine)

    return recognises


def has_columns(*names: str) -> Callable[[Sample], float]:
    """Recognises by the columns of the first tables."""

    def recognises(sample: Sample) -> float:
        found = [set(names) <= set(header_of(head.text, head.name)) for head in sample.heads]
        return sum(found) / max(1, len(found))

    return recognises


def text_in(row: Row, name: str) -> str:
    """A text of a row that is needed.

    Raises:
        BadInput: it is missing, empty or no text.
    """
    value = row.get(name)
    if not isinstance(value, str) or not value.strip():
        raise BadInput(f"it has no text under {name!r}")
    return value.strip()


def keys_in(row: Row, name: str) -> tuple[str, ...]:
    """A list of keys of a row, each once, () where there is none.

    Raises:
        BadInput: it is no list of texts.
    """
    value: Any = row.get(name) or []
    if not isinstance(value, list) or not all(isinstance(each, str) and each for each in value):
        raise BadInput(f"what stands under {name!r} is no list of names of APIs")
    return tuple(dict.fromkeys(value))


def gold_of(keys: tuple[str, ...]) -> tuple[frozenset[str], ...]:
    """One set of gold keys, none where there is no key."""
    return (frozenset(keys),) if keys else ()
