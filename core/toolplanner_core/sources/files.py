"""Walk a file, folder or archive that others made, and hand out its JSON members as bytes.

Nothing is ever extracted to disk. Every member that is not handed out is either the operating
system's litter or a `Rejected` record with its reason. Callers: the source plug-ins (through
`walk`) and `detect.py`.

Source: design/security.md, "Files from others".
"""

import os
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from pathlib import Path

from toolplanner_core.errors import BadInput
from toolplanner_core.sources.archive import zip_members
from toolplanner_core.sources.members import Caps, Member, is_json_name, is_litter, ungzip
from toolplanner_core.sources.source import FileGroup, Rejected


@dataclass(slots=True)
class _Budget:
    """Bytes that may still be read from one location, over all its archives."""

    left_bytes: int


def walk(location: Path, caps: Caps | None = None) -> Generator[Member | Rejected | FileGroup]:
    """All JSON members of a location in a stable order, streamed.

    A `FileGroup` follows each finished member, with the share of the whole.

    Raises:
        BadInput: there is no such location, it is empty or cannot be read, or it is larger than
            the caps allow as a whole.
    """
    caps = caps or Caps()
    budget = _Budget(caps.total_bytes)
    for item in _walk_any(location, caps):
        if isinstance(item, Member):
            budget.left_bytes -= len(item.data)
            if budget.left_bytes < 0:
                raise BadInput(
                    f"It unpacks to more than {caps.total_bytes:,} bytes",
                    where=str(location),
                    why="An archive this large may be made to fill the machine",
                    todo="Import it in parts",
                )
        yield item


def _walk_any(location: Path, caps: Caps) -> Iterator[Member | Rejected | FileGroup]:
    check_location(location)
    # "." has no name of its own, and names are what categories and messages are made of.
    location = location.resolve()
    try:
        if location.is_dir():
            yield from _walk_folder(location, caps)
        elif is_zip(location):
            yield from zip_members(location, where=location.name, parts=(), caps=caps, depth=0)
        else:
            data = location.read_bytes() if location.stat().st_size <= caps.member_bytes else None
            label = location.name
            yield _file_member(data, where=label, parts=(location.parent.name, label), caps=caps)
            yield FileGroup(done=1, total=1)
    except OSError as error:
        raise BadInput(
            "It cannot be read",
            where=str(location),
            why=error.strerror or str(error),
            todo="Check the permissions of the file and its folder",
        ) from error


def check_location(location: Path) -> None:
    """Refuse what is not there or holds nothing.

    Raises:
        BadInput: no such file or folder, or an empty file.
    """
    if not location.exists():
        raise BadInput(
            "There is no such file or folder", where=str(location), todo="Check the spelling"
        )
    if location.is_file() and not location.stat().st_size:
        raise BadInput("The file is empty", where=str(location), todo="Choose another file")


def is_zip(path: Path) -> bool:
    """Whether a file begins like a zip archive, whatever its name."""
    with path.open("rb") as file:
        return file.read(4) in (b"PK\x03\x04", b"PK\x05\x06")


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
        yield FileGroup(done=number, total=len(found))


def _folder_entry(
    path: Path, where: str, parts: tuple[str, ...], caps: Caps
) -> Iterator[Member | Rejected]:
    if path.is_symlink():
        yield Rejected(where=where, why="this is a link, and links are not followed")
        return
    try:
        if path.suffix.lower() == ".zip" and is_zip(path):
            inner = zip_members(path, where=where, parts=parts[:-1], caps=caps, depth=1)
            yield from (item for item in inner if not isinstance(item, FileGroup))
        elif not is_json_name(path.name):
            yield Rejected(where=where, why="this is not a JSON file")
        else:
            data = path.read_bytes() if path.stat().st_size <= caps.member_bytes else None
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
