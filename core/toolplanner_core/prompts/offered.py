"""What a reply names although it was not offered: functions, toolkits, APIs, steps, arguments.

Said in one place for questions and turns of dialogues, so that hallucination is counted alike for
every strategy, whether it then asks again, goes another way, or passes the name over
(Source: Tool-Planner, arXiv 2406.03807, appendix H, "API Hallucinated").
"""

import ast
import builtins
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

from toolplanner_core.domain.api import JsonSchema
from toolplanner_core.prompts.conversation import Function, FunctionCall
from toolplanner_core.words.formatting import one_line

MOST_NAMES = 20
_LONGEST = 80
"""Characters of a name as it is kept."""
_BUILT_IN = frozenset(dir(builtins))
_STUB = re.compile(r"(?m)^\s*(?:async )?def (\w+)")


def kept_names(found: Iterable[str]) -> list[str]:
    """Names as they are written down: each once, on one line, not too many."""
    return list(dict.fromkeys(one_line(name, _LONGEST) for name in found))[:MOST_NAMES]


def in_calls(calls: Iterable[FunctionCall], offered: Iterable[Function]) -> Iterator[str]:
    """What the calls of a turn name: functions that were not offered, and arguments that those
    that were do not take."""
    known = {function.name: function.parameters for function in offered}
    for call in calls:
        if call.name not in known:
            yield call.name
        else:
            yield from in_arguments(call.values() or {}, known[call.name], of=call.name)


def in_arguments(given: Any, schema: JsonSchema, *, of: str = "") -> Iterator[str]:
    """Arguments that are not documented, as "function.argument"; where nothing is documented, or
    others are allowed, any may be meant."""
    properties: Any = schema.get("properties")
    if not isinstance(given, Mapping) or not isinstance(properties, Mapping) or not properties:
        return
    if schema.get("additionalProperties"):
        return
    for name in cast("Mapping[str, Any]", given):
        if name not in properties:
            yield f"{of}.{name}" if of else str(name)


def in_answer(data: Any, schema: JsonSchema, offers: Collection[str]) -> Iterator[str]:
    """Values of these properties, at any depth, that their schema does not list.

    Args:
        offers: properties of the answer that name something offered, such as "toolkit".
    """
    properties: Any = schema.get("properties")
    if isinstance(data, list) and isinstance(schema.get("items"), Mapping):
        for item in cast("list[Any]", data):
            yield from in_answer(item, schema["items"], offers)
    if not isinstance(data, Mapping) or not isinstance(properties, Mapping):
        return
    for name, inner in cast("Mapping[str, JsonSchema]", properties).items():
        value = cast("Mapping[str, Any]", data).get(name)
        if name not in offers:
            yield from in_answer(value, inner, offers)
            continue
        is_many = inner.get("type") == "array"
        listed = inner.get("items", {}) if is_many else inner
        values = cast("Sequence[Any]", value) if isinstance(value, list) else [value]
        yield from (str(one) for one in values if _is_unlisted(one, listed))


def _is_unlisted(value: Any, schema: JsonSchema) -> bool:
    is_name = isinstance(value, str | int | float) and not isinstance(value, bool)
    listed = schema.get("enum", ())
    # A number may be written as a text; the parser of the answer reads it, too.
    return is_name and value not in listed and str(value).strip() not in map(str, listed)


def in_steps(steps: Any, offered: Sequence[Function], *, also: str = "") -> Iterator[str]:
    """What steps of a plan name: functions under "call" with their "arguments".

    Args:
        also: a property that lists more functions, "" if there is none.
    """
    known = {function.name: function.parameters for function in offered}
    for step in cast("list[Any]", steps) if isinstance(steps, list) else []:
        row = cast("dict[str, Any]", step) if isinstance(step, dict) else {}
        name, more = row.get("call"), row.get(also)
        if isinstance(name, str) and name not in known:
            yield name
        elif isinstance(name, str):
            yield from in_arguments(row.get("arguments"), known[name], of=name)
        for other in cast("list[Any]", more) if isinstance(more, list) else []:
            if isinstance(other, str) and other not in known:
                yield other


def in_program(program: str, protocols: Iterable[str]) -> Iterator[str]:
    """Functions that a program calls and nobody has: not the protocols, not the language, not the
    program itself."""
    try:
        nodes = list(ast.walk(ast.parse(program)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    known = {name for protocol in protocols for name in _STUB.findall(protocol)} | _BUILT_IN
    for node in nodes:
        match node:
            case ast.Name(ctx=ast.Store()):
                known.add(node.id)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                known.add(node.name)
            case ast.arg():
                known.add(node.arg)
            case ast.alias():
                known.add((node.asname or node.name).partition(".")[0])
            case _:
                pass
    for node in nodes:
        match node:
            case ast.Call(func=ast.Name(id=name)) if name not in known:
                yield name
            case _:
                pass
