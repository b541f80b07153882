"""`toolplanner train`: train a retriever on labelled queries, measure it, list and remove them."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toolplanner_core.cli.options import SEED, FilePath, in_workspace, json_option, named_values
from toolplanner_core.cli.plugin_flags import explain_option
from toolplanner_core.cli.progress import shown_progress
from toolplanner_core.cli.terminal import print_json, print_line, print_rows, print_table, say
from toolplanner_core.embedding.trained import TrainedModel, list_trained, trained_model
from toolplanner_core.options.option import describe_options
from toolplanner_core.options.values import make_options
from toolplanner_core.training.job import CurvePoint, TrainingOptions
from toolplanner_core.training.search_metrics import MeasuredSearch, measured_row
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace import Workspace

if TYPE_CHECKING:
    from toolplanner_core.training.finetuning import TuningService
    from toolplanner_core.training.reranker_training import LearnedRanking

_OPTIONS = "How it is trained: " + " ".join(
    f"{each.name}: {explain_option(each)}" for each in describe_options(TrainingOptions)
)
_QUERIES = click.option(
    "--queries",
    "files",
    multiple=True,
    type=FilePath(),
    help='JSON lines {"query", "gold": [KEYS]}; {"key", "tool", "text"} adds APIs. Repeatable.',
)
_MEASURES = ("recall@5", "recall@10", "ndcg@5", "ndcg@10", "complete@5", "complete@10")


@click.group()
def train() -> None:
    """Train a retriever for this catalogue: the embedder trained:NAME."""


@train.command("start")
@in_workspace
@click.argument("name")
@_QUERIES
@click.option("--tested", multiple=True, help="Test on queries of this file only. Repeatable.")
@click.option("--runs/--no-runs", default=True, help="Learn from runs that answered, too.")
@click.option(
    "--order/--no-order", default=True, help="Learn an order of searches, too, as train order does."
)
@click.option("-o", "--option", "pairs", multiple=True, metavar="NAME=VALUE", help=_OPTIONS)
@click.option("--pool", default=2_000, show_default=True, help="APIs to measure among; 0 = all.")
@json_option
def start_command(
    *,
    workspace: Workspace,
    name: str,
    files: tuple[Path, ...],
    tested: tuple[str, ...],
    runs: bool,
    order: bool,
    pairs: tuple[str, ...],
    pool: int,
    as_json: bool,
) -> None:
    """Train NAME and measure it; the same call goes on with what was stopped."""
    from toolplanner_core.training.train import (
        TrainingRequest,
        order_beside,
        report_row,
        run_training_request,
    )

    request = TrainingRequest(
        name=name,
        files=files,
        tested=tested,
        has_runs=runs,
        has_order=order,
        options=make_options(TrainingOptions, named_values(pairs), of="training"),
    )
    with shown_progress() as progress:
        report = run_training_request(workspace, request, progress=progress, on_point=_say_point)
        learned = order_beside(workspace, request, progress=progress)
    if not as_json:
        counts = ", ".join(f"{number:,} {what}" for what, number in report.queries.items())
        print_line(f"{report.embedder}: {counted(report.pairs, 'pair')} of queries ({counts})")
        print_line(f"Ended: {report.end.why}, best after {counted(report.end.best, 'batch')}")
        if learned is not None:
            _print_order(learned)
    measured = _measure(workspace, trained_model(name), ("minilm",), pool)
    if as_json:
        rows = {
            "order": learned and _order_row(learned),
            "measured": [*map(measured_row, measured)],
        }
        print_json({**report_row(report), **rows})
    else:
        _print(measured)


@train.command("measure")
@in_workspace
@click.argument("name")
@click.option("--against", multiple=True, default=("minilm",), show_default=True)
@click.option("--pool", default=0, show_default=True, help="APIs to measure among; 0 = all.")
@json_option
def measure_command(
    workspace: Workspace, name: str, against: tuple[str, ...], pool: int, as_json: bool
) -> None:
    """Measure NAME and others on the queries that were kept for testing."""
    measured = _measure(workspace, trained_model(name), against, pool)
    if as_json:
        print_json([measured_row(each) for each in measured])
    else:
        _print(measured)


@train.command("order")
@in_workspace
@_QUERIES
@click.option("--runs/--no-runs", default=True, help="Learn from runs that answered, too.")
@click.option("--forget", is_flag=True, help="Go back to the usual order.")
@json_option
def order_command(
    *, workspace: Workspace, files: tuple[Path, ...], runs: bool, forget: bool, as_json: bool
) -> None:
    """Learn in which order searches of this catalogue put what they find.

    Each half of the queries is tried with what the other half taught; kept if more is found so.
    """
    from toolplanner_core.retrieval.reranking import remove_weights
    from toolplanner_core.training.reranker_training import learn_and_save_order

    if forget:
        remove_weights(workspace)
        print_line("Searches put what they find in the usual order again.")
        return
    with shown_progress() as progress:
        learned = learn_and_save_order(workspace, files, has_runs=runs, progress=progress)
    if as_json:
        print_json(_order_row(learned))
    else:
        _print_order(learned)


@train.command("list")
@json_option
def list_command(as_json: bool) -> None:
    """List the models that were trained on this machine."""
    print_rows(
        list_trained(),
        ["Embedder", ">Pairs", ">Test queries", ">Held-out Recall@5 before", ">after"],
        _cells,
        as_json=as_json,
        to_json=lambda model: {"embedder": model.id, **model.record},
        empty="None yet. Train one with: toolplanner train start WORKSPACE NAME --queries FILE",
    )


@train.command("remove")
@click.argument("name")
def remove_command(name: str) -> None:
    """Delete the model NAME; the vectors that it made stay in their workspaces."""
    from toolplanner_core.training.train import remove_trained

    remove_trained(trained_model(name))
    print_line(f"trained:{name} is gone.")


@train.command("finetune")
@in_workspace
@click.argument("file", type=FilePath())
@click.option("--variants", default=4, show_default=True, type=click.IntRange(1, 100))
@click.option("--seed", type=SEED, default=0, show_default=True)
@click.option(
    "--form",
    type=click.Choice(["messages", "prompt-completion"]),
    default="messages",
    show_default=True,
    help="messages: for services and trl; prompt-completion: for trl, which learns from the"
    " completion alone.",
)
@click.option(
    "--paraphrases",
    "count",
    default=0,
    show_default=True,
    type=click.IntRange(0, 20),
    help="Other wordings of each query, by --model; those that lose a value are refused.",
)
@click.option("--model", default="", help="Model for --paraphrases; else the usual one.")
@json_option
def finetune_command(
    *,
    workspace: Workspace,
    file: Path,
    variants: int,
    seed: int,
    form: str,
    count: int,
    model: str,
    as_json: bool,
) -> int:
    """Write a training set for the planner of tptu, made of demonstrations, to FILE."""
    from toolplanner_core.training.finetuning import TuningForm, tuning_lines, tuning_set
    from toolplanner_core.training.paraphrasing import paraphrase_queries
    from toolplanner_core.workspace.demonstrations import list_demonstrations
    from toolplanner_core.workspace.export_file import write_file

    said = None
    if count:
        queries = [each.query for each in list_demonstrations(workspace)]
        with shown_progress() as progress:
            said = paraphrase_queries(queries, count, model=model, progress=progress)
    lines, report = tuning_set(
        workspace, variants=variants, seed=seed, form=TuningForm(form), paraphrases=said
    )
    write_file((f"{line}\n" for line in lines), file)
    if as_json:
        print_json(asdict(report))
        return 1 if report.problems else 0
    for line in tuning_lines(report):
        print_line(line)
    print_line(f"Written to {file}")
    return 1 if report.problems else 0


@train.command("tune")
@click.argument("file", type=FilePath())
@click.argument("model")
@click.option("--allow", is_flag=True, help="Let texts of this workspace go to the endpoint.")
def tune_command(file: Path, model: str, allow: bool) -> int:
    """Send the training set FILE to the usual endpoint, tune MODEL there, and watch it."""
    from toolplanner_core.endpoints import allow_texts
    from toolplanner_core.training.finetuning import TuningService

    service = TuningService()
    if allow:
        allow_texts(service.address)
    job = service.start(file, model=model)
    print_line(f"Job {job} was started at {service.address}")
    return _watch(service, job)


@train.command("watch")
@click.argument("job")
@click.option("--cancel", is_flag=True, help="Have the service end it first.")
def watch_command(job: str, cancel: bool) -> int:
    """Watch a JOB of `train tune` until it is over; Ctrl+C ends the watching, not the job."""
    from toolplanner_core.training.finetuning import TuningService

    service = TuningService()
    if cancel:
        service.cancel(job)
    return _watch(service, job)


def _watch(service: "TuningService", job: str) -> int:
    with shown_progress() as progress:
        state = service.watch(job, hear=say, progress=progress)
    why = f": {state.error}" if state.error else ""
    print_line(f"Job {job}: {state.status}{why}")
    if state.model:
        print_line(f"Ask it as openai:{state.model}")
    return 0 if state.model else 1


def _order_row(learned: "LearnedRanking") -> dict[str, Any]:
    return {**asdict(learned), "kept": learned.is_better}


def _print_order(learned: "LearnedRanking") -> None:
    sides = (("usual", learned.before), ("learned", learned.after))
    rows = [[how, *(figures[name].formatted() for name in _MEASURES)] for how, figures in sides]
    print_line(f"{counted(learned.queries, 'query', 'queries')}, 95 % intervals:")
    print_table(["Order", *_MEASURES], rows)
    print_line("Kept." if learned.is_better else "Not kept: it finds no more than the usual order.")


def _measure(
    workspace: Workspace, model: TrainedModel, against: tuple[str, ...], pool: int
) -> list[MeasuredSearch]:
    from toolplanner_core.training.train import measure_trained

    with shown_progress() as progress:
        return measure_trained(workspace, model, against=against, pool=pool, progress=progress)


def _print(measured: list[MeasuredSearch]) -> None:
    rows: list[list[Any]] = []
    for each in measured:
        sorts = (("alone", each.dense), ("with BM25, usual order", each.usual))
        for how, figures in (*sorts, ("with BM25", each.hybrid)):
            if figures:
                rows.append(
                    [each.embedder, how, *(figures[name].formatted() for name in _MEASURES)]
                )
    if measured:
        words = measured[0].words
        rows.append(["no vectors", "BM25 alone", *(words[name].formatted() for name in _MEASURES)])
        words = counted(measured[0].queries, "test query", "test queries")
        print_line(f"{words} over {counted(measured[0].apis, 'API')}, 95 % intervals:")
        print_table(["Embedder", "Search", *_MEASURES], rows)


def _cells(model: TrainedModel) -> list[object]:
    curve = model.record.get("end", {}).get("curve", [])
    recalls = [point["recall"] for point in curve]
    before, after = (f"{recalls[0]:.3f}", f"{max(recalls):.3f}") if recalls else ("", "")
    tested = len(model.record.get("test", []))
    return [model.id, model.record.get("pairs", ""), tested, before, after]


def _say_point(point: CurvePoint) -> None:
    say(f"batch {point.step}: loss {point.loss:.3f}, held-out Recall@5 {point.recall:.3f}")
