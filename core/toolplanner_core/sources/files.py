"""Walk a file, folder or archive that others made, and hand out its members as bytes.

Nothing is ever extracted to disk. Every member that is not handed out is either the operating
system's litter or a `Rejected` record with its reason.

Source: design/security.md, "Files from others".
"""

import os
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from pathlib import Path

from toolplanner_core.errors import BadInput
from toolplanner_core.sources.archive import zip_members
from toolplanner_core.sources.location import Location, is_zip, not_a_file
from toolplanner_core.sources.members import Caps, Member, is_litter, ungzip
from toolplanner_core.sources.source import FileGroup, Rejected


@dataclass(slots=True)
class _Budget:
    """Bytes that may still be read from one location, over all its archives."""

    left_bytes: int


def walk(location: Location, caps: Caps | None = None) -> Generator[Member | Rejected | FileGroup]:
    """All members of a location that the caps let through, in a stable order, streamed.

    A `FileGroup` follows each finished member, with the share of the whole.

    Raises:
        BadInput: there is no such location, it is empty, cannot be read or could be waited for
            for ever, or it is larger than the caps allow as a whole.
    """
    caps = caps or Caps()
    budget = _Budget(caps.total_bytes)
    for item in _walk_any(location, caps):
        if isinstance(item, Member):
            budget.left_bytes -= len(item.data)
            if budget.left_bytes < 0:
                raise BadInput(
                    f"It unpacks to more than {caps.total_bytes:,} bytes",
                    where=location.where,
                    why="An archive this large may be made to fill the machine",
                    todo="Import it in parts",
                )
        yield item


def _walk_any(location: Location, caps: Caps) -> Iterator[Member | Rejected | FileGroup]:
    location.check()
    name = location.name
    try:
        if location.path is not None and location.is_folder:
            yield from _walk_folder(location.path.resolve(), caps)
        elif location.is_zip:
            source = location.path or location.content or b""
            yield from zip_members(source, where=name, parts=(), caps=caps, depth=0)
        else:
            folder = (location.path.resolve().parent.name,) if location.path else ()
            data = _content(location, caps)
            yield _file_member(data, where=name, parts=(*folder, name), caps=caps)
            yield FileGroup(done=1, total=1, file=name)
    except OSError as error:
        raise BadInput(
            "It cannot be read",
            where=location.where,
            why=error.strerror or str(error),
            todo="Check the permissions of the file and its folder",
        ) from error


def _content(location: Location, caps: Caps) -> bytes | None:
    """What a file, an address or a text holds; None if it is over the cap."""
    if location.path is None:
        content = location.content or b""
        return content if len(content) <= caps.member_bytes else None
    return location.path.read_bytes() if _is_small(location.path, caps) else None


def _is_small(path: Path, caps: Caps) -> bool:
    return path.stat().st_size <= caps.member_bytes


def _walk_folder(folder: Path, caps: Caps) -> Iterator[Member | Rejected | FileGroup]:
    found: list[Path] = []
    for root, subfolders, names in os.walk(folder):
        subfolders.sort()
        found.extend(Path(root, name) for name in sorted(names))
        # A linked folder is listed by os.walk but not entered; say so instead of skipping it.
        found.extend(Path(root, name) for name in subfolders if Path(root, name).is_symlink())
        if len(found) > caps.members:
            raise BadInput(f"The folder holds more than {caps.members:,} files", where=str(folder))
    for number, path in enumerate(found, 1):
        parts = path.relative_to(folder).parts
        where = f"{folder.name}/{'/'.join(parts)}"
        if not is_litter(parts):
            yield from _folder_entry(path, where, (folder.name, *parts), caps)
        yield FileGroup(done=number, total=len(found), file=where)


def _folder_entry(
    path: Path, where: str, parts: tuple[str, ...], caps: Caps
) -> Iterator[Member | Rejected]:
    if path.is_symlink():
        yield Rejected(where=where, why="this is a link, and links are not followed")
        return
    try:
        if what := not_a_file(path):
            yield Rejected(where=where, why=f"this is {what}, not a file")
        elif path.suffix.lower() == ".zip" and is_zip(path):
            inner = zip_members(path, where=where, parts=parts[:-1], caps=caps, depth=1)
            yield from (item for item in inner if not isinstance(item, FileGroup))
        elif why := caps.why_not_read(path.name):
            yield Rejected(where=where, why=why)
        else:
            data = path.read_bytes() if _is_small(path, caps) else None
            yield _file_member(data, where=where, parts=parts, caps=caps)
    except BadInput as error:
        yield Rejected(where=where, why=error.what)
    except OSError as error:
        yield Rejected(where=where, why=f"it cannot be read: {error.strerror or error}")


def _file_member(
    data: bytes | None, *, where: str, parts: tuple[str, ...], caps: Caps
) -> Member | Rejected:
    """A member from the bytes of a file, unpacked if it is gzip; `data` None = over the cap."""
    if data is None:
        return Rejected(where=where, why=f"the file is larger than {caps.member_bytes:,} bytes")
    if not data.startswith(b"\x1f\x8b"):
        return Member(where=where, parts=parts, data=data)
    return ungzip(Member(where=where, parts=parts, data=data), caps)
