"""Read all that the review judges by from a workspace, and find the first questions.

Reading is done here, computing in a worker process. Blocks for some seconds at 45,000 APIs; not for
the GUI thread.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import NamedTuple

import numpy as np

from toolplanner_core.curation.grouping.points import ensure_neighbours, load_points
from toolplanner_core.curation.questions.kinds.candidate import Candidate
from toolplanner_core.curation.questions.kinds.documents import read_documents
from toolplanner_core.curation.questions.kinds.evidence import (
    Evidence,
    ReviewedCatalogue,
    RunRecord,
    ToolkitFacts,
    gather_evidence,
)
from toolplanner_core.curation.questions.kinds.finding import find_candidates
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.errors import NotFound
from toolplanner_core.jobs.isolation import Isolation, PartFailure
from toolplanner_core.jobs.progress import Progress, Report
from toolplanner_core.jobs.worker import run_in_worker
from toolplanner_core.words.window_places import MAKE_TOOLKITS
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import (
    ApiText,
    Signature,
    load_documentation,
    load_signatures,
)
from toolplanner_core.workspace.curated_tables import all_memberships, all_toolkits
from toolplanner_core.workspace.point_sets import load_placements
from toolplanner_core.workspace.stand_ins import stand_in_counts
from toolplanner_core.workspace.step_outcomes import RecordedOutcome, step_outcomes


class Gathered(NamedTuple):
    """What the review judges by, and its first questions.

    Attributes:
        failures: searches for questions that a fault of the program ended.
    """

    evidence: Evidence
    candidates: list[Candidate]
    failures: tuple[PartFailure, ...]


def gather(workspace: Workspace, *, progress: Progress) -> Gathered:
    """The evidence and all questions that follow from it.

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
    if not toolkits:
        raise NotFound("There are no toolkits yet", todo=MAKE_TOOLKITS)
    rowids = points.point_set.rowids
    ids = rowids.tolist()
    position = {toolkit: place for place, toolkit in enumerate(sorted(toolkits))}
    where = [members.get(rowid) for rowid in ids]
    labels = [-1 if one is None else position.get(one.toolkit, -1) for one in where]
    catalogue = ReviewedCatalogue(
        rowids=rowids,
        vectors=points.vectors,
        neighbours=neighbours,
        labels=np.array(labels, dtype=np.int32),
        is_pinned=np.array([one is not None and one.is_pinned for one in where], dtype=np.bool_),
        toolkits=[ToolkitFacts(id=one).with_fields(asdict(toolkits[one])) for one in position],
        runs=run_records(workspace),
        placements={
            rowid: (placed.toolkit, placed.confidence)
            for rowid, placed in load_placements(workspace).items()
        },
        stand_ins=stand_in_counts(workspace),
    )
    texts, signatures = load_documentation(workspace, ids), load_signatures(workspace, ids)
    found = run_in_worker(_find, catalogue, texts, signatures, progress=progress, what="review")
    # The large arrays are here already and did not travel back.
    known = replace(found.evidence, rowids=rowids, vectors=points.vectors, neighbours=neighbours)
    return found._replace(evidence=known)


def run_records(workspace: Workspace) -> dict[ToolkitId, RunRecord]:
    """How each toolkit did in all runs, by toolkit id."""
    outcomes: defaultdict[ToolkitId, list[RecordedOutcome]] = defaultdict(list)
    for outcome in step_outcomes(workspace):
        outcomes[outcome.toolkit].append(outcome)
    return {
        toolkit: RunRecord(
            used=len(own),
            failed=sum(one.is_failed for one in own),
            incomplete=sum(one.is_incomplete for one in own),
            replanned_to=Counter(one.replaced_by for one in own if one.replaced_by is not None),
        )
        for toolkit, own in outcomes.items()
    }


def _find(
    catalogue: ReviewedCatalogue,
    texts: Sequence[ApiText],
    signatures: Sequence[Signature],
    *,
    report: Report,
) -> Gathered:
    """In the worker."""
    parameters = [one.parameters for one in signatures]
    addresses = [one.address for one in signatures]
    documents = read_documents(texts, parameters, addresses, report=report)
    evidence = gather_evidence(catalogue, documents, report=report)
    report("Looking for questions", 0, None)
    isolation = Isolation()
    found = find_candidates(evidence, None, isolation=isolation)
    no_vectors = np.zeros((0, 0), dtype=np.float32)
    no_positions = np.zeros((0, 0), dtype=np.int32)
    light = replace(evidence, vectors=no_vectors, neighbours=no_positions)
    return Gathered(light, found, isolation.failures)
