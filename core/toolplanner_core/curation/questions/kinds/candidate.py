"""One question of the review queue, with all that speaks for it side by side.

A suggestion is navigation, not a verdict (design of phy; research/curation.md D 2): each signal is
shown with its own value and sentence, and a candidate is only made where two of them agree.
"""

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from toolplanner_core.domain.ids import ToolkitId

AGREES = 0.5
"""A signal of at least this value speaks for the candidate."""

A_NEW_TOOLKIT = ToolkitId(0)
"""Where APIs go that become a toolkit of their own; ids begin at 1."""

_STEPS = 4
"""Signals enter the hash of the evidence in quarters: a verdict is asked for again only when
something has become clearly more or less likely, not after each edit nearby."""


class CandidateKind(StrEnum):
    """What is asked."""

    GROUP = "group"
    MERGE = "merge"
    SPLIT = "split"
    MOVE = "move"
    DUPLICATE = "duplicate"
    NAME = "name"
    DESCRIPTION = "description"
    HOMELESS = "homeless"
    BLAMED = "blamed"
    STAND_IN = "stand_in"


class Signal(NamedTuple):
    """One piece of evidence.

    Attributes:
        value: 0 (speaks against) to 1 (speaks for).
        sentence: the same in plain words with its figure.
    """

    value: float
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A possible edit that a person should judge.

    Attributes:
        about: ids that the key is made of, in their order.
        title: the question for people.
        toolkits: ids of all toolkits it is about; for a move the present one, then the proposed;
            for merges the one that stays, then those that join it.
        apis: row ids of the APIs it is about: those that would move, the smaller part of a split,
            the copies, the two that stood in for each other.
        signals: by name, the most telling first.
        confidence: how likely it is right as measured: when the API was placed, or by toolkits
            that do the same job for sure; None where nothing measures it.
        gain: how much is won if it is accepted: log2(1 + n) of the APIs, copies or failed steps
            that it puts right; half of it for names and descriptions; for several merges in one
            the sum of theirs.
    """

    kind: CandidateKind
    about: tuple[int, ...]
    title: str
    toolkits: tuple[ToolkitId, ...]
    apis: tuple[int, ...]
    signals: Mapping[str, Signal]
    gain: float
    confidence: float | None = None

    @property
    def key(self) -> str:
        """Kind and ids, such as "merge:12+57": the same question has the same key."""
        return f"{self.kind}:{'+'.join(map(str, self.about))}"

    @property
    def probability(self) -> float:
        """How likely a person accepts it, 0 to 1: as measured, else the mean of the signals, until
        the queue has learned from verdicts."""
        if self.confidence is not None:
            return self.confidence
        return sum(one.value for one in self.signals.values()) / max(1, len(self.signals))

    @property
    def is_sure(self) -> bool:
        """Whether its toolkits do the same job for sure: asked before all others."""
        return self.kind is CandidateKind.GROUP and self.confidence is not None

    @property
    def evidence(self) -> str:
        """A hash; a verdict is remembered while it stays the same."""
        steps = (f" {n}={round(one.value * _STEPS)}" for n, one in sorted(self.signals.items()))
        return hashlib.sha256(f"{self.key}{''.join(steps)}".encode()).hexdigest()[:16]

    @property
    def moving(self) -> Mapping[int, ToolkitId]:
        """Where accepting it takes APIs, by row id."""
        match self.kind:
            case CandidateKind.MERGE | CandidateKind.GROUP:
                target = self.toolkits[0]
            case CandidateKind.MOVE:
                target = self.toolkits[1]
            case CandidateKind.SPLIT:
                target = A_NEW_TOOLKIT
            case CandidateKind.HOMELESS:
                target = next(iter(self.toolkits), A_NEW_TOOLKIT)
            case CandidateKind.STAND_IN if len(self.toolkits) > 1:
                return {self.apis[0]: self.toolkits[1]}
            case _:
                return {}
        return dict.fromkeys(self.apis, target)

    def without(self, toolkits: Collection[ToolkitId]) -> "Candidate":
        """The same question about fewer toolkits; the one that stays is never left out."""
        return replace(
            self,
            toolkits=self.toolkits[:1]
            + tuple(one for one in self.toolkits[1:] if one not in toolkits),
        )

    @property
    def expected_value(self) -> float:
        """What the queue is ordered by: gain x probability."""
        return self.gain * self.probability


def is_agreed(signals: Mapping[str, Signal]) -> bool:
    """Whether at least two signals speak for it and the mean does as well; never one alone."""
    values = [one.value for one in signals.values()]
    return sum(value >= AGREES for value in values) > 1 and sum(values) >= AGREES * len(values)
