"""Traces of ToolBench's depth-first search, as this and other programs' users collect them.

A line is ``{"file": "...", "trace": {"win", "tree": {"tree": NODE}, "answer_generation": {...}}}``.
A NODE is a thought, an action (a function's name) or an action input (its arguments, with what came
back); a turn of the model is a run of thoughts, one action and one action input. Chains of thought
(CoT) have ``"trys": [{"chain": [NODE, ...]}]`` instead. Source: ToolBench (Apache-2.0),
toolbench/inference/Tree, the files of `data_example/answer`.

What a recorded observation of ToolBench says: a value, or a failure with our error class.

An observation is a text ``{"error": "...", "response": ...}`` with a code beside it. The codes that
ToolBench gives for its own reasons (no such function, time-out, HTTP status) are taken over; what
the API itself said is read by `providers/classify.py`, as for our own calls. ToolBench's code 11
only means that the word "error" occurs in the payload, so it decides nothing here.

Source: ToolBench (Apache-2.0), toolbench/inference/Downstream_tasks/rapidapi.py, `_step`: 0 reply,
1 no such function, 2 bad input, 3 answer, 4 give up, 5 time-out, 6 404, 7 not subscribed,
8 unauthorised, 9 too many requests, 10 rate limit, 11 "error" in the message, 12 not sent.

Which API a function name in a ToolBench trace means: "get_track_info_for_pridnestrovie_post".

The name is the API's and the tool's own name with "_for_" between, and of longer ones only the last
64 characters. Where the workspace holds ToolBench's catalogue the API's id is found by its key, so
an imported run leads to the map; else the name is split by the tool that its description names."""

import ast
import json
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, cast

from toolplanner_core.domain.api import Api, Risk
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.domain.observation import RawResult
from toolplanner_core.providers.classify import observe
from toolplanner_core.runs.importing.recorded_tree import Outcome, RecordedRun, RecordedTurn
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import ApiName, api_names

_ORIGIN = "imported"
_LARGEST_LITERAL = 200_000
_STATUS = re.compile(r"status_code=(\d{3})\b")
_NO_FUNCTION, _BAD_INPUT, _TIME_OUT = 1, 2, 5
_CLASS_OF_CODE = {
    _NO_FUNCTION: ErrorClass.UNKNOWN_API,
    _BAD_INPUT: ErrorClass.WRONG_FORMAT,
    _TIME_OUT: ErrorClass.TIMEOUT,
    6: ErrorClass.NOT_FOUND,
    7: ErrorClass.NOT_SUBSCRIBED,
    8: ErrorClass.UNAUTHORISED,
    9: ErrorClass.RATE_LIMITED,
    10: ErrorClass.RATE_LIMITED,
}
_BEGINNINGS = (
    ("No such function name", _NO_FUNCTION),
    ("Timeout error", _TIME_OUT),
    ("Function executing from", _BAD_INPUT),
)
_READ_ONLY = Api(
    id=ApiId(""), source="", key="", category="", tool="", name="", method="", url="",
    description="", tool_description="", parameters={}, response_schema=None, risk=Risk.READ,
    doc_hash="",
)  # fmt: skip


def read_outcome(observation: str, code: int | None = None) -> Outcome:
    """What an observation says.

    Args:
        code: ToolBench's own; None where the file has none.
    """
    said, payload = _parts(observation)
    if code is None:
        code = next((number for head, number in _BEGINNINGS if said.startswith(head)), 0)
    body, content_type = _as_text(payload)
    given = _CLASS_OF_CODE.get(code)
    found = _STATUS.search(said)
    if given is None and found is None and payload in (None, "") and said:
        # Only the recorder's own words: they stand in the place of the reply.
        body, content_type = json.dumps({"error": said}, ensure_ascii=False), "application/json"
    raw = RawResult(
        status=int(found[1]) if found else 200,
        body=body,
        content_type=content_type,
        failure=given,
        message=said if given is not None else "",
        origin=_ORIGIN,
    )
    seen = observe(raw, _READ_ONLY)
    return Outcome(
        error=seen.error,
        message=f"{seen.message} ({said})" if found else seen.message,
        status=raw.status if given is None else None,
        body=body,
        content_type=content_type,
        is_refused=code in (_NO_FUNCTION, _BAD_INPUT),
    )


def _parts(observation: str) -> tuple[str, Any]:
    """The recorder's error text, and the API's own payload."""
    try:
        data = json.loads(observation)
    except (ValueError, RecursionError):
        return "", observation
    if not isinstance(data, dict) or "response" not in data:
        return "", cast(Any, data)
    fields = cast("dict[str, Any]", data)
    return str(fields.get("error") or ""), _literal(fields["response"])


def _literal(payload: Any) -> Any:
    """A payload that was written as a Python literal, read; anything else as it is."""
    if not isinstance(payload, str) or payload[:1] not in ("{", "["):
        return payload
    if len(payload) > _LARGEST_LITERAL:
        return payload
    for read in (json.loads, ast.literal_eval):
        try:
            return read(payload)
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            continue  # many recorders cut replies; what is left is text
    return payload


def _as_text(payload: Any) -> tuple[str, str]:
    if payload is None:
        return "", "text/plain"
    if isinstance(payload, str):
        return payload, "text/plain"
    return json.dumps(payload, ensure_ascii=False, default=str), "application/json"


_LONGEST = 64
_TOOL = re.compile(r'subfunction for tool "([^"]{1,200})"')
_KEY_PARTS = 3


class ToolNames:
    """Looks function names up; the catalogue is read at the first one."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def titles(self, functions: Any) -> dict[str, tuple[str, str]]:
        """API id ("" if unknown) and title of each function that a trace was offered.

        Args:
            functions: list of ``{"name", "description"}`` as in the trace; anything else gives an
                empty result.
        """
        found: dict[str, tuple[str, str]] = {}
        for item in cast("list[Any]", functions) if isinstance(functions, list) else []:
            if not isinstance(item, dict):
                continue
            function = cast("dict[str, Any]", item)
            name, description = function.get("name"), function.get("description")
            if isinstance(name, str):
                found[name] = self.title(name, description if isinstance(description, str) else "")
        return found

    def title(self, name: str, description: str = "") -> tuple[str, str]:
        """API id ("" if unknown) and title of one function."""
        known = self._known.get(name)
        if known is not None:
            return known.id, known.title
        tool = _TOOL.search(description)
        ending = f"_for_{tool[1]}" if tool else ""
        if tool and name.endswith(ending) and len(name) > len(ending):
            return "", f"{tool[1]} · {name.removesuffix(ending)}"
        return "", name

    @cached_property
    def _known(self) -> dict[str, ApiName]:
        found: dict[str, ApiName] = {}
        for api in api_names(self._workspace):
            parts = api.key.split("/")
            if len(parts) == _KEY_PARTS:
                found.setdefault(f"{parts[2]}_for_{parts[1]}"[-_LONGEST:], api)
        return found


THOUGHT, ACTION, INPUT = "Thought", "Action", "Action Input"
PROVIDER = "toolbench"
_METHOD = re.compile(r"_(ChatGPT|GPT4|[A-Za-z0-9-]+)_(DFS|CoT)", re.IGNORECASE)
_MAX_DEPTH = 150
_MAX_CHAIN = 3 * _MAX_DEPTH


class BadTrace(ValueError):
    """A trace that is not of the form above; the message says where."""


def read_trace(
    data: Mapping[str, Any], where: str, names: ToolNames, *, notes: Sequence[str] = ()
) -> RecordedRun:
    """One trace.

    Args:
        data: value of "trace" (or "json" in StableToolBench's files).
        where: name of the trace's own file; says the method.

    Raises:
        BadTrace: a part is missing or of the wrong kind.
    """
    about = _object(data.get("answer_generation"), "answer_generation")
    query = about.get("query")
    if not isinstance(query, str):
        raise BadTrace("answer_generation.query is no text")
    is_solved = data.get("win") is True
    answer, gave_up = final_answer(about.get("final_answer"))
    count = about.get("query_count")
    reason = "" if is_solved else "The model gave up" if gave_up else "No answer was reached"
    return RecordedRun(
        query=query,
        strategy=strategy_of(where),
        model=_model_of(where),
        provider=PROVIDER,
        tries=_tries(data),
        solved=is_solved,
        answer=answer,
        reason=reason,
        source={
            "file": where,
            "format": "toolbench",
            "model_calls": count if isinstance(count, int) else None,
            "tokens": about.get("total_tokens"),
            "options": data.get("forward_args"),
        },
        notes=notes,
        tools=names.titles(about.get("function")),
    )


def strategy_of(method: str) -> str:
    """The strategy by the name of a method or file: "dfs (imported)", "cot (imported)"."""
    name = method.rpartition("/")[2].casefold()
    if "dfs" in name or "_dfs" in method.casefold():
        return "dfs (imported)"
    if "cot" in name or "_cot" in method.casefold():
        return "cot (imported)"
    return f"{name} (imported)"


def final_answer(text: Any) -> tuple[str, bool]:
    """The answer out of the arguments of "Finish", and whether it was to give up."""
    if not isinstance(text, str) or not text.strip():
        return "", False
    try:
        data = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return text, "give_up" in text
    if not isinstance(data, dict):
        return text, False
    fields = cast("dict[str, Any]", data)
    gave_up = str(fields.get("return_type", "")).startswith("give_up")
    return str(fields.get("final_answer") or ""), gave_up


def _model_of(where: str) -> str:
    folder = where.rpartition("/")[0].rpartition("/")[0].rpartition("/")[2]
    if folder.startswith("virtual_"):
        return folder.removeprefix("virtual_").rpartition("_")[0]
    found = _METHOD.search(where.rpartition("/")[2])
    return found[1].casefold() if found else "unknown"


def _tries(data: Mapping[str, Any]) -> list[list[RecordedTurn]]:
    if "tree" in data:
        top = _object(_object(data["tree"], "tree").get("tree"), "tree.tree")
        return [_turns_below(top, 0)]
    tries = data.get("trys")
    if not isinstance(tries, list) or not tries:
        raise BadTrace("there is neither a tree nor a chain")
    return [_chain(item) for item in cast("list[Any]", tries)]


def _chain(data: Any) -> list[RecordedTurn]:
    chain = _object(data, "trys[]").get("chain")
    if not isinstance(chain, list):
        raise BadTrace("trys[].chain is no list")
    nodes = [_object(node, "chain[]") for node in cast("list[Any]", chain)]
    if len(nodes) > _MAX_CHAIN:
        raise BadTrace(f"the chain is longer than {_MAX_CHAIN}")
    nested: list[Mapping[str, Any]] = []
    for node in reversed(nodes):
        nested = [dict(node, children=nested)]
    return [_turn(first, 0) for first in nested]


def _turns_below(node: Mapping[str, Any], depth: int) -> list[RecordedTurn]:
    if depth > _MAX_DEPTH:
        raise BadTrace(f"the tree is more than {_MAX_DEPTH} turns deep")
    return [_turn(child, depth) for child in _children(node)]


def _turn(node: Mapping[str, Any], depth: int) -> RecordedTurn:
    """The turn that begins at a node; it ends with its action input, or where the tree forks."""
    turn = RecordedTurn()
    thoughts: list[str] = []
    while True:
        kind, said = node.get("node_type"), _text(node, "description")
        turn.pruned = turn.pruned or node.get("pruned") is True
        if kind == THOUGHT:
            thoughts.append(said)
        elif kind == ACTION:
            turn.name = said
        elif kind == INPUT:
            turn.arguments = said
            if turn.name and isinstance(node.get("observation"), str):
                code = node.get("observation_code")
                turn.outcome = read_outcome(
                    node["observation"], code if isinstance(code, int) else None
                )
        else:
            raise BadTrace(f"the node type {kind!r} is unknown")
        children = _children(node)
        if kind == INPUT or len(children) != 1:
            break
        following = children[0]
        if turn.name and following.get("node_type") != INPUT:
            break
        node = following
    turn.thought = "\n".join(thoughts)
    turn.children = _turns_below(node, depth + 1)
    return turn


def _children(node: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    children = node.get("children", [])
    if not isinstance(children, list):
        raise BadTrace("children is no list")
    return [_object(child, "children[]") for child in cast("list[Any]", children)]


def _text(node: Mapping[str, Any], name: str) -> str:
    value = node.get(name)
    if not isinstance(value, str):
        raise BadTrace(f"{name} is no text")
    return value


def _object(value: Any, name: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise BadTrace(f"{name} is no object")
    return cast("Mapping[str, Any]", value)
