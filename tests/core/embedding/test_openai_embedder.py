"""Embedder `openai:NAME`, through the real client, against a server that also misbehaves."""

import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fixtures.embedding_endpoint import DIM, EmbeddingEndpoint, embedding_endpoint, vector_of
from fixtures.small_catalogue import APIS, import_small_catalogue

from toolplanner_core import endpoints
from toolplanner_core.embedding import openai_embedder
from toolplanner_core.embedding.embed import embed
from toolplanner_core.embedding.embedder import embedders
from toolplanner_core.embedding.openai_embedder import OpenAiEmbedderOptions
from toolplanner_core.embedding.query_encoder import QueryEncoder, open_state
from toolplanner_core.errors import BadInput, Cancelled, EmbedderUnavailable
from toolplanner_core.jobs.progress import Progress, ProgressReport
from toolplanner_core.settings import load_settings
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.vectors import EmbedderState

FAR = "https://vectors.example/v1"


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLPLANNER_SETTINGS", str(tmp_path / "person" / "settings.json"))
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-a-test")
    monkeypatch.setattr(openai_embedder, "_FIRST_WAIT_S", 0.0)


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[EmbeddingEndpoint]:
    with embedding_endpoint() as made:
        monkeypatch.setenv("OPENAI_BASE_URL", made.url)
        yield made


@pytest.fixture
def filled(workspace: Workspace, tmp_path: Path) -> Workspace:
    import_small_catalogue(workspace, tmp_path)
    return workspace


def prepared(workspace: Workspace, **options: Any) -> EmbedderState:
    plugin = embedders.get("openai")
    return plugin.prepare(workspace, "vec", OpenAiEmbedderOptions(**options), Progress())


def test_embed_when_an_endpoint_is_named_then_each_text_is_sent_once_and_kept(
    filled: Workspace, endpoint: EmbeddingEndpoint
) -> None:
    heard: list[ProgressReport] = []
    first = embed(filled, "openai:vec", progress=Progress(heard.append))
    assert (first.encoded, first.dim) == (len(APIS), DIM)
    assert first.embedder.startswith("openai:vec@")
    assert (heard[-1].done, heard[-1].total, heard[-1].unit) == (len(APIS), len(APIS), "texts")
    assert len(endpoint.texts) == len(APIS) + 1, "and one to learn the length"
    assert set(endpoint.keys) == {"Bearer key-of-a-test"}
    again = embed(filled, first.embedder, progress=Progress())
    assert (again.encoded, len(endpoint.texts)) == (0, len(APIS) + 1)
    query = QueryEncoder(filled).encode(["weather of a city"])[0]
    wanted = np.asarray(vector_of("weather of a city"))
    np.testing.assert_allclose(query, wanted / np.linalg.norm(wanted), atol=1e-6)


def test_texts_when_the_endpoint_is_far_then_nothing_is_sent_before_a_person_says_so(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, endpoint: EmbeddingEndpoint
) -> None:
    with pytest.raises(BadInput, match=f"would be sent to {FAR}"):
        prepared(workspace, address=FAR)
    state = EmbedderState(
        id="openai:vec@1", kind="openai", dim=DIM,
        state=json.dumps({"address": FAR, "model": "vec"}).encode(),
    )  # fmt: skip
    with pytest.raises(BadInput, match="Nobody has allowed that"):
        open_state(state)
    for module in (endpoints, openai_embedder):
        monkeypatch.setattr(module, "is_local", lambda url: False)
    prepared(workspace, address=endpoint.url, send_texts=True)
    assert load_settings().texts_may_go_to == (endpoint.url.removesuffix("/v1"),)
    assert prepared(workspace, address=endpoint.url).dim == DIM, "remembered on this machine"


def test_vectors_when_texts_are_odd_or_many_then_in_order_and_of_length_one(
    workspace: Workspace, endpoint: EmbeddingEndpoint
) -> None:
    embedder = open_state(prepared(workspace))
    texts = ["", "  ", "\x00 \ud800", *(f"weather {n}" for n in range(200)), "word " * 4_000]
    vectors = embedder.encode(texts)
    assert vectors.shape == (len(texts), DIM) and vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    wanted = np.asarray(vector_of("weather 137"))
    np.testing.assert_allclose(vectors[140], wanted / np.linalg.norm(wanted), atol=1e-5)
    assert max(len(request["input"]) for request in endpoint.requests) <= 64
    assert embedder.encode([]).shape == (0, DIM)


def test_batch_when_too_large_then_halved_and_a_text_that_is_too_long_is_cut(
    workspace: Workspace, endpoint: EmbeddingEndpoint
) -> None:
    embedder = open_state(prepared(workspace))
    endpoint.most = (10, 1_000)
    vectors = embedder.encode([*(f"text {n}" for n in range(30)), "long " * 1_000])
    assert vectors.shape == (31, DIM)
    wanted = np.asarray(vector_of("text 29"))
    np.testing.assert_allclose(vectors[29], wanted / np.linalg.norm(wanted), atol=1e-5)


def test_endpoint_when_busy_then_asked_again_after_as_long_as_it_says(
    workspace: Workspace, endpoint: EmbeddingEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []

    async def quick(seconds: float) -> None:
        waits.append(seconds)

    embedder = open_state(prepared(workspace))
    monkeypatch.setattr(openai_embedder.asyncio, "sleep", quick)
    busy: Any = {"error": {"message": "slow down"}}
    endpoint.script = [(429, {"Retry-After": "7"}, busy), (503, {}, busy), (529, {}, busy)]
    assert embedder.encode(["x"]).shape == (1, DIM)
    assert 7.0 in waits


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ((401, {}, {"error": {"message": "bad key"}}), "HTTP 401"),
        ((404, {}, {"error": {"message": "no such model"}}), "HTTP 404"),
        ((200, {}, b"<html>"), "cannot be read"),
        ((200, {}, {"data": []}), "0 vectors for 1"),
        ((200, {}, {"data": [{"index": 0, "embedding": "AAAA"}]}), "cannot be read"),
        ((200, {}, {"data": [{"index": 0, "embedding": []}]}), "differ in length"),
        ((200, {}, {"data": [{"index": 0, "embedding": [1.0] * 8}]}), "vectors of 8 numbers"),
        ((200, {}, {"data": [{"index": 0, "embedding": [None] * DIM}]}), "no number"),
    ],
)
def test_reply_when_it_cannot_be_used_then_said_and_not_stored(
    workspace: Workspace, endpoint: EmbeddingEndpoint, line: Any, said: str
) -> None:
    embedder = open_state(prepared(workspace))
    endpoint.script = [line]
    with pytest.raises(EmbedderUnavailable) as failure:
        embedder.encode(["x"])
    assert said in f"{failure.value.what} {failure.value.why}"


def test_endpoint_when_it_is_not_there_then_said(workspace: Workspace) -> None:
    with embedding_endpoint() as made:
        url = made.url
    with pytest.raises(EmbedderUnavailable, match="cannot be reached"):
        prepared(workspace, address=url)


def test_embed_when_cancelled_while_the_endpoint_is_silent_then_ends_and_keeps_what_it_has(
    filled: Workspace, endpoint: EmbeddingEndpoint
) -> None:
    prepared(filled)
    endpoint.may_answer.clear()
    endpoint.asked.clear()
    progress = Progress()

    def cancel() -> None:
        endpoint.asked.wait(60)
        progress.cancel()

    thread = threading.Thread(target=cancel)
    thread.start()
    with pytest.raises(Cancelled):
        embed(filled, "openai:vec", progress=progress)
    thread.join()
    endpoint.may_answer.set()
    assert embed(filled, "openai:vec", progress=Progress()).encoded == len(APIS)


def test_length_when_a_model_can_choose_then_asked_for_and_another_space(
    workspace: Workspace, endpoint: EmbeddingEndpoint
) -> None:
    short, usual = prepared(workspace, dimensions=16), prepared(workspace)
    assert (short.dim, endpoint.requests[0]["dimensions"]) == (16, 16)
    assert short.id != usual.id
    assert open_state(short).encode(["x"]).shape == (1, 16)
    other = replace(usual, state=json.dumps({"address": endpoint.url, "model": "v"}).encode())
    endpoint.dim = 32
    with pytest.raises(EmbedderUnavailable, match="vectors of 32 numbers"):
        open_state(other).encode(["x"])
