"""The pictures of a reply, beside its text: kept in the log to be looked at, never in the value
that strategies and models get.

They are kept as they came, in base64, and nobody here decodes them: who draws them must take care.
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

MOST_KEPT = 4_000_000
"""Characters of base64 of one reply, 3 MB of pictures: a run may make thousands of calls."""
MOST_NAMED = 20
_LONGEST_NAME = 200
DRAWN = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
"""Raster forms; SVG is a program for drawing, and may name files and addresses."""


class FoundPicture(NamedTuple):
    """A picture as a reply brings it: its media type, base64, and its address if it has one."""

    type: str
    data: str
    name: str = ""


def pictures_of(found: Iterable[FoundPicture]) -> list[Mapping[str, Any]]:
    """Those of one reply as the log keeps them: `type`, `name`, `size` in bytes, and `data`.

    The data are "" of what is not kept: another form than the drawn ones, or too large.
    """
    kept: list[Mapping[str, Any]] = []
    room = MOST_KEPT
    for each in found:
        kind = each.type.partition(";")[0].strip().lower()
        if not kind.startswith("image/") or len(kept) == MOST_NAMED:
            continue
        data = each.data if kind in DRAWN and len(each.data) <= room else ""
        room -= len(data)
        name, size = each.name[:_LONGEST_NAME], len(each.data) * 3 // 4
        kept.append({"type": kind[:_LONGEST_NAME], "name": name, "size": size, "data": data})
    return kept
