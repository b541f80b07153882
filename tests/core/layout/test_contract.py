"""What every layout must do, whichever it is."""

import pickle

import numpy as np
import pytest
from fixtures.silent import silent

from toolplanner_core.clustering.neighbours import nearest_neighbours
from toolplanner_core.jobs.compiled_code import LOADING
from toolplanner_core.layout.layout import LayoutPlugin, Neighbourhood, Positions, layouts
from toolplanner_core.layout.region_start import start_by_region
from toolplanner_core.layout.umap import UmapOptions
from toolplanner_core.layout.umap import fit as fit_umap


def random_vectors(n: int, dim: int = 12) -> np.ndarray:
    vectors = np.random.default_rng(n).normal(size=(n, dim)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def place(plugin: LayoutPlugin, vectors: np.ndarray, *, seed: int = 0) -> Positions:
    n = len(vectors)
    labels = (np.arange(n) % 5 - 1).astype(np.int32)
    neighbours = Neighbourhood(*nearest_neighbours(vectors, 16, report=silent))
    return plugin.fit(
        vectors, neighbours, labels, options=plugin.options(), seed=seed, report=silent
    )


every = pytest.mark.parametrize("plugin", list(layouts), ids=lambda plugin: plugin.id)


def test_registry_when_asked_then_has_the_two_of_this_version() -> None:
    assert set(layouts.plugins) >= {"umap", "pca"}


@every
@pytest.mark.parametrize("n", [1, 2, 5, 9, 10, 14, 70, 400])
def test_layout_when_any_number_of_points_then_positions_are_usable(
    plugin: LayoutPlugin, n: int
) -> None:
    xy = place(plugin, random_vectors(n))
    assert xy.shape == (n, 2)
    assert xy.dtype == np.float32
    assert np.isfinite(xy).all()
    if n > 1:
        assert 0.5 < np.ptp(xy, axis=0).max() < 200


@every
@pytest.mark.parametrize("n", [2, 14, 60])
def test_layout_when_all_points_are_equal_then_they_are_spread_all_the_same(
    plugin: LayoutPlugin, n: int
) -> None:
    xy = place(plugin, np.tile(random_vectors(1), (n, 1)))
    assert np.isfinite(xy).all()
    assert len(np.unique(xy, axis=0)) == n


@every
def test_layout_when_there_are_many_copies_and_zeros_then_positions_are_finite(
    plugin: LayoutPlugin,
) -> None:
    vectors = np.repeat(random_vectors(12), 20, axis=0)
    vectors[7] = 0
    assert np.isfinite(place(plugin, vectors)).all()


@every
def test_layout_when_seed_is_the_same_then_positions_are(plugin: LayoutPlugin) -> None:
    vectors = random_vectors(200)
    assert np.array_equal(place(plugin, vectors, seed=3), place(plugin, vectors, seed=3))


@every
def test_layout_when_groups_lie_apart_then_map_neighbours_are_of_one_group(
    plugin: LayoutPlugin,
) -> None:
    random = np.random.default_rng(5)
    vectors = np.repeat(np.eye(3, 12), 40, axis=0) + random.normal(0, 0.02, (120, 12))
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    xy = place(plugin, vectors)
    distance = np.linalg.norm(xy[:, None] - xy[None], axis=2) + 1e9 * np.eye(120)
    group = np.repeat(np.arange(3), 40)
    assert (group[distance.argmin(axis=1)] == group).mean() > 0.95


@every
def test_plugin_when_shown_then_it_has_a_legend_and_can_be_pickled(plugin: LayoutPlugin) -> None:
    assert plugin.legend(plugin.options()).startswith("Placed")
    assert pickle.loads(pickle.dumps((plugin.fit, plugin.options())))  # noqa: S301


def test_umap_when_toolkits_count_then_legend_says_so_and_they_hold_together() -> None:
    plugin = layouts.get("umap")
    vectors = random_vectors(300)
    labels = (np.arange(300) % 6).astype(np.int32)
    neighbours = Neighbourhood(*nearest_neighbours(vectors, 16, report=silent))
    same: list[float] = []
    for weight in (0.0, 0.95):
        options = UmapOptions(toolkit_weight=weight)
        xy = plugin.fit(vectors, neighbours, labels, options=options, seed=0, report=silent)
        distance = np.linalg.norm(xy[:, None] - xy[None], axis=2) + 1e9 * np.eye(300)
        same.append(float((labels[distance.argmin(axis=1)] == labels).mean()))
        assert plugin.uses_labels(options) == (weight > 0)
        assert ("toolkit" in plugin.legend(options)) == (weight > 0)
    assert same[1] > same[0] + 0.1


def test_umap_when_regions_are_given_then_each_is_a_place_of_its_own() -> None:
    plugin = layouts.get("umap")
    vectors = random_vectors(300)
    toolkits = (np.arange(300) // 10).astype(np.int32)
    regions = (np.arange(300) // 60).astype(np.int32)
    neighbours = Neighbourhood(*nearest_neighbours(vectors, 16, report=silent))
    assert plugin.uses_regions(UmapOptions())
    assert not plugin.uses_regions(UmapOptions(region_weight=0))
    same: list[float] = []
    for given in (np.full(300, -1, np.int32), regions):
        xy = fit_umap(
            vectors,
            neighbours,
            toolkits,
            options=plugin.options(),
            seed=0,
            report=silent,
            regions=given,
        )
        distance = np.linalg.norm(xy[:, None] - xy[None], axis=2) + 1e9 * np.eye(300)
        near = distance.argsort(axis=1)[:, :10]
        same.append(float((regions[near] == regions[:, None]).mean()))
    assert same[1] > same[0] + 0.1


@pytest.mark.parametrize("n", [12, 40])
def test_start_by_region_when_points_or_regions_are_equal_or_alone_then_they_lie_apart(
    n: int,
) -> None:
    vectors = random_vectors(n)
    vectors[: n // 2] = vectors[0]
    regions = np.arange(n, dtype=np.int32) // 3 - 1
    xy = start_by_region(vectors, regions, seed=0)
    assert np.isfinite(xy).all()
    assert len(np.unique(xy, axis=0)) == n
    assert np.array_equal(xy, start_by_region(vectors, regions, seed=0))


def test_umap_when_it_works_then_rounds_are_reported_to_the_end() -> None:
    reports: list[tuple[str, int, int | None]] = []
    vectors = random_vectors(80)
    layouts.get("umap").fit(
        vectors,
        Neighbourhood(*nearest_neighbours(vectors, 16, report=silent)),
        np.full(80, -1, dtype=np.int32),
        options=UmapOptions(),
        seed=0,
        report=lambda stage, done, total=None, unit="APIs": reports.append((stage, done, total)),
    )
    stages = list(dict.fromkeys(stage for stage, _, _ in reports))
    assert [stage for stage in stages if stage != LOADING] == [
        "Choosing a start", "Joining neighbours", "Placing APIs",
    ]  # fmt: skip
    rounds = [done for stage, done, _ in reports if stage == "Placing APIs"]
    assert rounds == sorted(rounds)
    assert reports[-1] == ("Placing APIs", 500, 500)


def test_umap_when_all_neighbours_are_of_other_toolkits_then_each_api_is_somewhere() -> None:
    vectors = random_vectors(60)
    neighbours = Neighbourhood(*nearest_neighbours(vectors, 8, report=silent))
    xy = layouts.get("umap").fit(
        vectors,
        neighbours,
        np.arange(60, dtype=np.int32),
        options=UmapOptions(toolkit_weight=0.99),
        seed=0,
        report=silent,
    )
    assert np.isfinite(xy).all()


def test_umap_when_density_is_kept_then_a_wide_group_is_wider_on_the_map() -> None:
    random = np.random.default_rng(2)
    spread = np.repeat([0.05, 0.5], 150)[:, None]
    vectors = np.repeat(np.eye(2, 12), 150, axis=0) + random.normal(size=(300, 12)) * spread
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    neighbours = Neighbourhood(*nearest_neighbours(vectors, 16, report=silent))
    wider: list[float] = []
    for density in (False, True):
        options = UmapOptions(density=density, neighbours=15)
        none = np.full(300, -1, dtype=np.int32)
        plugin = layouts.get("umap")
        xy = plugin.fit(vectors, neighbours, none, options=options, seed=0, report=silent)
        narrow, wide = (
            np.median(np.abs(part - np.median(part, axis=0))) for part in (xy[:150], xy[150:])
        )
        wider.append(float(wide / narrow))
    assert wider[1] > 1.2 * wider[0]


def test_umap_when_it_has_placed_then_the_neighbours_it_was_given_are_unchanged() -> None:
    vectors = random_vectors(80)
    neighbours = Neighbourhood(*nearest_neighbours(vectors, 8, report=silent))
    before = [part.copy() for part in neighbours]
    plugin = layouts.get("umap")
    labels = np.full(80, -1, dtype=np.int32)
    plugin.fit(vectors, neighbours, labels, options=UmapOptions(), seed=0, report=silent)
    assert all(np.array_equal(one, other) for one, other in zip(before, neighbours, strict=True))
