"""Runs as an experiment's file holds them: what judges read who look at more than facts."""

import json
import zlib
from collections.abc import Iterator, Mapping
from typing import Any, cast

from toolplanner_core.errors import BadInput
from toolplanner_core.runs.events.event import Event, event_from_body

_LARGEST_RUN = 50_000_000


def events_of(packed: bytes) -> Iterator[Event]:
    """The events of a run as an experiment's file holds it.

    Raises:
        BadInput: it cannot be read, or is larger than a run can be.
    """
    try:
        for line in text_of(packed).split("\n"):
            row = cast("Mapping[str, Any]", json.loads(line)) if line else {}
            if "body" in row:
                yield event_from_body(row["type"], row["body"])
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise _unreadable(error) from error


def text_of(packed: bytes) -> str:
    """The JSON lines of a run (`runs/export/jsonl.py`).

    Raises:
        BadInput: as `events_of`.
    """
    try:
        unpacking = zlib.decompressobj()
        text = unpacking.decompress(packed, _LARGEST_RUN).decode("utf-8")
    except (zlib.error, ValueError) as error:
        raise _unreadable(error) from error
    if unpacking.unconsumed_tail:
        raise BadInput(f"A run is larger than {_LARGEST_RUN:,} bytes")
    return text


def _unreadable(error: Exception) -> BadInput:
    return BadInput("A run of the experiment cannot be read", why=str(error))
