"""The graph as it is kept between runs: counts, scores, and what people decided; weights are
computed from these when they are asked for.

Without any trajectory all APIs are connected, equally: that is computed, not stored, since 45,000
APIs would have two thousand million edges.

How much weight a transition has: from trajectories, and from the scores of later runs.

Source: ToolNet, arXiv 2403.00839, equations 5 to 8. The paper prints the score of the tool that is
left in the numerator of equation 7; that of the tool that is gone to is our reading, since else all
successors of a tool would gain alike."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import exp
from typing import Any, NamedTuple, Protocol, runtime_checkable

from toolplanner_core.domain.ids import ApiId


@dataclass(frozen=True, slots=True, kw_only=True)
class Formula:
    """The constants of the weights.

    Attributes:
        alpha: how fast scores change weights.
        beta: share of the weight that comes from trajectories; the rest comes from scores.
        window: only so many last scores of an API count; None = all, as in the paper.
    """

    alpha: float = 0.5
    beta: float = 0.5
    window: int | None = None

    def total(self, scores: Sequence[int]) -> int:
        """The accumulated score."""
        return sum(scores if self.window is None else scores[-self.window :])

    def strength(self, score: float) -> float:
        """f(x): a score as a positive number; 1 for nothing known (equation 8)."""
        return self.alpha * score + 1 if score >= 0 else exp(self.alpha * score)

    def weight(self, static: float, dynamic: float) -> float:
        """Both parts together (equation 6)."""
        return self.beta * static + (1 - self.beta) * dynamic


@runtime_checkable
class WeighsEdges(Protocol):
    """Options of a strategy that walks the graph."""

    @property
    def formula(self) -> Formula:
        """By which edges are weighed."""
        ...


START, END = ApiId("start"), ApiId("end")
GRAPH_MEMORY, DECIDED_MEMORY = "toolnet", "toolnet decided"
"""What runs learn, and what people decide; apart, so that neither overwrites the other."""


class ToolScore(NamedTuple):
    """What the evaluator said of an API after a run.

    Attributes:
        learned: number of the run among those that were scored.
    """

    learned: int
    score: int
    reason: str


class Transition(NamedTuple):
    """An edge.

    Attributes:
        weight: 0 to 1.
        static, dynamic: its two parts, before they are put together.
        is_decided: a person set the weight; nothing that is learned changes it.
        times: how often it stands in the trajectories.
    """

    api: ApiId
    weight: float
    static: float
    dynamic: float
    is_decided: bool = False
    times: int = 0


Counts = Mapping[ApiId, Mapping[ApiId, int]]
Decided = Mapping[ApiId, Mapping[ApiId, float | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolGraph:
    """Which API comes after which.

    Attributes:
        counts: how often an API, or the end, came right after another one.
        trajectories: from how many those are.
        scores: of each API, in the order of the runs.
        decided: weights that people set; None = they cut the edge.
        learned: runs that were scored.
    """

    counts: Counts = field(default_factory=dict[ApiId, Mapping[ApiId, int]])
    trajectories: int = 0
    scores: Mapping[ApiId, Sequence[ToolScore]] = field(
        default_factory=dict[ApiId, Sequence[ToolScore]]
    )
    decided: Decided = field(default_factory=dict[ApiId, Mapping[ApiId, float | None]])
    learned: int = 0

    @property
    def is_complete(self) -> bool:
        """Whether everything is connected, since nothing is known."""
        return not self.counts

    def successors(
        self, api: ApiId, formula: Formula, *, among: Iterable[ApiId] = (), apis: int = 0
    ) -> list[Transition]:
        """What may come after an API, the greatest weight first; equal ones as they are given.

        Args:
            among: what else is to be weighed where all is connected; from the start, these only.
            apis: in the whole catalogue.
        """
        decided = self.decided.get(api, {})
        counted = self.counts.get(api, {})
        names = [*among] if api == START else [*counted, *decided, api, END]
        others = 0
        if self.is_complete and api != START:
            names += [*among, *self.scores]
            others = max(apis + 1 - len(set(names)), 0)
        cut = {name for name, weight in decided.items() if weight is None}
        names = [name for name in dict.fromkeys(names) if name not in cut]
        uses, strengths = sum(counted.values()), {n: self._strength(n, formula) for n in names}
        all_strength = sum(strengths.values()) + others * formula.strength(0)
        equal = 1 / max(len(names) + others, 1)
        is_equal = api == START or self.is_complete
        found: list[Transition] = []
        for name in names:
            static = equal if is_equal else counted.get(name, 0) / max(uses, 1)
            dynamic = strengths[name] / all_strength
            fixed = decided.get(name)
            weight = formula.weight(static, dynamic) if fixed is None else fixed
            times = counted.get(name, 0)
            found.append(Transition(name, weight, static, dynamic, fixed is not None, times))
        return sorted(found, key=lambda each: -each.weight)

    def predecessors(self, api: ApiId, formula: Formula) -> list[Transition]:
        """What an API is known to come after, each with the weight of that edge."""
        before = {name for name, row in self.counts.items() if api in row}
        before |= {name for name, row in self.decided.items() if api in row}
        found = [
            edge._replace(api=name)
            for name in sorted(before)
            for edge in self.successors(name, formula)
            if edge.api == api
        ]
        return sorted(found, key=lambda each: -each.weight)

    def score(self, api: ApiId, formula: Formula) -> int:
        """The accumulated score of an API."""
        return formula.total([each.score for each in self.scores.get(api, ())])

    def _strength(self, api: ApiId, formula: Formula) -> float:
        return formula.strength(self.score(api, formula))

    def with_scores(self, scores: Mapping[ApiId, tuple[int, str]]) -> "ToolGraph":
        """The graph after another run was scored."""
        number = self.learned + 1
        kept = dict(self.scores)
        for api, (score, reason) in scores.items():
            kept[api] = (*kept.get(api, ()), ToolScore(number, score, reason))
        return replace(self, scores=kept, learned=number)

    def with_trajectories(self, trajectories: Iterable[Sequence[ApiId]]) -> "ToolGraph":
        """The graph with counts from these alone; scores stay (Source: equation 5)."""
        counts: dict[ApiId, Counter[ApiId]] = {}
        number = 0
        for trajectory in trajectories:
            if not trajectory:
                continue
            number += 1
            for before, after in zip(trajectory, (*trajectory[1:], END), strict=True):
                counts.setdefault(before, Counter())[after] += 1
        plain = {before: dict(row) for before, row in counts.items()}
        return replace(self, counts=plain, trajectories=number)

    def to_json(self) -> dict[str, Any]:
        """As runs remember it: without what people decided."""
        return {
            "counts": {before: dict(row) for before, row in self.counts.items()},
            "trajectories": self.trajectories,
            "scores": {api: [list(each) for each in row] for api, row in self.scores.items()},
            "learned": self.learned,
        }

    @classmethod
    def from_json(cls, learned: Any, decided: Any) -> "ToolGraph":
        """From the two memories; None = nothing is remembered."""
        known = learned or {}
        return cls(
            counts=known.get("counts", {}),
            trajectories=known.get("trajectories", 0),
            scores={
                api: [ToolScore(*each) for each in row]
                for api, row in known.get("scores", {}).items()
            },
            decided=decided or {},
            learned=known.get("learned", 0),
        )
