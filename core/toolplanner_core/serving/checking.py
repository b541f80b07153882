"""Whether what a profile serves can be served: its lists, names, dialects, size and health."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from toolplanner_core.errors import BadInput, UserError
from toolplanner_core.runs.catalogue.workspace_catalogue import WorkspaceCatalogue
from toolplanner_core.serving.catalogue import ServedApi, ServedCatalogue
from toolplanner_core.serving.gateway import refuse_made_up
from toolplanner_core.serving.profile import ServingMode, ServingProfile
from toolplanner_core.serving.tool_list import ToolList, long_list_warning, tokens_of
from toolplanner_core.tool_schemas.dialect import Tool, dialects, tool_of
from toolplanner_core.tool_schemas.names import NAME_LIMIT
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.call_statistics import call_figures
from toolplanner_core.workspace.catalogue import rowids_of

_FEW = 3
_SICK = 0.5
"""Below this share of good replies an API is named."""


class ServingCheck(NamedTuple):
    """One check and what it found, for people."""

    title: str
    is_ok: bool
    found: str


def check_serving(
    workspace: Workspace, profile: ServingProfile, search: WorkspaceCatalogue
) -> list[ServingCheck]:
    """All checks of a profile. Blocks; some seconds for 45,000 APIs."""
    catalogue = ServedCatalogue(workspace, profile, search)
    served = catalogue.listed()
    tools = [tool_of(each.api, each.name) for each in served]
    return [
        _check_provider(catalogue, profile),
        _check_start(catalogue, profile),
        _check_names(catalogue, served),
        *_check_modes(catalogue, profile),
        *_check_dialects(tools),
        _check_health(workspace, served),
    ]


def _check_provider(catalogue: ServedCatalogue, profile: ServingProfile) -> ServingCheck:
    title = "Replies are real"
    try:
        refuse_made_up(catalogue, profile)
    except BadInput as error:
        return ServingCheck(title, False, error.sentence)
    made_up = catalogue.made_up_sources()
    return ServingCheck(title, True, f"made up: {', '.join(made_up)}" if made_up else "all")


def _check_start(catalogue: ServedCatalogue, profile: ServingProfile) -> ServingCheck:
    tools = ToolList(catalogue, profile)
    try:
        mode, count = tools.mode(), len(tools.listed())
    except UserError as error:
        return ServingCheck("It starts", False, error.sentence)
    if count <= 1 and mode.mode is not ServingMode.SEARCH:
        return ServingCheck("It starts", False, "Nothing is served")
    found = f"in the mode {mode.mode}: {mode.reason}"
    return ServingCheck("It starts", True, found)


def _check_names(catalogue: ServedCatalogue, served: Sequence[ServedApi]) -> ServingCheck:
    """Whether each name that is listed is short, its own, and calls what it stands for."""
    wrong = [name for name, n in Counter(each.name for each in served).items() if n > 1]
    wrong += [each.name for each in served if len(each.name) > NAME_LIMIT]
    for each in served:
        try:
            found = catalogue.named(each.name)
        except UserError as error:
            wrong.append(f"{each.name} ({error.sentence})")
            continue
        if found.api.id != each.api.id:
            wrong.append(f"{each.name} (calls {found.api.title})")
    said = _some(wrong) or f"{counted(len(served), 'name')}, each calls its API"
    return ServingCheck("Names", not wrong, said)


def _check_modes(catalogue: ServedCatalogue, profile: ServingProfile) -> Iterator[ServingCheck]:
    for mode in (ServingMode.FLAT, ServingMode.TOOLKITS, ServingMode.SEARCH):
        meant = replace(profile, mode=mode, is_long_list_meant=True)
        listed = [each.tool for each in ToolList(catalogue, meant).listed()]
        refused = [text for tool in listed for text in _refusals(tool)]
        size = f"{counted(len(listed), 'tool')}, about {counted(tokens_of(listed), 'token')}"
        warning = "" if mode is ServingMode.SEARCH else long_list_warning(len(listed))
        found = _some(refused) or f"{size}; {warning}".removesuffix("; ")
        yield ServingCheck(f"List in the mode {mode}", not refused, found)


def _check_dialects(tools: Sequence[Tool]) -> Iterator[ServingCheck]:
    for dialect in dialects:
        refused = [
            f"{tool.name}: {text}"
            for tool in tools
            for text in dialect.refusals(dialect.write(tool))
        ]
        found = _some(refused) or f"takes all of {counted(len(tools), 'tool')}"
        yield ServingCheck(dialect.title, not refused, found)


def _refusals(tool: Tool) -> Iterator[str]:
    for dialect in dialects:
        for text in dialect.refusals(dialect.write(tool)):
            yield f"{dialect.title} refuses {tool.name}: {text}"


def _check_health(workspace: Workspace, served: Sequence[ServedApi]) -> ServingCheck:
    """Never a failure: a service that is down says nothing of what is served."""
    rowids = rowids_of(workspace, [each.api.id for each in served])
    figures = call_figures(workspace)
    known = [
        (each, figures[rowids[each.api.id]]) for each in served if rowids[each.api.id] in figures
    ]
    sick = [f"{e.name} ({f.words})" for e, f in known if f.health is not None and f.health < _SICK]
    called = f"{counted(len(known), 'API')} of {len(served):,} were called"
    found = f"{called}; most calls failed: {_some(sick)}" if sick else called
    return ServingCheck("Health", True, found)


def _some(texts: Sequence[str]) -> str:
    more = f" and {len(texts) - _FEW:,} more" if len(texts) > _FEW else ""
    return f"{'; '.join(texts[:_FEW])}{more}" if texts else ""
