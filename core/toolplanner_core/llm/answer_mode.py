"""The ways to ask an endpoint for a typed answer, and how to read one.

Endpoints differ: some take a JSON Schema as `response_format`, some only function calling, some
neither. The schema is sent without "strict", since schemas of real APIs break its rules; our
parsers check every answer.
"""

import json
import re
from typing import Any, Literal

from toolplanner_core.domain.api import JsonSchema
from toolplanner_core.settings import AnswerMode

Mode = Literal["schema", "tools", "text"]

_FENCE = re.compile(r"```(?:json)?\s*(.*?)```", re.DOTALL | re.IGNORECASE)


def modes_of(setting: AnswerMode) -> list[Mode]:
    """The ways to try, in order."""
    return ["schema", "tools", "text"] if setting == "auto" else [setting]


def request_fields(mode: Mode, name: str, schema: JsonSchema) -> dict[str, Any]:
    """The fields of a chat request that ask for an answer of this schema."""
    if mode == "schema":
        named = {"name": name, "schema": dict(schema)}
        return {"response_format": {"type": "json_schema", "json_schema": named}}
    if mode == "tools":
        function = {"name": name, "description": "Give the answer.", "parameters": dict(schema)}
        return {
            "tools": [{"type": "function", "function": function}],
            "tool_choice": {"type": "function", "function": {"name": name}},
        }
    return {}


def data_of(text: str) -> Any:
    """The JSON object in a reply: the whole text, a fenced block, or the outermost braces.

    None when there is none; the gate then asks for a repair.
    """
    candidates = [text, *_FENCE.findall(text)]
    begin, end = text.find("{"), text.rfind("}")
    if 0 <= begin < end:
        candidates.append(text[begin : end + 1])
    for candidate in candidates:
        try:
            data = json.loads(candidate)
        except (ValueError, RecursionError):
            continue
        if isinstance(data, dict):
            return data
    return None
