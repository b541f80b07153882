"""Heaps of toolkits and APIs for charts."""

from pathlib import Path

import numpy as np
from sklearn.metrics import silhouette_samples

from toolplanner_core.curation.looking.bars import (
    cohesion_bars,
    measure_silhouettes,
    silhouette_bars,
    size_bars,
)
from toolplanner_core.curation.looking.curated_catalogue import read_catalogue
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Toolkit
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.settings import get_setting
from toolplanner_core.workspace.vectors import load_vectors


def kit(number: int, size: int) -> Toolkit:
    return Toolkit(id=ToolkitId(number), name=f"T{number}", description="", size=size)


def test_size_bars_hold_every_toolkit_once_and_mark_the_papers_size() -> None:
    kits = [kit(i, size) for i, size in enumerate((1, 2, 9, 9, 12, 500))]
    bars = size_bars(kits)
    assert sum(bar.count for bar in bars) == 6
    assert [(bar.label, bar.count) for bar in bars if bar.is_marked] == [("9", 2)]
    assert (bars[-1].label, bars[-1].toolkits) == ("101+", (ToolkitId(5),))


def test_cohesion_bars_leave_out_lone_apis_and_what_is_not_known() -> None:
    known = {0: 0.61, 1: 0.64, 2: 0.71, 3: 1.0}
    kits = [kit(0, 4), kit(1, 4), kit(2, 3), kit(3, 1), kit(4, 5)]
    bars = cohesion_bars(kits, lambda toolkit: known.get(int(toolkit)))
    assert [(bar.label, bar.count) for bar in bars] == [("0.60", 2), ("0.65", 0), ("0.70", 1)]
    assert [bar.end for bar in bars] == ["0.65", "0.70", "0.75"]
    (whole,) = cohesion_bars(kits[:1], lambda _: 1.0)
    assert (whole.label, whole.end) == ("0.95", "1.00"), "nothing is above 1"


def test_silhouette_bars_mark_apis_that_fit_badly() -> None:
    values = np.array([-0.25, -0.01, 0.0, 0.3, 0.31])
    bars = silhouette_bars(values, np.arange(5))
    assert sum(bar.count for bar in bars) == 5
    assert [bar.label for bar in bars if bar.is_marked] == ["-0.3", "-0.2", "-0.1"]
    assert next(bar for bar in bars if bar.label == "0.3").rowids.tolist() == [3, 4]


def test_silhouettes_when_measured_then_every_other_toolkit_is_tried(demo: Path) -> None:
    with Workspace.open(demo) as workspace:
        catalogue = read_catalogue(workspace)
        found = measure_silhouettes(workspace, catalogue, progress=Progress())
        embedder = get_setting(workspace, "active_embedder")
        vectors = load_vectors(workspace, embedder, found.rowids.tolist()).vectors
    labels = catalogue.labels[catalogue.places_of(found.rowids)]
    theirs = silhouette_samples(vectors, labels, metric="cosine")
    np.testing.assert_allclose(found.values.tolist(), theirs, atol=1e-4)
