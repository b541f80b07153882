"""Parameters as people write them when they write no JSON Schema, as one.

Names with types, descriptions or examples; lists of names; names in a text. What is neither is left
out: a parameter that is not known is better than one that does not exist.
"""

import re
from collections.abc import Iterable
from typing import Any

from toolplanner_core.errors import BadInput
from toolplanner_core.sources.documents import parse
from toolplanner_core.sources.openapi_schemas import plain_keywords, read_standalone_schema
from toolplanner_core.sources.text_cleaning import clean_line, clean_text

_NAME = re.compile(r"[^\W\d][\w.-]{0,80}")
_NAMED_TEXT = re.compile(r"([^\W\d][\w.-]{0,80})\s*(?:[:=(]\s*(.*?)\)?)?")
_MOST = 200


def is_loose(parameters: Any) -> bool:
    """Whether a value is parameters by name, and not a JSON Schema."""
    if not isinstance(parameters, dict) or not parameters:
        return False
    if not all(isinstance(value, dict) for value in parameters.values()):
        return False
    # A parameter may be called so, too; then it says of what type it is.
    properties = parameters.get("properties", {"type": ""})
    return isinstance(properties.get("type"), str)


def loose_parameters(given: Any, required: Iterable[Any] = ()) -> dict[str, Any]:
    """The JSON Schema of what stands where parameters are expected.

    Args:
        given: by name, in a list, or in a text; also a JSON Schema, or JSON as text.
        required: names of those that must be given.
    """
    if isinstance(given, str):
        given = _of_text(given)
    if isinstance(given, dict) and not is_loose(given) and "properties" in given:
        return {"type": "object", "properties": {}, **read_standalone_schema(given)}
    asked = {clean_line(name) for name in required}
    properties: dict[str, Any] = {}
    for name, about in _named(given)[:_MOST]:
        if name in properties:
            continue
        properties[name] = _schema(about)
        if isinstance(about, dict) and about.get("required") is True:
            asked.add(name)
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    if names := [name for name in properties if name in asked]:
        schema["required"] = names
    return schema


def _named(given: Any) -> list[tuple[str, Any]]:
    if isinstance(given, dict):
        found = [(clean_line(name), about) for name, about in given.items()]
    elif isinstance(given, list):
        found = [_of_item(item) for item in given]
    else:
        found = []
    return [(name, about) for name, about in found if name]


def _of_item(item: Any) -> tuple[str, Any]:
    if isinstance(item, dict):
        return clean_line(item.get("name")), item
    match = _NAMED_TEXT.fullmatch(item.strip()) if isinstance(item, str) else None
    return (match[1], match[2] or {}) if match else ("", {})


def _of_text(text: str) -> Any:
    """JSON, or names between commas; nothing of a text that is a sentence."""
    text = text.strip()
    if text[:1] in ("{", "["):
        try:
            return parse(text)
        except BadInput:
            return []
    names = [part.strip() for part in re.split(r"[,;|\n]", text) if part.strip()]
    return names if all(_NAMED_TEXT.fullmatch(name) for name in names) else []


def _schema(about: Any) -> dict[str, Any]:
    """What is known of one parameter."""
    if isinstance(about, dict):
        # `required` is said of the parameter, not of its fields.
        return read_standalone_schema(
            {w: v for w, v in about.items() if w != "required" or isinstance(v, list)}
        )
    if isinstance(about, str):
        by_type = plain_keywords({"type": about.strip()})
        return by_type or ({"description": text} if (text := clean_text(about)) else {})
    return plain_keywords({"default": about})
