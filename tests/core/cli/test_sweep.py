"""Numbers of toolkits and distances side by side; the warning where most APIs stand alone."""

from pathlib import Path

import pytest
from fixtures.command_line import command_here


def test_sweep_when_toolkit_counts_are_tried_then_each_is_what_cluster_would_make(
    demo: Path,
) -> None:
    rows = command_here("sweep", demo, "--value", 12, "--value", 40, "--json").data
    assert [(row["value"], row["groups"]) for row in rows] == [(12, 12), (40, 40)]
    made = command_here("cluster", demo, "--k", 40, "--json").data
    assert made["silhouette"] == pytest.approx(rows[1]["silhouette"])
    plain = command_here("sweep", demo, "--value", 40, "--plain", "--json").data
    assert plain[0]["silhouette"] != rows[1]["silhouette"]
    usual = command_here("sweep", demo).out
    assert usual.split()[:2] == ["k", "Toolkits"]
    assert " 22 " in usual, "196 APIs, 9 in each: the paper's"


def test_sweep_when_distances_are_tried_then_the_papers_and_what_fits_these_vectors(
    demo: Path,
) -> None:
    """Source: Tool-Planner (arXiv 2406.03807), table 8."""
    tried = command_here("sweep", demo, "--method", "dbscan", "--json").data
    values = [row["value"] for row in tried]
    assert values[:6] == [0.001, 0.01, 0.02, 0.04, 0.08, 0.16]
    assert values[6:] == [0.22, 0.33, 0.44, 0.55], "about the distance that these vectors propose"
    assert tried[8]["groups"] < 150 < tried[5]["groups"]
    assert tried[2]["singletons"] > 190, "0.02 fits the vectors of the paper"
    shown = command_here("sweep", demo, "--method", "dbscan", "--value", 0.5)
    assert shown.err.strip().endswith("By the distances of these vectors: --eps 0.44")
    alone = command_here("cluster", demo, "--method", "dbscan", "--preset", "paper")
    assert "Warning: 194 of 195 toolkits hold one API" in alone.err
    better = command_here("cluster", demo, "--method", "dbscan", "--json").data
    assert better["toolkits"] < 150


def test_sweep_when_a_value_does_not_fit_then_refused(demo: Path) -> None:
    assert "cannot be 1.5" in command_here("sweep", demo, "--value", 1.5).err
    assert "of kmeans alone" in command_here("sweep", demo, "--method", "dbscan", "--plain").err
    assert command_here("sweep", demo, "--method", "dbscan", "--value", 3).status == 2
