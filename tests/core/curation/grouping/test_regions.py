"""Regions hold what lies together, are named by what sets them apart, the same each time."""

# pyright: basic

import numpy as np
import pytest

from toolplanner_core.curation.grouping.region_names import name_regions
from toolplanner_core.curation.grouping.regions import count_for, find_regions

WORDS = ["weather", "music", "maps", "payments", "football", "email", "stocks", "recipes"]


def world(t=160, dim=32, seed=0):
    """Toolkits around eight directions, with what all texts have in common on top."""
    rng = np.random.default_rng(seed)
    axes = rng.normal(size=(8, dim))
    of = np.arange(t) % 8
    centroids = axes[of] + rng.normal(size=(t, dim)) * 0.2 + 3 * np.ones(dim)
    names = [f"{WORDS[of[i]].capitalize()} number {i}" for i in range(t)]
    return centroids.astype(np.float32), np.full(t, 9, np.int64), names, of


def test_find_regions_when_toolkits_lie_in_groups_then_each_group_is_a_region_with_its_word():
    centroids, sizes, names, of = world()
    regions = find_regions(centroids, sizes, names, count=8)
    for region, name in enumerate(regions.names):
        own = of[regions.of_toolkit == region]
        assert len(set(own.tolist())) == 1
        assert name.startswith(WORDS[own[0]].capitalize())
    again = find_regions(centroids, sizes, names, count=8)
    assert (again.of_toolkit == regions.of_toolkit).all()
    assert again.names == regions.names


def test_find_regions_when_places_are_given_then_regions_are_areas_of_the_map():
    rng = np.random.default_rng(1)
    t = 200
    centroids = rng.normal(size=(t, 16)).astype(np.float32)
    places = rng.uniform(-10, 10, (t, 2))
    places[7] = np.nan
    places[8] = 1e6
    sizes = np.full(t, 9, np.int64)
    apart, together = (
        find_regions(centroids, sizes, ["x"] * t, places=given, count=8).of_toolkit
        for given in (None, places)
    )
    near = (((places[:, None] - places[None]) ** 2).sum(axis=2)).argsort(axis=1)[9:, 1:4]

    def shared(of):
        return (of[near] == of[9:, None]).mean()

    assert shared(together) > 2 * shared(apart)
    assert (together >= 0).all()


def test_find_regions_when_a_toolkit_has_no_vectors_then_it_is_in_no_region():
    centroids, sizes, names, _of = world()
    centroids[5] = 0
    regions = find_regions(centroids, sizes, names)
    assert regions.of_toolkit[5] == -1
    assert (np.delete(regions.of_toolkit, 5) >= 0).all()


def test_find_regions_when_there_are_few_toolkits_then_there_are_none():
    centroids, sizes, names, _of = world(40)
    regions = find_regions(centroids, sizes, names)
    assert regions.names == ()
    assert (regions.of_toolkit == -1).all()


@pytest.mark.parametrize(
    ("toolkits", "count"), [(0, 0), (59, 0), (60, 6), (400, 10), (5000, 35), (10**6, 36)]
)
def test_count_for_when_there_are_more_toolkits_then_there_are_more_regions(toolkits, count):
    assert count_for(toolkits) == count


def test_name_regions_when_names_are_alike_or_say_nothing_then_they_are_still_unique():
    names = ["Weather", "Weather", "Mixed: a, b", "Mixed: c", "YouTube videos"]
    of = np.array([0, 1, 2, 3, 4], np.int32)
    found = name_regions(names, of, np.ones(5, np.int64), 5)
    assert len({name.casefold() for name in found}) == 5
    assert found[0].startswith("Weather")
    assert found[4] in ("Videos and YouTube", "YouTube and videos")
    assert found[2:4] == ["Other tools", "Other tools 2"]


def test_name_regions_when_most_toolkits_are_of_one_vendor_then_its_name_does_not_count():
    names = ["Zqobble invoices", "Zqobble receipts", "Zqobble taxes", "Lodgo invoices"]
    names += ["Weather forecasts", "Rain forecasts"]
    of = np.array([0, 0, 0, 0, 1, 1], np.int32)
    found = name_regions(names, of, np.ones(6, np.int64), 2)
    assert found[0].startswith("Invoices")
    assert "Zqobble" not in found[0]


def test_name_regions_when_its_words_are_those_of_few_toolkits_then_it_is_said_to_be_mixed():
    sorts = [
        "anchor",
        "lamp",
        "river",
        "chalk",
        "engine",
        "bottle",
        "mirror",
        "candle",
        "ladder",
        "pillow",
        "button",
        "garden",
    ]
    names = [*sorts, *(f"{word} weather" for word in ("Hourly", "Daily", "Marine", "Rainy"))]
    of = np.array([*([0] * len(sorts)), 1, 1, 1, 1], np.int32)
    found = name_regions(names, of, np.ones(len(names), np.int64), 2)
    assert not found[1].startswith("Mixed")
    assert "weather" in found[1].lower()
    sorts = [*sorts, "hammer", "needle", "saddle", "wallet"]
    found = name_regions(sorts, np.zeros(16, np.int32), np.ones(16, np.int64), 1)
    assert found[0].startswith("Mixed: ")


def test_name_regions_when_a_proper_name_is_not_first_then_it_keeps_its_capital():
    names = ["Search of Google", "Maps of Google", "Search of maps", "Rain", "Weather rain"]
    found = name_regions(names, np.array([0, 0, 0, 1, 1], np.int32), np.ones(5, np.int64), 2)
    assert "Google" in found[0]
    assert "google" not in found[0]
