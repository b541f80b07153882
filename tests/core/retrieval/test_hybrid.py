"""Hybrid search: finds by words and meaning, takes any input, follows changes."""

import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from fixtures.small_catalogue import APIS, import_small_catalogue
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolplanner_core.embedding.embed import embed
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.retrieval.hybrid import HybridIndex, fuse
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.settings import set_setting
from toolplanner_core.workspace.vectors import EmbedderState, put_embedder_state


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    folder = tmp_path_factory.mktemp("plain")
    with Workspace.create(folder / "plain.toolplanner") as opened:
        import_small_catalogue(opened, folder)
        yield opened


@pytest.fixture(scope="module")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    folder = tmp_path_factory.mktemp("embedded")
    with Workspace.create(folder / "embedded.toolplanner") as opened:
        import_small_catalogue(opened, folder)
        embed(opened, "lsa", progress=Progress())
        yield opened


def names(index: HybridIndex, text: str, k: int = 3) -> list[str]:
    return [scored.api.name for scored in index.search(text, k)]


def test_search_when_there_are_no_vectors_then_full_text_works_alone(plain: Workspace) -> None:
    found = HybridIndex(plain).search("how do I convert a currency", 5)
    assert found[0].api.name == "convert_currency"
    assert found[0].parts["bm25"] > 0 == found[0].parts["vector"]
    # Only what holds one of the words is a hit.
    assert {scored.api.name for scored in found} == {"convert_currency", "exchange_rates"}


def test_search_when_embedded_then_both_signals_count(embedded: Workspace) -> None:
    found = HybridIndex(embedded).search("weather forecast for tomorrow", 12)
    assert found[0].api.name == "get_forecast"
    assert found[0].parts["bm25"] > 0
    assert found[0].parts["vector"] > 0
    assert len(found) == len(APIS)
    scores = [scored.score for scored in found]
    assert scores == sorted(scores, reverse=True)


def test_scores_when_fused_then_half_is_words_and_the_best_clause_weighs_more_than_the_query() -> (
    None
):
    words = np.array([4, 0, 0, 0], dtype=np.float32)
    whole_query = [0, 4, 0, 0]
    clauses = [[0, 0, 4, 1], [0, 0, 1, 4]]
    fused = fuse(words, np.array([whole_query, *clauses], dtype=np.float32))
    assert fused.tolist() == pytest.approx([2.0, 0.8, 1.2, 1.2])
    without_clauses = fuse(words, np.array([whole_query], dtype=np.float32))
    assert without_clauses.tolist() == pytest.approx([2, 2, 0, 0])
    assert fuse(words, None).tolist() == words.tolist()


def test_search_when_query_has_two_needs_then_both_are_found(embedded: Workspace) -> None:
    top = names(HybridIndex(embedded), "Track my parcel, and tell me the price of a stock.", 2)
    assert set(top) == {"track_parcel", "stock_quote"}


@pytest.mark.parametrize(
    "text",
    [
        'say "weather" OR (', "weather* NEAR(a b)", "name:weather AND NOT x", "weather^2 -humidity",
        "weather'; DROP TABLE apis; --", "weather \x00 \ud800", "🙂 weather", "weather " * 3000,
    ],
)  # fmt: skip
def test_search_when_input_looks_like_syntax_then_it_is_only_words(
    plain: Workspace, text: str
) -> None:
    assert "weather" in names(HybridIndex(plain), text)[0]


@pytest.mark.parametrize("text", ["", "   ", "🙂🙃", '"', "()", "\x00"])
def test_search_when_there_is_no_word_then_finds_nothing(embedded: Workspace, text: str) -> None:
    assert HybridIndex(embedded).search(text, 5) == []


def test_search_when_there_are_only_stop_words_then_does_not_fail(plain: Workspace) -> None:
    assert isinstance(HybridIndex(plain).search("what is the", 5), list)


def test_search_when_text_is_chinese_then_finds_it(embedded: Workspace) -> None:
    assert names(HybridIndex(embedded), "天气", 1) == ["天气"]


@given(text=st.text(max_size=80), k=st.integers(0, 20))
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_search_when_given_anything_then_answers_at_most_k(
    embedded: Workspace, text: str, k: int
) -> None:
    assert len(HybridIndex(embedded).search(text, k)) <= k


def test_search_when_workspace_is_empty_then_finds_nothing(workspace: Workspace) -> None:
    assert HybridIndex(workspace).search("weather", 5) == []


def test_search_when_vectors_come_later_then_the_same_index_uses_them(
    workspace: Workspace, tmp_path: Path
) -> None:
    index = HybridIndex(workspace)
    assert index.search("weather", 3) == []
    import_small_catalogue(workspace, tmp_path)
    assert index.search("weather", 1)[0].parts["vector"] == 0
    embed(workspace, "lsa", progress=Progress())
    assert index.search("weather", 1)[0].parts["vector"] > 0


def test_search_when_weights_are_missing_then_full_text_goes_on_and_says_so(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOOLPLANNER_MODELS", str(tmp_path / "nothing"))
    import_small_catalogue(workspace, tmp_path)
    state = embed(workspace, "lsa", progress=Progress())
    put_embedder_state(
        workspace, EmbedderState(id="minilm", kind="minilm", dim=state.dim, state=None)
    )
    workspace.writer.run(lambda db: db.execute("UPDATE vectors SET embedder = 'minilm'"))
    set_setting(workspace, "active_embedder", "minilm")
    index = HybridIndex(workspace)
    assert index.search("weather forecast", 1)[0].api.name == "get_forecast"
    assert "all-MiniLM-L6-v2 is not on this machine" in index.vector_problem


def test_search_when_several_threads_ask_then_all_get_the_same(embedded: Workspace) -> None:
    index = HybridIndex(embedded)
    expected = names(index, "parcel status")
    answers: list[list[str]] = []
    threads = [
        threading.Thread(target=lambda: answers.append(names(index, "parcel status")))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [expected] * 8
