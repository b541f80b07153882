"""Candidates of the review queue on small catalogues with known faults."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from fixtures.silent import silent
from hypothesis import example, given, settings
from hypothesis import strategies as st

from toolplanner_core.clustering.neighbours import nearest_neighbours
from toolplanner_core.curation.questions.kinds.blamed import least_rate
from toolplanner_core.curation.questions.kinds.candidate import Candidate, CandidateKind
from toolplanner_core.curation.questions.kinds.documents import read_documents
from toolplanner_core.curation.questions.kinds.evidence import (
    Evidence,
    ReviewedCatalogue,
    RunRecord,
    ToolkitFacts,
    after_edit,
    gather_evidence,
)
from toolplanner_core.curation.questions.kinds.finding import find_candidates, refresh_candidates
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.workspace.catalogue import ApiText

SUBJECTS = ("weather forecast", "currency exchange", "football score", "music lyric", "email")

NAMES = ("Rain", "Money", "Goals", "Songs", "Letters", "Maps", "Jobs", "Cars")


def catalogue(
    labels: list[int],
    subjects: list[int],
    *,
    names: list[str] | None = None,
    noise: float = 0.15,
    runs: dict[int, RunRecord] | None = None,
    pinned: set[int] | None = None,
    copies: dict[int, int] | None = None,
    seed: int = 0,
) -> Evidence:
    """APIs about subjects, in toolkits by `labels`; toolkit ids from 10, row ids from 100.

    Args:
        copies: position of an API -> position of the one that it is a copy of.
    """
    n, random = len(labels), np.random.default_rng(seed)
    vectors = np.eye(5, 12)[subjects] + random.normal(0, noise, (n, 12))
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    texts = [
        ApiText(f"get {SUBJECTS[s]} {i}", f"Tool{i}", "Some", f"All about {SUBJECTS[s]}", "")
        for i, s in enumerate(subjects)
    ]
    parameters = [[f"p{s}", "id"] for s in subjects]
    addresses = [f"GET https://h{i}.example/{s}/{i}" for i, s in enumerate(subjects)]
    for i, original in (copies or {}).items():
        vectors[i], texts[i] = vectors[original], texts[original]
        parameters[i], addresses[i] = parameters[original], addresses[original].upper()
    count = max([*labels, -1]) + 1
    facts = [
        ToolkitFacts(
            id=10 + g,
            name=names[g] if names else NAMES[g],
            description="What it does",
            is_pinned=10 + g in (pinned or set()),
        )
        for g in range(count)
    ]
    reviewed = ReviewedCatalogue(
        rowids=np.arange(100, 100 + n, dtype=np.int32),
        vectors=vectors,
        neighbours=nearest_neighbours(vectors, 8, report=silent).indices,
        labels=np.array(labels, dtype=np.int32),
        is_pinned=np.zeros(n, dtype=np.bool_),
        toolkits=facts,
        runs=runs or {},
    )
    documents = read_documents(texts, parameters, addresses, report=silent)
    return gather_evidence(reviewed, documents, report=silent)


def of_kind(found: list[Candidate], kind: CandidateKind) -> list[Candidate]:
    return [one for one in found if one.kind is kind]


def find(evidence: Evidence, kind: CandidateKind) -> list[Candidate]:
    return of_kind(find_candidates(evidence, None), kind)


def test_merge_when_one_subject_is_two_toolkits_then_it_is_the_only_one_asked() -> None:
    evidence = catalogue([0] * 6 + [1] * 8 + [2] * 9, [0] * 14 + [1] * 9)
    (found,) = find(evidence, CandidateKind.MERGE)
    assert found.key == "merge:10+11"
    assert found.toolkits == (11, 10)
    assert found.apis == tuple(range(100, 106))
    assert set(found.signals) == {"centroids", "neighbours", "parameters", "names"}
    assert all(0 <= one.value <= 1 and one.sentence for one in found.signals.values())
    assert found.expected_value == pytest.approx(found.gain * found.probability)


def test_merge_when_a_run_took_the_other_toolkit_then_it_is_a_signal() -> None:
    runs = {10: RunRecord(used=4, failed=2, incomplete=1, replanned_to={11: 2})}
    evidence = catalogue([0] * 6 + [1] * 8, [0] * 14, runs=runs)
    (found,) = find(evidence, CandidateKind.MERGE)
    assert found.signals["runs"].value == 1.0
    (blamed,) = find(evidence, CandidateKind.BLAMED)
    assert blamed.key == "blamed:10"
    assert "2 of 4" in blamed.signals["runs"].sentence


def test_merge_when_a_toolkit_is_pinned_then_it_is_not_asked() -> None:
    evidence = catalogue([0] * 6 + [1] * 8, [0] * 14, pinned={10})
    assert not find(evidence, CandidateKind.MERGE)


def test_merge_when_it_would_make_it_worse_then_it_is_not_asked_unless_runs_say_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Two subjects that run into one another: neighbours cross, names and parameters agree.
    labels, names = [0] * 12 + [1] * 12, ["Weather and money", "Weather and money too"]
    subjects = [0] * 9 + [1] * 3 + [0] * 3 + [1] * 9
    parted = catalogue(labels, subjects, names=names, noise=0.05)
    assert not find(parted, CandidateKind.MERGE)
    runs = {10: RunRecord(used=4, failed=2, incomplete=1, replanned_to={11: 2})}
    assert find(replace(parted, runs=runs), CandidateKind.MERGE)
    assert find(catalogue(labels, [0] * 24, names=names), CandidateKind.MERGE)
    monkeypatch.setattr("toolplanner_core.curation.questions.kinds.merge._LEAST_ACROSS", 0)
    assert find(parted, CandidateKind.MERGE), "all else speaks for it"


def test_homeless_when_its_place_was_measured_then_that_is_how_likely_it_is() -> None:
    evidence = catalogue([0] * 8 + [-1], [0] * 9)
    (guessed,) = find(evidence, CandidateKind.HOMELESS)
    assert guessed.confidence is None
    assert guessed.probability > 0.5
    (measured,) = find(
        replace(evidence, placements={108: (ToolkitId(10), 0.36)}), CandidateKind.HOMELESS
    )
    assert measured.probability == measured.confidence == 0.36
    assert measured.evidence == guessed.evidence, "an answer given before still counts"
    other = replace(evidence, placements={108: (ToolkitId(99), 0.36)})
    assert find(other, CandidateKind.HOMELESS) == [guessed], "measured for another toolkit"


def test_split_when_a_toolkit_holds_two_subjects_then_the_smaller_part_is_named() -> None:
    evidence = catalogue([0] * 15 + [1] * 9, [0] * 9 + [1] * 6 + [2] * 9)
    (found,) = find(evidence, CandidateKind.SPLIT)
    assert found.key == "split:10"
    assert found.apis == tuple(range(109, 115))
    assert found.probability > 0.8


@pytest.mark.parametrize("size", [5, 14, 40])
def test_split_when_all_members_are_equal_then_nothing(size: int) -> None:
    evidence = catalogue([0] * size, [0] * size, noise=0.0)
    assert not find(evidence, CandidateKind.SPLIT)


def test_move_when_an_api_is_in_the_wrong_toolkit_then_its_own_is_proposed() -> None:
    labels = [0] * 9 + [1] * 9
    labels[3] = 1
    (found,) = find(catalogue(labels, [0] * 9 + [1] * 9), CandidateKind.MOVE)
    assert found.key == "move:103+10"
    assert found.toolkits == (11, 10)
    assert found.signals["neighbours"].value == 1.0


def test_duplicate_when_text_address_and_parameters_are_equal_then_asked() -> None:
    evidence = catalogue([0] * 9, [0] * 9, copies={4: 2, 8: 2})
    (found,) = find(evidence, CandidateKind.DUPLICATE)
    assert found.key == "duplicate:102+104+108"
    assert found.signals["address"].value == 1.0
    assert found.toolkits == (10,)


def test_name_when_no_member_says_it_then_asked_and_a_good_one_is_not() -> None:
    names = ["Weather forecasts", "Music lyrics"]
    evidence = catalogue([0] * 8 + [1] * 8, [0] * 8 + [1] * 8, names=names)
    (found,) = find(evidence, CandidateKind.NAME)
    assert found.key == "name:11"
    assert "0 %" in found.signals["members"].sentence


def test_homeless_when_alike_then_a_toolkit_and_when_alone_then_a_home_is_proposed() -> None:
    labels = [0] * 9 + [-1] * 5 + [-1]
    found = find(catalogue(labels, [0] * 9 + [1] * 5 + [0]), CandidateKind.HOMELESS)
    assert {one.key for one in found} == {
        "homeless:" + "+".join(str(100 + i) for i in range(9, 14)),
        "homeless:114",
    }
    assert next(one for one in found if one.key == "homeless:114").toolkits == (10,)


def test_candidates_when_nothing_is_there_then_none() -> None:
    assert find_candidates(catalogue([0], [0]), None) == []
    assert len(find(catalogue([-1], [0]), CandidateKind.HOMELESS)) == 1


def test_candidates_when_found_twice_then_equal_ordered_and_unique() -> None:
    random = np.random.default_rng(1)
    labels = random.integers(-1, 6, 70).tolist()
    subjects = random.integers(0, 5, 70).tolist()
    first, second = (find_candidates(catalogue(labels, subjects), None) for _ in range(2))
    assert first == second
    values = [one.expected_value for one in first]
    assert values == sorted(values, reverse=True)
    assert len({one.key for one in first}) == len(first)
    assert pickle.loads(pickle.dumps(first)) == first  # noqa: S301


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000))
@example(seed=8462)  # an API without a home joins others in a proposed toolkit
def test_refresh_when_an_edit_was_made_then_as_if_all_were_found_again(seed: int) -> None:
    random = np.random.default_rng(seed)
    n, groups = 80, 8
    subjects = random.integers(0, 5, n)
    labels = np.where(random.random(n) < 0.6, subjects, random.integers(-1, groups, n))
    labels[:groups] = np.arange(groups)
    before = catalogue(labels.tolist(), subjects.tolist(), noise=0.3, seed=seed)
    after = before.labels.copy()
    if seed % 2:
        after[after == seed % groups] = (seed + 3) % groups
    else:
        moved = random.choice(n, 4, replace=False)
        after[moved] = random.integers(-1, groups, 4)
    changed = after != before.labels
    ends = np.concatenate((before.labels[changed], after[changed]))
    touched = {10 + int(one) for one in ends if one >= 0}
    evidence = after_edit(before, labels=after, toolkits=before.toolkits, touched=touched)
    found = refresh_candidates(find_candidates(before, None), evidence, touched)
    again = find_candidates(evidence, None)
    assert {one.key for one in found} == {one.key for one in again}
    values = {one.key: one.expected_value for one in again}
    for one in found:
        assert one.expected_value == pytest.approx(values[one.key], abs=1e-4), one.key


def test_evidence_hash_when_signals_hardly_change_then_the_same_and_else_another() -> None:
    labels, subjects = [0] * 6 + [1] * 8 + [2] * 9, [0] * 14 + [1] * 9
    (first,) = find(catalogue(labels, subjects, seed=0), CandidateKind.MERGE)
    labels[13] = 2
    (second,) = find(catalogue(labels, subjects, seed=0), CandidateKind.MERGE)
    assert (first.key, first.evidence) == (second.key, second.evidence)
    (third,) = find(catalogue(labels, subjects, noise=0.3, seed=2), CandidateKind.MERGE)
    assert third.evidence != first.evidence


def test_least_rate_when_few_were_tried_then_it_is_careful() -> None:
    assert least_rate(1, 1) < least_rate(8, 10) < 0.8
    assert least_rate(0, 0) == 0.0
