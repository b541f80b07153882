"""From labelled queries to the job of the loop: pairs with hard negatives, and what is looked at
meanwhile.

Hard negatives: APIs that look as if they answered a query, and do not.

The same toolkit, the same tool, and the neighbours by words (BM25): what a retriever confuses. Not
one of a test or dev tool: nothing of those is trained on, not even as what is wrong.

One round over StableToolBench's queries, with 16 of them in a batch of 32 pairs against none, over
query sets that were not trained on: hybrid Recall@5 of API-Bank 0.010 [0.001, 0.021] higher, which
falls below that of MiniLM beyond chance without them (0.837 against 0.854); held out, DRAFT,
MetaTool and RestBench the same within chance. A batch is of a quarter more texts.
"""

import hashlib
import json
import random
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.jobs.progress import Progress
from toolplanner_core.options.values import options_to_json
from toolplanner_core.retrieval.catalogue_index import WordScoreCache
from toolplanner_core.training.job import TrainingJob, TrainingOptions, TrainingPair
from toolplanner_core.training.labelled import (
    Document,
    Labelled,
    LabelledQuery,
    SplitQueries,
    tools_of,
)
from toolplanner_core.words.stop_words import search_terms
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import all_rowids

OF_EACH = 4
"""Negatives of each of the three sorts for a pair; the loop draws among them."""
_LOOKED_AT = 30


def hard_negatives(
    workspace: Workspace,
    queries: Sequence[LabelledQuery],
    documents: Sequence[Document],
    *,
    held_tools: Collection[str],
    seed: int,
    progress: Progress,
) -> list[list[int]]:
    """Positions of documents, for each query; none of them is gold or of a held tool."""
    drawn = random.Random(seed)
    by_tool: dict[str, list[int]] = {}
    by_toolkit: dict[int, list[int]] = {}
    at_rowid: dict[int, int] = {}
    for at, document in enumerate(documents):
        for tool in document.tools:
            by_tool.setdefault(tool, []).append(at)
        if document.toolkit is not None:
            by_toolkit.setdefault(document.toolkit, []).append(at)
        if document.rowid is not None:
            at_rowid[document.rowid] = at
    rowids = np.array(all_rowids(workspace), dtype=np.int64)
    words = WordScoreCache(workspace, rowids)
    found: list[list[int]] = []
    for number, query in enumerate(queries, start=1):
        progress.report("Looking for hard negatives", number, len(queries), "queries")
        sorts = [
            [at for tool in sorted(_tools(query, documents)) for at in by_tool[tool]],
            [at for kit in sorted(_kits(query, documents)) for at in by_toolkit[kit]],
            _neighbours(query, documents, words, rowids, at_rowid),
        ]
        gold = set(query.gold)
        chosen: dict[int, None] = {}
        for sort in sorts:
            usable = [at for at in dict.fromkeys(sort) if at not in gold]
            usable = [at for at in usable if not documents[at].tools & frozenset(held_tools)]
            chosen.update(dict.fromkeys(drawn.sample(usable, min(OF_EACH, len(usable)))))
        found.append(list(chosen))
    return found


def _tools(query: LabelledQuery, documents: Sequence[Document]) -> set[str]:
    return {tool for at in query.gold for tool in documents[at].tools}


def _kits(query: LabelledQuery, documents: Sequence[Document]) -> set[int]:
    kits = {documents[at].toolkit for at in query.gold}
    return {kit for kit in kits if kit is not None}


def _neighbours(
    query: LabelledQuery,
    documents: Sequence[Document],
    words: WordScoreCache,
    rowids: NDArray[np.int64],
    at_rowid: dict[int, int],
) -> list[int]:
    """What full text finds; only for queries over the catalogue."""
    if all(documents[at].rowid is None for at in query.gold) or not len(rowids):
        return []
    scores = words.scores(search_terms(query.text))
    best = np.argsort(-scores, kind="stable")[:_LOOKED_AT]
    return [at_rowid[int(rowids[i])] for i in best if scores[i] > 0 and int(rowids[i]) in at_rowid]


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
    # A stopped training may go on on another device.
    anywhere = replace(options, device="auto")
    said = [[p.query, p.document, list(p.hard)] for p in pairs], options_to_json(anywhere), texts
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
