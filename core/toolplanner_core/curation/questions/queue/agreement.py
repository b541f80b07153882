"""How often a person agreed with the queue, and what that says of the questions that wait.

The mean of the signals is a guess; the analyst's own answers to questions of the same kind and
strength correct it.

Source: beta-binomial smoothing; the guess counts as `_PRIOR` answers.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from toolplanner_core.curation.questions.kinds.candidate import Candidate
from toolplanner_core.workspace.verdicts import StoredVerdict, Verdict

BANDS = (0.0, 0.6, 0.7, 0.8, 0.9)
"""Where the bands of the mean signal begin; the last one ends at 1."""

_PRIOR = 4.0


@dataclass(frozen=True, slots=True, kw_only=True)
class BandAgreement:
    """Answers to questions of one kind whose mean signal lies in one band.

    Attributes:
        low, high: the band, 0 to 1.
        share: accepted of all answered, 0 to 1.
    """

    kind: str
    low: float
    high: float
    accepted: int
    rejected: int

    @property
    def share(self) -> float:
        return self.accepted / max(1, self.accepted + self.rejected)


@dataclass(frozen=True, slots=True)
class Agreement:
    """Answers by kind and band."""

    bands: Mapping[tuple[str, int], BandAgreement]

    def probability(self, candidate: Candidate) -> float:
        """How likely the person accepts it, 0 to 1, by what they answered so far."""
        guess = candidate.probability
        found = self.bands.get((candidate.kind.value, band_of(guess)))
        if found is None:
            return guess
        n = found.accepted + found.rejected
        return (found.accepted + _PRIOR * guess) / (n + _PRIOR)

    @property
    def n_answers(self) -> int:
        """Questions that a person answered one by one."""
        return sum(one.accepted + one.rejected for one in self.bands.values())

    @property
    def share(self) -> float:
        """Accepted of those, 0 to 1."""
        return sum(one.accepted for one in self.bands.values()) / max(1, self.n_answers)

    def rows(self) -> list[BandAgreement]:
        """All bands that have answers, by kind, the strongest first."""
        return sorted(self.bands.values(), key=lambda one: (one.kind, -one.low))


def agreement_of(answers: Iterable[StoredVerdict]) -> Agreement:
    """Count answers by kind and band; what was skipped, or accepted with many that nobody read,
    says nothing."""
    counts: dict[tuple[str, int], Counter[Verdict]] = {}
    for answer in answers:
        if answer.shown.get("batch"):
            continue
        key = (answer.kind, band_of(float(answer.shown.get("probability", 0.0))))
        counts.setdefault(key, Counter())[answer.verdict] += 1
    return Agreement(
        {
            (kind, band): BandAgreement(
                kind=kind,
                low=BANDS[band],
                high=BANDS[band + 1] if band + 1 < len(BANDS) else 1.0,
                accepted=counted[Verdict.ACCEPTED],
                rejected=counted[Verdict.REJECTED],
            )
            for (kind, band), counted in counts.items()
            if counted.keys() != {Verdict.SKIPPED}
        }
    )


def band_of(probability: float) -> int:
    """The band that a mean signal lies in, as an index of `BANDS`."""
    return max(i for i, low in enumerate(BANDS) if probability >= low or i == 0)
