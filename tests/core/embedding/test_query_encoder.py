"""The vectors that `QueryEncoder` keeps for the next question."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from fixtures.small_catalogue import import_small_catalogue
from numpy.typing import NDArray

from toolplanner_core.embedding import query_encoder
from toolplanner_core.embedding.embed import embed
from toolplanner_core.embedding.query_encoder import QueryEncoder
from toolplanner_core.jobs.progress import Progress, Report, silent
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


class OnePass:
    """An embedder that reads queries with their parts; notes what it was given."""

    id, dim = "lsa", 2

    def __init__(self) -> None:
        self.read: list[str] = []

    def encode(self, texts: Sequence[str], *, report: Report = silent) -> NDArray[np.float32]:
        self.read += texts
        return np.array([[len(text), 0] for text in texts], dtype=np.float32)

    def encode_parts(self, sentences: Sequence[Sequence[str]]) -> NDArray[np.float32]:
        texts = [text for sentence in sentences for text in sentence]
        self.read.append(" ".join(sentence[0] for sentence in sentences))
        return np.array([[0, 0], *([len(text), 1] for text in texts)], dtype=np.float32)


def test_query_when_embedder_reads_it_with_its_parts_then_once(
    filled: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = OnePass()
    monkeypatch.setattr(made, "id", QueryEncoder(filled).embedder_id)
    monkeypatch.setattr(query_encoder, "open_state", lambda _state: made)
    encoder = QueryEncoder(filled)
    first = encoder.encode_query("Rain. Now parcels", [["Rain."], ["Now parcels", "parcels"]])
    assert first[:, 0].tolist() == [0, 5, 11, 7]
    kept = first.copy()
    first[:] = 9
    again = encoder.encode_query("Rain. Now parcels", [["Rain."], ["Now parcels", "parcels"]])
    assert np.array_equal(again, kept)
    assert made.read == ["Rain. Now parcels"]
    # The query itself is no clause.
    assert encoder.encode_query(" rain ", [["rain"]]).tolist() == [[0, 0]]
    found = encoder.encode_query("now, rain in Rome", [["now, rain in Rome", "rain in Rome"]])
    assert found.tolist() == [[0, 0], [12, 1]]
    monkeypatch.setattr(query_encoder, "KEPT_QUERIES", 1)
    encoder.encode_query("new", [["new"]])
    encoder.encode_query("new", [["new"]])
    encoder.encode_query(" rain ", [["rain"]])
    assert made.read[-2:] == ["new", "rain"]


def test_query_when_embedder_reads_each_text_by_itself_then_as_texts(filled: Workspace) -> None:
    encoder = QueryEncoder(filled)
    found = encoder.encode_query("Weather. Parcel.", [["Weather."], ["Parcel."]])
    assert np.allclose(found, encoder.encode(["Weather. Parcel.", "Weather.", "Parcel."]))
    assert encoder.encode_query("Weather.", [["Weather."]]).shape[0] == 1
