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


def test_find_regions_when_trades_are_known_then_more_of_a_region_are_of_one():
    rng = np.random.default_rng(2)
    t = 200
    centroids = rng.normal(size=(t, 400)).astype(np.float32)
    trade = rng.integers(0, 8, t)
    told = [{f"Trade{one}": 9, "Other": 2} for one in trade]
    sizes = np.full(t, 9, np.int64)

    def largest(of):
        return sum(np.bincount(trade[of == region]).max() for region in range(8)) / t

    without, together, saying_nothing = (
        largest(find_regions(centroids, sizes, ["x"] * t, categories=given, count=8).of_toolkit)
        for given in ((), told, [{"Other": 9}] * t)
    )
    assert together > 1.5 * without
    assert saying_nothing == without


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


def test_name_regions_when_words_are_those_of_few_and_categories_are_known_then_it_says_them():
    sorts = ["anchor", "lamp", "river", "chalk", "engine", "bottle", "mirror", "candle"]
    sorts += ["ladder", "pillow", "button", "garden", "hammer", "needle", "saddle", "wallet"]
    names = [*sorts, *(f"{word} weather" for word in ("Hourly", "Daily", "Marine", "Rainy"))]
    of = np.array([*([0] * len(sorts)), 1, 1, 1, 1], np.int32)
    counts = [{"Food": 2, "Data": 9, "Video_Images": 1}] * len(sorts) + [{"Weather": 3}] * 4
    found = name_regions(names, of, np.ones(20, np.int64), 2, categories=counts)
    assert found[0] == "Mixed: food and video"
    assert "weather" in found[1].lower()


def test_name_regions_when_toolkits_are_of_one_vendor_or_one_kind_then_it_is_the_name():
    names = ["HelpZone tickets", "HelpZone users", "HelpZone macros and accounts", "Logins"]
    names += ["Test and sample APIs", "Test and sample APIs: Demo", "Pet store testing", "Courses"]
    names += ["Issue deletion", "Message deletion", "File removal", "Rentals"]
    of = np.repeat(np.arange(3, dtype=np.int32), 4)
    found = name_regions(names, of, np.ones(12, np.int64), 3)
    assert found == ["HelpZone", "Test and sample APIs", "Mixed deletion"]


def test_name_regions_when_words_only_begin_alike_or_few_have_them_then_it_says_so():
    spoken = ["Text translation", "Document translation", "Speech translation", "Transactions"]
    rest = ["Mango", "Ferry", "Anchor", "Lantern", "Walnut", "Kettle"]
    of_toolkit = np.array([0] * 4 + [1] * 6, dtype=np.int32)
    sizes = np.full(10, 3, dtype=np.int64)
    names = name_regions([*spoken, *rest], of_toolkit, sizes, 2)
    assert names[0].startswith("Translation")
    strays = [*(f"Weather {n}" for n in range(8)), *(f"Qyzx{n}" for n in range(22))]
    of_all = np.zeros(30, dtype=np.int32)
    (wide,) = name_regions(strays, of_all, np.full(30, 3, dtype=np.int64), 1)
    assert wide.endswith(" and more")


def test_name_regions_when_most_are_of_one_trade_then_it_is_not_said_to_be_mixed():
    sorts = ["anchor", "lamp", "river", "chalk", "engine", "bottle", "mirror", "candle"]
    sorts += ["ladder", "pillow", "button", "garden", "hammer", "needle", "saddle", "wallet"]
    of = np.zeros(len(sorts), np.int32)
    sizes = np.ones(len(sorts), np.int64)
    travel = [{"Travel": 5, "Transportation": 1, "Data": 1}] * 10 + [{"Food": 3}] * 6
    (name,) = name_regions(sorts, of, sizes, 1, categories=travel)
    assert name == "Travel and food"
    strewn = [{"Travel": 2}] * 4 + [{"Food": 2}] * 4 + [{"Music": 2}] * 4 + [{"Jobs": 2}] * 4
    assert name_regions(sorts, of, sizes, 1, categories=strewn)[0].startswith("Mixed: ")


def test_name_regions_when_words_are_long_or_trades_are_known_then_names_are_short_enough_to_see():
    long = ["Multiapartment", "Chaingateway", "Statistics", "Tokenization", "Weather", "Tides"]
    names = [f"{word} {other}" for word in long for other in ("Underwriting", "Cartography")]
    of = np.arange(len(names), dtype=np.int32) // 4
    sizes = np.ones(len(names), np.int64)
    for categories in ((), [{"Finance": 8, "Weather": 1}] * len(names)):
        found = name_regions(names, of, sizes, 3, categories=categories)
        assert max(map(len, found)) <= 28
    sorts = ["anchor", "lamp", "river", "chalk", "engine", "bottle", "mirror", "candle"]
    sorts += ["ladder", "pillow", "button", "garden", "hammer", "needle", "saddle", "wallet"]
    mainly = [{"Business": 9, "Data": 1}] * len(sorts)
    alone = name_regions(sorts, np.zeros(16, np.int32), sizes.repeat(2)[:16], 1, categories=mainly)
    assert alone == ["Business"]


def test_name_regions_when_many_name_a_vendor_that_other_regions_know_then_it_is_said():
    words = ["users", "posts", "stories", "profiles", "media", "comments"]
    here = [f"Instagrom {word}" for word in words] + ["Twittor users", "Twittor posts"]
    others = [name for region in "abcde" for name in (f"{region}lamp river", "Instagrom lamp")]
    of = np.array([*([0] * 8), *(1 + n // 2 for n in range(10))], np.int32)
    names = name_regions([*here, *others], of, np.ones(18, np.int64), 6)
    assert "Instagrom" in names[0]
