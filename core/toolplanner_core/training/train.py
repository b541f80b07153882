"""Train a retriever for the catalogue of a workspace, as a person asked for it.

    read, split by tool, check -> hard negatives -> the loop in a worker -> ONNX -> figures

A training that was cancelled or broke off is gone on with by the same call. The result is the
embedder `trained:NAME`.

Source: TPTU-v2, arXiv 2311.11315, section 2.2.
"""

import dataclasses
import json
import shutil
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from toolplanner_core.embedding.minilm import absent_packages, export_onnx, weights_folder
from toolplanner_core.embedding.trained import (
    DOCUMENT,
    QUERY,
    RECORD_FILE,
    TOKENIZER_FILE,
    TrainedModel,
    trained_folder,
    trained_model,
    trained_root,
    write_record,
)
from toolplanner_core.errors import BadInput, EmbedderUnavailable
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.jobs.worker import run_in_worker
from toolplanner_core.options.values import check_options, make_options, options_to_json
from toolplanner_core.resources import install_hint
from toolplanner_core.runs.export.demonstrations import answered_queries
from toolplanner_core.training.job import (
    MODEL_FOLDERS,
    CurvePoint,
    TrainingJob,
    TrainingOptions,
    TrainingResult,
)
from toolplanner_core.training.labelled import (
    MADE,
    Labelled,
    SplitQueries,
    read_labelled,
    split_by_tool,
    tools_of,
)
from toolplanner_core.training.loop import train_in_worker
from toolplanner_core.training.reranker_training import LearnedRanking, learn_and_save_order
from toolplanner_core.training.search_metrics import (
    MeasuredSearch,
    measure_embedders,
    store_metrics,
)
from toolplanner_core.training.training_set import training_job
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace import Workspace

WORK = "work"
"""Folder below the model's where a training keeps what it needs until it has ended."""
_FEWEST = 10
"""Training queries below which nothing can be learned."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainReport:
    """What a training did.

    Attributes:
        embedder: storage id of the result.
        pairs: trained on; queries: by what they were for; unknown: named no API that is there.
        end: how it ended, with the learning curve.
    """

    embedder: str
    pairs: int
    queries: dict[str, int]
    unknown: int
    end: TrainingResult


def train(
    workspace: Workspace,
    name: str,
    files: Sequence[Path],
    *,
    others: Iterable[tuple[str, Sequence[str]]] = (),
    tested: Sequence[str] = (),
    options: TrainingOptions | None = None,
    progress: Progress,
    on_point: Callable[[CurvePoint], None] | None = None,
    on_begun: Callable[[], None] | None = None,
) -> TrainReport:
    """Train the embedder `trained:NAME`. Blocks for minutes; the work is done in a worker.

    Args:
        files: of labelled queries, see `training/labelled.py`.
        others: further queries with the keys of their APIs.
        tested: sources (names of files) whose queries are split into training and test; the others
            are trained on where they share no tool with a test query. None = all are split.
        on_point: gets each point of the learning curve.
        on_begun: called when the queries are found enough, before anything is learned.

    Raises:
        BadInput: too few queries, or the name is taken.
        EmbedderUnavailable: the extra `sbert` is not installed.
        LeakedTest: the split is not fair.
        Cancelled: what was learned is kept, and the same call goes on with it.
    """
    chosen = check_options(TrainingOptions, options, of="training")
    folder = _free_folder(name)
    check_installed()
    weights = weights_folder()
    progress.report("Reading labelled queries", 0, None, "queries")
    labelled = read_labelled(workspace, files, others, made=chosen.made, seed=chosen.seed)
    split = _enough_split(labelled, tested, chosen.seed)
    work = folder / WORK
    work.mkdir(parents=True, exist_ok=True)
    if on_begun is not None:
        on_begun()
    job = training_job(
        workspace, labelled, split, weights=weights, folder=work, options=chosen, progress=progress
    )
    end = _learned(job, on_point, progress)
    _export(folder, weights, progress)
    counts = _counts(labelled, split)
    write_record(folder, _record(job, counts, labelled, split, end))
    shutil.rmtree(work, ignore_errors=True)
    return TrainReport(
        embedder=trained_model(name).id,
        pairs=len(job.pairs),
        queries=counts,
        unknown=labelled.unknown,
        end=end,
    )


def check_installed() -> None:
    """Look, without loading anything, whether this machine can train.

    Raises:
        EmbedderUnavailable: the extra `sbert` is not installed.
    """
    if absent := absent_packages():
        raise EmbedderUnavailable(
            "Training needs the extra sbert, which is not installed",
            why=f"Missing: {', '.join(absent)}",
            todo=install_hint("sbert"),
        )


def remove_trained(model: TrainedModel) -> None:
    """Delete a trained model; vectors that it made stay in their workspaces."""
    shutil.rmtree(model.folder)


def report_row(report: TrainReport) -> dict[str, object]:
    """A report as JSON."""
    return {**dataclasses.asdict(report), "end": _end_row(report.end)}


def _free_folder(name: str) -> Path:
    folder = trained_folder(name)
    if (folder / RECORD_FILE).exists():
        raise BadInput(
            f"There is a trained model {name!r} already",
            where=str(folder),
            todo="Choose another name, or remove that model first",
        )
    return folder


def _enough_split(labelled: Labelled, tested: Sequence[str], seed: int) -> SplitQueries:
    split = split_by_tool(labelled.queries, labelled.documents, tested=tested, seed=seed)
    number = sum(query.source != MADE for query in split.train)
    if number < _FEWEST:
        raise BadInput(
            f"Only {counted(number, 'query', 'queries')} to learn from",
            why=f"{len(split.test)} are kept for testing, {labelled.unknown} name no known API",
            todo=f"Bring files of labelled queries: {_FEWEST} at least, hundreds to be of use",
        )
    return split


def _learned(
    job: TrainingJob, on_point: Callable[[CurvePoint], None] | None, progress: Progress
) -> TrainingResult:
    return run_in_worker(
        train_in_worker,
        job,
        progress=progress,
        what="training",
        on_piece=on_point or (lambda _: None),
    )


def _export(folder: Path, weights: Path, progress: Progress) -> None:
    """The best weights as ONNX, as `minilm` has them."""
    work = folder / WORK
    from_to = {MODEL_FOLDERS["document"]: DOCUMENT, MODEL_FOLDERS["query"]: QUERY}
    for source, target in from_to.items():
        if (work / source).is_dir():
            progress.report("Exporting the model", 0, None, "files")
            run_in_worker(
                export_onnx,
                str(work / source),
                str(folder / target),
                progress=progress,
                what="export",
            )
    shutil.copyfile(weights / "tokenizer.json", folder / TOKENIZER_FILE)


def _record(
    job: TrainingJob,
    counts: dict[str, int],
    labelled: Labelled,
    split: SplitQueries,
    end: TrainingResult,
) -> dict[str, object]:
    """What is kept about a model; its figures come when it is measured."""
    seen = (*split.train, *split.dev)
    return {
        "options": options_to_json(job.options),
        "pairs": len(job.pairs),
        "queries": counts,
        "end": _end_row(end),
        "test": [{"query": q.text, "gold": sorted(q.keys)} for q in split.test],
        "learned": {
            "queries": [query.text for query in seen],
            "tools": sorted({t for query in seen for t in tools_of(query, labelled.documents)}),
        },
        "figures": {},
    }


def _end_row(end: TrainingResult) -> dict[str, object]:
    return {**end._asdict(), "curve": [point._asdict() for point in end.curve]}


def _counts(labelled: Labelled, split: SplitQueries) -> dict[str, int]:
    made = sum(query.source == MADE for query in split.train)
    return {
        "all": len(labelled.queries),
        "train": len(split.train),
        "dev": len(split.dev),
        "test": len(split.test),
        "left_out": split.left_out,
        **({"made": made} if made else {}),
    }


USUAL_POOL = 2_000
"""APIs beside the gold ones among which a new model is measured at once."""
_FILE = "request.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingRequest:
    """What shall be trained.

    Attributes:
        files: of labelled queries; tested: as in `train`.
        has_runs: learn from runs that answered, too.
        has_order: learn an order of searches from the same queries, too.
    """

    name: str
    files: Sequence[Path] = ()
    tested: Sequence[str] = ()
    has_runs: bool = True
    has_order: bool = True
    options: TrainingOptions = field(default_factory=TrainingOptions)


def run_training_request(
    workspace: Workspace,
    request: TrainingRequest,
    *,
    progress: Progress,
    on_point: Callable[[CurvePoint], None] | None = None,
) -> TrainReport:
    """Train what was asked for; what `train` raises. The request is kept until it has ended."""
    return train(
        workspace,
        request.name,
        request.files,
        others=answered_queries(workspace) if request.has_runs else (),
        tested=request.tested,
        options=request.options,
        progress=progress,
        on_point=on_point,
        on_begun=lambda: _keep(request),
    )


def order_beside(
    workspace: Workspace, request: TrainingRequest, *, progress: Progress
) -> LearnedRanking | None:
    """The order of searches that the same queries teach, kept where it finds more; None where none
    is wanted, or too few of the queries find anything."""
    if not request.has_order:
        return None
    with suppress(BadInput):
        return learn_and_save_order(
            workspace, request.files, has_runs=request.has_runs, progress=progress
        )
    return None


def measure_trained(
    workspace: Workspace,
    model: TrainedModel,
    *,
    against: Sequence[str] = ("minilm",),
    pool: int = USUAL_POOL,
    progress: Progress,
) -> list[MeasuredSearch]:
    """Figures on the model's own test queries, kept in its record; none where it has none."""
    queries = [(row["query"], frozenset(row["gold"])) for row in model.record.get("test", [])]
    if not queries:
        return []
    specs = [*against, f"trained:{model.name}"]
    measured = measure_embedders(workspace, specs, queries, pool=pool, progress=progress)
    store_metrics(model, measured)
    return measured


def train_and_measure(
    workspace: Workspace,
    request: TrainingRequest,
    *,
    progress: Progress,
    on_point: Callable[[CurvePoint], None] | None = None,
) -> tuple[TrainReport, LearnedRanking | None]:
    """`run_training_request`, then `order_beside` and `measure_trained`."""
    report = run_training_request(workspace, request, progress=progress, on_point=on_point)
    order = order_beside(workspace, request, progress=progress)
    measure_trained(workspace, trained_model(request.name), progress=progress)
    return report, order


def stopped_trainings() -> list[TrainingRequest]:
    """Trainings that were stopped and can be gone on with, by name; not those whose request cannot
    be read any more, whose names may be given anew."""
    found: list[TrainingRequest] = []
    for file in sorted(trained_root().glob(f"*/{WORK}/{_FILE}")):
        folder = file.parent.parent
        if not (folder / RECORD_FILE).exists():
            with suppress(OSError, ValueError, KeyError, TypeError, BadInput):
                found.append(_read(folder.name))
    return found


def forget_training(request: TrainingRequest) -> None:
    """Delete what a stopped training has learned."""
    shutil.rmtree(trained_folder(request.name))


def _keep(request: TrainingRequest) -> None:
    said = {
        "files": [str(file.absolute()) for file in request.files],
        "tested": list(request.tested),
        "has_runs": request.has_runs,
        "has_order": request.has_order,
        "options": options_to_json(request.options),
    }
    file = trained_folder(request.name) / WORK / _FILE
    part = file.with_suffix(".part")
    part.write_text(json.dumps(said, indent=1), encoding="utf-8")
    part.replace(file)


def _read(name: str) -> TrainingRequest:
    said = json.loads((trained_root() / name / WORK / _FILE).read_text(encoding="utf-8"))
    return TrainingRequest(
        name=name,
        files=[Path(file) for file in said["files"]],
        tested=said["tested"],
        has_runs=said["has_runs"],
        has_order=said.get("has_order", True),
        options=make_options(TrainingOptions, said["options"], of="training"),
    )
