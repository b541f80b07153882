"""Tool files of ToolBench as records of a catalogue, with their dirt. Called by `toolbench.py`."""

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Any, cast

from toolplanner_core.errors import BadInput
from toolplanner_core.sources.cleaning import clean_json, clean_line, clean_text
from toolplanner_core.sources.documents import decode, json_kind, parse
from toolplanner_core.sources.files import walk
from toolplanner_core.sources.identity import ApiIds, make_api
from toolplanner_core.sources.location import Location
from toolplanner_core.sources.members import Member
from toolplanner_core.sources.source import Mended, Record, Rejected, Sample
from toolplanner_core.sources.toolbench_names import function_name
from toolplanner_core.sources.toolbench_operation import operation_of
from toolplanner_core.sources.toolbench_types import parameter_schema

_PARAMETER_LISTS = (("required_parameters", True), ("optional_parameters", False))
_SCHEMA_WORDS = frozenset(
    {"type", "properties", "items", "$ref", "anyOf", "oneOf", "allOf", "$schema", "enum", "const"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tool:
    """A tool file's head, cleaned, with what its entries need."""

    where: str
    category: str
    stem: str
    title: str
    description: str


def share_of_tools(sample: Sample) -> float:
    """How many of the first JSON files hold tools with an `api_list`."""
    return sample.share(_is_tool)


def read_tools(location: Location, *, source: str) -> Generator[Record]:
    """All entries of a folder, a zip or a single tool file."""
    ids = ApiIds(source)
    for item in walk(location):
        if isinstance(item, Member):
            yield from _read_file(item, ids, source)
        else:
            yield item


def _is_tool(document: Any) -> bool:
    return isinstance(document, dict) and isinstance(document.get("api_list"), list)


def _read_file(member: Member, ids: ApiIds, source: str) -> Iterator[Record]:
    try:
        document = parse(decode(member.data))
    except BadInput as error:
        yield Rejected(where=member.where, why=error.what)
        return
    if not _is_tool(document):
        yield Rejected(where=member.where, why='this is not a tool: it has no list "api_list"')
        return
    stem = clean_line(member.parts[-1].rpartition(".")[0])
    tool = _Tool(
        where=member.where,
        category=clean_line(member.parts[-2]) if len(member.parts) > 1 else "",
        stem=stem,
        title=clean_line(document.get("tool_name")) or clean_line(document.get("title")) or stem,
        description=clean_text(document.get("tool_description")),
    )
    for index, entry in enumerate(cast(list[Any], document["api_list"])):
        yield from _read_entry(entry, index, tool, ids, source)


def _read_entry(entry: Any, index: int, tool: _Tool, ids: ApiIds, source: str) -> Iterator[Record]:
    place = f"{tool.where} $.api_list[{index}]"
    if not isinstance(entry, dict):
        yield Rejected(where=place, why=f"an API is an object, this is {json_kind(entry)}")
        return
    name = clean_line(entry.get("name"))
    if not name:
        yield Rejected(where=f"{place}.name", why="the API has no name")
        return
    method = clean_line(entry.get("method"), cap=20).upper()
    url = clean_line(entry.get("url"))
    mended: list[Mended] = []
    parameters = _parameters(entry, place, mended)
    yield make_api(
        ids.next(category=tool.category, tool=tool.stem, name=name, method=method, url=url),
        source=source,
        key=f"{tool.category}/{tool.stem}/{function_name(name) or name.replace('/', '_')}",
        category=tool.category,
        tool=tool.title,
        name=name,
        method=method,
        url=url,
        description=clean_text(entry.get("description")),
        tool_description=tool.description,
        parameters=parameters,
        response_schema=_response_schema(entry.get("schema")),
        operation=operation_of(method, url, parameters["properties"]),
    )
    yield from mended


def _parameters(entry: dict[str, Any], place: str, mended: list[Mended]) -> dict[str, Any]:
    """All parameters as one JSON Schema object; what cannot be used goes to `mended`."""
    properties: dict[str, Any] = {}
    required: list[str] = []
    for list_name, is_required in _PARAMETER_LISTS:
        listed = entry.get(list_name) or []
        if not isinstance(listed, list):
            why = f"parameters are a list, this is {json_kind(listed)}"
            mended.append(Mended(where=f"{place}.{list_name}", why=why))
            continue
        for index, parameter in enumerate(listed):
            name = clean_line(parameter.get("name")) if isinstance(parameter, dict) else ""
            if name and name not in properties:
                properties[name] = parameter_schema(
                    parameter.get("type"),
                    parameter.get("default"),
                    clean_text(parameter.get("description")),
                    required=is_required,
                )
                if is_required:
                    required.append(name)
                continue
            if not isinstance(parameter, dict):
                why = f"a parameter is an object, this is {json_kind(parameter)}"
            elif not name:
                why = "the parameter has no name"
            else:
                why = f"there is already a parameter {name[:100]!r}; the first one counts"
            mended.append(Mended(where=f"{place}.{list_name}[{index}]", why=why))
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    return schema


def _response_schema(raw: Any) -> dict[str, Any] | None:
    """The documented reply as a JSON Schema; an example reply becomes a schema with examples."""
    if isinstance(raw, str):
        try:
            raw = parse(raw)
        except BadInput:
            return None
    if not isinstance(raw, dict) or not raw:
        return None
    cleaned = clean_json(raw)
    if _SCHEMA_WORDS.isdisjoint(cleaned):
        return {"type": "object", "examples": [cleaned]}
    return cleaned
