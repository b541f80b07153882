"""What every reader of files from others shares: a member, the caps, and which names count.

Source: design/security.md, "Files from others".
"""

import gzip
import io
import zlib
from dataclasses import dataclass

from toolplanner_core.sources.source import Rejected

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
