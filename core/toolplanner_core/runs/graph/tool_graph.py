"""The graph of tools in a workspace: building it, looking at it, and what people decide of it.

Called by the command line and the window. What runs learn and what people decide are two memories,
each with all its versions, so that both can be taken back.
"""

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from toolplanner_core.domain.ids import ApiId, RunId
from toolplanner_core.errors import BadInput, NotFound
from toolplanner_core.strategies.techniques.tool_graph import (
    DECIDED_MEMORY,
    END,
    GRAPH_MEMORY,
    START,
    Formula,
    ToolGraph,
    Transition,
)
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import get_api
from toolplanner_core.workspace.memories import decide_memory, memory_versions, read_memory

_SPECIAL = {START: "start", END: "end"}
MOST_VERSIONS = 30
"""Versions of the graph that are looked through for what changed an edge."""


class ToolNeighbours(NamedTuple):
    """What comes before and after an API.

    Attributes:
        titles: of it and of its neighbours.
        score: its accumulated score.
    """

    before: list[Transition]
    after: list[Transition]
    titles: dict[ApiId, str]
    score: int


class EdgeChange(NamedTuple):
    """A run after which an edge had another weight; `run` None = a person built the graph anew."""

    run: RunId | None
    made_us: int
    weight: float
    before: float | None
    reason: str


def graph_now(workspace: Workspace) -> ToolGraph:
    """The graph as the next run would see it. Blocks."""
    learned = read_memory(workspace, GRAPH_MEMORY).value
    return ToolGraph.from_json(learned, read_memory(workspace, DECIDED_MEMORY).value)


def build_graph(workspace: Workspace, trajectories: Iterable[Sequence[ApiId]]) -> ToolGraph:
    """Count transitions anew and keep that as another version; scores stay. Blocks."""
    built = graph_now(workspace).with_trajectories(trajectories)
    decide_memory(workspace, GRAPH_MEMORY, built.to_json())
    return built


def decide_edge(
    workspace: Workspace, before: ApiId, after: ApiId, weight: float | Literal["free"] | None
) -> int:
    """Set the weight of an edge for good, cut it (None), or let runs decide again. Blocks.

    Returns:
        The version of what people decided.

    Raises:
        NotFound: there is no such API.
        BadInput: nothing comes after the end, or before the start.
    """
    if before == END or after == START:
        raise BadInput("Nothing comes after the end, and nothing before the start")
    titles_of(workspace, [before, after], is_strict=True)
    decided = dict(read_memory(workspace, DECIDED_MEMORY).value or {})
    row = dict(decided.get(before) or {})
    row.pop(after, None)
    if weight != "free":
        row[after] = weight
    decided[before] = row
    kept = {api: edges for api, edges in decided.items() if edges}
    return decide_memory(workspace, DECIDED_MEMORY, kept)


def neighbourhood(
    workspace: Workspace, graph: ToolGraph, api: ApiId, formula: Formula
) -> ToolNeighbours:
    """What comes before and after an API. Blocks.

    Raises:
        NotFound: there is no such API.
    """
    titles_of(workspace, [api], is_strict=True)
    after = [] if api == END else graph.successors(api, formula)
    before = [] if api == START else graph.predecessors(api, formula)
    names = titles_of(workspace, [api, *(edge.api for edge in (*after, *before))])
    return ToolNeighbours(before, after, names, graph.score(api, formula))


def edge_changes(
    workspace: Workspace, before: ApiId, after: ApiId, formula: Formula
) -> list[EdgeChange]:
    """The last runs that changed the weight of an edge, newest first, with why. Blocks."""
    versions = memory_versions(workspace, GRAPH_MEMORY)[: MOST_VERSIONS + 1]
    decided = read_memory(workspace, DECIDED_MEMORY).value
    seen = [
        ToolGraph.from_json(read_memory(workspace, GRAPH_MEMORY, v.version).value, decided)
        for v in versions
    ]
    weights = [_weight(graph, before, after, formula) for graph in seen]
    found: list[EdgeChange] = []
    for place, version in enumerate(versions[:MOST_VERSIONS]):
        weight = weights[place]
        older = weights[place + 1] if place + 1 < len(weights) else None
        if weight is None or (older is not None and abs(weight - older) < 5e-4):
            continue
        scores = seen[place].scores.get(after, ())
        is_its = bool(scores) and scores[-1].learned == seen[place].learned
        reason = f"scored {scores[-1].score:+d}: {scores[-1].reason}" if is_its else ""
        if not reason:
            reason = "a neighbour was scored" if version.run else "the graph was built anew"
        found.append(EdgeChange(version.run, version.made_us, weight, older, reason))
    return found


def _weight(graph: ToolGraph, before: ApiId, after: ApiId, formula: Formula) -> float | None:
    edges = graph.successors(before, formula)
    return next((edge.weight for edge in edges if edge.api == after), None)


def titles_of(
    workspace: Workspace, apis: Iterable[ApiId], *, is_strict: bool = False
) -> dict[ApiId, str]:
    """Titles for people; of one that is gone, its id.

    Raises:
        NotFound: one is gone, if `is_strict`.
    """
    found: dict[ApiId, str] = {}
    for api in apis:
        if api in _SPECIAL:
            found[api] = _SPECIAL[api]
            continue
        try:
            found[api] = get_api(workspace, api).title
        except NotFound:
            if is_strict:
                raise
            found[api] = f"{api} (gone)"
    return found
