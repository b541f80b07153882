"""Cluster again what a person has curated: a proposal, never a change.

All APIs or a selection are grouped in the original space, with pins, links and everything that a
person put together as hard constraints. What would change is stored as parts to accept or reject
(`accepting.py`).

Hard constraints are pinned APIs, pinned toolkits, links; and toolkits whose members a person chose
by an edit that still counts (merge, split, move, new toolkit), so that no machine undoes curation.
"""

import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.clustering.clustering import clusterings
from toolplanner_core.clustering.constraints import Constraints
from toolplanner_core.clustering.memory import check_memory
from toolplanner_core.curation.edits.curated_state import CuratedState
from toolplanner_core.curation.edits.history_reading import line_to_head, parts_of
from toolplanner_core.curation.edits.split import Split
from toolplanner_core.curation.grouping.cluster import (
    ClusterReport,
    MadeToolkits,
    cluster,
    make_toolkits,
)
from toolplanner_core.curation.grouping.points import inputs_of, load_points
from toolplanner_core.curation.grouping.proposal_items import Regrouped, items_of
from toolplanner_core.domain.curated import LinkKind
from toolplanner_core.domain.ids import EditId, ToolkitId
from toolplanner_core.domain.toolkit import Author
from toolplanner_core.errors import BadInput
from toolplanner_core.jobs.isolation import PartFailure
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.jobs.worker import run_in_worker
from toolplanner_core.options.values import check_options
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace import Database, Workspace
from toolplanner_core.workspace.catalogue import load_documentation
from toolplanner_core.workspace.edit_history import read_edit, read_forward, read_head
from toolplanner_core.workspace.proposals import ProposedItem, put_proposal
from toolplanner_core.workspace.toolkit_replacement import is_curated

KIND = "clustering"
"""Kind of these proposals."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Settled:
    """Constraints over some APIs.

    Attributes:
        constraints: over the APIs in the order given.
        toolkits: the toolkit of each given group: label 0, 1 ...
    """

    constraints: Constraints
    toolkits: list[ToolkitId]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalReport:
    """What `propose_clustering` made.

    Attributes:
        proposal: its number.
        toolkits: how many there would be among the APIs looked at.
        settled: APIs that pins, links and edits hold where they are.
        items: parts to accept or reject.
        moving: APIs that they would move.
        ending: toolkits that would end if all were accepted.
        ending_by_hand: those of them that a person named.
        failures: names and descriptions that no rule could make.
    """

    proposal: int
    method: str
    apis: int
    toolkits: int
    settled: int
    items: int
    moving: int
    ending: int
    ending_by_hand: int
    silhouette: float | None
    seconds: float
    failures: tuple[PartFailure, ...] = ()


def what_would_end(report: ProposalReport) -> str:
    """What accepting all of a proposal would do, for people."""
    if not report.items:
        return "Nothing would change"
    ends = counted(report.ending, "toolkit ends", "toolkits end")
    by_hand = f", {report.ending_by_hand:,} of them named by hand" if report.ending_by_hand else ""
    moves = counted(report.moving, "API moves", "APIs move")
    return f"If all {counted(report.items, 'part')} are accepted, {moves} and {ends}{by_hand}"


def regroup(
    workspace: Workspace, *, method: str, options: Any, seed: int, progress: Progress
) -> ClusterReport | ProposalReport:
    """Cluster all APIs; toolkits that people have curated are not replaced: they get a proposal.

    Args are those of `cluster` and of `propose_clustering`.
    """
    make = propose_clustering if is_curated(workspace) else cluster
    return make(workspace, method=method, options=options, seed=seed, progress=progress)


def propose_clustering(
    workspace: Workspace,
    *,
    method: str = "kmeans",
    options: Any = None,
    seed: int = 0,
    progress: Progress,
) -> ProposalReport:
    """Propose other toolkits; blocks, the work is done in a worker process.

    Raises:
        NotFound: no such method, or nothing is embedded.
        BadInput: an option is out of range, links contradict pins, there are too few APIs, or there
            is not enough memory.
        Cancelled, WorkerDied: nothing was stored.
    """
    began_s = time.monotonic()
    plugin = clusterings.get(method)
    options = check_options(plugin.options, options, of=f"clustering {method}")
    progress.report("Loading vectors", 0, None)
    points = load_points(workspace)
    check_memory(plugin, len(points.vectors))
    chosen, vectors = points.point_set.rowids, points.vectors
    if len(chosen) < 2:
        raise BadInput("There is nothing to cluster", why="Fewer than two APIs have vectors")
    with workspace.snapshot() as db:
        state = CuratedState.read(db)
        settled = settle(db, state, chosen)
        head = read_head(db)
    made = run_in_worker(
        make_toolkits,
        vectors,
        load_documentation(workspace, chosen.tolist()),
        method=method,
        options=options,
        seed=seed,
        labels=None,
        constraints=settled.constraints,
        taken=[fields.name for fields in state.toolkits.values()],
        progress=progress,
        what="clustering",
    )
    items = _items(chosen, state, settled, made)
    about: dict[str, Any] = {
        "method": method,
        "options": inputs_of(options, seed),
        "apis": len(chosen),
        "toolkits": len(made.groups),
        "noise": made.quality.noise,
        "settled": int((settled.constraints.fixed >= 0).sum()),
        "silhouette": made.quality.silhouette,
    }
    proposal = _store(workspace, about, items, head)
    report = _report(proposal, about, items, state, seconds=time.monotonic() - began_s)
    return replace(report, failures=made.failures)


def _report(
    proposal: int,
    about: dict[str, Any],
    items: list[ProposedItem],
    state: CuratedState,
    *,
    seconds: float,
) -> ProposalReport:
    ending = _ending(state, items)
    return ProposalReport(
        proposal=proposal,
        method=about["method"],
        apis=about["apis"],
        toolkits=about["toolkits"],
        settled=about["settled"],
        items=len(items),
        moving=sum(len(item.rowids) for item in items),
        ending=len(ending),
        ending_by_hand=sum(state.toolkits[t].name_author is Author.PERSON for t in ending),
        silhouette=about["silhouette"],
        seconds=seconds,
    )


def _ending(state: CuratedState, items: list[ProposedItem]) -> list[ToolkitId]:
    """The toolkits that all parts together would leave without a member."""
    gone = {rowid for item in items for rowid in item.rowids}
    gains = {item.target for item in items}
    sources = {toolkit for item in items for toolkit in item.sources} - gains
    return [toolkit for toolkit in sources if gone.issuperset(state.members(toolkit))]


def _items(
    chosen: NDArray[np.int32], state: CuratedState, settled: Settled, made: MadeToolkits
) -> list[ProposedItem]:
    old = [m.toolkit if (m := state.toolkit_of.get(r)) else 0 for r in chosen.tolist()]
    return items_of(
        Regrouped(
            rowids=chosen,
            old=np.array(old, dtype=np.int32),
            labels=made.labels,
            given=settled.toolkits,
            texts=made.texts,
            names={toolkit: fields.name for toolkit, fields in state.toolkits.items()},
        )
    )


def _store(
    workspace: Workspace, about: dict[str, Any], items: list[ProposedItem], head: EditId
) -> int:
    title = (
        f"Cluster {counted(about['apis'], 'API')} again by {clusterings.title_of(about['method'])}"
    )
    return workspace.writer.run(
        lambda db: put_proposal(db, kind=KIND, title=title, head=head, about=about, items=items),
        durable=True,
    )


def settled_toolkits(db: Database, state: CuratedState) -> set[ToolkitId]:
    """Toolkits whose members no machine may change: pinned ones, and those that a person put
    together."""
    found = {toolkit for toolkit, fields in state.toolkits.items() if fields.is_pinned}
    for edit in line_to_head(db):
        made = read_edit(db, edit)
        if made.actor is not Author.PERSON:
            continue
        # What stayed was told apart, too.
        splits = (part for part in parts_of(made) if part.kind == Split.kind)
        found |= {ToolkitId(split.asked["toolkit"]) for split in splits}
        changes = read_forward(db, edit)
        found |= {m.toolkit for m in changes.members.values() if m is not None}
    return found & state.toolkits.keys()


def settle(db: Database, state: CuratedState, rowids: NDArray[np.int32]) -> Settled:
    """The constraints over these APIs.

    Args:
        rowids: (n,) row ids, each once.
    """
    whole = settled_toolkits(db, state)
    labels: dict[ToolkitId, int] = {}
    fixed = np.full(len(rowids), -1, dtype=np.int32)
    position = {rowid: i for i, rowid in enumerate(rowids.tolist())}
    for rowid, i in position.items():
        membership = state.toolkit_of.get(rowid)
        if membership is not None and (membership.is_pinned or membership.toolkit in whole):
            fixed[i] = labels.setdefault(membership.toolkit, len(labels))
    pairs: dict[LinkKind, list[tuple[int, int]]] = {LinkKind.MUST: [], LinkKind.CANNOT: []}
    for (a, b), kind in state.linked.items():
        if a in position and b in position:
            pairs[kind].append((position[a], position[b]))
    return Settled(
        constraints=Constraints(
            fixed=fixed,
            must_link=np.array(pairs[LinkKind.MUST], dtype=np.int32).reshape(-1, 2),
            cannot_link=np.array(pairs[LinkKind.CANNOT], dtype=np.int32).reshape(-1, 2),
        ),
        toolkits=list(labels),
    )
