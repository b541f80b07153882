"""Toolkits that only share a subject are told from those that do the same job."""

from pathlib import Path

import numpy as np
import pytest
from fixtures.silent import silent

from toolplanner_core.clustering.neighbours import nearest_neighbours
from toolplanner_core.curation.questions.kinds.candidate import Candidate, CandidateKind
from toolplanner_core.curation.questions.kinds.documents import read_documents
from toolplanner_core.curation.questions.kinds.evidence import (
    Evidence,
    ReviewedCatalogue,
    ToolkitFacts,
    gather_evidence,
)
from toolplanner_core.curation.questions.kinds.merge import find_merges
from toolplanner_core.curation.questions.kinds.merge_groups import find_groups
from toolplanner_core.curation.questions.kinds.same_job import SURE, do_differ
from toolplanner_core.curation.questions.queue.group_answers import without_doubled
from toolplanner_core.curation.questions.queue.queue import ReviewQueue
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import ApiText


def two_toolkits(
    names: tuple[str, str], calls: tuple[str, str], parameters: tuple[str, str], size: int = 6
) -> Evidence:
    """Two toolkits whose APIs lie among one another: only what they are called tells them apart;
    and others about the weather.

    Args:
        calls: how the APIs of each are called.
        parameters: what each is asked by.
    """
    labels = np.repeat(np.arange(3, dtype=np.int32), (size + 2, size, 12))
    called, asked_by = (*calls, "Rain tomorrow"), (*parameters, "day")
    noise = np.random.default_rng(3).normal(0, 0.2, (len(labels), 12))
    vectors = np.eye(2, 12)[labels // 2] + noise
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    texts = [
        ApiText(called[one], f"Vendor{i}", "Some", "Sky" if one == 2 else "Products of Amazon", "")
        for i, one in enumerate(labels)
    ]
    reviewed = ReviewedCatalogue(
        rowids=np.arange(1, 1 + len(labels), dtype=np.int32),
        vectors=vectors,
        neighbours=nearest_neighbours(vectors, 8, report=silent).indices,
        labels=labels,
        is_pinned=np.zeros(len(labels), dtype=np.bool_),
        toolkits=[ToolkitFacts(id=1 + at, name=name) for at, name in enumerate((*names, "Rain"))],
        runs={},
    )
    used = [[asked_by[one]] for one in labels]
    addresses = [f"GET https://h{i}.example/{i}" for i in range(len(labels))]
    documents = read_documents(texts, used, addresses, report=silent)
    return gather_evidence(reviewed, documents, report=silent)


ALIKE = ("Amazon products", "Amazon products (commerce)")


@pytest.mark.parametrize(
    ("names", "calls", "parameters", "is_sure"),
    [
        (ALIKE, ("Get Amazon product", "Amazon product"), ("asin", "asin"), True),
        (ALIKE, ("Product details", "Product reviews"), ("asin", "asin"), False),
        (ALIKE, ("Get product", "Delete product"), ("asin", "asin"), False),
        (("Products", "Reverse products"), ("Product", "Product"), ("asin", "asin"), False),
    ],
)
def test_group_when_names_of_apis_say_one_operation_then_it_is_sure(
    names: tuple[str, str], calls: tuple[str, str], parameters: tuple[str, str], *, is_sure: bool
) -> None:
    evidence = two_toolkits(names, calls, parameters)
    (sure,) = evidence.alike.sure.tolist()
    assert (sure >= SURE) is is_sure
    (group,) = find_groups(evidence, None)
    assert group.is_sure is is_sure
    assert "operation" in group.signals


def test_merge_when_toolkits_share_their_subject_only_then_it_is_not_asked() -> None:
    names, calls = ("Geocoding", "Reverse geocoding"), ("Geocode address", "Reverse geocode")
    differ = two_toolkits(names, calls, ("address", "latitude"))
    (operations,), (shared,) = differ.alike.operations, differ.alike.parameters
    assert do_differ(float(operations), float(shared))
    assert not find_groups(differ, None)
    assert not find_merges(differ, None)
    same = two_toolkits(("Geocoding", "Geocoding of places"), (calls[0],) * 2, ("address",) * 2)
    assert find_groups(same, None)
    assert find_merges(same, None)


def test_merge_when_its_two_toolkits_do_the_same_for_sure_then_it_is_asked_as_that() -> None:
    evidence = two_toolkits(ALIKE, ("Get Amazon product", "Amazon product"), ("asin", "asin"))
    (group,), (pair,) = find_groups(evidence, None), find_merges(evidence, None)
    assert without_doubled([pair, group]) == [group]


def test_queue_when_some_do_the_same_for_sure_then_they_come_first_and_the_surest_before(
    tmp_path: Path,
) -> None:
    def asked(key: int, confidence: float | None, gain: float) -> Candidate:
        return Candidate(
            kind=CandidateKind.GROUP, about=(key, key + 1), title="", toolkits=(key, key + 1),
            apis=(), signals={}, gain=gain, confidence=confidence,
        )  # fmt: skip

    worth_most, sure, surest = asked(1, None, 90.0), asked(3, 0.8, 2.0), asked(5, 0.9, 1.0)
    with Workspace.create(tmp_path / "order.toolplanner") as workspace:
        queue = ReviewQueue(workspace, None, [worth_most, sure, surest])
        assert queue.waiting() == [surest, sure, worth_most]


def test_demo_when_reviewed_then_no_question_merges_what_only_shares_its_subject(
    demo_file: Path, tmp_path: Path
) -> None:
    path = tmp_path / "demo.toolplanner"
    path.write_bytes(demo_file.read_bytes())
    with Workspace.open(path) as workspace:
        queue = ReviewQueue.read(workspace, progress=Progress())
        kinds = (CandidateKind.GROUP, CandidateKind.MERGE)
        titles = [one.title for one in queue.waiting() if one.kind in kinds]
    assert not [one for one in titles if "Reverse geocoding" in one or "Current weather" in one]
