"""Read recorded calls into a workspace: JSON lines, one API each, plain or gzipped.

A line is ``{"category", "tool", "fn", "calls": [{"input": {...}, "response": ..., "error"?,
"truncated"?}]}``, the form of StableToolBench's server cache. The provider "recorded" answers from
them.
"""

import gzip
import json
import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

from toolplanner_core.errors import BadInput
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.sources.source import Rejected
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.recordings import Recording, store_recordings
from toolplanner_core.workspace.settings import get_setting, set_setting

_STAGE = "Reading recorded calls"
_LINES_PER_TRANSACTION = 500
_MAX_LINE_BYTES = 50_000_000


class CanonicalArguments(NamedTuple):
    """Arguments in the one form in which equal calls are equal texts."""

    text: str
    names: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordingsReport:
    """What an import of recordings did."""

    recorded_apis: int
    added: int
    unchanged: int
    rejected: list[Rejected]
    seconds: float


def canonical_arguments(arguments: Mapping[str, Any]) -> CanonicalArguments:
    """Arguments as the recorder would have written them.

    Names are lower-cased with everything but letters and digits as "_", without the "is_" that
    ToolBench puts before reserved words. Numbers and their texts are the same; arguments without a
    value do not count.
    """
    values: dict[str, Any] = {}
    for name, value in arguments.items():
        if value is None or value == "":
            continue
        short = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_").removeprefix("is_")
        values[short] = _canonical(value)
    return CanonicalArguments(
        json.dumps(values, sort_keys=True, ensure_ascii=False, separators=(",", ":")),
        ",".join(sorted(values)),
    )


def is_recordings_file(path: Path) -> bool:
    """Whether the first line of a file is a line of recorded calls."""
    try:
        with _open(path) as file:
            first = json.loads(file.readline(_MAX_LINE_BYTES))
    except (OSError, ValueError, RecursionError, EOFError):
        return False
    return isinstance(first, dict) and {"category", "tool", "fn", "calls"} <= first.keys()


def import_recordings(workspace: Workspace, path: Path, *, progress: Progress) -> RecordingsReport:
    """Add the recorded calls of a file; calls that are there already keep their reply.

    The workspace then answers with them by default, unless it has another default provider.

    Raises:
        BadInput: the file cannot be read.
        Cancelled: what was read so far is kept; reading again adds the rest.
    """
    began_s = time.monotonic()
    apis = added = seen = 0
    rejected: list[Rejected] = []
    batch: list[Recording] = []

    def flush() -> None:
        nonlocal added, seen
        seen += len(batch)
        added += store_recordings(workspace, batch)
        batch.clear()

    try:
        with _open(path) as file:
            for number, line in enumerate(_lines(file), start=1):
                progress.report(_STAGE, number, unit="APIs")
                try:
                    batch.extend(_recordings(json.loads(line)))
                    apis += 1
                except (ValueError, RecursionError) as error:
                    where = f"{path.name}, line {number}"
                    rejected.append(Rejected(where=where, why=str(error)))
                if number % _LINES_PER_TRANSACTION == 0:
                    flush()
        flush()
    except (OSError, EOFError) as error:
        raise BadInput("The file cannot be read", where=str(path), why=str(error)) from error
    if added and get_setting(workspace, "default_provider") is None:
        set_setting(workspace, "default_provider", "recorded")
    return RecordingsReport(
        recorded_apis=apis,
        added=added,
        unchanged=seen - added,
        rejected=rejected,
        seconds=time.monotonic() - began_s,
    )


def _open(path: Path) -> BinaryIO:
    with path.open("rb") as file:
        is_gzip = file.read(2) == b"\x1f\x8b"
    return cast(BinaryIO, gzip.open(path)) if is_gzip else path.open("rb")


def _lines(file: BinaryIO) -> Iterator[bytes]:
    while line := file.readline(_MAX_LINE_BYTES):
        if line.strip():
            yield line


def _recordings(line: Any) -> Iterator[Recording]:
    """The recordings of one line.

    Raises:
        ValueError: the line is not one.
    """
    if not isinstance(line, dict):
        raise ValueError("a line must be a JSON object")
    try:
        # Some catalogues know no categories.
        key = "/".join(filter(None, (str(line[part]) for part in ("category", "tool", "fn"))))
        calls = list(line["calls"])
    except (KeyError, TypeError) as error:
        raise ValueError(f"category, tool, fn or calls is missing: {error}") from error
    for call in calls:
        if not isinstance(call, dict) or "response" not in call:
            raise ValueError("a call must be an object with a response")
        given = call.get("input")
        # A few inputs are texts that hold the object; anything else was a call without arguments.
        if isinstance(given, str):
            given = _object_in(given)
        canonical = canonical_arguments(given if isinstance(given, dict) else {})
        yield Recording(
            api_key=key,
            arguments=canonical.text,
            names=canonical.names,
            response=json.dumps(call["response"], ensure_ascii=False),
            error=str(call.get("error") or ""),
            truncated=bool(call.get("truncated")),
        )


def _object_in(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _canonical(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, str):
        return value.strip()
    return value
