"""A toolkit that nobody can choose, because nothing says what it does."""

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.curation.questions.kinds.candidate import Candidate, CandidateKind, Signal
from toolplanner_core.curation.questions.kinds.evidence import Evidence
from toolplanner_core.curation.questions.kinds.signals import asked_groups, percent

_SILENT = 0.75
"""Share of members without a description from which a toolkit is asked about."""


def find_undescribed(evidence: Evidence, groups: NDArray[np.int64] | None) -> list[Candidate]:
    """Toolkits without a description, or made of APIs without one; with `groups`, only these."""
    asked = asked_groups(evidence, groups)
    labels = evidence.labels
    is_grouped = labels >= 0
    described = np.bincount(
        labels[is_grouped],
        weights=evidence.documents.is_described[is_grouped],
        minlength=len(evidence.toolkits),
    )
    silent = 1 - described / np.maximum(evidence.cohesion.sizes, 1)
    found: list[Candidate] = []
    for group in asked.tolist():
        toolkit = evidence.toolkits[group]
        size = int(evidence.cohesion.sizes[group])
        text = toolkit.description.strip()
        if text and (silent[group] < _SILENT or size < 2):
            continue
        signals = {
            "toolkit": Signal(
                0.3 if text else 1.0,
                f"Toolkit: “{text[:80]}”" if text else "Toolkit: no description",
            ),
            "members": Signal(
                float(silent[group]),
                f"Members: {percent(float(silent[group]))} of {size} have no description",
            ),
        }
        found.append(
            Candidate(
                kind=CandidateKind.DESCRIPTION,
                about=(toolkit.id,),
                title=f"Describe “{toolkit.name}”?",
                toolkits=(toolkit.id,),
                apis=(),
                signals=signals,
                gain=float(np.log2(1 + size)) / 2,
            )
        )
    return found
