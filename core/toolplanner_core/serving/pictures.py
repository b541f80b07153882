"""The pictures of a reply for an agent: a few small ones as they are, the others in words.

Their base64 never stands in a text: a picture of 1 MB would take 350,000 tokens.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from toolplanner_core.words.formatting import counted

MOST_SHOWN = 3
LARGEST_BYTES = 1024 * 1024


class ShownPicture(NamedTuple):
    """A picture as an agent gets it: its media type, and base64."""

    type: str
    data: str


class ShownPictures(NamedTuple):
    """Those that are passed on; `note` tells of the others, "" = there are none."""

    pictures: tuple[ShownPicture, ...]
    note: str


def shown_pictures(kept: Sequence[Mapping[str, Any]]) -> ShownPictures:
    """What is passed on of the pictures of a reply, as `providers/reply_images.py` keeps them."""
    shown: list[ShownPicture] = []
    left: list[str] = []
    for each in kept:
        kind, size, data = str(each["type"]), int(each["size"]), str(each["data"])
        if data and size <= LARGEST_BYTES and len(shown) < MOST_SHOWN:
            shown.append(ShownPicture(kind, data))
        else:
            left.append(f"{kind} of {size:,} bytes")
    said = f"{counted(len(left), 'picture')} not passed on: {', '.join(left)}." if left else ""
    return ShownPictures(tuple(shown), said)
