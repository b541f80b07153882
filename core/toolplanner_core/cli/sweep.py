"""`toolplanner sweep`: what several numbers of toolkits, or radii, would give; changes nothing."""

import dataclasses
from typing import Any

import click

from toolplanner_core.cli.options import SEED, in_workspace, json_option
from toolplanner_core.cli.progress import shown_progress
from toolplanner_core.cli.terminal import print_rows, say
from toolplanner_core.clustering.ceiling import SHORTLIST
from toolplanner_core.clustering.dbscan import propose_eps
from toolplanner_core.clustering.sweeping import SWEPT, SweptValue, sweep_values, usual_values
from toolplanner_core.errors import BadInput
from toolplanner_core.jobs.worker import run_in_worker
from toolplanner_core.lab.datasets.library import find_data_set
from toolplanner_core.retrieval.ranked_queries import AskedQuery, rank_queries
from toolplanner_core.runs.export.demonstrations import answered_queries
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import all_rowids
from toolplanner_core.workspace.settings import get_setting
from toolplanner_core.workspace.vectors import load_vectors

_FIGURES = (">Toolkits", ">Mean size", ">Largest", ">Alone", ">In none", ">Fit", ">Ceiling")


@click.command("sweep")
@in_workspace
@click.option(
    "--method",
    type=click.Choice(sorted(SWEPT)),
    default="kmeans",
    show_default=True,
    help="kmeans tries numbers of toolkits, dbscan distances.",
)
@click.option(
    "--value",
    "values",
    type=float,
    multiple=True,
    help="Try this one; repeatable. By itself those of the paper, and distances that fit.",
)
@click.option("--plain", is_flag=True, help="Leave toolkits as k-means finds them, as the paper.")
@click.option(
    "--queries",
    metavar="DATASET",
    help="Queries with gold APIs, for the ceiling; by itself those that runs here answered.",
)
@click.option(
    "--shortlist",
    type=click.IntRange(min=1),
    default=SHORTLIST,
    show_default=True,
    help="Toolkits that the ceiling counts.",
)
@click.option("--seed", type=SEED, default=0, show_default=True)
@json_option
def sweep_command(
    *,
    workspace: Workspace,
    method: str,
    values: tuple[float, ...],
    plain: bool,
    queries: str | None,
    shortlist: int,
    seed: int,
    as_json: bool,
) -> None:
    """Show how many toolkits each value would make, how alike their APIs would be (silhouette, -1
    to 1), how many would stand alone, and of how many queries a shortlist would hold all
    APIs: the ceiling of any plan over them."""
    if plain and method != "kmeans":
        raise click.UsageError("--plain is of kmeans alone.")
    swept = SWEPT[method]
    if wrong := [each for each in values if swept.is_whole and not each.is_integer()]:
        raise BadInput(f"A number of toolkits cannot be {wrong[0]:g}", todo="Give a whole one")
    embedder: str = get_setting(workspace, "active_embedder", "")
    rowids = all_rowids(workspace)
    vectors = load_vectors(workspace, embedder, rowids).vectors
    tried = list(dict.fromkeys(values)) or usual_values(method, vectors)
    options: dict[str, Any] = {"is_plain": plain} if method == "kmeans" else {}
    with shown_progress() as progress:
        ranked = rank_queries(workspace, rowids, _asked(workspace, queries), progress)
        found = run_in_worker(
            sweep_values,
            vectors,
            method=method,
            values=tried,
            options=options,
            seed=seed,
            queries=ranked,
            shortlist=shortlist,
            progress=progress,
            what="values",
        )
    print_rows(
        found,
        [f">{swept.option}", *_FIGURES],
        _cells,
        as_json=as_json,
        to_json=dataclasses.asdict,
        empty="There is nothing to try",
    )
    if as_json:
        return
    known, first = counted(len(ranked), "query", "queries"), counted(shortlist, "toolkit")
    say(f"Ceiling: share of {known} with known APIs whose APIs the first {first} hold")
    if method == "dbscan":
        say(f"By the distances of these vectors: --eps {propose_eps(vectors, 1):.2f}")


def _cells(each: SweptValue) -> list[Any]:
    return [
        f"{each.value:g}",
        f"{each.groups:,}",
        f"{each.mean_size:.1f}",
        f"{each.largest:,}",
        f"{each.singletons:,}",
        f"{each.noise:,}",
        "" if each.silhouette is None else f"{each.silhouette:.3f}",
        "" if each.ceiling is None else f"{each.ceiling:.0%}",
    ]


def _asked(workspace: Workspace, reference: str | None) -> list[AskedQuery]:
    """Queries and the keys of their APIs."""
    if reference is None:
        return [(text, [keys]) for text, keys in answered_queries(workspace)]
    found = find_data_set(reference).data_set
    return [(query.text, query.gold) for query in found if query.gold]
