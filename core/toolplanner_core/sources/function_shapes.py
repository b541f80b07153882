"""The shapes in which functions are offered to language models, as one.

OpenAI's ``{"type": "function", "function": {...}}``, the flat form of its Responses API, the bare
function object; Anthropic's ``input_schema``; MCP's ``inputSchema``; Gemini's function declarations
(types in capitals); Bedrock's ``toolSpec`` with ``inputSchema.json``, and its action groups;
LangChain's ``args`` and titled schemas; LlamaIndex's ``fn_schema``; Seal-Tools' ``api_name``.

Source: API references of OpenAI, Anthropic, Google Gemini (FunctionDeclaration) and Amazon Bedrock
(ToolSpecification, FunctionSchema); Model Context Protocol 2025-06-18; langchain-core 0.3
`convert_to_openai_function`; llama-index-core 0.12 `ToolMetadata`; Seal-Tools, arXiv 2405.08355.
"""

from typing import Any, NamedTuple

from toolplanner_core.errors import BadInput
from toolplanner_core.sources.documents import parse
from toolplanner_core.sources.loose_parameters import is_loose, loose_parameters
from toolplanner_core.sources.openapi.parts import as_list, as_text
from toolplanner_core.sources.openapi.schemas import read_alone

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
        return read_alone(given)
    return given
