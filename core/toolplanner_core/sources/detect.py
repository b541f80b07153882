"""Tell which format a location has by looking at its content, or say what it is instead."""

import io
import logging
import zipfile
from collections import Counter
from contextlib import suppress
from itertools import islice
from pathlib import Path

from toolplanner_core.errors import BadInput
from toolplanner_core.sources.archive import files_in
from toolplanner_core.sources.documents import decode, json_kind
from toolplanner_core.sources.location import Location
from toolplanner_core.sources.members import is_data_name, is_litter
from toolplanner_core.sources.samples import look_at
from toolplanner_core.sources.source import Sample, SourcePlugin, sources

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
    sample = look_at(location)
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
    return "; none of those looked at is readable JSON"


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
    if text.lstrip()[:1] in ("{", "["):
        return "It begins like JSON, but nothing in it can be read"
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
