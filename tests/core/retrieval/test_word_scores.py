"""Full text word by word: the same scores as in one query, asked of the file once."""

from pathlib import Path

import numpy as np
import pytest
from fixtures.small_catalogue import import_small_catalogue

from toolplanner_core.retrieval import catalogue_index
from toolplanner_core.retrieval.catalogue_index import VectorMatrix
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.search_index import full_text_scores

WORDS = ["weather", "forecast", "currency", "convert", "unheard", "city"]


@pytest.fixture
def filled(workspace: Workspace, tmp_path: Path) -> Workspace:
    import_small_catalogue(workspace, tmp_path)
    return workspace


def test_scores_when_summed_over_words_then_are_those_of_one_query(filled: Workspace) -> None:
    catalogue = VectorMatrix(filled).get()
    hits = full_text_scores(filled, WORDS)
    expected = np.zeros(len(catalogue.rowids), dtype=np.float32)
    expected[catalogue.positions_of(hits.rowids)] = hits.scores
    np.testing.assert_allclose(catalogue.words.scores(WORDS), expected, rtol=1e-5)


def test_hits_when_asked_again_then_are_not_read_again(filled: Workspace) -> None:
    words = VectorMatrix(filled).get().words
    first = words.hits("weather")
    assert len(first.places) > 0
    assert words.hits("weather") is first


def test_hits_when_more_than_are_kept_then_the_oldest_go(
    filled: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = VectorMatrix(filled).get().words
    first, second = words.hits("weather"), words.hits("currency")
    monkeypatch.setattr(catalogue_index, "MOST_KEPT", len(first.places) + len(second.places))
    words.hits("city")
    assert words.hits("weather") is not first
