"""The ways to ask an endpoint for a typed answer or for function calls, and how to read one.

Endpoints differ: some take a JSON Schema as `response_format`, some only function calling, some
neither. A typed question is asked by schema, else by a function whose arguments are the answer,
else in words. A dialogue is held with function calling, else by a schema of "what to say and what
to call", else in words. The schema is sent without "strict", since schemas of real APIs break its
rules; our parsers check every answer.
"""

import json
import re
from collections.abc import Sequence
from typing import Any, Literal, cast

from toolplanner_core.domain.api import JsonSchema
from toolplanner_core.llm.model import ModelRequest
from toolplanner_core.llm.thinking import CALL_EXTRAS
from toolplanner_core.prompts.conversation import Function, FunctionCall, Message
from toolplanner_core.settings import AnswerMode

Mode = Literal["schema", "tools", "text"]
Use = Literal["answers", "dialogues"]
"""What a mode is for: an endpoint may know functions and no schemas, or the other way round."""

_ORDER: dict[Use, tuple[Mode, ...]] = {
    "answers": ("schema", "tools", "text"),
    "dialogues": ("tools", "schema", "text"),
}
MODE_WORDS = {"schema": "by JSON schema", "tools": "by function calls", "text": "in words"}
"""The ways for people."""
_FENCE = re.compile(r"```(?:json)?\s*(.*?)```", re.DOTALL | re.IGNORECASE)
_NO_NAME = re.compile(r"[^a-zA-Z0-9_-]")
_HOW_TO_CALL = """You can call these functions:
{functions}
Answer with one JSON object and nothing else: {{"say": "your thought or answer in words", "calls": \
[{{"name": "function name", "arguments": {{...}}}}]}}. {choice}"""


def modes_of(setting: AnswerMode, use: Use) -> list[Mode]:
    """The ways to try, in order."""
    return list(_ORDER[use]) if setting == "auto" else [setting]


def use_of(request: ModelRequest) -> Use:
    """Whether a request is a turn of a dialogue."""
    return "answers" if request.question is not None else "dialogues"


def request_fields(mode: Mode, request: ModelRequest) -> dict[str, Any]:
    """The fields of a chat request that depend on the way of asking: messages, tools, schema."""
    if request.question is not None:
        messages = [message_field(message) for message in request.messages]
        return {"messages": messages, **_answer_fields(mode, request.id, request.schema)}
    if not request.tools:
        return {"messages": [message_field(message) for message in _in_words(request.messages)]}
    if mode == "tools":
        return {
            "messages": [message_field(message) for message in request.messages],
            "tools": [{"type": "function", "function": t.to_json()} for t in request.tools],
            "tool_choice": _choice_field(request.tool_choice),
        }
    told = (_functions_message(request.tools, request.tool_choice), *_in_words(request.messages))
    fields: dict[str, Any] = {"messages": [message_field(message) for message in _joined(told)]}
    if mode == "schema":
        named = {"name": request.id, "schema": _calling_schema(request.tools)}
        fields["response_format"] = {"type": "json_schema", "json_schema": named}
    return fields


def _answer_fields(mode: Mode, name: str, schema: JsonSchema) -> dict[str, Any]:
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


def message_field(message: Message) -> dict[str, Any]:
    """A message as the endpoint wants it."""
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.call, "content": message.content}
    field: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.calls:
        field["content"] = message.content or None
        field["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": _wire_name(call.name), "arguments": call.arguments},
            }
            for call in message.calls
        ]
        field |= {name: v for name, v in message.thinking.items() if name != CALL_EXTRAS}
        extras = message.thinking.get(CALL_EXTRAS, ())
        for sent, extra in zip(field["tool_calls"], extras, strict=False):
            sent.update(extra)
    return field


def _wire_name(name: str) -> str:
    """A function's name as an endpoint takes it, also when a model made it up."""
    return _NO_NAME.sub("_", name)[:64] or "unknown"


def _choice_field(choice: str) -> Any:
    if choice in ("", "auto", "none", "required"):
        return choice or "auto"
    return {"type": "function", "function": {"name": choice}}


def _functions_message(tools: Sequence[Function], choice: str) -> Message:
    lines = "\n".join(json.dumps(tool.to_json(), ensure_ascii=False) for tool in tools)
    said = {
        "": "No call is necessary: [] is allowed.",
        "auto": "No call is necessary: [] is allowed.",
        "none": "Call nothing now: [].",
        "required": "At least one call is necessary.",
    }.get(choice, f"Call {choice} now.")
    return Message("system", _HOW_TO_CALL.format(functions=lines, choice=said))


def _calling_schema(tools: Sequence[Function]) -> dict[str, Any]:
    call = {
        "type": "object",
        "properties": {
            "name": {"type": "string", "enum": [tool.name for tool in tools]},
            "arguments": {"type": "object"},
        },
        "required": ["name", "arguments"],
    }
    return {
        "type": "object",
        "properties": {"say": {"type": "string"}, "calls": {"type": "array", "items": call}},
        "required": ["say", "calls"],
    }


def _in_words(messages: Sequence[Message]) -> list[Message]:
    """A conversation without function calling: calls as the JSON that asks for them, results as
    messages of the user."""
    out: list[Message] = []
    for message in messages:
        if message.role == "tool":
            out.append(Message("user", f"Result of {message.name}: {message.content}"))
        elif message.calls:
            calls = [{"name": c.name, "arguments": c.values() or {}} for c in message.calls]
            said = {"say": message.content, "calls": calls}
            out.append(Message("assistant", json.dumps(said, ensure_ascii=False)))
        else:
            out.append(message)
    return out


def _joined(messages: Sequence[Message]) -> list[Message]:
    """Neighbours of one role as one message: many chat templates insist that roles take turns."""
    out: list[Message] = []
    for message in messages:
        if out and out[-1].role == message.role and not message.calls:
            out[-1] = Message(message.role, f"{out[-1].content}\n\n{message.content}")
        else:
            out.append(message)
    return out


def parse_json_reply(text: str) -> Any:
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


def parse_calls(text: str) -> tuple[str, tuple[FunctionCall, ...]]:
    """What a reply in words says and calls; a text that is no JSON object only says something."""
    data = parse_json_reply(text)
    if not isinstance(data, dict) or "calls" not in data:
        return text, ()
    found = cast("dict[str, Any]", data)
    said, wanted = found.get("say"), found.get("calls")
    calls = [
        FunctionCall.from_json(cast("dict[str, Any]", item))
        for item in (cast("list[Any]", wanted) if isinstance(wanted, list) else [])
        if isinstance(item, dict) and "name" in item
    ]
    return (said if isinstance(said, str) else ""), tuple(calls)
