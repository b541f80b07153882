"""APIs without a home: one that fits a toolkit after all, or several that may become one."""

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.clustering.groups import unit
from toolplanner_core.clustering.misfits import find_misfits
from toolplanner_core.curation.questions.kinds.candidate import Candidate, CandidateKind, Signal
from toolplanner_core.curation.questions.kinds.evidence import Evidence, points_in, rechecked_points
from toolplanner_core.curation.questions.kinds.signals import percent, ramp
from toolplanner_core.words.formatting import counted


def find_homeless(evidence: Evidence, groups: NDArray[np.int64] | None) -> list[Candidate]:
    """Every API without a toolkit once, alone or in a group that is proposed as a new toolkit; with
    `groups`, of those alone only the ones that the last edit may have changed."""
    grouped = points_in(evidence.homeless)
    found = [_group(evidence, group) for group in evidence.homeless]
    alone = np.setdiff1d(np.flatnonzero(evidence.labels < 0), grouped)
    if groups is not None:
        alone = alone[rechecked_points(evidence, groups)[alone]]
    fit = find_misfits(
        evidence.vectors, evidence.labels, evidence.neighbours, evidence.cohesion, points=alone
    )
    for i, point in enumerate(alone.tolist()):
        other = int(fit.other[i])
        found.append(_single(evidence, point, other, float(fit.share[i]), float(fit.margin[i])))
    return found


def _single(evidence: Evidence, point: int, other: int, share: float, cosine: float) -> Candidate:
    rowid, title = int(evidence.rowids[point]), evidence.documents.titles[point]
    if other < 0:
        title, toolkits = f"“{title}” has no toolkit; none is near", ()
        signals = {"neighbours": Signal(0, "Neighbours: none has a toolkit")}
    else:
        title = f"Put “{title}” into “{evidence.toolkits[other].name}”?"
        toolkits = (evidence.id_of(other),)
        usual = float(evidence.cohesion.cohesion[other])
        signals = {
            "neighbours": Signal(share, f"Neighbours: {percent(share)} are in this toolkit"),
            "centroids": Signal(
                ramp(cosine / max(usual, 1e-9), low=0.4, high=1.0),
                f"Centroid: cosine {cosine:.2f}; its members have {usual:.2f} on average",
            ),
        }
    placed, confidence = evidence.placements.get(rowid, (None, None))
    return Candidate(
        kind=CandidateKind.HOMELESS,
        about=(rowid,),
        title=title,
        toolkits=toolkits,
        apis=(rowid,),
        signals=signals,
        gain=1.0,
        confidence=confidence if placed in toolkits else None,
    )


def _group(evidence: Evidence, group: NDArray[np.int64]) -> Candidate:
    vectors = evidence.vectors[group]
    centre = unit(vectors.sum(axis=0))
    cohesion = float((vectors @ centre).mean())
    near = evidence.neighbours[group, 1:]
    inside = float(np.isin(near[:, : len(group) - 1], group).mean()) if near.size else 0.0
    central = evidence.documents.titles[group[int((vectors @ centre).argmax())]]
    rowids = tuple(sorted(evidence.rowids_of(group)))
    return Candidate(
        kind=CandidateKind.HOMELESS,
        about=rowids,
        title=f"Make a toolkit of {counted(len(group), 'API')} without one, such as “{central}”?",
        toolkits=(),
        apis=rowids,
        signals={
            "cohesion": Signal(cohesion, f"Fit: {cohesion:.2f}"),
            "neighbours": Signal(
                inside, f"Neighbours: {percent(inside)} of their nearest are one another"
            ),
        },
        gain=float(np.log2(1 + len(group))),
    )
