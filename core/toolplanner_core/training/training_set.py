"""From labelled queries to the job of the loop: pairs with hard negatives, and what is looked at
meanwhile."""

import hashlib
import json
import random
from collections.abc import Sequence
from pathlib import Path

from toolplanner_core.jobs.progress import Progress
from toolplanner_core.options.values import options_to_json
from toolplanner_core.training.job import TrainingJob, TrainingOptions, TrainingPair
from toolplanner_core.training.labelled import Labelled
from toolplanner_core.training.negatives import hard_negatives
from toolplanner_core.training.split import SplitQueries, tools_of
from toolplanner_core.workspace import Workspace

DEV_POOL = 500
"""Other documents among which the held-out queries look for theirs while training goes on."""
_MOST_DEV = 80


def training_job(
    workspace: Workspace,
    labelled: Labelled,
    split: SplitQueries,
    *,
    weights: Path,
    folder: Path,
    options: TrainingOptions,
    progress: Progress,
) -> TrainingJob:
    """Pairs, hard negatives, held-out queries."""
    documents = labelled.documents
    held = {tool for q in (*split.dev, *split.test) for tool in tools_of(q, documents)}
    hard = hard_negatives(
        workspace,
        split.train,
        documents,
        held_tools=held,
        seed=options.seed,
        progress=progress,
    )
    pairs = [
        TrainingPair(query=query.text, document=at, gold=frozenset(query.gold), hard=tuple(of))
        for query, of in zip(split.train, hard, strict=True)
        for at in query.gold
    ]
    dev = [(query.text, query.gold) for query in split.dev[:_MOST_DEV]]
    pool = _pool(len(documents), dev, options.seed)
    used = {at for pair in pairs for at in (pair.document, *pair.hard)} | set(pool)
    texts = {at: documents[at].text for at in sorted(used)}
    said = [[p.query, p.document, list(p.hard)] for p in pairs], options_to_json(options), texts
    fingerprint = hashlib.sha256(json.dumps(said, default=str).encode()).hexdigest()
    return TrainingJob(
        weights=str(weights),
        folder=str(folder),
        fingerprint=fingerprint,
        texts=texts,
        pairs=pairs,
        dev=dev,
        dev_pool=pool,
        options=options,
    )


def _pool(count: int, dev: Sequence[tuple[str, tuple[int, ...]]], seed: int) -> list[int]:
    gold = {at for _, of in dev for at in of}
    others = random.Random(seed).sample(range(count), min(DEV_POOL, count))
    return sorted(gold | set(others))
