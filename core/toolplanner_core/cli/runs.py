"""`toolplanner runs`: list, show, search and mark runs; the group of all commands on runs."""

import dataclasses
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Any

import click

from toolplanner_core.cli.options import ROW_ID, in_runs, in_workspace, json_option, run_argument
from toolplanner_core.cli.progress import shown_progress
from toolplanner_core.cli.run import print_outcome, summary_row
from toolplanner_core.cli.runs_files import export_command, import_command, record_command
from toolplanner_core.cli.runs_replay import (
    diff_command,
    fork_command,
    judge_command,
    replay_command,
)
from toolplanner_core.cli.terminal import print_json, print_line, print_rows, say, when
from toolplanner_core.cli.watching import print_tree
from toolplanner_core.domain.failure import PUBLISHED, ErrorClass
from toolplanner_core.domain.ids import NodePath, RunId
from toolplanner_core.domain.plan import Status
from toolplanner_core.runs.config.spec import RunSummary
from toolplanner_core.runs.log.prompts_used import prompt_words, prompts_used
from toolplanner_core.runs.log.stored_runs import (
    get_summary,
    list_runs,
    load_tree,
    node_rows,
    read_run,
)
from toolplanner_core.runs.presentation.conversation import (
    Conversation,
    Spoken,
    Thought,
    thoughts_in,
)
from toolplanner_core.runs.presentation.node_report import NodeReport, read_report
from toolplanner_core.runs.presentation.run_columns import MODEL_COLUMNS, VERDICT_COLUMNS, filled
from toolplanner_core.runs.presentation.run_list import former_words, status_words
from toolplanner_core.runs.presentation.run_settings import settings_words
from toolplanner_core.runs.presentation.sections import Section, pretty, pretty_text
from toolplanner_core.runs.searching.query import microseconds, parse_run_query
from toolplanner_core.runs.searching.search import RunFilters, search_runs
from toolplanner_core.runs.tree.formatting import cost_words
from toolplanner_core.words.formatting import counted, one_line
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.call_statistics import ErrorFigure, error_figures, read_attempts
from toolplanner_core.workspace.runs import (
    bring_back_runs,
    delete_runs,
    get_run,
    held_runs,
    put_mark,
    read_mark,
)


def report_lines(report: NodeReport, *, with_thoughts: bool = False) -> Iterator[str]:
    """A report, all texts whole.

    Args:
        with_thoughts: what models thought is whole, too; else a line says how much it is.
    """
    yield report.title
    yield report.facts
    if report.cause_text:
        yield f"↰ {report.cause_text}"
    for conversation in report.conversations:
        yield from _conversation(conversation, with_thoughts=with_thoughts)
    if report.arguments:
        rows = [
            f"{a.name}: {a.value}" + f"  ({a.origin})" * bool(a.origin) for a in report.arguments
        ]
        yield from _section(Section(title="Arguments", text="\n".join(rows)))
    for section in (*report.result, *report.why):
        yield from _section(section)
    if report.candidates:
        rows = [
            f"{c.score:.3f}  {c.title}  {c.became}  {c.parts}".rstrip() for c in report.candidates
        ]
        yield from _section(Section(title="Candidates", text="\n".join(rows)))
    for section in report.edits:
        yield from _section(section)


def _section(section: Section) -> Iterator[str]:
    yield ""
    yield f"{section.title}:"
    yield from _indented(section.text, 2)


def _conversation(told: Conversation, *, with_thoughts: bool) -> Iterator[str]:
    yield ""
    yield f"{told.title}:"
    if told.n_before:
        yield f"  … {told.n_before} before, of earlier turns"
    for each in told.spoken[told.n_before :]:
        yield from _spoken(each, with_thoughts=with_thoughts)


def _spoken(spoken: Spoken, *, with_thoughts: bool) -> Iterator[str]:
    aside = f" ({spoken.aside})" if spoken.aside else ""
    yield f"  {spoken.role}{aside}"
    if spoken.thought:
        hint = ":" if with_thoughts else ", shown by --thoughts"
        yield f"    thoughts, {counted(len(spoken.thought), 'character')}{hint}"
        yield from _indented(spoken.thought if with_thoughts else "", 6)
    yield from _indented(pretty_text(spoken.text), 4)
    for card in spoken.cards:
        given = card.arguments
        yield f"    → {card.title}"
        yield from _indented(given if isinstance(given, str) else pretty(given), 6)
        if card.result is not None:
            yield "    ←"
            yield from _indented(pretty_text(card.result), 6)


def _indented(text: str, by: int) -> Iterator[str]:
    for line in text.splitlines():
        yield f"{' ' * by}{line}"


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
            status_words(h.summary),
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


_runs = click.argument("runs", metavar="RUN...", type=ROW_ID, nargs=-1, required=True)


@click.command("mark")
@in_workspace
@run_argument
@click.option("--label", help='A word to find it by, "" for none.')
@click.option("--note", help='A note for people, "" for none.')
@click.option("--star/--no-star", default=None, help="Star it, or take the star away.")
def mark_command(
    workspace: Workspace, run_id: RunId, label: str | None, note: str | None, star: bool | None
) -> None:
    """Label, note or star RUN; `runs search` finds label:WORD and is:starred."""
    said = {"label": label, "note": note, "is_starred": star}
    given = {name: value for name, value in said.items() if value is not None}
    put_mark(workspace, dataclasses.replace(read_mark(workspace, run_id), **given))
    print_line(f"Marked run {run_id}.")


@click.command("delete")
@in_workspace
@_runs
def delete_command(workspace: Workspace, runs: tuple[RunId, ...]) -> None:
    """Take RUNS out of all lists, searches and figures; `runs restore` brings them back."""
    delete_runs(workspace, runs)
    print_line(f"Deleted {counted(len(runs), 'run')}. Bring back with: toolplanner runs restore")


@click.command("restore")
@in_workspace
@click.argument("runs", metavar="[RUN...]", type=ROW_ID, nargs=-1)
def restore_command(workspace: Workspace, runs: tuple[RunId, ...]) -> None:
    """Bring deleted RUNS back, all if none is named."""
    back = bring_back_runs(workspace, runs or None)
    print_line(f"Brought back {counted(len(back), 'run')}.")


@click.command("attempts")
@in_runs
@click.option("--run", "of_runs", type=ROW_ID, multiple=True, help="Only of this run; repeatable.")
@click.option("--outcome", help='Only these: "ok", or a class of failures.')
@click.option("--limit", default=200, show_default=True, help="Rows at most.")
@json_option
def attempts_command(
    workspace: Workspace,
    of_runs: tuple[RunId, ...],
    outcome: str | None,
    limit: int,
    as_json: bool,
) -> None:
    """List the calls of all runs, newest first: API, toolkit, how it went, how long it took."""
    found = read_attempts(workspace, runs=of_runs or None)
    print_rows(
        [row for row in found if outcome in (None, row.outcome)][:limit],
        [">Run", "API", "Toolkit", "Outcome", ">ms", "When"],
        lambda row: [
            row.run,
            row.title,
            row.toolkit,
            row.words,
            "" if row.elapsed_ms is None else round(row.elapsed_ms),
            when(row.started_us),
        ],
        as_json=as_json,
        to_json=dataclasses.asdict,
        empty="No API was called in any run.",
    )


@click.group()
def runs() -> None:
    """List, show, search, mark, delete, replay, fork, compare, judge, export and import runs."""


for _command in (
    search_command,
    replay_command,
    fork_command,
    diff_command,
    export_command,
    record_command,
    import_command,
    judge_command,
    mark_command,
    delete_command,
    restore_command,
    attempts_command,
):
    runs.add_command(_command)


@runs.command("list")
@in_runs
@click.option(
    "--by",
    type=click.Choice(["run", "error"]),
    default="run",
    help="A row per run, or per class of failures.",
)
@json_option
def list_command(workspace: Workspace, by: str, as_json: bool) -> None:
    """List all runs, newest first; or how often they failed in which way."""
    if by == "error":
        print_rows(
            error_figures(workspace),
            [*_ERROR_HEADINGS],
            lambda figure: [cell(figure) for cell in _ERROR_HEADINGS.values()],
            as_json=as_json,
            to_json=lambda figure: (
                dataclasses.asdict(figure)
                | {"type": None if figure.is_harness else PUBLISHED.get(figure.error)}
            ),
            empty="Nothing failed in any run.",
        )
        return
    held, summaries = held_runs(workspace), list_runs(workspace)
    others = filled([*VERDICT_COLUMNS, *MODEL_COLUMNS], summaries)

    if not as_json and (former := sum(bool(former_words(each)) for each in summaries)):
        say(
            f"{counted(former, 'run')} of an earlier version: solved meant that calls had served it"
        )

    def cells(run: RunSummary) -> list[object]:
        status = status_words(run, is_held=run.run in held)
        told = (column.told(run) for column in others)
        return [run.run, status, *(cell(run) for cell in _HEADINGS.values()), *told]

    print_rows(
        summaries,
        [">Run", "Status", *_HEADINGS, *(column.title for column in others)],
        cells,
        as_json=as_json,
        to_json=lambda run: summary_row(run) | {"is_held": run.run in held},
        empty=f'There are no runs yet. Make one with: toolplanner run {workspace.path} "QUERY"',
    )


@runs.command("show")
@in_runs
@run_argument
@click.option("--node", metavar="PATH", help="What is known of this node instead.")
@click.option("--thoughts", is_flag=True, help="What models thought before they replied, whole.")
@json_option
def show_command(
    workspace: Workspace, run_id: RunId, node: str | None, thoughts: bool, as_json: bool
) -> None:
    """Show a run: its tree, its answer, its totals; or one of its nodes with all texts."""
    if node is not None:
        report = read_report(workspace, run_id, NodePath(node.strip("/")))
        if as_json:
            print_json(dataclasses.asdict(report))
        for line in () if as_json else report_lines(report, with_thoughts=thoughts):
            print_line(line)
        return
    summary, records = get_summary(workspace, run_id), read_run(workspace, run_id)
    used, thought = prompts_used(records), thoughts_in(records)
    if as_json:
        nodes = node_rows(load_tree(workspace, summary.run))
        told = {"thoughts": [each._asdict() for each in thought]} if thoughts else {}
        settings = {"settings": get_run(workspace, run_id).options}
        print_json(summary_row(summary) | settings | {"nodes": nodes, "prompts": used} | told)
        return
    print_tree(workspace, summary.run)
    if thoughts:
        for line in _thought_lines(thought):
            print_line(line)
    print_outcome(workspace, summary)
    print_line(f"Settings: {settings_words(get_run(workspace, run_id))}")
    if used:
        said = (prompt_words(name, hash_) for name, hashes in used.items() for hash_ in hashes)
        print_line(f"Prompts: {', '.join(said)}")
    if thought and not thoughts:
        size = counted(sum(len(each.text) for each in thought), "character")
        replies = counted(len(thought), "reply", "replies")
        print_line(f"Thoughts: {size} before {replies}, shown by --thoughts")


def _thought_lines(thoughts: Iterable[Thought]) -> Iterator[str]:
    """Each under the path of its node."""
    for each in thoughts:
        yield f"Thoughts at {each.node}:"
        yield from _indented(each.text, 2)
        yield ""


def _origin(summary: RunSummary) -> str:
    """Where a run comes from, "" for one that began here by itself."""
    if summary.is_imported:
        return "imported"
    return f"fork of {summary.parent_run}" if summary.parent_run is not None else ""


_ERROR_HEADINGS: dict[str, Callable[[ErrorFigure], object]] = {
    "Class": lambda figure: figure.error.value.replace("_", " "),
    "Type in the paper": lambda figure: (
        "" if figure.is_harness else PUBLISHED.get(figure.error, "")
    ),
    "Of": lambda figure: "the harness" if figure.is_harness else "the run",
    ">Failures": lambda figure: figure.n,
    ">Runs": lambda figure: len(figure.runs),
    "Newest": lambda figure: ", ".join(map(str, figure.runs[:5])),
}
_HEADINGS: dict[str, Callable[[RunSummary], object]] = {
    "Query": lambda run: one_line(run.query),
    "Strategy": lambda run: run.strategy,
    ">Calls": lambda run: run.api_calls,
    ">Fallbacks": lambda run: run.fallbacks,
    ">Replans": lambda run: run.replans,
    ">Cost": lambda run: cost_words(run.cost),
    "Started": lambda run: when(run.started_us),
    "From": _origin,
}
