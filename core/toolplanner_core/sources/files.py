"""Walk a file, folder or archive that others made, and hand out its members as bytes.

Zip archives are hostile until shown otherwise: names that climb out of the folder, links, sizes
that lie, archives in archives. Names are never used as paths here, but a name like that is a sign
of an attack and is refused and reported.

Nothing is ever extracted to disk. Every member that is not handed out is either the operating
system's litter or a `Rejected` record with its reason.

Source: design/security.md, "Files from others".
"""

import gzip
import io
import lzma
import os
import re
import stat
import zipfile
import zlib
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from pathlib import Path

from toolplanner_core.errors import BadInput
from toolplanner_core.sources.location import Location, is_zip, special_file_kind
from toolplanner_core.sources.source import FileGroup, Rejected

JSON_SUFFIXES = (".json", ".jsonl", ".ndjson", ".json.gz", ".jsonl.gz", ".ndjson.gz")
"""Names of members that most sources read; at the top level the content decides instead."""
YAML_SUFFIXES = (".yaml", ".yml")
TABLE_SUFFIXES = (".csv", ".tsv", ".csv.gz", ".tsv.gz", ".parquet")
ALL_SUFFIXES = (*JSON_SUFFIXES, *YAML_SUFFIXES, *TABLE_SUFFIXES)

_LITTER = frozenset(
    {".ds_store", "__macosx", "thumbs.db", "desktop.ini", "icon\r", ".git", ".svn", ".hg", ".idea"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """Limits for one location, so that no file can fill memory or disk.

    Attributes:
        members: files in a folder or archive.
        member_bytes: one file, unpacked.
        total_bytes: everything that is read from the location, unpacked.
        ratio: unpacked to packed size; real JSON packs up to about 30 times.
        ratio_free_bytes: below this unpacked size the ratio does not matter.
        endings: of the names of members that are read.
    """

    members: int = 200_000
    member_bytes: int = 64_000_000
    total_bytes: int = 4_000_000_000
    ratio: int = 200
    ratio_free_bytes: int = 10_000_000
    endings: tuple[str, ...] = JSON_SUFFIXES

    def why_not_read(self, name: str) -> str:
        """Why a member with this name is left out, "" if it is read."""
        if name.lower().endswith(self.endings):
            return ""
        if self.endings == JSON_SUFFIXES:
            return "this is not a JSON file"
        return f"its name does not end in {', '.join(self.endings)}"

    def too_large(self, size_bytes: int) -> str:
        """Why a file of this size is not read, and what to do."""
        return (
            f"it has {size_bytes:,} bytes, more than the {self.member_bytes:,} that are read of one"
            " file; give it in parts, or with references instead of copies"
        )

    def is_bomb(self, unpacked_bytes: int, packed_bytes: int) -> bool:
        """Whether a member packs better than honest data does."""
        return (
            unpacked_bytes > self.ratio_free_bytes
            and unpacked_bytes > max(1, packed_bytes) * self.ratio
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One file as bytes.

    Attributes:
        where: name for messages, such as "toolenv.zip:tools/Weather/a.json".
        parts: folders and file name, the location's own folder first where it has one.
        data: its content, unpacked; at most `Caps.member_bytes`.
    """

    where: str
    parts: tuple[str, ...]
    data: bytes


def is_litter(parts: tuple[str, ...]) -> bool:
    """Whether a member is what operating systems leave behind, not somebody's record."""
    # Not every dot file: ToolBench has a tool without a name, in a file called ".json".
    return any(part.lower() in _LITTER or part.startswith("._") for part in parts)


def is_data_name(name: str) -> bool:
    """Whether a member's name promises what some source can read."""
    return name.lower().endswith(ALL_SUFFIXES)


def ungzip(member: Member, caps: Caps) -> Member | Rejected:
    """A gzip member unpacked in memory under the same caps."""
    try:
        with gzip.open(io.BytesIO(member.data)) as file:
            data = file.read(caps.member_bytes + 1)
    except (OSError, EOFError, zlib.error) as error:
        return Rejected(where=member.where, why=f"the gzip file is damaged: {error}")
    if len(data) > caps.member_bytes or caps.is_bomb(len(data), len(member.data)):
        return Rejected(where=member.where, why="the gzip file unpacks to far too many bytes")
    parts = (*member.parts[:-1], member.parts[-1].removesuffix(".gz"))
    return Member(where=member.where, parts=parts, data=data)


_DRIVE = re.compile(r"^[A-Za-z]:")
_READ_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,
    NotImplementedError,  # a compression that Python does not know
    RuntimeError,  # encrypted
    ValueError,  # nonsense in the extra fields
)


def zip_members(
    source: Path | bytes, *, where: str, parts: tuple[str, ...], caps: Caps, depth: int
) -> Iterator[Member | Rejected | FileGroup]:
    """The members of an archive, in the archive's order, each followed by a `FileGroup`.

    Args:
        source: the archive's path, or its bytes if it is a member itself.
        where: its name for messages.
        parts: folders above the archive.
        depth: 0 for an archive that may hold other archives, 1 for one that may not.

    Raises:
        BadInput: the archive as a whole is damaged or holds too many members.
    """
    try:
        archive = zipfile.ZipFile(io.BytesIO(source) if isinstance(source, bytes) else source)
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise BadInput(
            "the zip archive is damaged",
            where=where,
            why=str(error),
            todo="Fetch or make the archive again",
        ) from error
    with archive:
        entries = files_in(archive)
        if len(entries) > caps.members:
            raise BadInput(f"the archive holds more than {caps.members:,} files", where=where)
        for number, info in enumerate(entries, 1):
            yield from _entry(archive, info, where=where, parts=parts, caps=caps, depth=depth)
            yield FileGroup(done=number, total=len(entries), file=f"{where}:{info.filename}")


def files_in(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """All members but folders; `ZipInfo.is_dir` breaks on an empty name."""
    return [info for info in archive.infolist() if not info.filename.endswith("/")]


def _entry(
    archive: zipfile.ZipFile,
    info: zipfile.ZipInfo,
    *,
    where: str,
    parts: tuple[str, ...],
    caps: Caps,
    depth: int,
) -> Iterator[Member | Rejected]:
    # Archives made on Windows separate folders with backslashes.
    name = info.filename.replace("\\", "/")
    place = f"{where}:{name}"
    inner = tuple(name.split("/"))
    if danger := _danger(name, inner, info):
        yield Rejected(where=place, why=danger)
        return
    if is_litter(inner):
        return
    is_archive = name.lower().endswith(".zip")
    if not is_archive and (why := caps.why_not_read(name)):
        yield Rejected(where=place, why=why)
        return
    if is_archive and depth:
        yield Rejected(where=place, why="archives are read one level deep, this one is deeper")
        return
    content = _read(archive, info, place, caps)
    if isinstance(content, Rejected):
        yield content
    elif is_archive:
        yield from _inner_archive(content, place, (*parts, *inner), caps)
    else:
        member = Member(where=place, parts=(*parts, *inner), data=content)
        yield ungzip(member, caps) if name.lower().endswith(".gz") else member


def _inner_archive(
    content: bytes, where: str, parts: tuple[str, ...], caps: Caps
) -> Iterator[Member | Rejected]:
    # Loose files in an inner "Weather.zip" belong to a folder of that name.
    folder = (*parts[:-1], parts[-1][: -len(".zip")])
    try:
        for item in zip_members(content, where=where, parts=folder, caps=caps, depth=1):
            if not isinstance(item, FileGroup):
                yield item
    except BadInput as error:
        yield Rejected(where=where, why=error.what)


def _danger(name: str, parts: tuple[str, ...], info: zipfile.ZipInfo) -> str:
    """Why a member's name or kind is refused, "" if it is not."""
    if not name:
        return "it has no name"
    if name.startswith("/"):
        return "its name is an absolute path"
    if _DRIVE.match(name):
        return "its name begins with a drive letter"
    if ".." in parts:
        return "its name climbs out of the archive with '..'"
    if stat.S_ISLNK(info.external_attr >> 16):
        return "it is a link, and links are not followed"
    return ""


def _read(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, where: str, caps: Caps
) -> bytes | Rejected:
    if info.flag_bits & 0x1:
        return Rejected(where=where, why="it is encrypted")
    if info.file_size > caps.member_bytes:
        return Rejected(where=where, why=caps.too_large(info.file_size))
    if caps.is_bomb(info.file_size, info.compress_size):
        return Rejected(where=where, why="it unpacks to far too many bytes for its size")
    try:
        with archive.open(info) as file:
            # zipfile stops at the declared size, and the checksum then shows a size that lied.
            return file.read(caps.member_bytes + 1)
    except _READ_ERRORS as error:
        return Rejected(where=where, why=f"it cannot be unpacked: {error}")


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


def _content(location: Location, caps: Caps) -> bytes | int:
    """What a file, an address or a text holds; its size in bytes if it is over the cap."""
    if location.path is None:
        content = location.content or b""
        return content if len(content) <= caps.member_bytes else len(content)
    return _read_small(location.path, caps)


def _read_small(path: Path, caps: Caps) -> bytes | int:
    size = path.stat().st_size
    return path.read_bytes() if size <= caps.member_bytes else size


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
        if what := special_file_kind(path):
            yield Rejected(where=where, why=f"this is {what}, not a file")
        elif path.suffix.lower() == ".zip" and is_zip(path):
            inner = zip_members(path, where=where, parts=parts[:-1], caps=caps, depth=1)
            yield from (item for item in inner if not isinstance(item, FileGroup))
        elif why := caps.why_not_read(path.name):
            yield Rejected(where=where, why=why)
        else:
            data = _read_small(path, caps)
            yield _file_member(data, where=where, parts=parts, caps=caps)
    except BadInput as error:
        yield Rejected(where=where, why=error.what)
    except OSError as error:
        yield Rejected(where=where, why=f"it cannot be read: {error.strerror or error}")


def _file_member(
    data: bytes | int, *, where: str, parts: tuple[str, ...], caps: Caps
) -> Member | Rejected:
    """A member from the bytes of a file, unpacked if it is gzip, or from the size of one that is
    over the cap."""
    if isinstance(data, int):
        return Rejected(where=where, why=caps.too_large(data))
    if not data.startswith(b"\x1f\x8b"):
        return Member(where=where, parts=parts, data=data)
    return ungzip(Member(where=where, parts=parts, data=data), caps)
