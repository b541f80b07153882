"""APIs that are one and the same, crawled twice: keep one, or let them stand in for one another?"""

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.curation.questions.kinds.candidate import Candidate, CandidateKind, Signal
from toolplanner_core.curation.questions.kinds.evidence import Evidence
from toolplanner_core.curation.questions.kinds.group_shares import is_in
from toolplanner_core.curation.questions.kinds.signals import ramp


def find_duplicates(evidence: Evidence, groups: NDArray[np.int64] | None) -> list[Candidate]:
    """Sets of copies; with `groups`, those with a member in one of them or without a home."""
    sets = evidence.copies
    if groups is not None:
        is_asked = is_in(groups, len(evidence.toolkits))
        is_asked[-1] = True
        sets = [one for one in sets if is_asked[evidence.labels[one]].any()]
    return [_candidate(evidence, one) for one in sets]


def _candidate(evidence: Evidence, group: NDArray[np.int64]) -> Candidate:
    documents = evidence.documents
    cosine = float((evidence.vectors[group] @ evidence.vectors[group[0]]).min())
    addresses = len(np.unique(documents.addresses[group]))
    paths = len(np.unique(documents.paths[group]))
    names = len(np.unique(documents.names[group]))
    n_parameters = int(documents.parameters[group[:1]].sum())
    rowids = tuple(sorted(evidence.rowids_of(group)))
    where = {1: "one address"}.get(addresses, f"{addresses} addresses")
    if addresses > 1 and paths == 1:
        where += " with the same path"
    signals = {
        "address": Signal(
            1.0 if addresses == 1 else 0.6 if paths == 1 else 0.0, f"Address: {where}"
        ),
        "text": Signal(ramp(cosine, low=0.9, high=1.0), f"Text: cosine {cosine:.2f}"),
        "parameters": Signal(
            1.0 if n_parameters else 0.5,
            f"Parameters: the same {n_parameters}" if n_parameters else "Parameters: none",
        ),
        "names": Signal(
            1.0 if names == 1 else 0.3,
            "Names: equal" if names == 1 else f"Names: {names} different ones",
        ),
    }
    labels = np.unique(evidence.labels[group])
    return Candidate(
        kind=CandidateKind.DUPLICATE,
        about=rowids,
        title=f"Are these {len(group)} the same: “{documents.titles[group[0]]}”?",
        toolkits=tuple(evidence.id_of(one) for one in labels[labels >= 0].tolist()),
        apis=rowids,
        signals=signals,
        gain=float(np.log2(len(group))),
    )
