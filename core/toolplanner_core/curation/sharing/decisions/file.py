"""Decisions files: JSON lines, a header and one decision a line, checked before anything is made.

The format is `resources/schemas/decisions.v1.json`. A file with one bad line is refused as a whole,
since the lines after it may build on it.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

from toolplanner_core.curation.sharing.decisions.decision import Decision
from toolplanner_core.curation.sharing.decisions.translating import toolkits_in
from toolplanner_core.domain.plain_data import from_plain
from toolplanner_core.errors import BadInput
from toolplanner_core.resources import resource_root
from toolplanner_core.words.window_places import WRITE_DECISIONS
from toolplanner_core.workspace.export_file import write_file
from toolplanner_core.workspace.rows import dump

FORMAT = "toolplanner-decisions"
VERSION = 1
MOST_BYTES = 512 * 2**20
"""Ten re-clusterings of 45,000 APIs are 40 MB."""

_LONG = 64
"""Items from which on a list is checked by its extremes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionsFile:
    """What people decided, in the order they did.

    Attributes:
        workspace: name of the workspace it came from.
        who: name of the person who wrote the file.
        made_us: microseconds since 1970.
        start: fingerprint of the state before the first decision (`collecting.py`).
    """

    workspace: str
    who: str
    made_us: int
    start: str
    decisions: tuple[Decision, ...]


def decisions_text(file: DecisionsFile) -> Iterator[str]:
    """The lines of a file, one at a time."""
    about = {name: getattr(file, name) for name in DecisionsFile.__slots__}
    about |= {"format": FORMAT, "version": VERSION, "decisions": len(file.decisions)}
    yield _line(about)
    for decision in file.decisions:
        yield _line({name: getattr(decision, name) for name in Decision.__slots__})


def write_decisions(file: DecisionsFile, place: Path) -> int:
    """Write a file, which appears when it is complete; returns the number of bytes. Blocks.

    Raises:
        BadInput: the file cannot be written, or would replace a workspace.
    """
    return write_file(decisions_text(file), place)


def read_decisions(place: Path) -> DecisionsFile:
    """Read and check a whole file. Blocks.

    Raises:
        BadInput: it is no decisions file, of a newer version, cut off, or has a bad line, which is
            named.
    """
    lines = list(_lines(place))
    if not lines:
        raise BadInput("The file is empty", where=str(place))
    number, header = lines[0]
    _check_header(header, place)
    _check(header, "header", f"{place}, line {number}")
    decisions: dict[str, Any] = {}
    for number, body in lines[1:]:
        where = f"{place}, line {number}"
        _check_decision(body, where)
        if body["key"] in decisions:
            raise BadInput("This decision is there twice", where=where)
        decisions[body["key"]] = body
    if len(decisions) != header["decisions"]:
        raise BadInput(
            f"The file has {len(decisions):,} of {header['decisions']:,} decisions",
            where=str(place),
            why="It was cut off, or lines were added or taken away by hand",
            todo="Write it again, or correct the number in its first line",
        )
    return from_plain(DecisionsFile, header | {"decisions": decisions.values()})


def _lines(place: Path) -> Iterator[tuple[int, Any]]:
    try:
        if place.stat().st_size > MOST_BYTES:
            raise BadInput("The file is too large for a decisions file", where=str(place))
        # Lines are bytes up to "\n": `splitlines` of a text would cut at other characters, too.
        raw = place.read_bytes().split(b"\n")
    except OSError as error:
        raise BadInput("The file cannot be read", where=str(place), why=str(error)) from error
    for number, line in enumerate(raw, start=1):
        if not line.strip():
            continue
        try:
            yield number, json.loads(line.decode("utf-8-sig"))
        except (ValueError, RecursionError) as error:
            raise BadInput(
                "This line is no JSON",
                where=f"{place}, line {number}",
                why=str(error),
                todo=WRITE_DECISIONS,
            ) from error


def _check_header(header: Any, place: Path) -> None:
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise BadInput(
            "This is no decisions file",
            where=str(place),
            todo=WRITE_DECISIONS,
        )
    version = header.get("version")
    if isinstance(version, int) and version > VERSION:
        raise BadInput(
            f"The file has version {version}, this program knows up to {VERSION}",
            where=str(place),
            todo="Update ToolPlanner",
        )


def _check_decision(body: Any, where: str) -> None:
    _check(body, "decision", where)
    _check(body["asked"], f"asked_by_kind/{body['kind']}", where, "asked")
    for values in (body["before"], body["after"]):
        members = values.get("members", {"apis": [], "toolkits": [], "pinned": []})
        if len({len(column) for column in members.values()}) > 1:
            raise BadInput("The lists of members have different lengths", where=where)
    described = {*map(int, body["toolkits"]), *body["makes"]}
    if unknown := toolkits_in(body["asked"]) - described:
        raise BadInput(f"Toolkit {min(unknown)} is not described", where=where)


def _check(body: Any, part: str, where: str, inside: str = "") -> None:
    error = next(_validator(part).iter_errors(_shortened(body)), None)
    if error is not None:
        path = ".".join([inside, *map(str, error.absolute_path)]).strip(".")
        message = error.message if len(error.message) < 200 else f"{error.message[:200]}…"
        raise BadInput(f"{path}: {message}" if path else message, where=where)


def _shortened(value: Any) -> Any:
    """The same with extremes in place of long lists: jsonschema takes 25 microseconds an item, ten
    seconds for a re-clustering, and the schema limits items only by type, length and size."""
    if isinstance(value, dict):
        body = cast(dict[str, Any], value)
        if len(body) > _LONG and all(type(item) is str for item in body.values()):
            return {}
        return {key: _shortened(item) for key, item in body.items()}
    if isinstance(value, list):
        items = cast(list[Any], value)
        kinds = {type(item) for item in items} if len(items) > _LONG else set[type]()
        if kinds == {str}:
            return [min(items, key=len), max(items, key=len)]
        if kinds == {int}:
            return [min(items), max(items)]
        return [_shortened(item) for item in items]
    return value


@cache
def _validator(part: str) -> Any:
    from jsonschema import Draft202012Validator

    path = resource_root() / "schemas" / "decisions.v1.json"
    schema = json.loads(path.read_text(encoding="utf-8"))
    return Draft202012Validator({"$defs": schema["$defs"], "$ref": f"#/$defs/{part}"})


def _line(body: dict[str, Any]) -> str:
    return f"{dump(body)}\n"
