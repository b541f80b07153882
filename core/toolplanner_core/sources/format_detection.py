"""Which format a location has, by looking at its content, and with which options it is read.

Importing and previewing do the same here, so that a preview shows what an import brings.
"""

import io
import json
import logging
import re
import zipfile
from collections import Counter
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, cast
from urllib.parse import urlsplit

from toolplanner_core.errors import BadInput
from toolplanner_core.options.values import check_options, make_options
from toolplanner_core.sources.documents import check_depth, decode, json_kind, parse
from toolplanner_core.sources.files import (
    ALL_SUFFIXES,
    TABLE_SUFFIXES,
    Caps,
    Member,
    files_in,
    is_data_name,
    is_litter,
    walk,
)
from toolplanner_core.sources.location import Fetch, Location, LocationKind
from toolplanner_core.sources.source import Head, Record, Rejected, Sample, SourcePlugin, sources

_LOOK_AT = 20
"""Members that hold something and are looked at."""
_LOOK_AT_ALL = 20_000
"""Members that are looked at to find these: a catalogue may begin with broken or empty ones."""
_LOOK_AT_BYTES = 20_000_000
"""After so many no further member is looked at: large files are read again to be imported."""
_FIRST_CHARACTERS = 1_000_000
_HEAD_CHARACTERS = 65_536
_MARGIN = re.compile(r"^[\w\"'$-][^\n]*", re.MULTILINE)
_MARGIN_LINES, _MOST_LINES = 1_000, 200_000
_JSON_LINE = re.compile(r"^[ \t]*[\[{].*", re.MULTILINE)


def read_sample(location: Location) -> Sample:
    """What a location begins with; nothing is raised for dirt.

    Of JSON lines, and of a long list that is broken further on, the first item is given. What
    cannot be read or is empty is passed over.
    """
    documents: list[Any] = []
    heads: list[Head] = []
    problems: list[str] = []
    seen_bytes = good = 0
    try:
        with closing(walk(location, Caps(endings=ALL_SUFFIXES))) as items:
            for item in islice(items, 2 * _LOOK_AT_ALL):
                if isinstance(item, Rejected):
                    problems.append(item.why)
                if not isinstance(item, Member):
                    continue
                text = decode(item.data)
                found = _first_values(text)
                documents += found.values
                problems += [found.problem] if found.problem else []
                if text.strip() and len(heads) < _LOOK_AT:
                    heads.append(_head_of(item.parts[-1], text))
                good += bool(found.values)
                seen_bytes += len(item.data)
                if seen_bytes > _LOOK_AT_BYTES or good >= _LOOK_AT:
                    break
    except BadInput as error:
        problems.append(error.what)
    return Sample(documents=documents, heads=heads, problems=problems[:_LOOK_AT])


def _head_of(name: str, text: str) -> Head:
    may_be_yaml = text.lstrip("\ufeff \t\r\n")[:1] not in ("{", "[")
    may_be_yaml = may_be_yaml and not name.lower().endswith(TABLE_SUFFIXES)
    lines = islice(_MARGIN.finditer(text), _MARGIN_LINES) if may_be_yaml else ()
    return Head(name, text[:_HEAD_CHARACTERS], "\n".join(match[0][:200] for match in lines))


class _FirstValues(NamedTuple):
    """JSON values that a text begins with, and why it is not one value as a whole, "" if it is."""

    values: list[Any]
    problem: str


def _first_values(text: str) -> _FirstValues:
    try:
        return _FirstValues([_from_first_good(parse(text))], "")
    except BadInput as error:
        begins_so = text.lstrip("\ufeff \t\r\n")[:1] in ("{", "[")
        return _FirstValues([*_first_item(text)], error.what if begins_so else "")


def _from_first_good(value: Any) -> Any:
    """A list from its first item on that holds something, where it has one."""
    if not isinstance(value, list):
        return value
    items = cast("list[Any]", value)
    good = (at for at, item in enumerate(items) if item and isinstance(item, dict | list))
    return items[next(good, 0) :]


def _first_item(text: str) -> Iterator[Any]:
    """The first JSON value of lines, or of a list that cannot be read to its end."""
    head = text[:_FIRST_CHARACTERS].lstrip()
    for begin in dict.fromkeys((0, 1 if head.startswith("[") else 0)):
        inner = head[begin:].lstrip()
        try:
            value, end = json.JSONDecoder(parse_constant=str).raw_decode(inner)
            check_depth(inner[:end], value)
        except (ValueError, RecursionError, BadInput):
            continue
        yield value
    # Any number of lines before the first good one may be broken.
    found = 0
    begin = len(text) - len(text.lstrip())
    for line in islice(_JSON_LINE.finditer(text, begin), _MOST_LINES):
        if line.start() == begin:
            continue  # it was looked at above
        try:
            value = parse(line[0])
        except BadInput:
            continue
        if value:
            yield value
            found += 1
        if found == _LOOK_AT:
            return


logger = logging.getLogger(__name__)

_MAGIC = (
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"%PDF", "a PDF document"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive, which is not read"),
    (b"Rar!", "a RAR archive, which is not read"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a program"),
)


def detect(location: Location) -> SourcePlugin:
    """The format that recognises the most of what is there.

    Raises:
        BadInput: nothing there, or no format fits; says what was found and what is accepted.
    """
    location.check()
    sample = read_sample(location)
    ranked = [(_certainty(plugin, sample), plugin) for plugin in sources]
    certainty, best = max(ranked, key=lambda each: (each[0], -each[1].order))
    if certainty > 0:
        return best
    accepted = "; ".join(plugin.accepts for plugin in sources)
    raise BadInput(
        "No tools were found here",
        where=location.where,
        why=describe(location, sample),
        todo=f"What can be imported: {accepted}",
    )


def _certainty(plugin: SourcePlugin, sample: Sample) -> float:
    try:
        return plugin.recognises(sample)
    except Exception:
        # A source of another distribution must not stand in the way of all the others.
        logger.exception("The source %s cannot judge this sample", plugin.id)
        return 0.0


def describe(location: Location, sample: Sample) -> str:
    """What a location is, in one sentence for people; for locations that hold no tools."""
    if location.path is not None and location.is_folder:
        folder = location.path
        names = islice((p for p in folder.rglob("*") if p.is_file()), 100_000)
        parts = [path.relative_to(folder).parts for path in names]
        return _describe_many("folder", [each for each in parts if not is_litter(each)], sample)
    if location.is_zip:
        try:
            with zipfile.ZipFile(location.path or io.BytesIO(location.content or b"")) as archive:
                inside = [info.filename for info in files_in(archive)]
        except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
            return f"It is a damaged zip archive: {error}"
        parts = [tuple(name.split("/")) for name in inside]
        return _describe_many("zip", [each for each in parts if not is_litter(each)], sample)
    return _describe_content(_head(location), sample)


def _head(location: Location) -> bytes:
    if location.path is None:
        return (location.content or b"")[:65_536]
    with location.path.open("rb") as file:
        return file.read(65_536)


def _describe_many(kind: str, found: list[tuple[str, ...]], sample: Sample) -> str:
    if not found:
        return f"The {kind} holds no files"
    endings = Counter(Path(parts[-1]).suffix.lower() or "no ending" for parts in found)
    listed = ", ".join(f"{count} {ending}" for ending, count in endings.most_common(4))
    count = f"{len(found)} file{'s' if len(found) > 1 else ''}"
    if any(is_data_name(parts[-1]) or parts[-1].lower().endswith(".zip") for parts in found):
        inside = _describe_first(sample)
        return f"The {kind} holds {count} ({listed}), but none describes tools{inside}"
    return f"The {kind} holds {count} ({listed}), none of them JSON"


def _describe_first(sample: Sample) -> str:
    for document in sample.documents:
        return f"; the first readable one holds {_shape(document)}"
    first = f": {sample.problems[0]}" if sample.problems else ""
    return f"; none of those looked at is readable JSON{first}"


def _describe_content(head: bytes, sample: Sample) -> str:
    if head.startswith(b"SQLite format 3\x00"):
        return "It is a database; a ToolPlanner workspace is opened, not imported"
    for magic, kind in _MAGIC:
        if head.startswith(magic):
            return f"It is {kind}"
    for document in sample.documents:
        return f"It is JSON and holds {_shape(document)}"
    if head.startswith(b"\x1f\x8b"):
        return "It is a gzip file, and no JSON is in it"
    text = decode(head)
    problem = sample.problems[0] if sample.problems else ""
    if text.lstrip()[:1] in ("{", "["):
        return f"It begins like JSON, but nothing in it can be read: {problem}".rstrip(": ")
    if problem and not sample.heads:
        return f"Nothing in it can be read: {problem}"
    if b"\0" in head or sum(not c.isprintable() and c not in "\r\n\t" for c in text) > 20:
        return "It is a binary file of an unknown kind"
    first = ""
    with suppress(StopIteration):
        first = next(line.strip() for line in text.splitlines() if line.strip())
    return f"It is a text file that begins with {first[:60]!r}" if first else "It holds only blanks"


def _shape(document: object) -> str:
    if isinstance(document, dict):
        keys = ", ".join(repr(str(key)[:40]) for key in list(document)[:5])
        return f"an object with {keys}" if keys else "an empty object"
    if isinstance(document, list) and document:
        inside = _shape(document[0]) if isinstance(document[0], dict) else json_kind(document[0])
        return f"a list of {len(document)}, the first of them {inside}"
    return "an empty list" if document == [] else json_kind(document)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedSource:
    """A location with the format that reads it.

    Attributes:
        name: of the catalogue, part of every API's id.
        options: an instance of the format's options.
    """

    location: Location
    plugin: SourcePlugin
    name: str
    options: Any

    def records(self) -> Generator[Record]:
        """All records, streamed; to be closed."""
        return self.plugin.read(self.location, self.options, source=self.name)


def resolve_source(
    location: Location | Path,
    *,
    fetch: Fetch,
    format_id: str | None = None,
    source_name: str | None = None,
    options: Any = None,
) -> ResolvedSource:
    """How a location is read; fetches an address unless the format talks to it itself.

    Args:
        format_id: None looks at the content.
        source_name: None takes the format's id.
        options: an instance of the format's options, or values by name; None takes the defaults.

    Raises:
        BadInput: the location cannot be read or is no known format, or an option does not fit.
        NotFound: there is no such format.
    """
    location = Location.of(location)
    plugin = _by_address(location) if format_id is None else sources.get(format_id)
    if plugin is None or not plugin.reaches_addresses:
        location = location.fetched(fetch)
    if plugin is None:
        plugin = detect(location)
    elif location.kind is not LocationKind.URL or location.content is not None:
        location.check()
    if source_name is not None and not source_name.strip():
        raise BadInput("The name of the source is empty", todo="Give it a name, or none at all")
    return ResolvedSource(
        location=location,
        plugin=plugin,
        name=source_name or plugin.id,
        options=_options(plugin, options),
    )


def _options(plugin: SourcePlugin, given: Any) -> Any:
    of = f"{sources.what} {plugin.id}"
    if isinstance(given, Mapping):
        return make_options(plugin.options, cast("Mapping[str, Any]", given), of=of)
    return check_options(plugin.options, given, of=of)


def _by_address(location: Location) -> SourcePlugin | None:
    """The format whose servers have such addresses: nothing can be fetched there to look at."""
    if location.kind is not LocationKind.URL or location.content is not None:
        return None
    path = urlsplit(location.where).path.rstrip("/")
    talking = (plugin for plugin in sources if plugin.address_ending)
    return next((plugin for plugin in talking if path.endswith(plugin.address_ending)), None)
