"""`toolplanner lab ceiling`, `retrievers`, `stand-ins`: experiments without a model or a call."""

from collections.abc import Mapping
from dataclasses import asdict

import click

from toolplanner_core.cli.options import SEED, in_workspace, json_option
from toolplanner_core.cli.progress import shown_progress
from toolplanner_core.cli.terminal import print_json, print_line, print_table
from toolplanner_core.errors import BadInput
from toolplanner_core.lab.datasets.library import find_data_set
from toolplanner_core.lab.statistics.estimates import Estimate
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace import Workspace

_data_set = click.argument("data_set", metavar="DATASET")
_seed = click.option("--seed", type=SEED, default=0, show_default=True, help="Of the intervals.")


@click.command("ceiling")
@in_workspace
@_data_set
@click.option("--sizes", default="5,10,20,40,60,100,200,400", show_default=True, help="Toolkits.")
@_seed
@json_option
def ceiling_command(
    *, workspace: Workspace, data_set: str, sizes: str, seed: int, as_json: bool
) -> None:
    """Say how often the first toolkits of a shortlist hold all gold APIs of a query.

    No plan over the toolkits of WORKSPACE can solve more of DATASET.
    """
    from toolplanner_core.lab.experiments.ceiling import shortlist_ceiling

    queries = find_data_set(data_set).data_set
    with shown_progress() as progress:
        found = shortlist_ceiling(workspace, queries, _sizes(sizes), seed=seed, progress=progress)
    if as_json:
        print_json(
            {
                "data_set": queries.reference,
                "toolkits": found.toolkits,
                "queries": len(found.ranks),
                "missing": found.missing,
                "complete": {size: asdict(each) for size, each in found.complete.items()},
            }
        )
        return
    print_line(
        f"{queries.reference}: {counted(len(found.ranks), 'query', 'queries')} with gold APIs,"
        f" {counted(found.toolkits, 'toolkit')}"
    )
    print_table(
        [">Toolkits", "Queries with all gold among them"],
        [[size, str(each)] for size, each in found.complete.items()],
    )
    if found.missing:
        print_line(
            f"{counted(found.missing, 'query has', 'queries have')} gold that is in no toolkit;"
            " they count as not held."
        )


@click.command("retrievers")
@in_workspace
@_data_set
@click.option("--embedder", "specs", multiple=True, required=True, help="Repeatable.")
@click.option("--pool", default=0, show_default=True, help="APIs to search among; 0 = all.")
@click.option("--new-tools", is_flag=True, help="Refuse what has learned about the gold's tools.")
@_seed
@json_option
def retrievers_command(
    *,
    workspace: Workspace,
    data_set: str,
    specs: tuple[str, ...],
    pool: int,
    new_tools: bool,
    seed: int,
    as_json: bool,
) -> None:
    """Compare embedders by what they find of the gold APIs of DATASET in WORKSPACE.

    The first embedder is what the others are compared with, query by query.
    """
    from toolplanner_core.lab.experiments.retrievers import MEASURES, compare_retrievers

    queries = find_data_set(data_set).data_set
    with shown_progress() as progress:
        found = compare_retrievers(
            workspace,
            queries,
            specs,
            pool=pool,
            seed=seed,
            has_new_tools=new_tools,
            progress=progress,
        )
    if as_json:
        print_json({"data_set": queries.reference, **asdict(found)})
        return
    print_line(
        f"{queries.reference}: {counted(found.queries, 'query', 'queries')} among"
        f" {counted(found.apis, 'API')}, {found.left_out:,} left out (no gold here)"
    )

    def rows(of: Mapping[str, Mapping[str, Estimate]]) -> list[list[object]]:
        return [
            [name, *(str(each[name]) if each else "" for each in of.values())] for name in MEASURES
        ]

    figures = {each.embedder: each.figures for each in found.retrievers}
    print_table(["Measure", *figures], rows(figures))
    others = {each.embedder: each.differences for each in found.retrievers[1:]}
    if others:
        print_line(f"Differences to {found.retrievers[0].embedder}:")
        print_table(["Measure", *others], rows(others))


@click.command("stand-ins")
@in_workspace
@click.option("--limit", type=click.IntRange(min=0), default=20, show_default=True)
@_seed
@json_option
def stand_ins_command(*, workspace: Workspace, limit: int, seed: int, as_json: bool) -> None:
    """Say how many APIs that gave equal answers in recorded calls lie in one toolkit."""
    from toolplanner_core.lab.experiments.stand_ins import recorded_stand_ins

    found = recorded_stand_ins(workspace, seed=seed)
    if as_json:
        pairs = [pair._asdict() for pair in found.pairs]
        print_json({**asdict(found), "pairs": pairs})
        return
    print_line(
        f"{counted(len(found.pairs), 'pair')} of APIs of different tools gave equal answers,"
        f" of {counted(found.recorded, 'recorded API')}. Replies may be real or simulated."
    )
    if found.inside is not None:
        print_line(f"In one toolkit: {found.inside}")
        print_line(f"As the mean over sets of APIs that pairs link: {found.of_sets}")
    print_table(
        ["API", "Other API", ">Equal answers", "In one toolkit"],
        [[*pair[:3], "yes" if pair[3] else ""] for pair in found.pairs[:limit]],
    )


def _sizes(text: str) -> list[int]:
    try:
        return [int(each) for each in text.split(",")]
    except ValueError as error:
        raise BadInput(f"{text!r} is no list of numbers of toolkits") from error
