"""Which breakpoints and faults name what is not in the catalogue: a wrong name would go unnoticed.

Asked by the command line before a run and by the panels of breakpoints and faults.
"""

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import NamedTuple

from toolplanner_core.runs.debugging.breakpoints import parse_breakpoint
from toolplanner_core.runs.debugging.faults import parse_fault
from toolplanner_core.runs.debugging.saved_rules import RuleKind
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import api_names
from toolplanner_core.workspace.toolkits import list_toolkits

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
