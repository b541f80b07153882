"""The map that an embedder leads to: how true it is to meaning, toolkits and tools."""

import random
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from benchmarks.test_layout_quality import neighbourhood, occupancy

from toolplanner_core.curation.grouping.points import load_points
from toolplanner_core.curation.grouping.prepare import prepare
from toolplanner_core.curation.looking.curated_catalogue import read_catalogue
from toolplanner_core.embedding.trained import trained_model
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.sources.importing import import_apis
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import all_rowids, apis_by_rowid, stored_documents
from toolplanner_core.workspace.vectors import (
    embedder_state,
    load_vectors,
    put_embedder_state,
    store_vectors,
    stored_embedders,
    texts_of_rowids,
)


def map_shares(workspace: Workspace, spec: str, apis: int) -> tuple[float, ...]:
    """How true a map is to the vectors of an embedder: neighbours kept, and how many of them are of
    the same toolkit and the same tool; how much of the map is filled.

    Args:
        workspace: has vectors of it already, where that is possible; apis: drawn by seed.
    """
    rowids = all_rowids(workspace)
    chosen = sorted(random.Random(0).sample(rowids, min(apis, len(rowids))))
    picked = apis_by_rowid(workspace, chosen)
    tool_of = {document.key: document.tool for document in stored_documents(workspace)}
    with (
        tempfile.TemporaryDirectory() as folder,
        Workspace.create(Path(folder) / "small.toolplanner") as small,
    ):
        for source in sorted({api.source for api in picked.values()}):
            import_apis(
                small,
                (picked[rowid] for rowid in chosen if picked[rowid].source == source),
                source_name=source,
                format_id="toolbench",
                location="some",
            )
        _copy_vectors(workspace, small, spec)
        prepare(small, embedder=spec, progress=Progress())
        loaded, vectors = read_catalogue(small), load_points(small).vectors
        assert loaded.xy is not None
        keys = {document.rowid: document.key for document in stored_documents(small)}
        tools = [tool_of[keys[int(rowid)]] for rowid in loaded.rowids]
        return (
            *neighbourhood(loaded, vectors),
            same_tool(loaded.xy, tools),
            occupancy(loaded.xy),
        )


def same_tool(xy: np.ndarray, tools: Sequence[str]) -> float:
    """Share of each point's 15 nearest on the map that are of its tool, which no embedder names."""
    from scipy.spatial import cKDTree

    near = cKDTree(xy).query(xy, 16)[1][:, 1:]
    numbers = np.unique(tools, return_inverse=True)[1]
    return float((numbers[near] == numbers[:, None]).mean())


def _copy_vectors(source: Workspace, target: Workspace, spec: str) -> None:
    """What the large workspace has need not be made again."""
    found = [state.id for state in stored_embedders(source)]
    wanted = trained_model(spec.partition(":")[2]).id if ":" in spec else spec
    if wanted not in found:
        return
    put_embedder_state(target, embedder_state(source, wanted))
    hash_of = {text.text: text.text_hash for text in texts_of_rowids(target, all_rowids(target))}
    texts = [(d.rowid, hash_of[d.text]) for d in stored_documents(source) if d.text in hash_of]
    once = {text_hash: rowid for rowid, text_hash in texts}
    loaded = load_vectors(source, wanted, [*once.values()])
    there = np.setdiff1d(np.arange(len(once)), loaded.missing)
    hashes = [*once]
    store_vectors(target, wanted, [hashes[int(at)] for at in there], loaded.vectors[there])
