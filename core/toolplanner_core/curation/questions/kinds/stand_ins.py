"""Two APIs one of which answered in the other's place in experiments: are they one toolkit?

Measured, not guessed: an API had failed, the other one was tried with the same need, and served. In
two toolkits one of them should move; in one toolkit they can be kept together for good.
"""

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.curation.questions.kinds.blamed import least_rate
from toolplanner_core.curation.questions.kinds.candidate import (
    AGREES,
    Candidate,
    CandidateKind,
    Signal,
)
from toolplanner_core.curation.questions.kinds.evidence import Evidence
from toolplanner_core.curation.questions.kinds.signals import ramp
from toolplanner_core.words.formatting import counted


def find_stand_ins(evidence: Evidence, _groups: NDArray[np.int64] | None) -> list[Candidate]:
    """Pairs that served so often that chance does not explain it: always all of them; few."""
    if not evidence.stand_ins:
        return []
    place = {rowid: at for at, rowid in enumerate(evidence.rowids.tolist())}
    found: list[Candidate] = []
    for (one, other), count in evidence.stand_ins.items():
        if one not in place or other not in place:
            continue
        share = least_rate(count.served, count.tried)
        if share < AGREES:
            continue
        made = _candidate(evidence, (one, other), (place[one], place[other]), share)
        if made is not None:
            found.append(made)
    return found


def _candidate(
    evidence: Evidence, rowids: tuple[int, int], places: tuple[int, int], share: float
) -> Candidate | None:
    labels = [int(evidence.labels[at]) for at in places]
    if min(labels) < 0:
        return None  # a question about APIs without a home asks for one already
    count = evidence.stand_ins[rowids]
    cosine = float(evidence.vectors[places[0]] @ evidence.vectors[places[1]])
    signals = {
        "experiments": Signal(
            share,
            f"Experiments: tried {counted(count.tried, 'time')} where the other had failed, it"
            f" served {counted(count.served, 'time')}",
        ),
        "meaning": Signal(ramp(cosine, low=0.1, high=0.8), f"Meaning: cosine {cosine:.2f}"),
    }
    # The one in the smaller toolkit would move.
    sizes = evidence.cohesion.sizes
    if sizes[labels[0]] > sizes[labels[1]]:
        rowids, labels = (rowids[1], rowids[0]), labels[::-1]
    is_one = labels[0] == labels[1]
    kits = [evidence.toolkits[label] for label in labels]
    if not is_one and any(kit.is_pinned for kit in kits):
        return None
    names = " and ".join(f"“{kit.name}”" for kit in kits)
    times = f"{counted(count.served, 'time')} of {count.tried:,}"
    title = (
        f"In “{kits[0].name}” one API stood in for another {times}: keep them together?"
        if is_one
        else f"APIs of {names} stood in for each other {times}: one toolkit?"
    )
    return Candidate(
        kind=CandidateKind.STAND_IN,
        about=tuple(sorted(rowids)),
        title=title,
        toolkits=tuple(dict.fromkeys(kit.id for kit in kits)),
        apis=rowids,
        signals=signals,
        gain=float(np.log2(1 + count.served)),
    )
