"""`toolplanner embed`, `cluster`, `layout` and `prepare`: from a catalogue to a map of toolkits."""

import dataclasses
from typing import Any

import click

from toolplanner_core.cli.options import SEED, in_workspace, json_option
from toolplanner_core.cli.plugin_flags import PAIRS, PluginCommand, PluginFlags
from toolplanner_core.cli.progress import shown_progress
from toolplanner_core.cli.terminal import print_json, print_line, say
from toolplanner_core.clustering.clustering import clusterings
from toolplanner_core.curation.grouping.cluster import ClusterReport
from toolplanner_core.curation.grouping.lay_out import lay_out
from toolplanner_core.curation.grouping.prepare import PrepareReport, default_embedder, prepare
from toolplanner_core.curation.grouping.recluster import ProposalReport, regroup, what_would_end
from toolplanner_core.curation.grouping.what_is_new import WhatIsNew
from toolplanner_core.embedding.embed import embed
from toolplanner_core.embedding.embedder import embedders, parse_spec
from toolplanner_core.jobs.isolation import problem_of
from toolplanner_core.layout.layout import layouts
from toolplanner_core.options.published import published_options
from toolplanner_core.options.values import make_options
from toolplanner_core.registry import Registry
from toolplanner_core.workspace import Workspace

METHOD = PluginFlags(chosen_by="--method", registry=clusterings, into="options", pairs=PAIRS)
LAYOUT = PluginFlags(chosen_by="--method", registry=layouts, into="options", pairs=PAIRS)
EMBEDDER = PluginFlags(chosen_by="--embedder", registry=embedders, into="options", pairs=PAIRS)
PREPARE = [
    PluginFlags(chosen_by=f"--{name}", registry=kind, into=f"{name}_options", prefix=f"{name}-")
    for name, kind in (("embedder", embedders), ("clustering", clusterings), ("layout", layouts))
]

embedder_option = click.option(
    "--embedder",
    metavar="ID",
    help="Embedder, such as minilm or st:NAME; by itself the one in use, else words.",
)
_DOUBTFUL_SHOWN = 20
_MOST_ALONE = (
    "Warning: {alone:,} of {toolkits:,} toolkits hold one API, so that none can take its place."
    " Group with fewer toolkits (--k) or a greater distance (--eps); compare them with:"
    " toolplanner sweep"
)
preset_option = click.option(
    "--preset",
    type=click.Choice(["paper"]),
    help="Group with the settings of the paper; what other flags say goes before it.",
)
seed_option = click.option("--seed", type=SEED, default=0, show_default=True)


@click.command("embed", cls=PluginCommand, plugins=[EMBEDDER])
@in_workspace
@embedder_option
@json_option
def embed_command(
    workspace: Workspace, embedder: str | None, options: dict[str, Any], as_json: bool
) -> None:
    """Give every API a vector; only texts that have none are encoded."""
    spec = embedder or default_embedder(workspace)
    with shown_progress() as progress:
        report = embed(workspace, spec, options=_embedder_options(spec, options), progress=progress)
    _print(report, as_json)


@click.command("cluster", cls=PluginCommand, plugins=[METHOD])
@in_workspace
@click.option("--method", metavar="ID", default="kmeans", show_default=True, help="Clustering.")
@preset_option
@seed_option
@json_option
def cluster_command(
    *,
    workspace: Workspace,
    method: str,
    options: dict[str, Any],
    preset: str | None,
    seed: int,
    as_json: bool,
) -> None:
    """Group the APIs into toolkits, named by rule; curated ones get a proposal instead."""
    chosen = _clustering_options(method, options, preset)
    with shown_progress() as progress:
        report = regroup(workspace, method=method, options=chosen, seed=seed, progress=progress)
    _print(report, as_json)
    if 2 * (alone := _alone(report)) > report.toolkits:
        say(_MOST_ALONE.format(alone=alone, toolkits=report.toolkits))
    if isinstance(report, ProposalReport) and not as_json:
        print_line(
            "People have curated these toolkits, so nothing was changed. See what would be:"
            f" toolplanner review list {workspace.path} --proposal {report.proposal}"
        )


def _alone(report: ClusterReport | ProposalReport) -> int:
    """Toolkits of one API; of a proposal so many at least."""
    if isinstance(report, ClusterReport):
        return report.alone
    return max(0, 2 * report.toolkits - report.apis)


@click.command("layout", cls=PluginCommand, plugins=[LAYOUT])
@in_workspace
@click.option("--method", metavar="ID", default="umap", show_default=True, help="Layout.")
@seed_option
@json_option
def layout_command(
    workspace: Workspace, method: str, options: dict[str, Any], seed: int, as_json: bool
) -> None:
    """Place the APIs on the map."""
    chosen = _options(layouts, method, options)
    with shown_progress() as progress:
        report = lay_out(workspace, method=method, options=chosen, seed=seed, progress=progress)
    _print(report, as_json)


@click.command("prepare", cls=PluginCommand, plugins=PREPARE)
@in_workspace
@embedder_option
@click.option("--clustering", metavar="ID", default="kmeans", show_default=True)
@preset_option
@click.option("--layout", metavar="ID", default="umap", show_default=True)
@click.option("--anew", is_flag=True, help="Other toolkits; a proposal where people curated them.")
@json_option
def prepare_command(
    *,
    workspace: Workspace,
    embedder: str | None,
    embedder_options: dict[str, Any],
    clustering: str,
    clustering_options: dict[str, Any],
    preset: str | None,
    layout: str,
    layout_options: dict[str, Any],
    anew: bool,
    as_json: bool,
) -> None:
    """Embed, cluster and lay out; finished stages are not repeated.

    Where people have curated toolkits, new APIs are placed beside the others and nothing else
    moves.
    """
    with shown_progress() as progress:
        report = prepare(
            workspace,
            embedder=embedder,
            embedder_options=_embedder_options(embedder, embedder_options),
            clustering=clustering,
            clustering_options=_clustering_options(clustering, clustering_options, preset),
            layout=layout,
            layout_options=_options(layouts, layout, layout_options),
            is_anew=anew,
            progress=progress,
        )
    _print(report, as_json)


def _embedder_options(spec: str | None, given: dict[str, Any]) -> Any:
    """An instance of the embedder's options, None = those of the last time."""
    if spec is None or not given:
        return None
    return _options(embedders, parse_spec(spec).kind, given)


def _clustering_options(method: str, given: dict[str, Any], preset: str | None) -> Any:
    """An instance of the clustering's options: what is given over what the preset says."""
    paper = published_options(clusterings.get(method)) if preset else {}
    return _options(clusterings, method, {**paper, **given})


def _options(registry: Registry[Any], plugin_id: str, given: dict[str, Any]) -> Any:
    kind = registry.get(plugin_id).options
    return make_options(kind, given, of=f"{registry.what} {plugin_id}")


def _print(report: Any, as_json: bool) -> None:
    row = dataclasses.asdict(report)
    if as_json:
        print_json(row)
        return
    for name, value in row.items():
        if isinstance(value, dict) and name != "new":
            print_line(f"{name}: {_line(value)}")
    print_line(_line({n: v for n, v in row.items() if not isinstance(v, dict)}))
    if problem := problem_of(getattr(report, "failures", ())):
        print_line(problem.sentence)
    if isinstance(report, PrepareReport) and report.new is not None:
        print_new(report.new)
    proposal = getattr(report, "proposal", report)
    if isinstance(proposal, ProposalReport):
        print_line(f"{what_would_end(proposal)}.")


def print_new(new: WhatIsNew) -> None:
    """What is new, and what is doubtful of it."""
    print_line("What is new:")
    for line in (*new.lines, *(f"  {api.words}" for api in new.doubtful[:_DOUBTFUL_SHOWN])):
        print_line(f"  {line}")
    if (more := len(new.doubtful) - _DOUBTFUL_SHOWN) > 0:
        print_line(f"    and {more:,} more (--json lists all)")


def _line(row: dict[str, Any]) -> str:
    return " · ".join(
        f"{name.replace('_', ' ')} {_figure(value)}"
        for name, value in row.items()
        if value is not None and name != "failures"
    )


def _figure(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.2f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
