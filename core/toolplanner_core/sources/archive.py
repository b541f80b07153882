"""Read the members of a zip archive in memory, never extracting anything.

Zip archives are hostile until shown otherwise: names that climb out of the folder, links, sizes
that lie, archives in archives. Names are never used as paths here, but a name like that is a sign
of an attack and is refused and reported.

Source: design/security.md, "Files from others".
"""

import io
import lzma
import re
import stat
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

from toolplanner_core.errors import BadInput
from toolplanner_core.sources.members import Caps, Member, is_litter, ungzip
from toolplanner_core.sources.source import FileGroup, Rejected

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
        return Rejected(where=where, why=f"it is larger than {caps.member_bytes:,} bytes")
    if caps.is_bomb(info.file_size, info.compress_size):
        return Rejected(where=where, why="it unpacks to far too many bytes for its size")
    try:
        with archive.open(info) as file:
            # zipfile stops at the declared size, and the checksum then shows a size that lied.
            return file.read(caps.member_bytes + 1)
    except _READ_ERRORS as error:
        return Rejected(where=where, why=f"it cannot be unpacked: {error}")
