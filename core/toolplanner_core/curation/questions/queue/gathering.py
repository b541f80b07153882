"""Read all that the review judges by from a workspace, and find the first questions.

Reading is done here, computing in a worker process. Blocks for some seconds at 45,000 APIs; not for
the GUI thread.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

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
from toolplanner_core.domain.curated import ToolkitFields
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
    labels = [-1 if one is None else position.get(one.toolkit, -1) for one in where]
    evidence, candidates = run_in_worker(
        _find,
        load_documentation(workspace, ids),
        load_signatures(workspace, ids),
        rowids=rowids,
        vectors=points.vectors,
        neighbours=neighbours,
        labels=np.array(labels, dtype=np.int32),
        is_pinned=np.array([one is not None and one.is_pinned for one in where], dtype=np.bool_),
        toolkits=facts,
        runs=run_records(workspace),
        progress=progress,
        what="review",
    )
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


def _find(
    texts: Sequence[ApiText], signatures: Sequence[Signature], *, report: Report, **read: Any
) -> tuple[Evidence, list[Candidate]]:
    """In the worker."""
    documents = read_documents(
        texts,
        [one.parameters for one in signatures],
        [one.address for one in signatures],
        report=report,
    )
    evidence = gather_evidence(documents=documents, report=report, **read)
    report("Looking for questions", 0, None)
    found = find_candidates(evidence, None)
    no_vectors = np.zeros((0, 0), dtype=np.float32)
    no_positions = np.zeros((0, 0), dtype=np.int32)
    return replace(evidence, vectors=no_vectors, neighbours=no_positions), found
