"""Differences between two runs in words: one sentence each, and values on one line."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from toolplanner_core.domain.ids import NodePath, RunId
from toolplanner_core.domain.nodes import CALL
from toolplanner_core.runs.compare.node_facts import Change
from toolplanner_core.runs.tree.node import Node
from toolplanner_core.strategies.declared import node_kind

_LONGEST = 100


def say_only(node: Node, has: RunId, lacks: RunId, elsewhere: NodePath | None) -> str:
    """One sentence on a node that one run has and the other has not."""
    kind = node_kind(node.kind).word
    there = f"; run {lacks} calls it at {elsewhere}" if elsewhere else ""
    return f"Run {has} has the {kind} “{_one_line(node.title)}”, run {lacks} has not{there}."


def say_change(kind: str, title: str, changes: Sequence[Change], left: RunId, right: RunId) -> str:
    """One sentence on a node that both runs have, by its most telling change."""
    change = changes[0]
    one, other = pair_words(change.left, change.right)
    name = f"“{_one_line(title)}”"
    match change.what:
        case "state":
            errors = next((c for c in changes if c.what == "error"), None)
            one = f"{one} ({value_words(errors.left)})" if errors and errors.left else one
            other = f"{other} ({value_words(errors.right)})" if errors and errors.right else other
            return f"{name}: {one} in run {left}, {other} in run {right}."
        case "reply":
            return f"The model answered {name} with {one} in run {left} and {other} in run {right}."
        case "result":
            return f"{name} gave {one} in run {left} and {other} in run {right}."
        case "candidates":
            return f"{name} could choose: in run {left} {one}; in run {right} {other}."
        case "steps":
            return f"{name} has other steps in run {right} than in run {left}: {_steps(change)}."
        case "title" if node_kind(kind).is_try:
            return f"Run {left} tried {one}, run {right} tried {other}."
        case "title" if kind == CALL.id:
            return f"Run {left} called {one}, run {right} called {other}."
        case _:
            what = change.what.replace("_", " ")
            return f"{name}, {what}: {one} in run {left}, {other} in run {right}."


def pair_words(left: Any, right: Any, *, longest: int = _LONGEST) -> tuple[str, str]:
    """Two values on one line each; of long ones the part around the first difference."""
    one, other = value_words(left), value_words(right)
    if len(one) > longest or len(other) > longest:
        pairs = enumerate(zip(one, other, strict=False))
        shorter = min(len(one), len(other))
        same = next((index for index, (a, b) in pairs if a != b), shorter)
        begin = max(0, same - longest // 3)
        one, other = _window(one, begin, longest), _window(other, begin, longest)
    return one, other


def value_words(value: Any) -> str:
    """A value on one line."""
    if value is None:
        return "nothing"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    flat = " ".join(text.split())
    return (flat.replace("_", " ") if flat.isidentifier() else flat) or "nothing"


def _window(text: str, begin: int, longest: int) -> str:
    head = "…" if begin else ""
    part = text[begin : begin + longest]
    return f"{head}{part}{'…' if begin + longest < len(text) else ''}"


def _steps(change: Change) -> str:
    def goals(steps: Sequence[Mapping[str, Any]]) -> str:
        return ", ".join(str(step["toolkit"] or step["goal"]) for step in steps) or "none"

    return _one_line(f"{goals(change.left)} against {goals(change.right)}")


def _one_line(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _LONGEST else f"{flat[: _LONGEST - 1]}…"
