"""`toolplanner graph`: which API comes after which; build, show, set, cut and give back."""

from pathlib import Path
from typing import Any, Literal

import click

from toolplanner_core.cli.options import in_workspace, json_option
from toolplanner_core.cli.terminal import print_json, print_line, print_rows
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.runs.graph.tool_graph import (
    build_graph,
    decide_edge,
    graph_now,
    neighbourhood,
    titles_of,
)
from toolplanner_core.runs.graph.trajectories import answered_runs, gold_paths, idle_words
from toolplanner_core.strategies.techniques.tool_graph import Formula
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace import Workspace


@click.group()
def graph() -> None:
    """Which API comes after which, as the strategy toolnet walks it."""


@graph.command("build")
@in_workspace
@click.argument("files", nargs=-1, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--runs/--no-runs", default=True, help="Also from runs here that answered.")
def build_command(workspace: Workspace, files: tuple[Path, ...], runs: bool) -> None:
    """Count transitions anew: in runs that answered, and in FILES of gold paths. Scores stay."""
    found_runs = list(answered_runs(workspace)) if runs else []
    ways = [way for _, way in found_runs if way]
    if runs:
        print_line(f"{counted(len(ways), 'trajectory', 'trajectories')} of runs that answered")
    if idle := idle_words([run for run, way in found_runs if not way]):
        print_line(idle)
    for file in files:
        found = gold_paths(workspace, file)
        ways += found.paths
        print_line(f"{counted(len(found.paths), 'trajectory', 'trajectories')} of {file.name}")
        if found.unknown:
            shown = ", ".join(sorted(found.unknown)[:5])
            print_line(f"{found.left_out:,} left out: no API has one of their names ({shown} ...)")
    built = build_graph(workspace, ways)
    edges = sum(len(row) for row in built.counts.values())
    print_line(
        f"The graph has {counted(len(built.counts), 'API')} and {counted(edges, 'transition')},"
        f" {counted(built.trajectories, 'trajectory', 'trajectories')} in all."
    )


@graph.command("show")
@in_workspace
@click.argument("api", required=False)
@click.option("--alpha", type=click.FloatRange(min=0), default=0.5, show_default=True)
@click.option("--beta", type=click.FloatRange(0, 1), default=0.5, show_default=True)
@click.option("--window", type=click.IntRange(min=1), help="Last scores that count; all.")
@json_option
def show_command(
    *,
    workspace: Workspace,
    api: str | None,
    alpha: float,
    beta: float,
    window: int | None,
    as_json: bool,
) -> None:
    """Show what comes after API and before it; without API, the APIs that have successors.

    Weights are those that a run with the same --alpha, --beta and --window goes by.
    """
    found = graph_now(workspace)
    formula = Formula(alpha=alpha, beta=beta, window=window)
    if api is None:
        _show_all(workspace, formula, as_json=as_json)
        return
    near = neighbourhood(workspace, found, ApiId(api), formula)
    rows: list[dict[str, Any]] = [
        {"where": where, "api": edge.api, "title": near.titles[edge.api], **edge._asdict()}
        for where, edges in (("after", near.after), ("before", near.before))
        for edge in edges
    ]
    if as_json:
        print_json(rows)
        return
    print_line(f"{near.titles[ApiId(api)]}: score {near.score:+d}")
    print_rows(
        rows,
        ["Where", "Id", "API", ">Weight", ">Seen", ">Score", "Decided"],
        lambda r: [
            r["where"], r["api"], r["title"], f"{100 * r['weight']:.0f}", f"{r['times']:,}",
            f"{found.score(r['api'], formula):+d}", "by a person" if r["is_decided"] else "",
        ],
        as_json=False, to_json=dict, empty="Nothing is known of its neighbours.",
    )  # fmt: skip


def _show_all(workspace: Workspace, formula: Formula, *, as_json: bool) -> None:
    found = graph_now(workspace)
    titles = titles_of(workspace, found.counts)
    rows = sorted(found.counts.items(), key=lambda each: -sum(each[1].values()))
    print_rows(
        rows,
        ["Id", "API", ">Seen", ">Successors", ">Score"],
        lambda row: [
            row[0], titles[row[0]], f"{sum(row[1].values()):,}", f"{len(row[1]):,}",
            f"{found.score(row[0], formula):+d}",
        ],
        as_json=as_json,
        to_json=lambda row: {"api": row[0], "after": dict(row[1])},
        empty="There is no graph yet: make one with toolplanner graph build.",
    )  # fmt: skip


@graph.command("decide")
@in_workspace
@click.argument("before")
@click.argument("after")
@click.argument("what")
def decide_command(workspace: Workspace, before: str, after: str, what: str) -> None:
    """Decide the transition from the API BEFORE to AFTER (ids, "start", "end").

    WHAT is a weight from 0 to 100 that stays, "cut" (AFTER is never offered there), or "free" (runs
    decide again).
    """
    weight: float | Literal["free"] | None = None
    if what == "free":
        weight = "free"
    elif what != "cut":
        try:
            weight = float(what) / 100
        except ValueError:
            weight = -1.0
        if not 0 <= weight <= 1:
            raise click.UsageError(f"{what!r} is neither cut, free nor a number from 0 to 100.")
    version = decide_edge(workspace, ApiId(before), ApiId(after), weight)
    print_line(f"Kept as version {version} of the memory 'toolnet decided'.")
