"""Google: function declarations of Gemini, whose `Schema` knows few keywords and refuses others.

What its schema cannot say is said in the description: values that are no texts, limits that are not
included, formats that it does not know.

Source: https://ai.google.dev/api/caching#Schema; google-genai's `types.Schema`, which refuses
unknown fields before anything is sent, and `types.Tool` ("Maximum 512 function declarations").
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from toolplanner_core.tool_schemas.dialect import (
    DialectPlugin,
    Tool,
    parts_of,
    refused_name,
    refused_schema,
)
from toolplanner_core.tool_schemas.portable import LONGEST_TEXT, at_a_sentence

_KNOWN = frozenset({
    "anyOf", "default", "description", "enum", "format", "items", "maxItems", "maxLength",
    "maxProperties", "maximum", "minItems", "minLength", "minProperties", "minimum", "nullable",
    "pattern", "properties", "required", "title", "type",
})  # fmt: skip
_FORMATS = {
    "string": {"date-time", "enum"}, "integer": {"int32", "int64"}, "number": {"float", "double"},
}  # fmt: skip
_WORDS = {
    "exclusiveMinimum": "More than {}.",
    "exclusiveMaximum": "Less than {}.",
    "multipleOf": "A multiple of {}.",
    "format": "Format: {}.",
}


def write(tool: Tool) -> dict[str, Any]:
    """A function declaration; one without parameters has no schema."""
    declaration: dict[str, Any] = {"name": tool.name, "description": tool.description}
    if tool.parameters["properties"]:
        declaration["parameters"] = _schema(tool.parameters)
    return declaration


def _schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    said: list[str] = []
    out: dict[str, Any] = {}
    kind = schema.get("type")
    for name, value in schema.items():
        if name == "properties":
            out[name] = {key: _schema(one) for key, one in value.items()}
        elif name == "items":
            out[name] = _schema(value)
        elif name == "anyOf":
            out[name] = [_schema(one) for one in value]
        elif name == "enum" and (kind != "string" or "" in value):
            said.append(
                f"One of: {', '.join(json.dumps(one, ensure_ascii=False) for one in value)}."
            )
        elif (name == "format" and value not in _FORMATS.get(str(kind), ())) or name not in _KNOWN:
            if name in _WORDS:
                said.append(_WORDS[name].format(value))
        elif name != "required" or value:
            out[name] = value
    if "type" not in out and "anyOf" not in out:
        out["type"] = "string"
    if said:
        words = " ".join(said)
        about = at_a_sentence(str(out.get("description") or ""), LONGEST_TEXT)
        out["description"] = at_a_sentence(f"{about} {words}".strip(), 2 * LONGEST_TEXT)
    return out


def refusals(tool: Mapping[str, Any]) -> Iterator[str]:
    """Why Google's client or endpoint would refuse it."""
    yield from refused_name(tool["name"])
    if "parameters" not in tool:
        return
    yield from refused_schema(tool["parameters"])
    for part in parts_of(tool["parameters"]):
        for name in part.keys() - _KNOWN:
            yield f"the keyword {name}"
        if any(not isinstance(value, str) or not value for value in part.get("enum", ())):
            yield "an enum with other values than texts"
        if "type" not in part and "anyOf" not in part:
            yield "a schema without a type"


PLUGIN = DialectPlugin(
    id="gemini",
    title="Google Gemini",
    description="Function declarations of Google's Gemini.",
    write=write,
    refusals=refusals,
    most_tools=512,
)
