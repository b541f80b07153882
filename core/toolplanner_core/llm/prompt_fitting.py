"""Cut a prompt that is too long for an endpoint: the largest pieces first, never the query or the
rules, and say what was left out. Pure.

What is offered stands best first, so the ends of lists go: fewer toolkits, shorter results, shorter
documentation. Called for models with a small context, and when an endpoint refuses a prompt.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, cast

from toolplanner_core.llm.model import ModelRequest
from toolplanner_core.prompts.conversation import Function, Message
from toolplanner_core.words.formatting import count

_TOKEN = re.compile(r"[A-Za-z]{1,5}|[0-9]|[!-/:-@[-`{-~]{1,2}|[^\x00-\x7F]|\n+")
"""A careful guess, measured on SmolLM2's tokens: words count by five letters, each digit and each
letter of another script for itself, so that JSON full of numbers is not taken for half its size."""
_PER_MESSAGE, _PER_CALL, _PER_SCHEMA = 4, 12, 24
"""Tokens around a message, a call of a function beside its arguments, and a schema."""
_LEAST = 160
"""Characters of a piece that is not cut any more."""
_BLOCK = re.compile(r"<(?P<tag>\w+)>\n(?P<inner>.*?)\n</(?P=tag)>", re.DOTALL)
_KEPT = ("query",)
_WHOLE = {"tool": "results", "assistant": "earlier words"}
"""Messages that may be cut without a block in them, and what is said of it."""
_MARK = "[the rest was left out]"


def estimate_tokens(request: ModelRequest) -> int:
    """Tokens of a request, guessed; rather too many."""
    said = sum(_PER_MESSAGE + _tokens(message.content) for message in request.messages)
    calls = [call for message in request.messages for call in message.calls]
    said += sum(_PER_CALL + _tokens(call.name) + _tokens(call.arguments) for call in calls)
    return said + sum(_tokens(_definition_text(tool)) for tool in request.tools)


def estimate_sent_tokens(request: ModelRequest) -> int:
    """Tokens of a request where the endpoint writes the schema of the answer into the prompt, as
    many do, guessed."""
    if not request.schema:
        return estimate_tokens(request)
    schema = json.dumps(dict(request.schema), ensure_ascii=False)
    return estimate_tokens(request) + _PER_SCHEMA + _tokens(schema)


def estimate_text_tokens(texts: Iterable[str]) -> int:
    """Tokens of texts as a model writes them, guessed; rather too many."""
    return sum(map(_tokens, texts))


def fit_request(request: ModelRequest, tokens: int) -> tuple[ModelRequest, str]:
    """The request within so many tokens, as far as it can be cut; and what was done to it in words,
    "" if it was left as it is."""
    before = estimate_tokens(request)
    touched: dict[str, None] = {}
    while estimate_tokens(request) > tokens:
        smaller = _with_less(request, touched)
        if smaller is None:
            break
        request = smaller
    if not touched:
        return request, ""
    return request, (
        f"The prompt was cut from about {count(before)} to {count(estimate_tokens(request))}"
        f" tokens, to fit the endpoint; shortened: {', '.join(touched)}"
    )


@lru_cache(maxsize=512)
def _tokens(text: str) -> int:
    return len(_TOKEN.findall(text))


def _definition_text(tool: Function) -> str:
    return json.dumps(tool.to_json(), ensure_ascii=False)


def _length(tool: Function) -> int:
    return len(_definition_text(tool))


def _with_less(request: ModelRequest, touched: dict[str, None]) -> ModelRequest | None:
    """The request with its largest piece halved, None when nothing is left to cut."""
    largest, place = max(
        ((_largest(message), at) for at, message in enumerate(request.messages)),
        key=lambda each: each[0][0],
        default=((0, 0, 0, ""), 0),
    )
    size, begin, end, what = largest
    of_tools = sum(map(_length, request.tools))
    if of_tools > max(size, _LEAST) and (fewer := _fewer(request)) is not None:
        touched["functions"] = None
        return replace(request, tools=fewer)
    if size <= _LEAST:
        return _without_oldest_turn(request, touched)
    messages = list(request.messages)
    text = messages[place].content
    shorter = f"{text[:begin]}{_half(text[begin:end])}{text[end:]}"
    messages[place] = replace(messages[place], content=shorter)
    touched[what] = None
    return replace(request, messages=tuple(messages))


def _without_oldest_turn(request: ModelRequest, touched: dict[str, None]) -> ModelRequest | None:
    """The request without the first thing that the model said and what came of it, if that is not
    the last."""
    messages = request.messages
    turns = [place for place, message in enumerate(messages) if message.role == "assistant"]
    if len(turns) < 2:
        return None
    touched["earlier turns"] = None
    begin, end = turns[:2]
    return replace(request, messages=(*messages[:begin], *messages[end:]))


def _largest(message: Message) -> tuple[int, int, int, str]:
    """Length, begin, end and name of the largest piece of a message that may be cut."""
    if message.role == "system":
        return 0, 0, 0, ""
    pieces = [
        (match.end("inner") - match.start("inner"), *match.span("inner"), match["tag"])
        for match in _BLOCK.finditer(message.content)
        if match["tag"] not in _KEPT
    ]
    if not pieces and message.role in _WHOLE:
        pieces = [(len(message.content), 0, len(message.content), _WHOLE[message.role])]
    return max(pieces, default=(0, 0, 0, ""))


def _half(text: str) -> str:
    """The first half, by lines where there are several."""
    text = text.removesuffix(_MARK).rstrip()
    lines = text.split("\n")
    if len(lines) > 1:
        return "\n".join([*lines[: len(lines) // 2], _MARK])
    return f"{text[: len(text) // 2]} {_MARK}"


def _fewer(request: ModelRequest) -> tuple[Function, ...] | None:
    """The functions with shorter words, or without the one that takes most room; None when only
    short ones are left. One that has to be called stays."""
    tools = request.tools
    plain = [_plain(tool) for tool in tools]
    if sum(map(_length, plain)) < sum(map(_length, tools)):
        return tuple(plain)
    others = [tool for tool in tools if tool.name != request.tool_choice]
    longest = max(others, key=_length, default=None)
    if longest is None or len(tools) < 2 or _length(longest) <= _LEAST:
        return None
    return tuple(tool for tool in tools if tool is not longest)


def _plain(tool: Function) -> Function:
    """A function with a short description, its parameters without theirs."""
    properties = cast("Mapping[str, Mapping[str, Any]]", tool.parameters.get("properties") or {})
    bare = {
        name: {key: value for key, value in of_one.items() if key != "description"}
        for name, of_one in properties.items()
    }
    about = tool.description
    if len(about) > _LEAST // 2:
        about = about[: _LEAST // 2].rpartition(" ")[0] or about[: _LEAST // 2]
    return replace(tool, description=about, parameters={**tool.parameters, "properties": bare})
