"""Calls that a model writes into its text, as its template taught it, since its server does not
read them: `<tool_call>` tags, `<function=...>`, a JSON object in a fence.

Such a text is taken for calls only if it ends with them, and names functions that were offered:
whoever explains or quotes one goes on speaking. Who may write so is decided by the caller: a text
that a web page brought must not become a call.

Source: the chat templates of Hermes and Qwen (tags), Llama 3 (`<function=`, `<|python_tag|>`),
Qwen3-Coder (`<parameter=`), GLM-4.5 (`<arg_key>`), Mistral (`[TOOL_CALLS]`), DeepSeek-V3 and V3.2,
Kimi K2, Granite and Phi-4 (`<|tool_call|>`), gpt-oss (channels), Gemma, Llama 4 and LFM2 (Python).
"""

import ast
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, cast

from toolplanner_core.llm.function_call_pieces import known_name, mended_arguments, mended_calls
from toolplanner_core.prompts.conversation import Function, FunctionCall

_Fields = Mapping[str, Any]
_DECODER = json.JSONDecoder(strict=False)
_BAR = "[|\uff5c]"
_MARK = rf"(?:[\w:]*|{_BAR}DSML{_BAR})"
"""What stands before the name of a tag."""
_SPACE = "[_\u2581]"
_FORMS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "function tags",
        re.compile(
            r"(?:<tool_call>\s*)?<function=(?P<name>[^>\s]+)>(?P<inner>.*?)"
            r"(?:</function>(?:\s*</tool_call>)?|\Z)",
            re.DOTALL,
        ),
    ),
    (
        "tool_call tags",
        re.compile(
            r"<(?P<tag>tool_call|function_call|tool_calls|tool_use|tools)>(?P<inner>.*?)"
            r"(?:</(?P=tag)>|\Z)",
            re.DOTALL,
        ),
    ),
    (
        "invoke tags",
        re.compile(
            rf"(?:<{_MARK}(?:function_calls|tool_call)>\s*)?<{_MARK}invoke name=[\"']?"
            rf"(?P<name>[^\"'>]+)[\"']?>(?P<inner>.*?)</{_MARK}invoke>"
            rf"(?:\s*</{_MARK}(?:function_calls|tool_call)>)?",
            re.DOTALL,
        ),
    ),
    (
        "tool call tokens",
        re.compile(
            rf"(?:<{_BAR}tool{_SPACE}calls{_SPACE}(?:section{_SPACE})?begin{_BAR}>\s*)?"
            rf"<{_BAR}tool{_SPACE}call{_SPACE}begin{_BAR}>\s*"
            rf"(?:function<{_BAR}tool{_SPACE}sep{_BAR}>)?(?P<name>[\w.:/-]+?)(?::\d+)?\s*"
            rf"(?:<{_BAR}tool{_SPACE}(?:sep|call{_SPACE}argument{_SPACE}begin){_BAR}>)?\s*"
            rf"(?P<inner>[{{`].*?)<{_BAR}tool{_SPACE}call{_SPACE}end{_BAR}>"
            rf"(?:\s*<{_BAR}tool{_SPACE}calls{_SPACE}(?:section{_SPACE})?end{_BAR}>)?",
            re.DOTALL,
        ),
    ),
    (
        "[TOOL_CALLS]",
        re.compile(r"\[TOOL_CALLS\]\s*(?P<name>[\w.-]*)(?:\[ARGS\])?(?P<inner>\s*\[.*|[^\[]*)",
                   re.DOTALL),
    ),
    (
        "channels",
        re.compile(
            r"(?:<\|start\|>assistant)?(?:<\|channel\|>commentary)? ?to=(?P<name>[\w.-]+)[^<]*"
            r"(?:<\|channel\|>commentary[^<]*)?(?:<\|constrain\|>\w*\s*)?"
            r"<\|message\|>(?P<inner>\s*\{.*?)(?:<\|call\|>|\Z)",
            re.DOTALL,
        ),
    ),
    (
        "tool call marks",
        re.compile(
            r"<\|tool_call(?:_start)?\|>(?P<inner>.*?)(?:<\|(?:/tool_call|tool_call_end)\|>|\Z)",
            re.DOTALL,
        ),
    ),
    ("python_tag", re.compile(r"<\|python_tag\|>(?P<inner>.*)", re.DOTALL)),
    ("fenced JSON", re.compile(r"```(?:json|tool_call|tool_code)?\s*(?P<inner>[{\[].*?)\s*```",
                               re.DOTALL)),
    (
        "Python calls",
        re.compile(
            r"\A\s*(?:```(?:tool_code|python|py)?\s)?\s*(?P<inner>\[?\s*[A-Za-z_][\w.]*\(.*\)\s*\]?)"
            r"\s*(?:```)?\s*\Z",
            re.DOTALL,
        ),
    ),
    ("JSON", re.compile(r"\A\s*(?P<inner>[{\[].*[}\]])\s*\Z", re.DOTALL)),
)  # fmt: skip
_AFTER = re.compile(r"\s*(?:<\|(?:im_end|eot_id|eom_id|end)\|>|</s>)*\s*")
_PARAMETER = re.compile(
    rf"<{_MARK}(?:parameter=|parameter name=)[\"']?(?P<key>[^\"'>]+)[\"']?[^>]*>"
    rf"\n?(?P<value>.*?)\n?(?:</{_MARK}parameter>|(?=<parameter=)|\Z)",
    re.DOTALL,
)
_ARGUMENT = re.compile(
    r"<arg_key>(?P<key>.*?)</arg_key>\s*<arg_value>(?P<value>.*?)</arg_value>", re.DOTALL
)
_NAMES_AT = ("name", "function", "tool", "tool_name", "function_name")
_ARGUMENTS_AT = ("arguments", "parameters", "args", "input", "tool_input")
_LONGEST_PYTHON = 20_000


class TextCalls(NamedTuple):
    """Calls that stand in a text.

    Attributes:
        said: the text before them.
        form: how they are written; written: the text of each, as it stands there.
    """

    said: str
    calls: tuple[FunctionCall, ...]
    form: str
    written: tuple[str, ...]


def calls_in_text(text: str, tools: Sequence[Function]) -> TextCalls | None:
    """The calls that a text ends with, None if it is only a text."""
    offered = {tool.name: tool for tool in tools}
    for form, pattern in _FORMS:
        found = list(pattern.finditer(text))
        if not found or not _AFTER.fullmatch(text[found[-1].end() :]):
            continue
        between = [text[a.end() : b.start()] for a, b in pairwise(found)]
        if any(piece.strip(" \t\r\n;,") for piece in between):
            continue
        calls = [call for match in found for call in _calls_of(match, offered)]
        if calls and all(call.name in offered for call in calls):
            said = text[: found[0].start()].strip()
            if form in ("fenced JSON", "JSON") and said:
                continue  # it shows some JSON
            return TextCalls(said, tuple(calls), form, tuple(m.group().strip() for m in found))
    return None


def _calls_of(match: re.Match[str], offered: Mapping[str, Function]) -> Iterator[FunctionCall]:
    """The calls in one block; a block with something else in it is one call without a name."""
    inner = match["inner"].strip()
    name = (match.groupdict().get("name") or "").strip()
    if not name and (written := _python_calls(inner, offered)):
        yield from written
        return
    if not name and inner and inner[0] not in "{[`<":
        name, _, inner = inner.partition("\n") if "\n" in inner else inner.partition("<")
        name, inner = name.strip(), inner.strip()
    if name:
        known = known_name(name, offered)
        pairs = [*_PARAMETER.finditer(inner), *_ARGUMENT.finditer(inner)]
        if pairs:
            given = {
                (key := pair["key"].strip()): _value(pair["value"], key, offered.get(known))
                for pair in pairs
            }
            yield FunctionCall("", known, json.dumps(given, ensure_ascii=False))
            return
        arguments = mended_arguments(inner)
        yield from (FunctionCall("", known, each) for each in arguments or ())
        if arguments is None:
            yield FunctionCall("", "", "")
        return
    for value in _objects(inner):
        yield from _call_of(value, offered)


def _python_calls(text: str, offered: Mapping[str, Function]) -> list[FunctionCall]:
    """The calls of a text that is nothing but calls as Python writes them; [] if it is not."""
    if "(" not in text or len(text) > _LONGEST_PYTHON:
        return []
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    found: list[FunctionCall] = []
    for statement in body:
        value = statement.value if isinstance(statement, ast.Expr) else None
        for each in value.elts if isinstance(value, ast.List) else [value]:
            if isinstance(each, ast.Call) and ast.unparse(each.func) == "print" and each.args:
                each = each.args[0]  # noqa: PLW2901 - Gemma prints what a call gives
            try:
                if not isinstance(each, ast.Call) or each.args:
                    return []
                given = {str(word.arg): ast.literal_eval(word.value) for word in each.keywords}
                arguments = json.dumps(given, ensure_ascii=False)
            except (ValueError, TypeError, RecursionError):
                return []
            found.append(FunctionCall("", known_name(ast.unparse(each.func), offered), arguments))
    return found


def _objects(text: str) -> Iterator[Any]:
    """The JSON values of a block, one after the other."""
    text = text.removeprefix("```json").strip("` \t\r\n")
    at = 0
    while at < len(text):
        try:
            value, at = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            yield None
            return
        yield value
        while at < len(text) and text[at] in " \t\r\n;,":
            at += 1


def _call_of(value: Any, offered: Mapping[str, Function]) -> Iterator[FunctionCall]:
    fields = cast("_Fields", value) if isinstance(value, Mapping) else {}
    several = fields.get("tool_calls") if fields else value
    if isinstance(several, list):
        for each in cast("list[Any]", several):
            yield from _call_of({} if isinstance(each, list) else each, offered)
        return
    if isinstance(fields.get("function"), Mapping):
        fields = cast("_Fields", fields["function"])
    name = next((fields[key] for key in _NAMES_AT if isinstance(fields.get(key), str)), "")
    key = next((key for key in _ARGUMENTS_AT if key in fields), None)
    if not name or (key is None and len(fields) > 1):
        yield FunctionCall("", "", "")
        return
    given = fields[key] if key is not None else {}
    text = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    yield from (call for call, _ in mended_calls("", name, text, offered))


def _value(text: str, key: str, tool: Function | None) -> Any:
    """The value of a parameter that stands as text: a text where its schema wants one."""
    properties = cast("_Fields", tool.parameters.get("properties") or {}) if tool else {}
    schema = properties.get(key)
    if isinstance(schema, Mapping) and cast("_Fields", schema).get("type") == "string":
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
