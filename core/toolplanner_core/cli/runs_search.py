"""`toolplanner runs search`: find runs by words and fields."""

import dataclasses
from datetime import datetime
from typing import Any

import click

from toolplanner_core.cli.options import ROW_ID, in_runs, json_option
from toolplanner_core.cli.progress import shown_progress
from toolplanner_core.cli.run import summary_row
from toolplanner_core.cli.terminal import print_rows
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.plan import Status
from toolplanner_core.runs.searching.query import microseconds, parse_run_query
from toolplanner_core.runs.searching.search import RunFilters, search_runs
from toolplanner_core.words.wording import one_line
from toolplanner_core.workspace import Workspace

_DATE = click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"])


@click.command("search")
@in_runs
@click.argument("text", nargs=-1)
@click.option("--strategy", help="Only runs of this strategy.")
@click.option("--status", type=click.Choice([str(status) for status in Status]))
@click.option("--model", help="Only runs with this model.")
@click.option("--provider", help="Only runs with this provider.")
@click.option("--api", help="Id or whole title of an API that was called.")
@click.option("--toolkit", help="Name of a toolkit that a step used.")
@click.option(
    "--error",
    type=click.Choice([str(error) for error in ErrorClass]),
    metavar="CLASS",
    help="An error class that occurred, such as rate_limited.",
)
@click.option("--since", type=_DATE, help="Started on or after this date (local time).")
@click.option("--before", type=_DATE, help="Started before this date (local time).")
@click.option("--min-fallbacks", type=ROW_ID)
@click.option("--min-replans", type=ROW_ID)
@click.option("--min-tokens", type=ROW_ID)
@click.option("--limit", type=click.IntRange(1, 100_000), default=50, show_default=True)
@json_option
def search_command(
    *,
    workspace: Workspace,
    text: tuple[str, ...],
    since: datetime | None,
    before: datetime | None,
    limit: int,
    as_json: bool,
    **fields: Any,
) -> None:
    """Find runs that hold all words of TEXT in query, answer, titles, failures, arguments, results.

    "Words in quotes" are a phrase. TEXT may hold fields as well: 'status:solved cost>0.01
    toolkit:"Fuel prices" since:2026-11-01'. Without TEXT, the newest runs that fit the options.
    """
    words, in_text = parse_run_query(" ".join(text))
    given = {name: value for name, value in fields.items() if value is not None}
    if since is not None:
        given["since_us"] = microseconds(since)
    if before is not None:
        given["before_us"] = microseconds(before)
    filters: RunFilters = dataclasses.replace(in_text, **given)
    with shown_progress() as progress:
        hits = search_runs(workspace, words, filters, limit=limit, progress=progress)
    print_rows(
        hits,
        [">Run", "Status", "Query", "Strategy", "Where it fits"],
        lambda h: [
            h.summary.run,
            h.summary.status,
            one_line(h.summary.query),
            h.summary.strategy,
            h.snippet,
        ],
        as_json=as_json,
        to_json=lambda hit: (
            summary_row(hit.summary) | {"score": round(hit.score, 4), "snippet": hit.snippet}
        ),
        empty="No run fits.",
    )
