"""Read functions as they are offered to language models: JSON or JSON lines, plain or gzipped.

Shapes: OpenAI's ``{"type": "function", "function": {"name", "description"?, "parameters"?}}``, the
flat form of its Responses API, the bare function object, Anthropic's ``{"name", "description",
"input_schema"}``, MCP's ``inputSchema``; one of them, a list of them, ``{"tools": [...]}``, or one
per line. A broken line, or an item whose schema is no JSON Schema, is reported and left out. Found
by the registry of sources.

Source: OpenAI API reference (function calling), Anthropic API reference (tool use), Model Context
Protocol 2025-06-18 (tools/list).
"""

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Any, cast

from toolplanner_core.domain.api import Api
from toolplanner_core.options.option import option
from toolplanner_core.sources.cleaning import clean_json, clean_line, clean_text
from toolplanner_core.sources.documents import decode, json_kind
from toolplanner_core.sources.files import walk
from toolplanner_core.sources.function_items import Item, items_of
from toolplanner_core.sources.identity import ApiIds, make_api
from toolplanner_core.sources.location import Location
from toolplanner_core.sources.members import Member
from toolplanner_core.sources.source import Record, Rejected, Sample, SourcePlugin

_PARAMETERS = ("parameters", "input_schema", "inputSchema")
_RESULTS = ("output_schema", "outputSchema", "returns")
_LISTS = ("tools", "functions")


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionsOptions:
    """How functions, which know no tool, are placed in the catalogue."""

    tool: str = option("", "Name of the tool they belong to; empty takes the file's name.")
    category: str = option(
        "", "Their category; empty takes the folder's name inside a folder or archive."
    )


def recognises(sample: Sample) -> float:
    """How many of the first documents hold something that looks like a function."""
    return sample.share(lambda document: any(map(_is_function, _unpack(document)[:20])))


def read(location: Location, options: FunctionsOptions, *, source: str) -> Generator[Record]:
    """All functions of a file, folder or zip."""
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
            tool=clean_line(options.tool or name.partition(".")[0]) or "functions",
            category=clean_line(options.category or folder),
        )
        for found in items_of(decode(item.data), where=item.where, name=name):
            yield from _read_item(found, ids, place)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where in the catalogue the functions of one file belong."""

    source: str
    tool: str
    category: str


def _unpack(document: Any) -> list[Any]:
    """The entries of a document: of a list, of ``{"tools": [...]}``, or the document itself."""
    if isinstance(document, dict):
        for key in _LISTS:
            if isinstance(document.get(key), list):
                return document[key]
    return cast(list[Any], document) if isinstance(document, list) else [document]


def _is_function(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    if value.get("type") == "function":
        return True
    return isinstance(value.get("name"), str) and any(
        isinstance(value.get(key), dict) for key in _PARAMETERS
    )


def _read_item(item: Item | Rejected, ids: ApiIds, place: _Place) -> Iterator[Record]:
    if isinstance(item, Rejected):
        yield item
        return
    entries = _unpack(item.value)
    is_alone = len(entries) == 1 and entries[0] is item.value
    for index, entry in enumerate(entries):
        where = item.where if is_alone else f"{item.where}[{index}]"
        yield _read_function(entry, where, ids, place)


def _read_function(entry: Any, where: str, ids: ApiIds, place: _Place) -> Api | Rejected:
    body = entry.get("function", entry) if isinstance(entry, dict) else entry
    if not isinstance(body, dict):
        return Rejected(where=where, why=f"a function is an object, this is {json_kind(body)}")
    name = clean_line(body.get("name"))
    kind = entry.get("type", "function")
    parameters = next((body[key] for key in _PARAMETERS if body.get(key) is not None), None)
    if kind not in ("function", "custom") and parameters is None:
        why = f"this is a built-in tool of type {str(kind)[:100]!r}, not a function"
        return Rejected(where=where, why=why)
    if not name:
        return Rejected(where=f"{where}.name", why="the function has no name")
    if parameters is None or parameters == {}:
        parameters = {"type": "object", "properties": {}}
    if problem := schema_problem(parameters):
        return Rejected(where=f"{where} {name[:100]}", why=problem)
    parameters = {"type": "object", "properties": {}, **clean_json(parameters)}
    result = next((body[key] for key in _RESULTS if isinstance(body.get(key), dict)), None)
    response = None if result is None else clean_json(result)
    head = f"{place.category}/{place.tool}" if place.category else place.tool
    return make_api(
        ids.next(category=place.category, tool=place.tool, name=name, method="", url=""),
        source=place.source,
        key=f"{head}/{name.replace('/', '_')}",
        category=place.category,
        tool=place.tool,
        name=name,
        description=clean_text(body.get("description")),
        parameters=parameters,
        response_schema=response,
    )


def schema_problem(parameters: Any) -> str:
    """Why a value is no schema of a function's parameters, "" if it is one."""
    if not isinstance(parameters, dict):
        return f"the parameters are a JSON Schema object, this is {json_kind(parameters)}"
    if parameters.get("type", "object") != "object":
        return f'the parameters have type "object", not {str(parameters["type"])[:100]!r}'
    if not isinstance(parameters.get("properties", {}), dict):
        return f'"properties" is an object, this is {json_kind(parameters["properties"])}'
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    # Recursion is bounded: the document is at most 200 levels deep.
    validator = Draft202012Validator(Draft202012Validator.META_SCHEMA)
    error = best_match(validator.iter_errors(parameters))
    if error is None:
        return ""
    return f"the parameters are no JSON Schema: {error.json_path}: {error.message[:200]}"


PLUGIN = SourcePlugin(
    id="functions",
    title="Function definitions",
    description="Functions as they are offered to language models (OpenAI, Anthropic, MCP).",
    accepts="JSON or JSON lines of functions as OpenAI, Anthropic or MCP write them",
    options=FunctionsOptions,
    recognises=recognises,
    read=read,
    order=20,
)
