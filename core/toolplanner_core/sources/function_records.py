"""Functions as records of a catalogue: unpacked, checked, placed. Called by `functions.py`."""

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from toolplanner_core.domain.api import Api
from toolplanner_core.sources.cleaning import clean_json, clean_line, clean_text
from toolplanner_core.sources.documents import decode, json_kind
from toolplanner_core.sources.files import walk
from toolplanner_core.sources.function_items import Item, items_of
from toolplanner_core.sources.function_shapes import (
    body_of,
    looks_like_function,
    shape_of,
    unpacked,
)
from toolplanner_core.sources.identity import ApiIds, make_api
from toolplanner_core.sources.location import Location
from toolplanner_core.sources.members import Member
from toolplanner_core.sources.source import Record, Rejected, Sample


def share_of_functions(sample: Sample) -> float:
    """How many of the first documents hold something that looks like a function."""
    return sample.share(lambda document: any(map(looks_like_function, unpacked(document)[:20])))


def read_functions(
    location: Location, *, tool: str, category: str, source: str
) -> Generator[Record]:
    """All functions of a file, folder or zip; `tool` and `category` as `FunctionsOptions` says."""
    ids = ApiIds(source)
    # The folder of a single file is an accident of the machine and must not get into the ids.
    has_folders = location.is_folder or location.is_zip
    for item in walk(location):
        if not isinstance(item, Member):
            yield item
            continue
        name = item.parts[-1]
        folder = item.parts[-2] if has_folders and len(item.parts) > 1 else ""
        place = _Place(
            source=source,
            stem=clean_line(name.partition(".")[0]) or "functions",
            tool=clean_line(tool),
            category=clean_line(category),
            folder=clean_line(folder),
        )
        for found in items_of(decode(item.data), where=item.where, name=name):
            yield from _read_item(found, ids, place)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where the functions of one file belong: names of file and folder, and what was chosen."""

    source: str
    stem: str
    folder: str
    tool: str
    category: str


def _read_item(item: Item | Rejected, ids: ApiIds, place: _Place) -> Iterator[Record]:
    if isinstance(item, Rejected):
        yield item
        return
    entries = unpacked(item.value)
    is_alone = len(entries) == 1 and entries[0] is item.value
    for index, entry in enumerate(entries):
        where = item.where if is_alone else f"{item.where}[{index}]"
        yield _read_function(entry, where, ids, place)


def _read_function(entry: Any, where: str, ids: ApiIds, place: _Place) -> Api | Rejected:
    body = body_of(entry)
    if not isinstance(body, dict):
        return Rejected(where=where, why=f"a function is an object, this is {json_kind(body)}")
    shape = shape_of(body)
    kind = entry.get("type", "function")
    if kind not in ("function", "custom", "object") and shape.parameters is None:
        why = f"this is a built-in tool of type {str(kind)[:100]!r}, not a function"
        return Rejected(where=where, why=why)
    name = clean_line(shape.name)
    if not name:
        return Rejected(where=f"{where}.name", why="the function has no name")
    parameters = shape.parameters or {"type": "object", "properties": {}}
    if problem := "" if shape.is_made else schema_problem(parameters):
        return Rejected(where=f"{where} {name[:100]}", why=problem)
    category = place.category or clean_line(shape.category) or place.folder
    tool = place.tool or clean_line(shape.tool) or place.stem
    head = f"{category}/{tool}" if category else tool
    return make_api(
        ids.next(category=category, tool=tool, name=name, method="", url=""),
        source=place.source,
        key=f"{head}/{name.replace('/', '_')}",
        category=category,
        tool=tool,
        name=name,
        description=clean_text(shape.description),
        parameters={"type": "object", "properties": {}, **clean_json(parameters)},
        response_schema=None if shape.result is None else clean_json(shape.result),
    )


def schema_problem(parameters: Any) -> str:
    """Why a value is no schema of a function's parameters, "" if it is one."""
    if not isinstance(parameters, dict):
        return f"the parameters are a JSON Schema object, this is {json_kind(parameters)}"
    if parameters.get("type", "object") != "object":
        return f'the parameters have type "object", not {str(parameters["type"])[:100]!r}'
    if not isinstance(parameters.get("properties", {}), dict):
        return f'"properties" is an object, this is {json_kind(parameters["properties"])}'
    from jsonschema.exceptions import best_match

    # Recursion is bounded: the document is at most 200 levels deep.
    error = best_match(_meta_validator().iter_errors(parameters))
    if error is None:
        return ""
    return f"the parameters are no JSON Schema: {error.json_path}: {error.message[:200]}"


@cache
def _meta_validator() -> Any:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(Draft202012Validator.META_SCHEMA)
