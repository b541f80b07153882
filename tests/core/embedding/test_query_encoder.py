"""The vectors that `QueryEncoder` keeps for the next question."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from fixtures.small_catalogue import import_small_catalogue

from toolplanner_core.embedding import query_encoder
from toolplanner_core.embedding.embed import embed
from toolplanner_core.embedding.query_encoder import QueryEncoder
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.workspace import Workspace


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    folder = tmp_path_factory.mktemp("encoder")
    with Workspace.create(folder / "w.toolplanner") as opened:
        import_small_catalogue(opened, folder)
        embed(opened, "lsa", progress=Progress())
        yield opened


def test_encode_when_texts_repeat_and_some_are_kept_then_rows_in_order(filled: Workspace) -> None:
    encoder = QueryEncoder(filled)
    texts = ["weather forecast", "convert currency", "weather forecast"]
    first = encoder.encode(texts)
    again = encoder.encode(["convert currency", "track a parcel", "weather forecast"])
    assert first.shape[0] == 3
    assert np.array_equal(first[0], first[2])
    assert np.array_equal(again[0], first[1])
    assert np.array_equal(again[2], first[0])
    assert np.allclose(again[1], QueryEncoder(filled).encode(["track a parcel"])[0])


def test_encode_when_a_kept_vector_is_changed_by_the_caller_then_the_next_is_not(
    filled: Workspace,
) -> None:
    encoder = QueryEncoder(filled)
    first = encoder.encode(["weather"])
    kept = first.copy()
    first[:] = 7
    assert np.array_equal(encoder.encode(["weather"]), kept)


def test_encode_when_no_text_then_no_row(filled: Workspace) -> None:
    assert QueryEncoder(filled).encode([]).shape[0] == 0


def test_encode_when_more_texts_than_are_kept_then_all_are_right(
    filled: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(query_encoder, "KEPT_TEXTS", 2)
    encoder = QueryEncoder(filled)
    texts = ["weather", "currency", "parcel", "forecast"]
    assert np.allclose(encoder.encode(texts), QueryEncoder(filled).encode(texts))
    assert np.allclose(encoder.encode(texts[::-1]), QueryEncoder(filled).encode(texts)[::-1])


def test_encode_when_threads_share_it_then_all_get_the_same(filled: Workspace) -> None:
    encoder = QueryEncoder(filled)
    texts = ["weather", "currency", "parcel"]
    expected = QueryEncoder(filled).encode(texts)
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: encoder.encode(texts), range(12)):
            assert np.allclose(found, expected)
