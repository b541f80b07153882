"""The questions that wait, in the order of what an answer is worth.

Built once (`ReviewQueue.read`, some seconds at 45,000 APIs), then carried from edit to edit
(`follow`, below 100 ms). `ReviewQueue.stored` lists at once what was found last time. A question
that was answered is not asked again while its evidence is the same; an accepted one is asked again
when its edit is undone. Thread-safe.
"""

import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Self

import numpy as np

from toolplanner_core.curation.edits.history_reading import edits_in_effect, parted_toolkits
from toolplanner_core.curation.edits.linked import LinkedApis
from toolplanner_core.curation.questions.kinds.candidate import Candidate, CandidateKind
from toolplanner_core.curation.questions.kinds.evidence import Evidence
from toolplanner_core.curation.questions.kinds.finding import refresh_candidates
from toolplanner_core.curation.questions.queue.agreement import Agreement, agreement_of
from toolplanner_core.curation.questions.queue.answer_gains import AnswerGains
from toolplanner_core.curation.questions.queue.evidence_updates import follow_changes
from toolplanner_core.curation.questions.queue.group_answers import (
    GroupsApart,
    without_doubled,
)
from toolplanner_core.curation.questions.queue.question_cache import (
    cache_questions,
    cached_questions,
)
from toolplanner_core.curation.questions.queue.queue_loading import gather, run_records
from toolplanner_core.domain.curated import Changes
from toolplanner_core.domain.ids import EditId, ToolkitId
from toolplanner_core.errors import NotFound
from toolplanner_core.jobs.isolation import Isolation, PartFailure, PartKind
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.words.window_places import SEE_QUESTIONS
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.curated_tables import all_exclusions
from toolplanner_core.workspace.stand_ins import stand_in_counts
from toolplanner_core.workspace.verdicts import StoredVerdict, Verdict, load_verdicts

_MERGES = PartKind(
    "measuring of answers", "measurings of answers", "some are asked that are not worth it"
)
_ANSWER_CHANGES_EVIDENCE = (CandidateKind.NAME, CandidateKind.DESCRIPTION)
"""Accepting these leaves the toolkit as it is but for the text that was asked about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewStatus:
    """Where the review stands.

    Attributes:
        waiting: questions by kind.
        accepted, rejected, skipped: answers that count.
        agreement: shares accepted by kind and strength of the signals.
    """

    waiting: Mapping[str, int]
    accepted: int
    rejected: int
    skipped: int
    agreement: Agreement

    @property
    def left(self) -> int:
        """All questions that wait."""
        return sum(self.waiting.values())

    @property
    def answered(self) -> int:
        """Questions that were accepted or rejected."""
        return self.accepted + self.rejected


class ReviewQueue:
    """Made by `read`, or by `kept` while that goes on."""

    def __init__(
        self,
        workspace: Workspace,
        evidence: Evidence | None,
        candidates: list[Candidate],
        failures: Sequence[PartFailure] = (),
    ) -> None:
        self._workspace = workspace
        self._lock = threading.RLock()
        self._evidence = evidence
        self._candidates = {one.key: one for one in candidates}
        self._gains = AnswerGains()
        self._isolation = Isolation()
        self._isolation.add(failures)
        if evidence is not None:
            self._measure(evidence, candidates)
        with workspace.snapshot() as db:
            self._excluded = all_exclusions(db)
            self._linked = LinkedApis.read(db)
        self._splits: dict[EditId, Mapping[ToolkitId, ToolkitId]] = {}
        self._parted: dict[ToolkitId, ToolkitId] = {}
        self._verdicts: dict[str, StoredVerdict] = {}
        self._in_effect: set[str] = set()
        self._apart = GroupsApart()
        self._agreement = Agreement({})
        self._waiting: list[Candidate] | None = None
        self.read_verdicts()

    @classmethod
    def read(cls, workspace: Workspace, *, progress: Progress) -> Self:
        """The queue of a workspace; blocks for some seconds at 45,000 APIs.

        Raises:
            NotFound: nothing is embedded, or there are no toolkits.
            BadInput: there are no APIs.
            Cancelled, WorkerDied: nothing was found.
        """
        return cls(workspace, *gather(workspace, progress=progress))

    @classmethod
    def stored(cls, workspace: Workspace) -> Self | None:
        """What was found last time and may still be asked, without evidence; None = nothing."""
        found = cached_questions(workspace)
        return cls(workspace, None, found) if found else None

    def keep(self) -> None:
        """Keep what was found for the next opening; blocks for a tenth of a second."""
        with self._lock:
            found = [one for one in self._candidates.values() if self._gains.is_worth(one)]
        cache_questions(self._workspace, found)

    @property
    def failures(self) -> tuple[PartFailure, ...]:
        """Searches for questions that a fault of the program ended; the others are here."""
        return self._isolation.failures

    @property
    def evidence(self) -> Evidence | None:
        """What the questions follow from; None where they are those of last time."""
        return self._evidence

    def follow(self, changes: Changes) -> None:
        """Find anew what an edit, an undo or a redo may have changed."""
        with self._lock:
            if self._evidence is None:
                self._drop(changes)
            else:
                followed = follow_changes(self._evidence, changes)
                self._refresh(followed.evidence, followed.touched)
            for rowid, reason in changes.excluded.items():
                self._excluded.pop(rowid, None)
                if reason is not None:
                    self._excluded[rowid] = reason
        self.read_verdicts()

    def read_runs(self) -> None:
        """Take in what runs and experiments since then say about toolkits."""
        records, stand_ins = run_records(self._workspace), stand_in_counts(self._workspace)
        with self._lock:
            before = self._evidence
            if before is None:
                return
            known = before.runs
            touched = {t for t in known.keys() | records.keys() if known.get(t) != records.get(t)}
            if touched or stand_ins != before.stand_ins:
                nothing_moved = np.zeros(0, dtype=np.int64)
                after = replace(before, runs=records, stand_ins=stand_ins, changed=nothing_moved)
                self._refresh(after, touched)

    def read_verdicts(self) -> None:
        """Read what was answered, which of the edits it made still count, and what is linked."""
        verdicts = load_verdicts(self._workspace)
        with self._workspace.snapshot() as db:
            done = edits_in_effect(db)
            parted = parted_toolkits(db, self._splits)
            linked = LinkedApis.read(db)
        with self._lock:
            self._linked = linked
            self._parted = parted
            self._verdicts = verdicts
            self._in_effect = {
                key for key, one in verdicts.items() if one.edit is None or one.edit in done
            }
            self._apart = GroupsApart(verdicts[key] for key in self._in_effect)
            self._agreement = agreement_of(verdicts[key] for key in self._in_effect)
            self._waiting = None

    def waiting(self, kind: CandidateKind | None = None) -> list[Candidate]:
        """Questions without an answer: merges of what does the same job for sure, then the most
        valuable first."""
        with self._lock:
            if self._waiting is None:
                worth = {
                    key: one.gain * self._agreement.probability(one)
                    for key, one in self._candidates.items()
                    if not self._is_answered(one) and not self._is_idle(one)
                }
                order = sorted(worth, key=lambda key: (*self._rank(key, worth[key]), key))
                self._waiting = without_doubled(self._candidates[key] for key in order)
            return [one for one in self._waiting if kind is None or one.kind is kind]

    def _rank(self, key: str, worth: float) -> tuple[bool, float]:
        """What does the same job for sure comes first; then what is worth most."""
        candidate = self._candidates[key]
        if candidate.is_sure:
            return False, -self._agreement.probability(candidate)
        return True, -worth

    def skipped(self) -> list[Candidate]:
        """Questions that were put off, in the order of skipping."""
        with self._lock:
            return [
                self._candidates[key]
                for key, one in self._verdicts.items()
                if one.verdict is Verdict.SKIPPED and key in self._candidates
            ]

    def get(self, key: str) -> Candidate:
        """A question, answered or not.

        Raises:
            NotFound: it is not asked (any more).
        """
        with self._lock:
            found = self._candidates.get(key)
        if found is None:
            raise NotFound(
                f"The review has no question “{key}”",
                why="An edit since has settled it, or it was never asked",
                todo=SEE_QUESTIONS,
            )
        return found

    def is_asked(self, key: str) -> bool:
        """Whether the state of the toolkits still raises a question, answered or not."""
        with self._lock:
            return key in self._candidates

    def last_verdict(self) -> StoredVerdict | None:
        """The newest answer that still counts."""
        with self._lock:
            found = [one for key, one in self._verdicts.items() if key in self._in_effect]
        return found[-1] if found else None

    def probability(self, candidate: Candidate) -> float:
        """How likely it is accepted, corrected by the answers so far."""
        return self._agreement.probability(candidate)

    def status(self) -> ReviewStatus:
        """Where the review stands."""
        waiting = self.waiting()
        with self._lock:
            counted = Counter(
                one.verdict for key, one in self._verdicts.items() if key in self._in_effect
            )
            return ReviewStatus(
                waiting=Counter(one.kind.value for one in waiting),
                accepted=counted[Verdict.ACCEPTED],
                rejected=counted[Verdict.REJECTED],
                skipped=counted[Verdict.SKIPPED],
                agreement=self._agreement,
            )

    def _refresh(self, evidence: Evidence, touched: set[ToolkitId]) -> None:
        found = refresh_candidates(
            self._candidates.values(), evidence, touched, isolation=self._isolation
        )
        self._evidence = evidence
        self._candidates = {one.key: one for one in found}
        self._measure(evidence, found)
        self._waiting = None

    def _measure(self, evidence: Evidence, candidates: Sequence[Candidate]) -> None:
        follow = partial(self._gains.follow, evidence, candidates)
        self._isolation.make(_MERGES, follow, lambda: None)

    def _drop(self, changes: Changes) -> None:
        """Without evidence: what an edit may have settled is not asked until it is found anew."""
        joined = {m.toolkit for m in changes.members.values() if m is not None}
        touched = joined | set(changes.toolkits)
        self._candidates = {
            key: one
            for key, one in self._candidates.items()
            if touched.isdisjoint(one.toolkits) and changes.members.keys().isdisjoint(one.apis)
        }
        self._waiting = None

    def _is_answered(self, candidate: Candidate) -> bool:
        verdict = self._verdicts.get(candidate.key)
        if verdict is None or candidate.key not in self._in_effect:
            return False
        if verdict.verdict is Verdict.ACCEPTED and candidate.kind in _ANSWER_CHANGES_EVIDENCE:
            return True
        return verdict.evidence == candidate.evidence

    def _is_idle(self, candidate: Candidate) -> bool:
        """Whether something else has answered it: excluded APIs, a link between APIs, a person
        who split the one from the other, or a merge that would make it worse."""
        if not self._gains.is_worth(candidate):
            return True
        if self._apart.settle(candidate):
            return True
        if candidate.kind is CandidateKind.DUPLICATE:
            return sum(rowid not in self._excluded for rowid in candidate.apis) < 2
        if candidate.kind is CandidateKind.STAND_IN and (
            any(rowid in self._excluded for rowid in candidate.apis)
            or self._linked.are_linked(*candidate.apis)
        ):
            return True
        if candidate.kind in (CandidateKind.MERGE, CandidateKind.MOVE):
            one, other = (self._parted.get(toolkit) for toolkit in candidate.toolkits[:2])
            if one is not None and one == other:
                return True
        return self._linked.broken_by(candidate.moving) is not None
