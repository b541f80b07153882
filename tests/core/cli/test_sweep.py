"""Numbers of toolkits and distances side by side; the warning where most APIs stand alone."""

from pathlib import Path

import pytest
from fixtures.command_line import command_here

from toolplanner_core.domain.lab import DataSet, Query
from toolplanner_core.lab.datasets.jsonl import write_data_set
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import api_names


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


def test_sweep_when_queries_are_given_then_the_ceiling_is_the_share_that_a_shortlist_holds(
    demo: Path,
) -> None:
    """One query whose two APIs are of like words, and one whose gold no text leads to."""
    with Workspace.open(demo) as workspace:
        keys = sorted(name.key for name in api_names(workspace))
        rates = [key for key in keys if "exchange" in key.lower() or "rate" in key.lower()][:1]
    far = next(key for key in keys if key not in rates)
    queries = [
        Query(id="near", text=rates[0].replace("/", " "), gold=(frozenset(rates),)),
        Query(id="far", text=rates[0].replace("/", " ") + " now", gold=(frozenset([far]),)),
    ]
    file = demo.with_name("few.jsonl")
    write_data_set(DataSet(name="few", queries=queries), file)
    tried = ("sweep", demo, "--value", 40, "--queries", file)
    rows = {
        size: command_here(*tried, "--shortlist", size, "--json").data[0]["ceiling"]
        for size in (1, 60)
    }
    assert rows == {1: 0.5, 60: 1.0}
    shown = command_here(*tried, "--shortlist", 1)
    assert shown.out.split()[-1] == "50%"
    assert "share of 2 queries with known APIs whose APIs the first 1 toolkit hold" in shown.err
    # Without a data set: what runs of this workspace answered.
    assert command_here("run", demo, "What is the temperature now in Madrid?").status == 0
    assert command_here("sweep", demo, "--value", 40, "--json").data[0]["ceiling"] == 1.0


def test_sweep_when_a_value_does_not_fit_then_refused(demo: Path) -> None:
    assert "cannot be 1.5" in command_here("sweep", demo, "--value", 1.5).err
    assert "of kmeans alone" in command_here("sweep", demo, "--method", "dbscan", "--plain").err
    assert command_here("sweep", demo, "--method", "dbscan", "--value", 3).status == 2
