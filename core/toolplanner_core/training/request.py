"""A training as a person asked for it: kept beside what was learned, so that a stopped one can be
gone on with, and carried out from labelled queries to figures."""

import json
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from toolplanner_core.embedding.trained_files import (
    RECORD_FILE,
    TrainedModel,
    trained_folder,
    trained_model,
    trained_root,
)
from toolplanner_core.errors import BadInput
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.options.values import make_options, options_to_json
from toolplanner_core.runs.demonstrating import solved_queries
from toolplanner_core.training.job import CurvePoint, TrainingOptions
from toolplanner_core.training.measuring import MeasuredSearch, keep_figures, measure_embedders
from toolplanner_core.training.ordering import LearnedOrder, learn_and_keep
from toolplanner_core.training.train import WORK, TrainReport, train
from toolplanner_core.workspace import Workspace

USUAL_POOL = 2_000
"""APIs beside the gold ones among which a new model is measured at once."""
_FILE = "request.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingRequest:
    """What shall be trained.

    Attributes:
        files: of labelled queries; tested: as in `train`.
        has_runs: learn from solved runs, too.
        has_order: learn an order of searches from the same queries, too.
    """

    name: str
    files: Sequence[Path] = ()
    tested: Sequence[str] = ()
    has_runs: bool = True
    has_order: bool = True
    options: TrainingOptions = field(default_factory=TrainingOptions)


def carry_out(
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
        others=solved_queries(workspace) if request.has_runs else (),
        tested=request.tested,
        options=request.options,
        progress=progress,
        on_point=on_point,
        on_begun=lambda: _keep(request),
    )


def order_beside(
    workspace: Workspace, request: TrainingRequest, *, progress: Progress
) -> LearnedOrder | None:
    """The order of searches that the same queries teach, kept where it finds more; None where none
    is wanted, or too few of the queries find anything."""
    if not request.has_order:
        return None
    with suppress(BadInput):
        return learn_and_keep(
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
    keep_figures(model, measured)
    return measured


def train_and_measure(
    workspace: Workspace,
    request: TrainingRequest,
    *,
    progress: Progress,
    on_point: Callable[[CurvePoint], None] | None = None,
) -> tuple[TrainReport, LearnedOrder | None]:
    """`carry_out`, then `order_beside` and `measure_trained`."""
    report = carry_out(workspace, request, progress=progress, on_point=on_point)
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
