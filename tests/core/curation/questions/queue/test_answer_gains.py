"""Merges of two and splits are asked only if the APIs lie better afterwards, as the card says."""

from dataclasses import replace
from pathlib import Path

import pytest
from fixtures.review_world import MISFIT, MONEY, RAIN, SONGS, WEATHER, faulty_workspace, silent

from toolplanner_core.curation.edits.history import preview
from toolplanner_core.curation.edits.move import Merge
from toolplanner_core.curation.edits.split import Split
from toolplanner_core.curation.questions.kinds.candidate import Candidate, CandidateKind, Signal
from toolplanner_core.curation.questions.queue.answer_effects import effect_of_answer
from toolplanner_core.curation.questions.queue.answer_gains import (
    AnswerGains,
    silhouette_gain_of_split,
    silhouette_gains,
)
from toolplanner_core.curation.questions.queue.queue import ReviewQueue
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.workspace.toolkits import member_rowids


def merge(one: int, other: int, **signals: Signal) -> Candidate:
    return Candidate(
        kind=CandidateKind.MERGE,
        about=(one, other),
        title="?",
        toolkits=(ToolkitId(one), ToolkitId(other)),
        apis=(),
        signals=signals,
        gain=1.0,
    )


def test_gain_when_measured_for_many_merges_at_once_then_what_the_card_of_each_foresees(
    tmp_path: Path,
) -> None:
    with faulty_workspace(tmp_path / "w.toolplanner") as workspace:
        queue = ReviewQueue.read(workspace, progress=silent())
        assert queue.evidence is not None
        ids = [one.id for one in queue.evidence.toolkits]
        merges = [merge(a, b) for a in ids for b in ids if a < b]

        gains = silhouette_gains(queue.evidence, merges)

        for one, gain in zip(merges, gains, strict=True):
            into, gone = one.toolkits
            edit = Merge(toolkits=(into, gone), into=into)
            seen = effect_of_answer(queue.evidence, preview(workspace, edit).changes)
            rise = seen.silhouette_after - seen.silhouette_before
            assert gain == pytest.approx(rise, abs=1e-5), one.key
        assert min(gains) < 0 < max(gains)


def test_merge_when_it_makes_the_fit_worse_then_is_not_asked_unless_runs_took_one_for_the_other(
    tmp_path: Path,
) -> None:
    with faulty_workspace(tmp_path / "w.toolplanner") as workspace:
        queue = ReviewQueue.read(workspace, progress=silent())
        assert queue.evidence is not None
        good, bad = merge(RAIN, WEATHER), merge(MONEY, SONGS)
        anyway = merge(SONGS, MONEY, runs=Signal(1.0, "Runs: stepped in"))

        gains = AnswerGains()
        gains.follow(queue.evidence, [good, bad, anyway])

        assert [gains.is_worth(one) for one in (good, bad, anyway)] == [True, False, True]
        gains = silhouette_gains(queue.evidence, queue.waiting(CandidateKind.MERGE))
        assert gains
        assert min(gains) > 0


def test_split_when_it_makes_the_fit_worse_then_is_not_asked_and_measured_as_the_card_does(
    tmp_path: Path,
) -> None:
    with faulty_workspace(tmp_path / "w.toolplanner") as workspace:
        queue = ReviewQueue.read(workspace, progress=silent())
        evidence = queue.evidence
        assert evidence is not None
        songs = member_rowids(workspace, ToolkitId(SONGS))
        parts = [(MONEY, (MISFIT,)), (SONGS, tuple(songs[:3])), (WEATHER, (4,))]
        splits = [replace(merge(kit, kit), kind=CandidateKind.SPLIT, apis=p) for kit, p in parts]
        gains = AnswerGains()
        gains.follow(evidence, splits)

        risen: list[float] = []
        for split in splits:
            kit = split.toolkits[0]
            edit = Split(toolkit=kit, parts=(split.apis,), names=("Part",), descriptions=("",))
            seen = effect_of_answer(evidence, preview(workspace, edit).changes)
            risen.append(seen.silhouette_after - seen.silhouette_before)
            place = evidence.place_of(kit)
            gain = silhouette_gain_of_split(evidence, split, place)
            assert gain == pytest.approx(risen[-1], abs=1e-5)
            assert gains.is_worth(split) is (gain > 0)
        assert min(risen) < 0 < max(risen), "a misfit leaves, and one subject is torn apart"
