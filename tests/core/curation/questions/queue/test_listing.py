"""Which questions are listed, and which one comes up after an answer."""

from toolplanner_core.curation.questions.kinds.candidate import Candidate, CandidateKind, Signal
from toolplanner_core.curation.questions.queue.agreement import Agreement
from toolplanner_core.curation.questions.queue.listing import (
    ListedQuestions,
    QuestionChoice,
    following_one,
)
from toolplanner_core.curation.questions.queue.queue import ReviewStatus
from toolplanner_core.domain.ids import ToolkitId


def question(kind: CandidateKind, *toolkits: int) -> Candidate:
    signals = {name: Signal(0.8, f"{name}: much") for name in ("one", "other")}
    return Candidate(
        kind=kind,
        about=toolkits,
        title="?",
        toolkits=toolkits,
        apis=(),
        signals=signals,
        gain=1.0,
    )


MERGE = question(CandidateKind.MERGE, 1, 2)
NAME_OF_ONE = question(CandidateKind.NAME, 1)
NAME_OF_THREE = question(CandidateKind.NAME, 3)
SKIPPED = question(CandidateKind.SPLIT, 2)
LISTED = ListedQuestions(
    waiting=(MERGE, NAME_OF_ONE, NAME_OF_THREE),
    skipped=(SKIPPED,),
    status=ReviewStatus(waiting={}, skipped=1, accepted=0, rejected=0, agreement=Agreement({})),
    last=None,
)


def test_choice_when_all_kind_toolkit_or_skipped_then_only_those_are_listed() -> None:
    every = QuestionChoice()
    assert every.is_all
    assert every.of(LISTED) == [MERGE, NAME_OF_ONE, NAME_OF_THREE]
    assert every.of(LISTED, without={MERGE.key}) == [NAME_OF_ONE, NAME_OF_THREE]
    assert QuestionChoice(kind=CandidateKind.NAME).of(LISTED) == [NAME_OF_ONE, NAME_OF_THREE]
    assert QuestionChoice(toolkit=ToolkitId(1)).of(LISTED) == [MERGE, NAME_OF_ONE]
    skipped = QuestionChoice(is_skipped=True)
    assert (skipped.of(LISTED), skipped.is_all) == ([SKIPPED], False)


def test_following_one_when_the_next_is_touched_by_the_answer_then_a_later_one_comes() -> None:
    assert following_one(LISTED.waiting, MERGE) is NAME_OF_THREE
    assert following_one(LISTED.waiting, NAME_OF_THREE) is MERGE
    assert following_one([MERGE, NAME_OF_ONE], MERGE) is NAME_OF_ONE
    assert following_one([MERGE], MERGE) is None
