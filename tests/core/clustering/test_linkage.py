"""Coarse groups parted and the parts joined: what is alike is together, what is not stays apart."""

import numpy as np
import pytest

from toolplanner_core.clustering.groups import Vectors, unit
from toolplanner_core.clustering.kmeans import PLUGIN, KMeansOptions
from toolplanner_core.clustering.linkage import join_parts, part_groups
from toolplanner_core.clustering.quality import measure
from toolplanner_core.jobs.progress import silent


def subjects_and_strays(subjects: int, each: int, strays: int) -> tuple[Vectors, np.ndarray]:
    """Heaps of different sizes, and points that are like nothing; the subject of each, -1."""
    random = np.random.default_rng(3)
    of = np.repeat(np.arange(subjects), each + np.arange(subjects) % 7)
    heaps = random.normal(size=(subjects, 64))[of] + random.normal(0, 0.5, (len(of), 64))
    points = np.concatenate((heaps, random.normal(size=(strays, 64))))
    return unit(points.astype(np.float32)), np.append(of, np.full(strays, -1))


def labelled(vectors: Vectors, k: int, *, is_plain: bool = False) -> np.ndarray:
    options = KMeansOptions(k=k, is_plain=is_plain)
    return PLUGIN.fit(vectors, options=options, seed=0, report=silent)


def shares_with_a_stranger(labels: np.ndarray, of: np.ndarray) -> float:
    """Share of the points in whose group there is one of something else."""
    strange = 0
    for one in range(labels.max() + 1):
        here = of[labels == one]
        if len(here) > 1 and ((here < 0).any() or len(np.unique(here)) > 1):
            strange += len(here)
    return strange / len(labels)


def test_groups_when_some_are_like_nothing_then_fewer_have_strangers_than_by_plain_kmeans() -> None:
    vectors, of = subjects_and_strays(40, 5, 60)
    plain, joined = labelled(vectors, 90, is_plain=True), labelled(vectors, 90)
    assert plain.max() == joined.max() == 89
    assert shares_with_a_stranger(joined, of) <= 0.5 * shares_with_a_stranger(plain, of)
    before, after = (measure(vectors, each, seed=0, report=silent) for each in (plain, joined))
    assert (after.silhouette or 0) > (before.silhouette or 0)


@pytest.mark.parametrize("k", [1, 2, 7, 40, 55, 100, 299, 300])
def test_groups_when_a_number_is_asked_for_then_there_are_so_many(k: int) -> None:
    vectors, _ = subjects_and_strays(30, 6, 35)
    assert len(vectors) == 300
    assert labelled(vectors, k).max() + 1 == k


def test_groups_when_all_are_one_subject_then_none_is_much_larger_than_the_mean() -> None:
    vectors, _ = subjects_and_strays(1, 400, 0)
    labels = labelled(vectors, 40)
    assert labels.max() + 1 == 40
    assert np.bincount(labels).max() <= 45


def test_parts_when_groups_are_coarse_then_none_reaches_over_two_and_all_in_one_are_alike() -> None:
    vectors, _ = subjects_and_strays(20, 5, 20)
    copies = np.ones(len(vectors), dtype=np.float32)
    coarse = (np.arange(len(vectors)) % 3).astype(np.int32)
    parts = part_groups(vectors, copies, coarse)
    for part in range(parts.of_point.max() + 1):
        members = np.flatnonzero(parts.of_point == part)
        assert len(np.unique(coarse[members])) == 1
        pairs = parts.centred[members] @ parts.centred[members].T
        if len(members) > 1:
            assert pairs[np.triu_indices(len(members), 1)].mean() > 0.6 - 1e-4


def test_what_is_alone_when_it_is_hardly_less_alike_then_joins_before_two_groups_do() -> None:
    def at(degrees: float) -> list[float]:
        return [np.cos(np.radians(degrees)), np.sin(np.radians(degrees)), 0.0]

    # Two pairs 60 degrees apart, and one alone 63 degrees from the first.
    around = [*([at(a) for a in (0, 1, 61, 62, -62)]), [0, 0, 1], [0, 0.02, 1]]
    vectors = unit(np.array(around, dtype=np.float32))
    copies = np.ones(len(vectors), dtype=np.float32)
    parts = part_groups(vectors, copies, np.zeros(len(vectors), dtype=np.int32))
    parts = parts._replace(centred=vectors)
    labels = join_parts(parts, 3, report=silent)
    assert labels[0] == labels[1] == labels[4]
    assert labels[2] == labels[3] != labels[0]
    assert labels[5] == labels[6]


def test_groups_when_a_catalogue_is_large_then_as_alike_as_those_of_a_small_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Main groups first, and near parts by NN-descent: what is done above 60,000 and 40,000."""
    vectors, of = subjects_and_strays(300, 6, 200)
    whole = labelled(vectors, 500)
    monkeypatch.setattr("toolplanner_core.clustering.kmeans._AT_ONCE", 600)
    monkeypatch.setattr("toolplanner_core.clustering.kmeans._MAIN", 150)
    monkeypatch.setattr("toolplanner_core.clustering.kmeans._SAMPLED", 1_000)
    monkeypatch.setattr("toolplanner_core.clustering.linkage.EXACT_UP_TO", 100)
    found = labelled(vectors, 500)
    assert found.max() == whole.max() == 499
    assert shares_with_a_stranger(found, of) <= shares_with_a_stranger(whole, of) + 0.02
    fits = [
        measure(vectors, each, seed=0, report=silent).silhouette or 0 for each in (whole, found)
    ]
    assert fits[1] > 0.97 * fits[0]
    equal = np.ones((1_000, 64), np.float32) / 8
    assert labelled(equal, 3).max() == 0
