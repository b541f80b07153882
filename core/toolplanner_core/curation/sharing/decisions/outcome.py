"""What became of each decision of a file in this workspace: the conflict report."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from toolplanner_core.curation.sharing.decisions.decision import Decision
from toolplanner_core.domain.ids import ApiId, EditId
from toolplanner_core.words.formatting import counted


class DecisionVerdict(StrEnum):
    """How much of a decision counts here now."""

    APPLIED = "applied"
    IN_PART = "in part"
    ALREADY = "already so"
    CONFLICT = "conflict"


_DONE = {
    DecisionVerdict.APPLIED: "applied",
    DecisionVerdict.IN_PART: "applied in part",
    DecisionVerdict.ALREADY: "already so",
    DecisionVerdict.CONFLICT: "did not fit",
}
_FORETOLD = {
    DecisionVerdict.APPLIED: "can be applied",
    DecisionVerdict.IN_PART: "can be applied in part",
    DecisionVerdict.ALREADY: "already so",
    DecisionVerdict.CONFLICT: "do not fit",
}


def verdict_words(verdict: DecisionVerdict, *, is_done: bool, n: int = 1) -> str:
    """What became of decisions.

    Args:
        is_done: they were applied; else what would become of them.
        n: of how many it is said.
    """
    words = (_DONE if is_done else _FORETOLD)[verdict]
    return words.replace("do not", "does not") if n == 1 else words


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionOutcome:
    """What became of one decision.

    Attributes:
        number: 1 for the first decision of the file.
        against: why it was not made, or not in full -> the APIs; none: it is about the toolkit.
        does: what it does here, an edit each; its own words may name toolkits of another workspace.
        names: what the catalogue here calls the APIs in `against`.
        missing: APIs of it that are not in this catalogue.
        edits: what was made; empty in a dry run.
    """

    number: int
    decision: Decision
    verdict: DecisionVerdict
    against: Mapping[str, tuple[ApiId, ...]]
    does: tuple[str, ...] = ()
    names: Mapping[ApiId, str] = field(default_factory=dict[ApiId, str])
    missing: tuple[ApiId, ...] = ()
    edits: tuple[EditId, ...] = ()

    @property
    def why(self) -> str:
        """Why it was not made, or not in full, in words; "" if it was."""
        parts = [
            f"{why} ({_listed(self.names, apis)})" if apis else why
            for why, apis in self.against.items()
        ]
        if self.missing:
            parts.append(f"not in this catalogue: {_listed(self.decision.names, self.missing)}")
        return "; ".join(part.rstrip(".") for part in parts)

    def to_json(self) -> dict[str, Any]:
        """For machines."""
        return {
            "number": self.number,
            "key": self.decision.key,
            "kind": self.decision.kind,
            "label": self.decision.label,
            "who": self.decision.who,
            "verdict": self.verdict.value,
            "why": self.why,
            "does": list(self.does),
            "against": [{"why": why, "apis": list(apis)} for why, apis in self.against.items()],
            "missing": list(self.missing),
            "edits": list(self.edits),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplyReport:
    """What became of all decisions of a file.

    Attributes:
        point: of the history before the first of them; a jump there takes all back.
    """

    point: EditId
    outcomes: tuple[DecisionOutcome, ...]

    def count(self, verdict: DecisionVerdict) -> int:
        """How many decisions ended so."""
        return Counter(outcome.verdict for outcome in self.outcomes)[verdict]

    def in_words(self, *, is_done: bool) -> str:
        """How many decisions came to what, as a sentence.

        Args:
            is_done: they were applied; else what would become of them.
        """
        parts = [
            f"{n:,} {verdict_words(verdict, is_done=is_done, n=n)}"
            for verdict in DecisionVerdict
            if (n := self.count(verdict))
        ] or ["none"]
        return f"{counted(len(self.outcomes), 'decision')}: {', '.join(parts)}"

    def to_json(self) -> dict[str, Any]:
        """For machines."""
        return {
            "point": self.point,
            "applied": self.count(DecisionVerdict.APPLIED),
            "in_part": self.count(DecisionVerdict.IN_PART),
            "already": self.count(DecisionVerdict.ALREADY),
            "conflicts": self.count(DecisionVerdict.CONFLICT),
            "missing_apis": len({api for one in self.outcomes for api in one.missing}),
            "decisions": [outcome.to_json() for outcome in self.outcomes],
        }


def _listed(names: Mapping[ApiId, str], apis: Sequence[ApiId], most: int = 3) -> str:
    shown = ", ".join(names.get(api, api) for api in apis[:most])
    return f"{shown} and {len(apis) - most:,} more" if len(apis) > most else shown
