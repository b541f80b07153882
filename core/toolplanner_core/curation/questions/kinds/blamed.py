"""A toolkit in which steps of runs failed: is it made of the right APIs?"""

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.curation.questions.kinds.candidate import Candidate, CandidateKind, Signal
from toolplanner_core.curation.questions.kinds.evidence import Evidence, RunRecord
from toolplanner_core.curation.questions.kinds.signals import asked_groups, percent, ramp
from toolplanner_core.words.formatting import counted

_Z = 1.28
"""80 % interval: two failures in two steps weigh less than eight in ten."""


def find_blamed(evidence: Evidence, _groups: NDArray[np.int64] | None) -> list[Candidate]:
    """Toolkits with failed steps: always all of them; few, and they depend on those around."""
    found: list[Candidate] = []
    for group in asked_groups(evidence, None).tolist():
        record = evidence.runs.get(evidence.id_of(group))
        if record is not None and record.failed > 0:
            found.append(_candidate(evidence, group, record))
    return found


def _candidate(evidence: Evidence, group: int, record: RunRecord) -> Candidate:
    toolkit = evidence.toolkits[group]
    used = max(record.used, record.failed)
    rate = least_rate(record.failed, used)
    members = np.flatnonzero(evidence.labels == group)
    strays = float((evidence.cohesion.silhouette[members] < 0).mean())
    signals = {
        "runs": Signal(
            ramp(rate, low=0, high=0.6),
            f"Runs: {record.failed} of {counted(used, 'step')} failed here",
        ),
        "incomplete": Signal(
            record.incomplete / record.failed,
            f"Incomplete: in {record.incomplete} of them no API here could do the step",
        ),
        "strays": Signal(strays, f"Members: {percent(strays)} are nearer to another toolkit"),
    }
    others = [one for one in record.replanned_to if one != toolkit.id]
    return Candidate(
        kind=CandidateKind.BLAMED,
        about=(toolkit.id,),
        title=f"Look at “{toolkit.name}”: {counted(record.failed, 'step')} failed",
        toolkits=(toolkit.id, *others),
        apis=evidence.rowids_of(members),
        signals=signals,
        gain=float(np.log2(1 + record.failed)),
    )


def least_rate(failed: int, used: int) -> float:
    """The lower end of the interval of a rate, 0 to 1.

    Source: Wilson 1927, score interval.
    """
    if used <= 0:
        return 0.0
    rate, square = failed / used, _Z * _Z
    spread = _Z * np.sqrt(rate * (1 - rate) / used + square / (4 * used * used))
    return max(0.0, float((rate + square / (2 * used) - spread) / (1 + square / used)))
