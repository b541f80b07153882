"""LSA: terms, fitting, storing."""

import numpy as np
import pytest

from toolplanner_core.embedding.embedder import silent
from toolplanner_core.embedding.lsa import LsaEmbedder, LsaModel, fit, fit_in_worker, terms_of
from toolplanner_core.errors import BadInput
from toolplanner_core.jobs.progress import Progress

TEXTS = [f"{thing} of {place}" for thing in ("weather", "price", "map") for place in "ABCDEFGH"]


def test_terms_when_text_has_words_then_words_and_pairs_without_stop_words() -> None:
    assert terms_of("The Exchange-Rates of currencies") == [
        "exchange", "rate", "currency", "exchange rate", "rate currency",
    ]  # fmt: skip


def test_terms_when_text_has_accents_or_no_spaces_then_they_are_split_alike() -> None:
    assert terms_of("Café") == terms_of("cafe") == ["cafe"]
    assert terms_of("天气api") == ["天", "气", "api", "天 气", "气 api"]


def test_fit_when_stored_and_read_then_gives_the_same_vectors() -> None:
    model = fit(TEXTS, report=silent)
    read = LsaModel.from_bytes(model.to_bytes())
    assert read.terms == model.terms
    assert read.fitted_on == len(TEXTS)
    again = LsaModel.from_bytes(read.to_bytes())
    np.testing.assert_array_equal(
        LsaEmbedder("x", read).encode(TEXTS), LsaEmbedder("x", again).encode(TEXTS)
    )


def test_fit_when_texts_come_in_another_order_then_id_and_state_are_the_same() -> None:
    first = fit_in_worker(TEXTS, Progress())
    second = fit_in_worker(TEXTS[::-1], Progress())
    assert first == second
    assert first.id.startswith("lsa@")
    assert fit_in_worker(TEXTS[1:], Progress()).id != first.id


@pytest.mark.parametrize("texts", [["one"], ["", " "], ["!!!"], ["a", "b c"], ["天气"]])
def test_fit_when_there_is_next_to_nothing_then_still_gives_unit_rows(texts: list[str]) -> None:
    embedder = LsaEmbedder("x", fit(texts, report=silent))
    vectors = embedder.encode([*texts, "unknown words only"])
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_encode_when_no_word_is_known_then_is_far_from_all_that_are() -> None:
    embedder = LsaEmbedder("x", fit(TEXTS, report=silent))
    unknown, empty, known = embedder.encode(["qwertz", "", "weather of A"])
    assert unknown @ empty == pytest.approx(1)
    assert unknown @ known == pytest.approx(0, abs=1e-6)


def test_state_when_it_is_not_ours_then_says_what_to_do() -> None:
    with pytest.raises(BadInput, match="Have vectors made anew"):
        LsaModel.from_bytes(b"PK not an npz")
