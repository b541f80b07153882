"""The breakpoints and the faults of a workspace: texts in order, on or off, and their hits."""

from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.settings import change_setting, get_setting, queue_setting
from toolplanner_core.workspace.stored_json import of_its_form


class RuleKind(StrEnum):
    """What a text is: the key under which the workspace keeps it."""

    BREAKPOINT = "breakpoints"
    FAULT = "fault_plan"


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedRule:
    """A breakpoint or a fault, known by its text; `hits` are those of runs that have ended."""

    text: str
    is_on: bool = True
    hits: int = 0


def check_rule(kind: RuleKind, text: str) -> None:
    """Refuse a text that is no breakpoint or no fault.

    Raises:
        BadInput: says what is wrong.
    """
    # Here: breakpoints know all strategies, and the window reads this file before it needs them.
    from toolplanner_core.runs.debugging.breakpoints import parse_breakpoint
    from toolplanner_core.runs.debugging.faults import parse_fault

    (parse_breakpoint if kind is RuleKind.BREAKPOINT else parse_fault)(text)


def saved_rules(workspace: Workspace, kind: RuleKind) -> list[SavedRule]:
    """What is kept, unchecked: a newer program may have written it."""
    rows: list[dict[str, Any]] | dict[str, bool] = get_setting(workspace, kind, [])
    if isinstance(rows, dict):  # faults of older programs
        return [SavedRule(text=text, is_on=is_on) for text, is_on in rows.items()]
    with of_its_form("breakpoints and faults"):
        return [SavedRule(text=row["text"], is_on=row["on"], hits=row["hits"]) for row in rows]


def active_texts(rules: Sequence[SavedRule]) -> tuple[str, ...]:
    """Those that are switched on."""
    return tuple(rule.text for rule in rules if rule.is_on)


def queue_rules(workspace: Workspace, kind: RuleKind, rules: Sequence[SavedRule]) -> "Future[None]":
    """Replace what is kept, without waiting for the disk.

    Raises:
        BadInput: a text is wrong; nothing is changed.
    """
    for rule in rules:
        check_rule(kind, rule.text)
    rows = [{"text": rule.text, "on": rule.is_on, "hits": rule.hits} for rule in rules]
    return queue_setting(workspace, kind, rows)


def count_hits(workspace: Workspace, hits: Mapping[str, int]) -> None:
    """Add the hits of a run to the kept breakpoints; others are passed over. Blocks."""
    kept = saved_rules(workspace, RuleKind.BREAKPOINT)
    if not any(hits.get(rule.text) for rule in kept):
        return

    def add(rows: list[dict[str, Any]] | None) -> list[dict[str, Any]]:
        return [{**row, "hits": row["hits"] + hits.get(row["text"], 0)} for row in rows or []]

    change_setting(workspace, RuleKind.BREAKPOINT, add)


def drop_faults(workspace: Workspace, texts: Collection[str]) -> None:
    """Take away the kept faults that a run has used up. Blocks."""
    kept = saved_rules(workspace, RuleKind.FAULT)
    left = [rule for rule in kept if rule.text not in texts]
    if len(left) < len(kept):
        queue_rules(workspace, RuleKind.FAULT, left).result()
