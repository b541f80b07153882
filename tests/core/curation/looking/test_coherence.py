"""How well what is selected belongs together, as the stored neighbours say."""

import numpy as np

from toolplanner_core.curation.looking.map_finding import coherence, coherence_in_words


def ring(n, k):
    """Points on a ring that know the next k."""
    return (np.arange(n)[:, None] + np.arange(k + 1)[None, :]) % n


def test_coherence_when_a_whole_neighbourhood_is_taken_then_it_is_high_and_scattered_is_low():
    near = ring(100, 4)
    together = np.arange(100) < 50
    scattered = np.arange(100) % 10 == 0
    assert coherence(near, together) > 0.9
    assert coherence(near, scattered) == 0
    assert coherence(near, np.ones(100, bool)) == 1


def test_coherence_when_few_are_selected_then_only_as_many_neighbours_are_asked_for():
    near = ring(100, 4)
    pair = np.isin(np.arange(100), (3, 4))
    assert coherence(near, pair) == 0.5
    assert coherence(near, np.arange(100) == 3) is None
    near[3, 1] = -1
    assert coherence(near, pair) == 0


def test_in_words_when_told_then_there_is_a_word_and_a_figure():
    assert coherence_in_words(0.824) == "close together (82 %)"
    assert coherence_in_words(0.0) == "scattered (0 %)"
