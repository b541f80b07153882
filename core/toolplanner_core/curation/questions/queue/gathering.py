"""Read all that the review judges by from a workspace, and find the first questions.

Reading is done here, computing in a worker process. Blocks for some seconds at 45,000 APIs; not for
the GUI thread.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.curation.grouping.points import ensure_neighbours, load_points
from toolplanner_core.curation.questions.kinds.candidate import Candidate
from toolplanner_core.curation.questions.kinds.documents import read_documents
from toolplanner_core.curation.questions.kinds.evidence import (
    Evidence,
    RunRecord,
    ToolkitFacts,
    gather_evidence,
)
from toolplanner_core.curation.questions.kinds.finding import find_candidates
from toolplanner_core.domain.curated import Membership, ToolkitFields
from toolplanner_core.domain.ids import EditId, ToolkitId
from toolplanner_core.errors import NotFound
from toolplanner_core.jobs.progress import Progress, Report
from toolplanner_core.jobs.worker import run_in_worker
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.curated_tables import all_memberships, all_toolkits
from toolplanner_core.workspace.documentation import (
    ApiText,
    Signature,
    load_documentation,
    load_signatures,
)
from toolplanner_core.workspace.edit_history import read_head
from toolplanner_core.workspace.step_outcomes import step_outcomes


class Gathered(NamedTuple):
    """The evidence and the questions that follow from it.

    Attributes:
        head: the last edit that counted when the toolkits were read.
    """

    evidence: Evidence
    candidates: list[Candidate]
    head: EditId


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Read:
    """What goes to the worker."""

    rowids: NDArray[np.int32]
    vectors: NDArray[np.float32]
    neighbours: NDArray[np.int32]
    labels: NDArray[np.int32]
    is_pinned: NDArray[np.bool_]
    toolkits: Sequence[ToolkitFacts]
    texts: Sequence[ApiText]
    signatures: Sequence[Signature]
    runs: Mapping[int, RunRecord]


def gather(workspace: Workspace, *, progress: Progress) -> Gathered:
    """Evidence and all questions.

    Raises:
        NotFound: nothing is embedded, or there are no toolkits.
        BadInput: there are no APIs.
        Cancelled, WorkerDied: nothing was found.
    """
    progress.report("Reading the catalogue", 0, None)
    points = load_points(workspace)
    neighbours = ensure_neighbours(workspace, points, progress=progress).indices
    with workspace.snapshot() as db:
        toolkits, members = all_toolkits(db), all_memberships(db)
        head = read_head(db)
    if not toolkits:
        raise NotFound("There are no toolkits yet", todo="Make them with: toolplanner cluster")
    rowids = points.point_set.rowids
    ids = rowids.tolist()
    facts = [toolkit_facts(toolkit, fields) for toolkit, fields in sorted(toolkits.items())]
    position = {fact.id: place for place, fact in enumerate(facts)}
    where = [members.get(rowid) for rowid in ids]
    read = _Read(
        rowids=rowids,
        vectors=points.vectors,
        neighbours=neighbours,
        labels=_labels(where, position),
        is_pinned=np.array([one is not None and one.is_pinned for one in where], dtype=np.bool_),
        toolkits=facts,
        texts=load_documentation(workspace, ids),
        signatures=load_signatures(workspace, ids),
        runs=run_records(workspace),
    )
    evidence, candidates = run_in_worker(_find, read, progress=progress, what="review")
    # The large arrays are here already and did not travel back.
    evidence = replace(evidence, rowids=rowids, vectors=points.vectors, neighbours=neighbours)
    return Gathered(evidence, candidates, head)


def toolkit_facts(toolkit: ToolkitId, fields: ToolkitFields) -> ToolkitFacts:
    """A toolkit as the review sees it."""
    return ToolkitFacts(
        id=toolkit, name=fields.name, description=fields.description, is_pinned=fields.is_pinned
    )


def run_records(workspace: Workspace) -> dict[int, RunRecord]:
    """How each toolkit did in all runs, by toolkit id."""
    used: dict[int, list[int]] = {}
    replaced: dict[int, dict[int, int]] = {}
    for outcome in step_outcomes(workspace):
        counts = used.setdefault(outcome.toolkit, [0, 0, 0])
        counts[0] += 1
        counts[1] += outcome.is_failed
        counts[2] += outcome.is_incomplete
        if outcome.replaced_by is not None:
            by = replaced.setdefault(outcome.toolkit, {})
            by[outcome.replaced_by] = by.get(outcome.replaced_by, 0) + 1
    return {
        toolkit: RunRecord(
            used=n, failed=failed, incomplete=incomplete, replanned_to=replaced.get(toolkit, {})
        )
        for toolkit, (n, failed, incomplete) in used.items()
    }


def _labels(where: Sequence[Membership | None], position: Mapping[int, int]) -> NDArray[np.int32]:
    return np.array(
        [-1 if one is None else position.get(one.toolkit, -1) for one in where], dtype=np.int32
    )


def _find(read: _Read, *, report: Report) -> tuple[Evidence, list[Candidate]]:
    """In the worker."""
    evidence = gather_evidence(
        rowids=read.rowids,
        vectors=read.vectors,
        neighbours=read.neighbours,
        labels=read.labels,
        toolkits=read.toolkits,
        documents=read_documents(
            read.texts,
            [one.parameters for one in read.signatures],
            [one.address for one in read.signatures],
            report=report,
        ),
        is_pinned=read.is_pinned,
        runs=read.runs,
        report=report,
    )
    report("Looking for questions", 0, None)
    found = find_candidates(evidence, None)
    no_vectors = np.zeros((0, 0), dtype=np.float32)
    no_positions = np.zeros((0, 0), dtype=np.int32)
    return replace(evidence, vectors=no_vectors, neighbours=no_positions), found
