"""The graph of tools around what is selected, in rows and words for people.

Called by the graph panel of the window.
"""

from collections.abc import Sequence
from typing import NamedTuple

from toolplanner_core.domain.ids import ApiId
from toolplanner_core.errors import BadInput, NotFound
from toolplanner_core.options.values import make_options
from toolplanner_core.runs.config.presets import remembered_choice
from toolplanner_core.runs.graph.tool_graph import EdgeChange, edge_changes, graph_now, titles_of
from toolplanner_core.strategies.interface.strategy import strategies
from toolplanner_core.strategies.techniques.tool_graph import (
    DECIDED_MEMORY,
    Formula,
    ToolGraph,
    Transition,
    WeighsEdges,
)
from toolplanner_core.words.formatting import counted, when
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import ids_by_rowid, rowids_of
from toolplanner_core.workspace.memories import decide_memory, memory_versions, read_memory

MOST_APIS = 50
"""Of a selection, so many are looked at."""
_MOST_ROWS = 500
_MOST_SCORES = 60


class EdgeRow(NamedTuple):
    """An edge at something selected.

    Attributes:
        is_after: it leads away from what is selected.
        title: of what is at its other end; of both ends where several APIs are selected.
        score: accumulated score of the API that it leads to.
        goes_to: row id of its other end, None for start, end, and what is gone.
        is_cut: a person cut it: it is shown, so that it can be freed.
    """

    before: ApiId
    after: ApiId
    edge: Transition
    is_after: bool
    title: str
    score: int
    goes_to: int | None
    is_cut: bool


class ScorePoint(NamedTuple):
    """The accumulated score of an API after a run, and what that run added and why."""

    total: int
    added: int
    reason: str


class GraphView(NamedTuple):
    """What is seen of the graph.

    Attributes:
        heading: what is selected; words: what is known of it.
        is_empty: there is no graph yet.
        scores: of the one that is selected, over the last runs (the paper's figure 4).
        formula: by which the weights are.
    """

    heading: str
    words: str
    rows: list[EdgeRow]
    is_empty: bool
    can_undo: bool
    scores: Sequence[ScorePoint]
    formula: Formula


def chosen_formula(workspace: Workspace) -> Formula:
    """The weights that the next run would go by: as it is chosen how runs are made, if that is by
    a graph; else as by default. Blocks."""
    try:
        chosen = remembered_choice(workspace)
        kind = strategies.get(chosen.strategy).options
        options = make_options(kind, chosen.options, of=f"strategy {chosen.strategy}")
    except (BadInput, NotFound):  # what was chosen does not fit any more
        return Formula()
    return options.formula if isinstance(options, WeighsEdges) else Formula()


def look_at_graph(workspace: Workspace, rowids: Sequence[int], formula: Formula) -> GraphView:
    """The edges at some APIs, the greatest weight first. Blocks."""
    graph = graph_now(workspace)
    apis = list(ids_by_rowid(workspace, list(rowids)[:MOST_APIS]).values())
    known = f"{counted(len(graph.counts), 'API')} with successors, from "
    known += counted(graph.trajectories, "trajectory", "trajectories")
    known += f"; {counted(graph.learned, 'run')} scored"
    is_empty = graph.is_complete and not graph.scores and not graph.decided
    can_undo = bool(memory_versions(workspace, DECIDED_MEMORY))
    if not apis:
        return GraphView("", known, [], is_empty, can_undo, (), formula)
    found = [(api, edge.api, edge, True) for api in apis for edge in graph.successors(api, formula)]
    found += [
        (edge.api, api, edge, False)
        for api in apis
        for edge in graph.predecessors(api, formula)
        if edge.api != api
    ]
    found += [
        (before, after, Transition(after, 0.0, 0.0, 0.0, is_decided=True), before in apis)
        for before, row in graph.decided.items()
        for after, weight in row.items()
        if weight is None and (before in apis or after in apis)
    ]
    is_one = len(apis) == 1
    shown = sorted(found, key=lambda row: (not row[3], -row[2].weight))[:_MOST_ROWS]
    titles = titles_of(workspace, {api for row in shown for api in row[:2]} | {*apis})
    places = rowids_of(workspace, titles)
    rows = [
        EdgeRow(
            before,
            after,
            edge,
            is_after,
            titles[after if is_after else before]
            if is_one
            else f"{titles[before]} → {titles[after]}",
            graph.score(after, formula),
            places.get(after if is_after else before),
            graph.decided.get(before, {}).get(after, 0) is None,
        )
        for before, after, edge, is_after in shown
    ]
    heading = titles[apis[0]] if is_one else f"{counted(len(rowids), 'API')} selected"
    words = _scores_in_words(graph, apis[0], formula) if is_one else known
    scores = _score_points(graph, apis[0], formula) if is_one else ()
    return GraphView(heading, words, rows, is_empty, can_undo, scores, formula)


def _score_points(graph: ToolGraph, api: ApiId, formula: Formula) -> list[ScorePoint]:
    given = [each.score for each in graph.scores.get(api, ())]
    points = [
        ScorePoint(formula.total(given[: place + 1]), each.score, each.reason)
        for place, each in enumerate(graph.scores.get(api, ()))
    ]
    return points[-_MOST_SCORES:]


def _scores_in_words(graph: ToolGraph, api: ApiId, formula: Formula) -> str:
    """The scores of an API over the runs (the paper's figure 4, as numbers)."""
    scores = graph.scores.get(api, ())
    if not scores:
        return "No run has scored it yet"
    last = " ".join(f"{each.score:+d}" for each in scores[-20:])
    more = "… " if len(scores) > 20 else ""
    return f"Scores over runs: {more}{last}, together {graph.score(api, formula):+d}"


def edge_in_words(row: EdgeRow, formula: Formula) -> str:
    """How the weight of an edge comes about."""
    edge = row.edge
    if row.is_cut:
        return "A person cut it: it is never offered here."
    if edge.is_decided:
        return f"A person set its weight to {100 * edge.weight:.0f}; runs do not change it."
    return (
        f"{100 * edge.weight:.1f} = {formula.beta:g} × {100 * edge.static:.1f} from trajectories"
        f" + {1 - formula.beta:g} × {100 * edge.dynamic:.1f} from scores"
    )


def changes_in_words(workspace: Workspace, row: EdgeRow, formula: Formula) -> list[str]:
    """Which runs changed an edge and why, newest first. Blocks."""
    return [_change(each) for each in edge_changes(workspace, row.before, row.after, formula)]


def _change(each: EdgeChange) -> str:
    who = f"Run {each.run}" if each.run else "A person"
    came = "" if each.before is None else f"{100 * each.before:.1f} → "
    moment = when(each.made_us / 1e6)
    return f"{who}, {moment}: {came}{100 * each.weight:.1f}, {each.reason}"


def undo_decision(workspace: Workspace) -> int:
    """Take back what a person decided last, as another version. Blocks.

    Returns:
        The version that counts now; 0 = there was nothing to take back.
    """
    found = [
        read_memory(workspace, DECIDED_MEMORY, each.version).value
        for each in memory_versions(workspace, DECIDED_MEMORY)
    ]
    if not found:
        return 0
    # What was there before the present state first came: undoing twice goes two steps back.
    first = max(place for place, value in enumerate(found) if value == found[0])
    before = found[first + 1] if first + 1 < len(found) else {}
    return decide_memory(workspace, DECIDED_MEMORY, before)
