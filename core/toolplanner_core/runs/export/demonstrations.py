"""A run as a demonstration: its query, what was called for which sub-task, its answer.

Only calls that served: those that failed, or whose result was rejected, are no example of how it
is done. Where a demonstration comes from decides what a training set may say of itself.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from toolplanner_core.domain.demonstration import (
    Demonstration,
    DemonstrationOrigin,
    DemonstrationStep,
)
from toolplanner_core.domain.ids import NodePath, RunId, path_and_ancestors
from toolplanner_core.domain.observation import MADE_UP
from toolplanner_core.domain.plan import NOT_REFUTED, Status
from toolplanner_core.errors import BadInput, NotFound
from toolplanner_core.llm.model import is_example
from toolplanner_core.providers.demo.world.execute import ORIGIN as DEMO_WORLD
from toolplanner_core.retrieval.demonstrations import SHOWN_RESULT
from toolplanner_core.runs.events.call import CallReturned, CallSent
from toolplanner_core.runs.log.stored_runs import get_summary, list_runs, load_records, load_tree
from toolplanner_core.runs.tree.served import served_calls
from toolplanner_core.runs.tree.tree import RunTree
from toolplanner_core.strategies.interface.strategy import strategies
from toolplanner_core.words.formatting import counted, one_line
from toolplanner_core.words.word_splitting import sorted_words
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import api_names
from toolplanner_core.workspace.demonstrations import add_demonstration, list_demonstrations
from toolplanner_core.workspace.runs import get_run, list_rows, run_count

_LONGEST_GOAL = 300


def save_demonstration(
    workspace: Workspace, run: RunId, *, tags: Sequence[str] = ()
) -> Demonstration:
    """Store a run as a demonstration. Blocks.

    Raises:
        NotFound: no such run.
        BadInput: it has no call that served.
    """
    return add_demonstration(workspace, demonstration_of(workspace, run, tags=tags))


class SavedDemonstrations(NamedTuple):
    """What became of the runs that were solved; `left_out`: how many and why, for people."""

    made: list[Demonstration]
    left_out: dict[str, int]

    @property
    def words(self) -> str:
        """For people: "Saved 3 runs as demonstrations; left out: 2 of a query that has one"."""
        said = f"Saved {counted(len(self.made), 'run')} as demonstrations"
        left = ", ".join(f"{number:,} {why}" for why, number in self.left_out.items())
        return f"{said}; left out: {left}" if left else said


def save_solved_runs(
    workspace: Workspace, *, tags: Sequence[str] = (), is_answered_enough: bool = False
) -> SavedDemonstrations:
    """Store every solved run as a demonstration, of runs of one query the newest. Blocks.

    Left out are examples, whose replies are scripted, queries that have a demonstration, and runs
    without a call that served.

    Args:
        is_answered_enough: take runs, too, whose answer nobody has checked.
    """
    wanted = NOT_REFUTED if is_answered_enough else (Status.SOLVED,)
    known = {sorted_words(each.query) for each in list_demonstrations(workspace)}
    found = SavedDemonstrations([], {})
    others = {plugin.id for plugin in strategies.plugins.values() if not plugin.answers}
    for row in list_rows(workspace, limit=run_count(workspace)):
        if row.status not in wanted or row.strategy in others:
            continue
        why = ""
        if is_example(row.model):
            why = "examples with scripted replies"
        elif sorted_words(row.query) in known:
            why = "of a query that has one"
        else:
            known.add(sorted_words(row.query))
            try:
                found.made.append(save_demonstration(workspace, row.id, tags=tags))
            except BadInput:
                why = "without a call that served"
        if why:
            found.left_out[why] = found.left_out.get(why, 0) + 1
    return found


def origin_of(workspace: Workspace, shown: Demonstration) -> DemonstrationOrigin:
    """Where a demonstration comes from, by the run that it was saved from. Blocks."""
    if shown.run is None:
        return DemonstrationOrigin.BY_HAND
    try:
        run = RunId(shown.run)
        row, tree = get_run(workspace, run), load_tree(workspace, run)
    except NotFound:
        return DemonstrationOrigin.UNKNOWN
    if is_example(row.model):
        return DemonstrationOrigin.SCRIPTED
    origins = {call.data.get("origin") for call in served_calls(tree)}
    if origins & {*MADE_UP, DEMO_WORLD}:
        return DemonstrationOrigin.INVENTED
    return DemonstrationOrigin.REAL


def demonstration_of(
    workspace: Workspace, run: RunId, *, tags: Sequence[str] = ()
) -> Demonstration:
    """What a run shows, not stored yet.

    Raises:
        NotFound: no such run.
        BadInput: it has no call that served.
    """
    summary, tree = get_summary(workspace, run), load_tree(workspace, run)
    steps = [s for call in served_calls(tree) for s in _steps(workspace, run, tree, call.path)]
    if not steps:
        raise BadInput(f"Run {run} cannot be a demonstration", why="It has no call that served")
    return Demonstration(
        id=0,
        query=summary.query,
        steps=tuple(steps),
        answer=summary.answer,
        tags=tuple(tags),
        run=run,
    )


def answered_queries(workspace: Workspace) -> list[tuple[str, list[str]]]:
    """The queries of runs with an answer that nothing speaks against, with the keys of the APIs
    whose calls served there: what a retriever may be trained on. Replies that were made up say
    nothing, and are left out."""
    keys = {str(each.id): each.key for each in api_names(workspace)}
    found: list[tuple[str, list[str]]] = []
    for summary in list_runs(workspace):
        if summary.status not in NOT_REFUTED:
            continue
        calls = served_calls(load_tree(workspace, summary.run))
        good = [call for call in calls if call.data.get("origin") not in MADE_UP]
        used = dict.fromkeys(str(node.data.get("api")) for node in good)
        gold = [keys[api] for api in used if api in keys]
        if gold:
            found.append((summary.query, gold))
    return found


def _steps(
    workspace: Workspace, run: RunId, tree: RunTree, path: NodePath
) -> list[DemonstrationStep]:
    records = [record.event for record in load_records(workspace, run, path)]
    sent = [event for event in records if isinstance(event, CallSent)]
    came = [event for event in records if isinstance(event, CallReturned)]
    if not sent or not came:
        return []
    return [
        DemonstrationStep(
            goal=one_line(_goal(tree, path), _LONGEST_GOAL),
            api=sent[-1].api,
            title=sent[-1].title,
            arguments=dict(sent[-1].arguments),
            result=came[-1].body[:SHOWN_RESULT],
        )
    ]


def _goal(tree: RunTree, path: NodePath) -> str:
    """What a call was for, as the nearest node around it says."""
    for around in path_and_ancestors(path):
        node = tree.nodes.get(NodePath(around))
        data: Mapping[str, Any] = {} if node is None else node.data
        for name in ("goal", "thought"):
            if data.get(name):
                return str(data[name])
    return ""
