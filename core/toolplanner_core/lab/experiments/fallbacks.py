"""Who stood in for whom: APIs that failed in trials, and those that were tried in their place.

Read from the trees of all trials with a failed call; nothing is called. A pair in which the second
API served is evidence that both do the same; one in which it was tried and did not, that they may
not. Under injected failures such pairs show what a toolkit is worth when an API is down.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from toolplanner_core.domain.ids import ApiId, NodePath, path_and_ancestors
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.lab.opened_runs import OpenedRuns
from toolplanner_core.lab.results import ExperimentResults
from toolplanner_core.lab.statistics.bootstrap import bootstrap_mean
from toolplanner_core.lab.statistics.estimates import Estimate
from toolplanner_core.runs.log.stored_runs import load_tree
from toolplanner_core.runs.tree.failures import failures_of
from toolplanner_core.runs.tree.node import Node
from toolplanner_core.strategies.interface.strategy import node_kind
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import api_names
from toolplanner_core.workspace.lab_store import LabStore
from toolplanner_core.workspace.stand_ins import SeenStandIn, keep_stand_ins


@dataclass(frozen=True, slots=True, kw_only=True)
class FallbackPair:
    """Two APIs by their titles, the second of which was tried when the first had failed.

    Attributes:
        one, other: ids of both.
        toolkit: name of the step's toolkit, "" where the strategy knows none.
        served: how often it brought what the step needed, of `tried` times.
        share: the same, drawn by query.
    """

    one: str
    other: str
    failed_title: str
    tried_title: str
    toolkit: str
    served: int
    tried: int
    share: Estimate


def fallback_pairs(store: LabStore, *, progress: Progress, arm: str = "") -> list[FallbackPair]:
    """All pairs of an experiment's trials, those that served most often first. Blocks.

    Args:
        arm: of which, "" = all.

    Raises:
        BadInput: a run cannot be read.
        Cancelled: at the progress given.
    """
    failed = [
        each.trial
        for each in ExperimentResults(store).trials()
        if each.amounts["failed_calls"] and arm in ("", each.trial.arm)
    ]
    served: dict[tuple[str, str, str], list[tuple[bool, str]]] = {}
    titles: dict[str, str] = {}
    with OpenedRuns(store) as opened:
        for number, trial in enumerate(failed):
            progress.report("Reading trials", number, len(failed), "trials")
            run = opened.run_of(trial.number)
            if run is None:
                continue
            nodes = load_tree(opened.workspace, run).nodes
            for call, other in _pairs(nodes):
                one, two = str(call.data.get("api", "")), str(other.data.get("api", ""))
                titles.update({one: call.title, two: other.title})
                place = one, two, _toolkit(nodes, call.path)
                served.setdefault(place, []).append((other.state is NodeState.OK, trial.query))
    found = [
        FallbackPair(
            one=one,
            other=other,
            failed_title=titles[one],
            tried_title=titles[other],
            toolkit=toolkit,
            served=sum(is_ok for is_ok, _ in said),
            tried=len(said),
            share=bootstrap_mean(
                [float(is_ok) for is_ok, _ in said], [q for _, q in said], span=(0, 1)
            ),
        )
        for (one, other, toolkit), said in served.items()
    ]
    return sorted(found, key=lambda e: (-e.served, -e.tried, e.failed_title, e.tried_title))


def _pairs(nodes: Mapping[NodePath, Node]) -> Iterator[tuple[Node, Node]]:
    """Each failed call with each call of another API in later tries of its step."""
    for failure in failures_of(nodes):
        call, tried = failure.call, failure.node
        if call is None or not node_kind(tried.kind).is_try or tried.parent is None:
            continue
        around = nodes[tried.parent].children
        for path in around[around.index(tried.path) + 1 :]:
            for below in nodes[path].children:
                other = nodes[below]
                if other.is_call and other.data.get("api") != call.data.get("api"):
                    yield call, other


def _toolkit(nodes: Mapping[NodePath, Node], path: NodePath) -> str:
    around = (nodes[place] for place in path_and_ancestors(path) if place in nodes)
    return next((str(n.data["toolkit_name"]) for n in around if "toolkit_name" in n.data), "")


def send_to_review(workspace: Workspace, experiment: str, pairs: Iterable[FallbackPair]) -> int:
    """Let the review ask about pairs: in one toolkit, or kept together? How many were sent. Blocks.

    What the experiment had sent before is replaced. Which of them are asked is the review's.
    """
    key_of = {each.id: each.key for each in api_names(workspace)}
    seen = [
        SeenStandIn(key_of[ApiId(each.one)], key_of[ApiId(each.other)], each.served, each.tried)
        for each in pairs
        if each.one in key_of and each.other in key_of
    ]
    keep_stand_ins(workspace, experiment, seen)
    return len(seen)
