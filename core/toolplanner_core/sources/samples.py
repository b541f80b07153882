"""Look at the first documents of a location, to tell which format it is."""

import json
from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from typing import Any

from toolplanner_core.errors import BadInput
from toolplanner_core.sources.documents import check_depth, decode, parse
from toolplanner_core.sources.files import walk
from toolplanner_core.sources.location import Location
from toolplanner_core.sources.members import ALL_SUFFIXES, Caps, Member
from toolplanner_core.sources.source import Head, Sample

_LOOK_AT = 20
"""Members that are looked at: enough to get past broken ones at the beginning."""
_LOOK_AT_BYTES = 20_000_000
"""After so many no further member is looked at: large files are read again to be imported."""
_FIRST_CHARACTERS = 1_000_000
_HEAD_CHARACTERS = 65_536


def look_at(location: Location) -> Sample:
    """What a location begins with; nothing is raised for dirt.

    Of JSON lines, and of a long list that is broken further on, the first item is given.
    """
    documents: list[Any] = []
    heads: list[Head] = []
    seen_bytes = 0
    try:
        with closing(walk(location, Caps(endings=ALL_SUFFIXES))) as items:
            members = (item for item in items if isinstance(item, Member))
            for member in islice(members, _LOOK_AT):
                text = decode(member.data)
                heads.append(Head(member.parts[-1], text[:_HEAD_CHARACTERS]))
                documents += _first_values(text)
                seen_bytes += len(member.data)
                if seen_bytes > _LOOK_AT_BYTES:
                    break
    except BadInput:
        pass
    return Sample(documents=documents, heads=heads)


def _first_values(text: str) -> Iterator[Any]:
    try:
        yield parse(text)
    except BadInput:
        yield from _first_item(text[:_FIRST_CHARACTERS].lstrip())


def _first_item(text: str) -> Iterator[Any]:
    """The first JSON value of lines, or of a list that cannot be read to its end."""
    for begin in dict.fromkeys((0, 1 if text.startswith("[") else 0)):
        inner = text[begin:].lstrip()
        try:
            value, end = json.JSONDecoder(parse_constant=str).raw_decode(inner)
            check_depth(inner[:end], value)
        except (ValueError, RecursionError, BadInput):
            continue
        yield value
    # The first line may be the broken one.
    for line in text.splitlines()[1:_LOOK_AT]:
        try:
            yield parse(line)
        except BadInput:
            continue
