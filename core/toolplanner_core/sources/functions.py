"""Read functions as they are offered to language models: JSON or JSON lines, plain or gzipped.

A file holds one function, a list of them, ``{"tools": [...]}``, or one per line, each in any of
these shapes: OpenAI's ``{"type": "function", "function": {...}}``, the flat form of its Responses
API, the bare function object; Anthropic's ``input_schema``; MCP's ``inputSchema``; Gemini's
function declarations (types in capitals); Bedrock's ``toolSpec`` with ``inputSchema.json``, and its
action groups; LangChain's ``args`` and titled schemas; LlamaIndex's ``fn_schema``; Seal-Tools'
``api_name``.

A broken line, or an item whose schema is no JSON Schema, is reported and left out.

Source: API references of OpenAI, Anthropic, Google Gemini (FunctionDeclaration) and Amazon Bedrock
(ToolSpecification, FunctionSchema); Model Context Protocol 2025-06-18; langchain-core 0.3
`convert_to_openai_function`; llama-index-core 0.12 `ToolMetadata`; Seal-Tools, arXiv 2405.08355.
"""

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from toolplanner_core.domain.api import Api
from toolplanner_core.errors import BadInput
from toolplanner_core.options.option import option
from toolplanner_core.sources.documents import Item, decode, items_of, json_kind, parse
from toolplanner_core.sources.files import Member, walk
from toolplanner_core.sources.identity import ApiIds, make_api
from toolplanner_core.sources.location import Location
from toolplanner_core.sources.loose_parameters import is_loose, loose_parameters
from toolplanner_core.sources.openapi_documents import as_list, as_text
from toolplanner_core.sources.openapi_schemas import read_standalone_schema
from toolplanner_core.sources.source import Record, Rejected, Sample, SourcePlugin
from toolplanner_core.sources.text_cleaning import clean_json, clean_line, clean_text

_AROUND = ("toolConfig", "tool_config", "functionSchema")
_DECLARED = ("functionDeclarations", "function_declarations")
_LISTS = ("tools", "functions", *_DECLARED)
_BODIES = ("toolSpec", "tool_spec", "metadata")
_PARAMETERS = (
    "parameters", "input_schema", "inputSchema", "parametersJsonSchema", "parameters_json_schema",
    "fn_schema", "fn_schema_str", "args_schema", "args",
)  # fmt: skip
_RESULTS = (
    "output_schema", "outputSchema", "returns", "response", "responseJsonSchema", "responses",
)  # fmt: skip


class FunctionShape(NamedTuple):
    """A function, whatever shape it had; nothing is checked or cleaned.

    Attributes:
        parameters: None if it says nothing of them.
        is_made: the schema of the parameters was made here, and is a valid one.
        result: schema of what it gives, if documented.
    """

    name: Any
    description: Any
    parameters: Any
    is_made: bool
    result: dict[str, Any] | None = None
    category: str = ""
    tool: str = ""


def unpacked(document: Any) -> list[Any]:
    """The entries of a document: of a list, of ``{"tools": [...]}``, or the document itself."""
    if isinstance(document, dict):
        for key in _AROUND:
            if isinstance(document.get(key), dict):
                return unpacked(document[key])
        for key in _LISTS:
            if isinstance(document.get(key), list):
                return _flat(document[key])
    return _flat(document) if isinstance(document, list) else [document]


def body_of(entry: Any) -> Any:
    """The part of an entry that describes the function."""
    if not isinstance(entry, dict):
        return entry
    for key in _BODIES:
        inner = entry.get(key)
        if isinstance(inner, dict) and "name" in inner:
            return inner
    return entry.get("function", entry)


def looks_like_function(entry: Any) -> bool:
    """Whether an entry has a name and parameters, or says that it is a function."""
    body = body_of(entry)
    if not isinstance(entry, dict) or not isinstance(body, dict):
        return False
    if entry.get("type") == "function":
        return True
    name = body.get("name", body.get("api_name"))
    return isinstance(name, str) and isinstance(shape_of(body).parameters, dict)


def shape_of(body: dict[str, Any]) -> FunctionShape:
    """A function as described."""
    if "name" not in body and isinstance(body.get("properties"), dict):
        # The schema of a pydantic class, named by its title.
        inside = {
            word: value for word, value in body.items() if word not in ("title", "description")
        }
        return FunctionShape(body.get("title"), body.get("description"), inside, False)
    given = next((body[key] for key in _PARAMETERS if body.get(key) is not None), None)
    result = next((body[key] for key in _RESULTS if isinstance(body.get(key), dict)), None)
    field = as_text(body.get("field")) if "api_name" in body else ""
    return FunctionShape(
        name=body.get("name", body.get("api_name")),
        description=body.get("description", body.get("api_description")),
        parameters=_schema(given, body.get("required")),
        is_made=is_loose(given),
        result=None if result is None else _schema(result),
        category=field.partition("/")[0],
        tool=field.partition("/")[2],
    )


def _flat(entries: list[Any]) -> list[Any]:
    """Entries, those of Gemini's packs of declarations in their place."""
    found: list[Any] = []
    for entry in entries:
        packs = [entry[key] for key in _DECLARED if isinstance(entry, dict) and key in entry]
        found += as_list(packs[0]) if packs else [entry]
    return found


def _schema(given: Any, required: Any = None) -> Any:
    if isinstance(given, str):
        try:
            given = parse(given)
        except BadInput:
            return given
    if isinstance(given, dict) and isinstance(given.get("json"), dict) and len(given) == 1:
        given = given["json"]
    if is_loose(given):
        return loose_parameters(given, as_list(required))
    if isinstance(given, dict) and str(given.get("type", "")).isupper():
        return read_standalone_schema(given)
    return given


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


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionsOptions:
    """How functions, which know no tool, are placed in the catalogue."""

    tool: str = option("", "Name of the tool they belong to; empty takes the file's name.")
    category: str = option(
        "", "Their category; empty takes the folder's name inside a folder or archive."
    )


def recognises(sample: Sample) -> float:
    """How many of the first documents hold something that looks like a function."""
    return share_of_functions(sample)


def read(location: Location, options: FunctionsOptions, *, source: str) -> Generator[Record]:
    """All functions of a file, folder or zip."""
    return read_functions(location, tool=options.tool, category=options.category, source=source)


PLUGIN = SourcePlugin(
    id="functions",
    title="Function definitions",
    description="Functions as they are offered to language models: OpenAI, Anthropic, MCP, Gemini,"
    " Bedrock, LangChain, LlamaIndex.",
    accepts="JSON or JSON lines of functions as models are offered them (OpenAI, MCP, Gemini ...)",
    options=FunctionsOptions,
    recognises=recognises,
    read=read,
    order=20,
)
