"""The breakpoints and the faults of a workspace: texts in order, on or off, and their hits.

The command line before a run and the panels of breakpoints and faults ask which of them name what
is not in the catalogue: a wrong name would go unnoticed.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from toolplanner_core.runs.debugging.breakpoints import parse_breakpoint
from toolplanner_core.runs.debugging.faults import parse_fault
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import api_names
from toolplanner_core.workspace.rows import of_its_form
from toolplanner_core.workspace.settings import change_setting, get_setting, queue_setting
from toolplanner_core.workspace.toolkits import list_toolkits


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


_DOES_NOTHING = {
    RuleKind.BREAKPOINT: "The breakpoint {} stops nowhere",
    RuleKind.FAULT: "The fault {} strikes nothing",
}


class Unknown(NamedTuple):
    """What a rule names and the catalogue does not have."""

    noun: str
    pattern: str

    @property
    def words(self) -> str:
        """That there is none, such as "no API here is called Weather*"."""
        return f"no {self.noun} here is called {self.pattern}"


def warn_of_rules(workspace: Workspace, kind: RuleKind, texts: Iterable[str]) -> dict[str, str]:
    """A sentence for each rule that fits nothing in the catalogue, by its text. Blocks.

    Raises:
        BadInput: a text is no rule.
    """
    return {
        text: f"{_DOES_NOTHING[kind].format(text)}: {unknown.words}."
        f" See the names with: toolplanner {unknown.noun.lower()}s list"
        for text, unknown in unknown_targets(workspace, kind, texts).items()
    }


def unknown_targets(
    workspace: Workspace, kind: RuleKind, texts: Iterable[str]
) -> dict[str, Unknown]:
    """What rules name that is not in the catalogue, by their texts. Blocks.

    Raises:
        BadInput: a text is no rule.
    """
    targets = {text: _targets(kind, text) for text in texts}
    is_api_named = any(noun == "API" for named in targets.values() for noun, _ in named)
    names = {
        "API": _names_of_apis(workspace) if is_api_named else frozenset[str](),
        "toolkit": frozenset(toolkit.name.casefold() for toolkit in list_toolkits(workspace)),
    }
    found: dict[str, Unknown] = {}
    for text, named in targets.items():
        for noun, pattern in named:
            if not _fits_any(pattern.casefold(), names[noun]):
                found[text] = Unknown(noun, pattern)
    return found


def _targets(kind: RuleKind, text: str) -> list[tuple[str, str]]:
    """What a rule names: nouns and patterns."""
    if kind is RuleKind.BREAKPOINT:
        parts = parse_breakpoint(text).parts
        named = (("API", parts.get("api", "")), ("toolkit", parts.get("toolkit", "")))
    else:
        rule = parse_fault(text)
        named = (("API", rule.api), ("toolkit", rule.toolkit))
    return [(noun, pattern) for noun, pattern in named if pattern]


def _fits_any(pattern: str, names: frozenset[str]) -> bool:
    return pattern in names or any(fnmatchcase(name, pattern) for name in names)


def _names_of_apis(workspace: Workspace) -> frozenset[str]:
    """All names by which a rule may know an API, case folded; see `FaultRule.is_about`."""
    found: set[str] = set()
    for api in api_names(workspace):
        tool, _, name = api.title.rpartition(" · ")
        found |= {part.casefold() for part in (api.id, api.key, api.title, tool, name)}
    return frozenset(found)
