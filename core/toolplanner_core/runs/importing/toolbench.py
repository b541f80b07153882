"""Traces of ToolBench's depth-first search, as this and other programs' users collect them.

A line is ``{"file": "...", "trace": {"win", "tree": {"tree": NODE}, "answer_generation": {...}}}``.
A NODE is a thought, an action (a function's name) or an action input (its arguments, with what came
back); a turn of the model is a run of thoughts, one action and one action input. Chains of thought
(CoT) have ``"trys": [{"chain": [NODE, ...]}]`` instead. Source: ToolBench (Apache-2.0),
toolbench/inference/Tree, the files of `data_example/answer`.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from toolplanner_core.runs.importing.outcome import read_outcome
from toolplanner_core.runs.importing.recorded_tree import RecordedRun, RecordedTurn
from toolplanner_core.runs.importing.tool_names import ToolNames

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
