"""`toolplanner embed`, `cluster`, `layout` and `prepare`: from a catalogue to a map of toolkits."""

import dataclasses
from pathlib import Path
from typing import Any

import click

from toolplanner_core.cli.options import (
    SEED,
    json_option,
    named_values,
    option_values,
    workspace_argument,
)
from toolplanner_core.cli.progress import shown_progress
from toolplanner_core.cli.terminal import print_json, print_line
from toolplanner_core.clustering.clustering import clusterings
from toolplanner_core.curation.cluster import cluster
from toolplanner_core.curation.lay_out import lay_out
from toolplanner_core.curation.prepare import default_embedder, prepare
from toolplanner_core.curation.recluster import ProposalReport, propose_clustering
from toolplanner_core.embedding.embed import embed
from toolplanner_core.layout.layout import layouts
from toolplanner_core.runs.option_values import make_options
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.toolkit_writing import is_curated

embedder_option = click.option(
    "--embedder", help="minilm, lsa or st:NAME; by itself minilm where its model is, else lsa."
)
seed_option = click.option("--seed", type=SEED, default=0, show_default=True)


@click.command("embed")
@workspace_argument
@embedder_option
@json_option
def embed_command(workspace: Path, embedder: str | None, as_json: bool) -> None:
    """Give every API a vector; only texts that have none are encoded."""
    with Workspace.open(workspace) as opened, shown_progress() as progress:
        report = embed(opened, embedder or default_embedder(), progress=progress)
    _print(report, as_json)


@click.command("cluster")
@workspace_argument
@click.option("--method", default="kmeans", show_default=True, help="kmeans or dbscan.")
@click.option("--k", help="Number of toolkits (kmeans). [default: APIs / 9]")
@click.option("--eps", help="Greatest cosine distance of neighbours (dbscan).")
@option_values("An option of the method.")
@seed_option
@json_option
def cluster_command(
    *,
    workspace: Path,
    method: str,
    k: str | None,
    eps: str | None,
    options: tuple[str, ...],
    seed: int,
    as_json: bool,
) -> None:
    """Group the APIs into toolkits, named by rule; curated ones get a proposal instead."""
    given = {"k": k, "eps": eps}
    values = {n: v for n, v in given.items() if v is not None} | named_values(options)
    chosen = make_options(clusterings.get(method).options, values, of=f"method {method}")
    with Workspace.open(workspace) as opened, shown_progress() as progress:
        if is_curated(opened):
            report = propose_clustering(
                opened, method=method, options=chosen, seed=seed, progress=progress
            )
        else:
            report = cluster(opened, method=method, options=chosen, seed=seed, progress=progress)
    _print(report, as_json)
    if isinstance(report, ProposalReport) and not as_json:
        print_line(
            "People have curated these toolkits, so nothing was changed. See what would be:"
            f" toolplanner review list {workspace} --proposal {report.proposal}"
        )


@click.command("layout")
@workspace_argument
@click.option("--method", default="umap", show_default=True, help="umap or pca.")
@option_values("An option of the method.")
@seed_option
@json_option
def layout_command(
    workspace: Path, method: str, options: tuple[str, ...], seed: int, as_json: bool
) -> None:
    """Place the APIs on the map."""
    chosen = make_options(layouts.get(method).options, named_values(options), of=f"method {method}")
    with Workspace.open(workspace) as opened, shown_progress() as progress:
        report = lay_out(opened, method=method, options=chosen, seed=seed, progress=progress)
    _print(report, as_json)


@click.command("prepare")
@workspace_argument
@embedder_option
@json_option
def prepare_command(workspace: Path, embedder: str | None, as_json: bool) -> None:
    """Embed, cluster and lay out with the defaults; finished stages are not repeated."""
    with Workspace.open(workspace) as opened, shown_progress() as progress:
        report = prepare(opened, embedder=embedder, progress=progress)
    _print(report, as_json)


def _print(report: Any, as_json: bool) -> None:
    row = dataclasses.asdict(report)
    if as_json:
        print_json(row)
        return
    for name, value in row.items():
        if isinstance(value, dict):
            print_line(f"{name}: {_line(value)}")
    print_line(_line({n: v for n, v in row.items() if not isinstance(v, dict)}))


def _line(row: dict[str, Any]) -> str:
    return " · ".join(
        f"{name.replace('_', ' ')} {_figure(value)}"
        for name, value in row.items()
        if value is not None
    )


def _figure(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.2f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
