"""What waits for an answer at one moment, which part of it is listed, and what comes up next."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from toolplanner_core.curation.questions.kinds.candidate import Candidate, CandidateKind
from toolplanner_core.domain.ids import ToolkitId

if TYPE_CHECKING:
    # The window knows what is listed long before it looks for questions.
    from toolplanner_core.curation.questions.queue.queue import ReviewQueue, ReviewStatus
    from toolplanner_core.workspace.verdicts import StoredVerdict


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedQuestions:
    """What waits, as of the last edit.

    Attributes:
        waiting: the most valuable first.
        last: the newest answer, which can be taken back.
    """

    waiting: tuple[Candidate, ...]
    skipped: tuple[Candidate, ...]
    status: ReviewStatus
    last: StoredVerdict | None


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionChoice:
    """Which questions a person wants to see.

    Attributes:
        kind: only these; None = of all kinds.
        toolkit: only those about it; None = about all.
        toolkits: only those about some of these, such as a region's; None = about all.
        is_skipped: those that were skipped instead of those that wait.
        above: only those whose mean signal is at least this.
        words: only those whose title holds all of these words, in any case.
    """

    kind: CandidateKind | None = None
    toolkit: ToolkitId | None = None
    toolkits: frozenset[ToolkitId] | None = None
    is_skipped: bool = False
    above: float = 0.0
    words: str = ""

    @property
    def is_all(self) -> bool:
        """Whether everything that waits is listed."""
        return self == QuestionChoice()

    @property
    def is_strong(self) -> bool:
        """Whether only those with strong signals are listed."""
        return self.above > 0

    def around(self, listed: ListedQuestions) -> list[Candidate]:
        """Those of all kinds and signals that wait in the same toolkits."""
        return replace(self, kind=None, above=0.0, is_skipped=False).of(listed)

    def everywhere(self, listed: ListedQuestions) -> list[Candidate]:
        """Those of the same kind that wait in all toolkits."""
        return replace(self, toolkit=None, toolkits=None, above=0.0, is_skipped=False).of(listed)

    def of(self, listed: ListedQuestions, *, without: Collection[str] = ()) -> list[Candidate]:
        """The chosen ones, less those with these keys."""
        wanted = self.words.casefold().split()
        if self.is_skipped:
            return [one for one in listed.skipped if _holds(one, wanted)]
        return [
            one
            for one in listed.waiting
            if self.kind in (None, one.kind)
            and one.probability >= self.above
            and (self.toolkit is None or self.toolkit in one.toolkits)
            and (self.toolkits is None or not self.toolkits.isdisjoint(one.toolkits))
            and one.key not in without
            and _holds(one, wanted)
        ]


def _holds(candidate: Candidate, words: Sequence[str]) -> bool:
    """Whether its title holds all of these words, in small letters."""
    title = candidate.title.casefold() if words else ""
    return all(word in title for word in words)


def list_questions(queue: ReviewQueue) -> ListedQuestions:
    """What waits now; not on the GUI thread."""
    return ListedQuestions(
        waiting=tuple(queue.waiting()),
        skipped=tuple(queue.skipped()),
        status=queue.status(),
        last=queue.last_verdict(),
    )


def following_one(questions: Sequence[Candidate], answered: Candidate) -> Candidate | None:
    """The question that comes up after an answer: the most valuable one that it does not touch.

    Not the next one of the list: answers change the order, and what was just rejected would drag
    the eye down with its kind.
    """
    about = set(answered.toolkits)
    others = (one for one in questions if one.key != answered.key)
    first = next(others, None)
    if first is None or about.isdisjoint(first.toolkits):
        return first
    return next((one for one in others if about.isdisjoint(one.toolkits)), first)
