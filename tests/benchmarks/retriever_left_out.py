"""Retrievers trained on all public query sets but one, and what that one gains or loses by it.

    python tests/benchmarks/retriever_left_out.py WORKSPACE [--minutes 10] [--only MetaTool]

WORKSPACE holds ToolBench's catalogue. Each set is left out once; the product's own training learns
from the others, whose APIs come with their queries. Plain and trained search are compared over the
catalogue of the set that was left out: nothing of its queries, tools and texts was learned.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "core"), str(ROOT / "tests")]

from benchmarks.retriever_sets import Learned, unseen  # noqa: E402
from benchmarks.retriever_tables import SHOWN, Both, Write, compare, row  # noqa: E402
from fixtures.catalogues import add_apis  # noqa: E402
from fixtures.query_sets import TEST_ONLY, QuerySet, small_sets, toolbench_sets  # noqa: E402

from toolplanner_core.embedding.trained import TrainedModel, list_trained, trained_model  # noqa: E402
from toolplanner_core.jobs.progress import Progress  # noqa: E402
from toolplanner_core.training.job import TrainingOptions  # noqa: E402
from toolplanner_core.training.labelled import query_words  # noqa: E402
from toolplanner_core.training.train import train  # noqa: E402
from toolplanner_core.workspace import Workspace  # noqa: E402
from toolplanner_core.workspace.catalogue import stored_documents  # noqa: E402

TOOLBENCH = "ToolBench"
"""Its two sets ask about the same tools: both are left out together."""
MOST = 1_000
"""Queries of a set that are learned from; MetaTool has ten times as many and would drown the
others."""
POOL = 2_000
"""APIs beside the gold ones in ToolBench's catalogue, whose size makes a training look better."""
MINUTES = 10.0
"""Enough for a hundred batches on a machine that does nothing else."""
LOOKED_AT = (TEST_ONLY, "Seal-Tools")
"""Of many tools: queries of some of them are kept to look at."""


def labelled_file(queries: QuerySet, folder: Path) -> Path:
    """The set as the training reads it; APIs that ToolBench's catalogue lacks come with it."""
    rows: list[dict[str, Any]] = [
        {"query": each.text, "gold": sorted(each.gold)} for each in queries.questions
    ]
    if queries.apis is not None:
        with Workspace.create(folder / f"{queries.name}.toolplanner") as small:
            add_apis(small, queries.apis)
            rows += [
                {"key": each.key, "tool": each.tool, "text": each.text}
                for each in stored_documents(small)
            ]
    file = folder / f"{queries.name}.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return file


def left_out(
    large: Workspace,
    data: Path,
    *,
    minutes: float = MINUTES,
    only: Sequence[str] = (),
    write: Write = sys.stdout.write,
) -> dict[str, Both]:
    """Train and measure for each set; the searches with MiniLM and the trained model, by set.

    A model that is there already is measured as it is.
    """
    stable, draft = (
        next(each for each in toolbench_sets(data) if each.name == name)
        for name in (TEST_ONLY, "DRAFT")
    )
    small = small_sets(data, most=MOST)
    every = {TOOLBENCH: [draft, stable], **{each.name: [each] for each in small}}
    row(("left out", "queries / APIs", "how", *SHOWN), write)
    found: dict[str, Both] = {}
    for name, sets in every.items():
        if only and name not in only:
            continue
        learned = [each for other, of in every.items() if other != name for each in of]
        model = _trained(large, f"without-{name.lower()}", learned, minutes)
        judged = sets[-1]
        seen = Learned(
            [query_words(text) for text in model.record["learned"]["queries"]], frozenset()
        )
        asked, _ = unseen(judged.questions, seen, {})
        with ExitStack() as opened:
            where, pool = large, POOL
            if judged.apis is not None:
                folder = opened.enter_context(tempfile.TemporaryDirectory())
                file = Path(folder) / "left-out.toolplanner"
                where = opened.enter_context(Workspace.create(file))
                add_apis(where, judged.apis)
                pool = 0
            found[name] = compare(name, where, asked, model, pool=pool, write=write)
    return found


def _trained(large: Workspace, name: str, sets: Sequence[QuerySet], minutes: float) -> TrainedModel:
    if name not in [model.name for model in list_trained()]:
        options = TrainingOptions(
            minutes=minutes, epochs=1, tokens=64, learning_rate=5e-5, check_every=20
        )
        # One set gives the queries that are looked at meanwhile; of the others all is learned.
        looked_at = next(each.name for each in sets if each.name in LOOKED_AT)
        with tempfile.TemporaryDirectory() as folder:
            files = [labelled_file(each, Path(folder)) for each in sets]
            train(large, name, files, tested=[looked_at], options=options, progress=Progress())
    return trained_model(name)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Train without a query set, and measure it.")
    parser.add_argument("workspace", type=Path)
    parser.add_argument("--minutes", type=float, default=MINUTES, help="of each training at most")
    parser.add_argument("--only", action="append", default=[], help="a set's name; repeatable")
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    asked = parser.parse_args()
    with Workspace.open(asked.workspace) as large:
        left_out(large, asked.data, minutes=asked.minutes, only=asked.only)


if __name__ == "__main__":
    main()
