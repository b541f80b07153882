"""What the review does so that a million APIs fit into memory: the same figures, part by part."""

import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest
from core.curation.questions.kinds.test_finding import catalogue
from fixtures.silent import silent

from toolplanner_core.clustering.cohesion import measure_cohesion
from toolplanner_core.clustering.misfits import find_misfits
from toolplanner_core.curation.questions.kinds.copies import find_copies
from toolplanner_core.curation.questions.kinds.documents import read_documents
from toolplanner_core.curation.questions.kinds.evidence import Evidence
from toolplanner_core.curation.questions.kinds.finding import find_candidates
from toolplanner_core.workspace.catalogue import ApiText

N, DIM, NEAR = 20_000, 128, 4


class LargeCatalogue:
    """Random vectors, one text: each pair of neighbours has to be compared."""

    def __init__(self) -> None:
        vectors = np.random.default_rng(0).normal(size=(N, DIM)).astype(np.float32)
        self.vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        self.labels = (np.arange(N) // 100).astype(np.int32)
        # Each with some of the next toolkit, so that all may be misfits.
        steps = np.array([0, 100, 101, 102], dtype=np.int32)
        self.neighbours = (np.arange(N, dtype=np.int32)[:, None] + steps) % N
        texts = [ApiText("get", "Tool", "Some", "", "")] * N
        self.documents = read_documents(texts, [["id"]] * N, ["GET h/p"] * N, report=silent)
        self.cohesion = self.measure_cohesion()

    def measure_cohesion(self):
        return measure_cohesion(
            self.vectors, self.labels, N // 100, neighbours=self.neighbours, report=silent
        )

    def find_misfits(self):
        return find_misfits(self.vectors, self.labels, self.neighbours, self.cohesion)

    def find_copies(self):
        return find_copies(self.vectors, self.neighbours, self.documents)


@pytest.fixture(scope="module")
def large() -> LargeCatalogue:
    return LargeCatalogue()


@pytest.mark.parametrize("step", ["measure_cohesion", "find_misfits", "find_copies"])
def test_memory_when_a_step_compares_all_apis_then_it_never_holds_their_vectors_again(
    large: LargeCatalogue, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toolplanner_core.clustering.groups._BLOCK_CELLS", 200_000)
    work: Callable[[], object] = getattr(large, step)
    tracemalloc.start()
    try:
        work()
        most_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most_bytes < 1.5 * large.vectors.nbytes


def reviewed() -> Evidence:
    """Of 40 toolkits those about one subject are all alike."""
    labels = np.repeat(np.arange(40), 6).tolist()
    subjects = [group % 5 for group in labels]
    return catalogue(labels, subjects, names=[f"Name {i}" for i in range(40)], noise=0.1)


def test_candidates_when_compared_in_small_parts_then_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = find_candidates(reviewed(), None)
    monkeypatch.setattr("toolplanner_core.clustering.groups._BLOCK_CELLS", 1)
    assert find_candidates(reviewed(), None) == whole


def test_merges_when_toolkits_are_too_many_to_compare_all_then_the_nearest_are_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    searched: list[int] = []

    def nearest(centres, k, *, report):
        from toolplanner_core.clustering.neighbours import nearest_neighbours

        searched.append(len(centres))
        return nearest_neighbours(centres, k, report=report)

    whole = find_candidates(reviewed(), None)
    merge = "toolplanner_core.curation.questions.kinds.merge"
    monkeypatch.setattr(f"{merge}._COMPARED", 0)
    monkeypatch.setattr(f"{merge}.nearest_neighbours", nearest)
    assert find_candidates(reviewed(), None) == whole
    assert searched == [40]
    assert any(one.key.startswith("merge:") for one in whole)
