"""Faults that can strike nothing in a workspace: a wrong name must not look like a run that held.

A rule whose pattern fits no API and no toolkit is not an error, since catalogues change under saved
plans; people are told.
"""

from collections.abc import Iterable
from fnmatch import fnmatchcase

from toolplanner_core.runs.debugging.faults import FaultRule, parse_fault
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import api_names
from toolplanner_core.workspace.toolkits import list_toolkits


def warn_of_faults(workspace: Workspace, faults: Iterable[str]) -> list[str]:
    """A sentence for each rule that fits nothing in the catalogue. Blocks.

    Raises:
        BadInput: a text is no rule.
    """
    rules = [parse_fault(text) for text in faults]
    apis = _names_of_apis(workspace) if any(rule.api for rule in rules) else frozenset[str]()
    toolkits = frozenset(toolkit.name.casefold() for toolkit in list_toolkits(workspace))
    return [_sentence(rule) for rule in rules if not _fits_any(rule, apis, toolkits)]


def _fits_any(rule: FaultRule, apis: frozenset[str], toolkits: frozenset[str]) -> bool:
    pattern = (rule.api or rule.toolkit).casefold()
    if not pattern:
        return True
    names = apis if rule.api else toolkits
    return pattern in names or any(fnmatchcase(name, pattern) for name in names)


def _sentence(rule: FaultRule) -> str:
    kind, name = ("API", rule.api) if rule.api else ("toolkit", rule.toolkit)
    listed = "apis" if rule.api else "toolkits"
    return (
        f"The fault {rule.text} strikes nothing: no {kind} here is called {name}."
        f" See the names with: toolplanner {listed} list"
    )


def _names_of_apis(workspace: Workspace) -> frozenset[str]:
    """All names by which a rule may know an API, case folded; see `FaultRule.is_about`."""
    found: set[str] = set()
    for api in api_names(workspace):
        tool, _, name = api.title.rpartition(" · ")
        found |= {part.casefold() for part in (api.id, api.key, api.title, tool, name)}
    return frozenset(found)
