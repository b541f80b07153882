"""Embedding a workspace: cached, resumed, cancelled, a killed worker, the active embedder."""

import multiprocessing
import threading
from pathlib import Path

import numpy as np
import pytest
from fixtures.small_catalogue import APIS, import_small_catalogue

from toolplanner_core.embedding import embed as embed_module
from toolplanner_core.embedding.embed import embed
from toolplanner_core.embedding.embedder import EmbedderPlugin, embedders
from toolplanner_core.embedding.query_encoder import QueryEncoder
from toolplanner_core.errors import BadInput, Cancelled, NotFound, WorkerDied
from toolplanner_core.jobs.progress import Progress, ProgressReport
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import all_rowids
from toolplanner_core.workspace.settings import get_setting
from toolplanner_core.workspace.vectors import load_vectors, texts_without_vector


@pytest.fixture
def filled(workspace: Workspace, tmp_path: Path) -> Workspace:
    import_small_catalogue(workspace, tmp_path)
    return workspace


def test_embed_when_run_twice_then_the_second_encodes_nothing(filled: Workspace) -> None:
    heard: list[ProgressReport] = []
    first = embed(filled, "lsa", progress=Progress(heard.append))
    assert (first.encoded, first.cached) == (len(APIS), 0)
    assert heard[-1].stage == "Embedding"
    assert heard[-1].done == heard[-1].total == len(APIS)
    assert get_setting(filled, "active_embedder") == first.embedder
    loaded = load_vectors(filled, first.embedder, all_rowids(filled))
    assert not len(loaded.missing)
    assert loaded.vectors.shape == (len(APIS), first.dim)
    second = embed(filled, "lsa", progress=Progress())
    assert (second.embedder, second.encoded, second.cached) == (first.embedder, 0, len(APIS))


def test_embed_when_there_are_no_apis_then_says_so(workspace: Workspace) -> None:
    with pytest.raises(BadInput, match="Import a catalogue first"):
        embed(workspace, "lsa", progress=Progress())


def test_embed_when_embedder_is_unknown_then_says_so(filled: Workspace) -> None:
    with pytest.raises(NotFound, match="no embedder called"):
        embed(filled, "word2vec", progress=Progress())


def test_embed_when_cancelled_then_keeps_what_is_done_and_resumes(
    filled: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder_id = embed(filled, "lsa", progress=Progress()).embedder
    filled.writer.run(lambda db: db.execute("DELETE FROM vectors"))
    progress = Progress()
    stored: list[int] = []
    real_store = embed_module.store_vectors

    def store_then_cancel(
        workspace: Workspace, embedder: str, hashes: list[str], vectors: np.ndarray
    ) -> None:
        real_store(workspace, embedder, hashes[:5], vectors[:5])
        stored.append(5)
        progress.cancel()

    monkeypatch.setattr(embed_module, "store_vectors", store_then_cancel)
    with pytest.raises(Cancelled):
        embed(filled, embedder_id, progress=progress)
    monkeypatch.undo()
    assert stored == [5]
    left = len(texts_without_vector(filled, embedder_id))
    assert left == len(APIS) - 5
    report = embed(filled, embedder_id, progress=Progress())
    assert (report.encoded, report.cached) == (left, 5)


def test_embed_when_worker_is_killed_then_says_so_and_the_next_run_works(
    filled: Workspace,
) -> None:
    embedder_id = embed(filled, "lsa", progress=Progress()).embedder
    filled.writer.run(lambda db: db.execute("DELETE FROM vectors"))
    ended = threading.Event()

    def kill_workers() -> None:
        # A worker needs a tenth of a second to begin, so it is met before it can have finished.
        while not ended.wait(0.005):
            for worker in multiprocessing.active_children():
                worker.kill()

    killer = threading.Thread(target=kill_workers)
    killer.start()
    try:
        with pytest.raises(WorkerDied, match="The embedding worker was killed"):
            embed(filled, embedder_id, progress=Progress())
    finally:
        ended.set()
        killer.join()
    assert embed(filled, embedder_id, progress=Progress()).embedder == embedder_id


def test_embed_when_catalogue_grows_a_little_then_the_fit_is_kept(filled: Workspace) -> None:
    first = embed(filled, "lsa", progress=Progress())
    filled.writer.run(
        lambda db: db.execute(
            "UPDATE apis SET functionality = 'A new text', text_hash = 'new' WHERE rowid = 1"
        )
    )
    second = embed(filled, "lsa", progress=Progress())
    assert (second.embedder, second.encoded) == (first.embedder, 1)


def test_query_encoder_when_embedder_becomes_active_then_uses_it(filled: Workspace) -> None:
    encoder = QueryEncoder(filled)
    with pytest.raises(NotFound, match="has no vectors yet"):
        encoder.encode(["weather"])
    made = embed(filled, "lsa", progress=Progress())
    assert encoder.embedder_id == made.embedder
    assert encoder.encode(["weather", "money"]).shape == (2, made.dim)
    encoder.close()
    assert encoder.encode([]).shape == (0, made.dim)


def test_registry_when_read_then_all_are_plugins() -> None:
    assert all(isinstance(plugin, EmbedderPlugin) for plugin in embedders)
