"""Read ToolBench's catalogue: a folder or zip with ``.../<Category>/<tool>.json``.

A file is one tool of the RapidAPI crawl: ``{"tool_name", "tool_description", "api_list": [{"name",
"url", "description", "method", "required_parameters", "optional_parameters", "schema"?}]}``. Dirt
is normal in it; an entry that cannot be used is reported with its place, everything else goes in.

Queries, recordings and traces of ToolBench name APIs by keys, so they are made exactly as
ToolBench makes them, its oddities included: a circumflex counts as a letter, Chinese letters stay,
other scripts become "_".

A document has method and URL, the server's example values sometimes in it, and parameters without
their place. The crawl took what RapidAPI lists as parameters, not the payloads of bodies: what is
not named in the path is sent in the query, whatever the method, and names of headers as headers.
Servers of RapidAPI ask for a key and for their own name in headers.

The crawl has 22 words for types and keeps every default as a text, whatever the type: numbers that
are words, lists that are comma-separated, "string" as a placeholder. A default that fits becomes
`default`; one that does not is documentation, not a value, and is kept as `x-documented-default`
so that nothing is lost and nothing wrong is sent.

Source: ToolBench (Apache-2.0), toolbench/utils.py, the behaviour of `standardize` and
`change_name`; on the real files all keys that exist in the catalogue are found (see the tests);
RapidAPI documentation, "Consume APIs": X-RapidAPI-Key and X-RapidAPI-Host; design/strategies.md
section 0, "Schema": NUMBER is `number` (latitudes), optional parameters are always offered;
ToolLLM, arXiv 2307.16789, and the layout of its published `toolenv/tools`.
"""

import json
import math
import re
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import urlsplit

from toolplanner_core.domain.operation import (
    ArgumentPlace,
    Operation,
    RequestPart,
    SchemeKind,
    SecurityScheme,
)
from toolplanner_core.errors import BadInput
from toolplanner_core.options.option import NoOptions
from toolplanner_core.sources.documents import decode, json_kind, parse
from toolplanner_core.sources.files import Member, walk
from toolplanner_core.sources.identity import ApiIds, make_api
from toolplanner_core.sources.location import Location
from toolplanner_core.sources.source import Mended, Record, Rejected, Sample, SourcePlugin
from toolplanner_core.sources.text_cleaning import clean_json, clean_line, clean_text

_OTHER = re.compile("[^\u4e00-\u9fa5a-zA-Z0-9_^]")
_RUNS = re.compile("__+")
_RESERVED = frozenset({"from", "class", "return", "false", "true", "id", "and"})


def function_name(name: str) -> str:
    """ToolBench's function name of an API: "Get user/{id}" gives "get_user_id".

    "" when nothing of the name is left.
    """
    text = _RUNS.sub("_", _OTHER.sub("_", name)).lower().strip("_")
    if text[:1].isdigit():
        text = f"get_{text}"
    return f"is_{text}" if text in _RESERVED else text


_VARIABLE = re.compile(r"\{([^{}/]+)\}")
_HEADERS = frozenset({"accept", "accept-language", "authorization", "content-type", "user-agent"})
_RAPIDAPI = ".p.rapidapi.com"
_KEY = SecurityScheme(
    name="RapidAPI", kind=SchemeKind.KEY, within=RequestPart.HEADER, parameter="X-RapidAPI-Key"
)
_IN_QUERY, _IN_HEADER = (
    ArgumentPlace(within=RequestPart.QUERY),
    ArgumentPlace(within=RequestPart.HEADER),
)


def operation_of(method: str, url: str, parameters: Iterable[str]) -> Operation | None:
    """The operation behind a URL; None if it names no server."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not host:
        return None
    path = url[url.index(parts.netloc) + len(parts.netloc) :]
    is_rapidapi = host.endswith(_RAPIDAPI)
    return Operation(
        method=method or "GET",
        servers=(f"{parts.scheme}://{parts.netloc}",),
        path=path if path.startswith("/") else f"/{path}",
        places=_places(path, parameters),
        headers={"X-RapidAPI-Host": host} if is_rapidapi else {},
        security=((_KEY,),) if is_rapidapi else (),
    )


def _places(path: str, parameters: Iterable[str]) -> dict[str, ArgumentPlace]:
    # The crawl writes {venueid} for the parameter venueId: case does not tell them apart.
    variables = {name.casefold(): name for name in _VARIABLE.findall(path)}
    places: dict[str, ArgumentPlace] = {}
    for name in parameters:
        variable = variables.get(name.casefold())
        if variable is not None:
            places[name] = ArgumentPlace(
                within=RequestPart.PATH, name="" if variable == name else variable
            )
        elif name.lower() in _HEADERS or name.lower().startswith("x-"):
            places[name] = _IN_HEADER
        else:
            places[name] = _IN_QUERY
    return places


ORIGINAL_TYPE = "x-original-type"
"""Schema key: the catalogue's own word for a type, where ours says less."""
DOCUMENTED_DEFAULT = "x-documented-default"
"""Schema key: the default as documented, where it does not fit the type."""

_TYPES: dict[str, dict[str, Any]] = {
    "STRING": {"type": "string"},
    "STR": {"type": "string"},
    "TEXT": {"type": "string"},
    "": {"type": "string"},
    "NUMBER": {"type": "number"},
    "FLOAT": {"type": "number"},
    "DOUBLE": {"type": "number"},
    "DECIMAL": {"type": "number"},
    "INT": {"type": "integer"},
    "INTEGER": {"type": "integer"},
    "BOOLEAN": {"type": "boolean"},
    "BOOL": {"type": "boolean"},
    "LIST": {"type": "array"},
    "ARRAY": {"type": "array"},
    "OBJECT": {"type": "object"},
    "DICT": {"type": "object"},
    "JSON": {"type": "object"},
    "ENUM": {"type": "string"},
    "SELECT": {"type": "string"},
    "DATE": {"type": "string", "format": "date"},
    "DATEPICKER": {"type": "string", "format": "date"},
    "DATETIME": {"type": "string", "format": "date-time"},
    "TIME": {"type": "string", "format": "time"},
    # All 68 MAPs of the catalogue are places as "latitude,longitude", none is an object.
    "GEOPOINT": {"type": "string", "format": "geopoint", ORIGINAL_TYPE: "GEOPOINT"},
    "MAP": {"type": "string", "format": "geopoint", ORIGINAL_TYPE: "MAP"},
    "FILE": {"type": "string", "format": "binary", ORIGINAL_TYPE: "FILE"},
    "BINARY": {"type": "string", "format": "binary", ORIGINAL_TYPE: "BINARY"},
    "CREDENTIALS": {"type": "string", "writeOnly": True, ORIGINAL_TYPE: "CREDENTIALS"},
}
_CHOICES = frozenset({"ENUM", "SELECT"})

_FORMATS = {
    "date": re.compile(r"\d{4}-\d{2}-\d{2}"),
    "time": re.compile(r"([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?"),
    "date-time": re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}.*"),
    "geopoint": re.compile(r"\(?\s*-?\d+(\.\d+)?\s*,\s*-?\d+(\.\d+)?\s*\)?"),
}
# "007" and "+49" are codes that look like numbers.
_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?")
_PLACEHOLDER = re.compile(r"<[^<>]*>|string|number|boolean|integer|object|array", re.IGNORECASE)

_QUOTED = r"""(?:"[^"\n]{1,60}"|'[^'\n]{1,60}'|`[^`\n]{1,60}`)"""
_BETWEEN = r"\s*(?:,\s*(?:and|or)?|\||/|;|\band\b|\bor\b)\s*"
_QUOTED_LIST = re.compile(rf"{_QUOTED}(?:{_BETWEEN}{_QUOTED})+")
_ONE_QUOTED = re.compile(_QUOTED)
_BARE_LIST = re.compile(
    r"(?:values?|options?|types?|one of)(?:\s+(?:are|is|include|can be|following values?))?"
    r"\s*[:=]?\s*([\w.-]+(?:\(default\))?(?:\s*[,|]\s*[\w.-]+(?:\s*\(default\))?)+)"
    r"(?=\s*(?:[.;\n)]|$))",
    re.IGNORECASE,
)
_PIPED = re.compile(r"[\w.-]+(?:\s*\|\s*[\w.-]+)+")
_OPEN_END = re.compile(r"\betc\b|\.\.\.|…|e\.g\.|for example|such as", re.IGNORECASE)


def parameter_schema(
    type_word: Any, default: Any, description: str, *, required: bool
) -> dict[str, Any]:
    """The JSON Schema of one parameter.

    Args:
        type_word: ToolBench's type, such as "NUMBER" or "DATE (YYYY-MM-DD)"; anything.
        default: its default as documented; anything.
        description: cleaned.
        required: the default of a required parameter is an example of a value as well.
    """
    original = clean_text(type_word, cap=200)
    word = original.partition("(")[0].strip().upper()
    known = _TYPES.get(word)
    schema: dict[str, Any] = dict(known) if known else {"type": "string", ORIGINAL_TYPE: original}
    if description:
        schema["description"] = description
    documented = _documented(default)
    if word in _CHOICES:
        _add_choices(schema, documented, description, original)
    if word == "JSON" and isinstance(documented, str) and documented.startswith("["):
        schema["type"] = "array"
    if documented in ("", None):
        return schema
    fits, value = _fit(documented, schema)
    if fits:
        schema["default"] = value
        if required:
            schema["examples"] = [value]
    else:
        schema[DOCUMENTED_DEFAULT] = documented
    return schema


def _documented(default: Any) -> Any:
    if isinstance(default, str):
        return clean_text(default, cap=2_000)
    return None if default is None else clean_json(default)


def _fit(documented: Any, schema: dict[str, Any]) -> tuple[bool, Any]:
    """Whether a documented default is a value of the schema's type, and that value."""
    if not isinstance(documented, str):
        return _has_type(documented, schema["type"]), documented
    kind: str = schema["type"]
    if kind == "string":
        return _fits_text(documented, schema), documented
    if kind in {"number", "integer"}:
        if len(documented) > 40 or not _NUMBER.fullmatch(documented):
            return False, None
        value = json.loads(documented)
        if isinstance(value, float) and not math.isfinite(value):
            return False, None
        return (kind == "number" or isinstance(value, int)), value
    if kind == "boolean":
        lowered = documented.lower()
        return lowered in {"true", "false"}, lowered == "true"
    try:
        value = clean_json(parse(documented))
    except BadInput:
        return False, None
    return _has_type(value, kind), value


def _has_type(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    expected: dict[str, type | tuple[type, ...]] = {
        "string": str,
        "number": (int, float),
        "integer": int,
        "array": list,
        "object": dict,
    }
    return kind in expected and isinstance(value, expected[kind])


def _fits_text(documented: str, schema: dict[str, Any]) -> bool:
    if schema.get("writeOnly") or _PLACEHOLDER.fullmatch(documented):
        # A documented credential is never a value to send; "string" is nobody's value.
        return False
    if "enum" in schema:
        return documented in schema["enum"]
    form = _FORMATS.get(schema.get("format", ""))
    return form is None or form.fullmatch(documented) is not None


def _add_choices(schema: dict[str, Any], documented: Any, description: str, original: str) -> None:
    """Give the schema an `enum` if the documentation really lists the values."""
    values = _listed(documented, description)
    is_closed = len(values) > 1 and not _OPEN_END.search(description)
    is_choice = not documented or documented in values or _PIPED.fullmatch(str(documented))
    if is_closed and is_choice:
        schema["enum"] = values
    else:
        # A wrong list would forbid right values; the word still says that there is one.
        schema[ORIGINAL_TYPE] = original


def _listed(documented: Any, description: str) -> list[str]:
    if isinstance(documented, str) and _PIPED.fullmatch(documented):
        found = documented.split("|")
    elif quoted := _QUOTED_LIST.search(description):
        found = [match[1:-1] for match in _ONE_QUOTED.findall(quoted.group())]
    elif bare := _BARE_LIST.search(description):
        found = re.sub(r"\(default\)", "", bare.group(1), flags=re.IGNORECASE)
        found = re.split(r"[,|]", found)
    else:
        return []
    return list(dict.fromkeys(value.strip() for value in found if value.strip()))


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


def recognises(sample: Sample) -> float:
    """How many of the first JSON files hold tools with an `api_list`."""
    return share_of_tools(sample)


def read(location: Location, options: NoOptions, *, source: str) -> Generator[Record]:  # noqa: ARG001 - every source has options
    """All entries of a folder, a zip or a single tool file."""
    return read_tools(location, source=source)


PLUGIN = SourcePlugin(
    id="toolbench",
    title="ToolBench catalogue",
    description="Tools crawled from RapidAPI, one JSON file per tool in folders by category.",
    accepts='a folder or zip of ToolBench tools (<Category>/<tool>.json with an "api_list")',
    options=NoOptions,
    recognises=recognises,
    read=read,
    order=10,
    is_whole=True,
)
