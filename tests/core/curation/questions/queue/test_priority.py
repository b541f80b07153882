"""What the worth of a question is made of, in words that are true for each kind."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
from fixtures.review_world import faulty_workspace

from toolplanner_core.curation.questions.kinds.candidate import Candidate, CandidateKind
from toolplanner_core.curation.questions.queue.answer_effects import (
    AnswerEffect,
    ToolkitChange,
    ToolkitState,
)
from toolplanner_core.curation.questions.queue.priority import (
    priority_words,
    puts_right,
    why_here,
)
from toolplanner_core.curation.questions.queue.queue import ReviewQueue
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.jobs.progress import Progress

_COUNTED = {
    CandidateKind.MERGE: (0, "API"),
    CandidateKind.SPLIT: (0, "API"),
    CandidateKind.MOVE: (0, "API"),
    CandidateKind.HOMELESS: (0, "API"),
    CandidateKind.DUPLICATE: (-1, "cop"),
}
"""What the gain of a kind counts of its APIs: all, or all but the one that stays."""


def test_worth_of_the_questions_there_are_then_their_words_are_what_it_is_made_of(
    tmp_path: Path,
) -> None:
    kinds = set[CandidateKind]()
    with faulty_workspace(tmp_path / "faulty") as workspace:
        queue = ReviewQueue.read(workspace, progress=Progress())
        for one in queue.waiting():
            worth = one.gain * queue.probability(one)
            found = re.fullmatch(
                r"Worth ([\d.]+) = ([\d.]+) for (.+) × ([\d.]+) likely accepted",
                priority_words(one, worth),
            )
            assert found is not None
            said, gain, _, likely = found.groups()
            assert abs(float(gain) * float(likely) - float(said)) < 0.11
            if one.kind in _COUNTED:
                kinds.add(one.kind)
                less, word = _COUNTED[one.kind]
                assert puts_right(one).startswith(f"{len(one.apis) + less} {word}")
    assert kinds >= {CandidateKind.MERGE, CandidateKind.DUPLICATE}


def test_what_a_name_or_a_failure_counts_is_no_api_put_right() -> None:
    def of(kind: CandidateKind, gain: float) -> str:
        made = Candidate(
            kind=kind, about=(1,), title="", toolkits=(), apis=(), signals={}, gain=gain
        )
        return puts_right(made)

    half = float(np.log2(1 + 12)) / 2
    assert of(CandidateKind.NAME, half) == "the name of 12 APIs, which counts half"
    assert of(CandidateKind.DESCRIPTION, half) == "a description of 12 APIs, which counts half"
    assert of(CandidateKind.BLAMED, float(np.log2(1 + 7))) == "7 failed steps looked into"


def test_question_when_it_stands_in_the_list_then_one_sentence_says_why(tmp_path: Path) -> None:
    with faulty_workspace(tmp_path / "faulty") as workspace:
        queue = ReviewQueue.read(workspace, progress=Progress())
        said = [why_here(one, queue.probability(one)) for one in queue.waiting()]
        first = queue.waiting()[0]
    assert all(one.count(". ") == 0 and one.endswith(".") for one in said)
    assert all(one.startswith("Asked here because a yes means ") for one in said)
    assert puts_right(first) in said[0]
    sure = replace(first, kind=CandidateKind.GROUP, confidence=0.93)
    assert why_here(sure, 0.93).startswith("Asked before others: ")
    assert "0.93" in why_here(sure, 0.93)


def test_effect_when_the_silhouette_falls_then_what_outweighs_it_is_said() -> None:
    state = ToolkitState(3, 0.8, ())
    change = ToolkitChange(ToolkitId(1), "Rain", state, ToolkitState(6, 0.7, ()))
    falls, rises = AnswerEffect((change,), 0.77, 0.73), AnswerEffect((change,), 0.73, 0.77)
    assert falls.in_words(outweighed_by="runs and names")[-1].endswith(
        "0.77 → 0.73, outweighed by runs and names"
    )
    assert falls.in_words()[-1].endswith("0.77 → 0.73")
    assert rises.in_words(outweighed_by="runs and names")[-1].endswith("0.73 → 0.77 (better)")
