"""How near a phrase is to what a group of texts is about, by static word vectors.

Counting alone likes what is rare: of a group about games it may take "scissors". The vectors know
that "game" is in the middle. Source: candidate phrases ranked by cosine to the text, Grootendorst
2020, KeyBERT; here of the group, less what all texts of the catalogue have in common.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.clustering.groups import unit
from toolplanner_core.embedding.static_words import StaticWords, count_word_pieces
from toolplanner_core.errors import EmbedderUnavailable

_MOST = 40
"""Members of a group that are read; the most central say what the others do."""


class UsualWords:
    """Which words people use: the vocabulary of static word vectors holds them as a whole."""

    def __init__(self) -> None:
        self._usual: dict[str, bool] = {}
        try:
            self.words = StaticWords()
        except EmbedderUnavailable:
            self.words = None

    def __contains__(self, word: str) -> bool:
        """Whether people use the word; False without word vectors."""
        if word not in self._usual:
            forms = (word, word.lower())
            self._usual[word] = min(map(count_word_pieces, forms)) == 1
        return self._usual[word]


class Meaning:
    """The vectors of a catalogue's texts and of the phrases in them.

    Args:
        texts: of all APIs.
        usual: the words that people use.
    """

    def __init__(self, texts: Sequence[str], usual: UsualWords | None = None) -> None:
        self._phrases: dict[str, NDArray[np.float32]] = {}
        self._usual = usual or UsualWords()
        self._words = self._usual.words if texts else None
        if self._words is None:
            return
        vectors = self._words.encode(texts)
        self._middle = vectors.mean(axis=0)
        # In place: of a million texts these are a gigabyte.
        vectors -= self._middle
        vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
        self._texts = vectors

    def is_usual(self, word: str) -> bool:
        """Whether people use the word; all without word vectors."""
        return self._words is None or word in self._usual

    def nearness(self, phrases: Sequence[str], members: Sequence[int]) -> NDArray[np.float32]:
        """(p,) cosine of each phrase to what these APIs are about; zeros without word vectors."""
        if self._words is None or not len(phrases):
            return np.zeros(len(phrases), dtype=np.float32)
        about = self._texts[list(members[:_MOST])].sum(axis=0)
        return self._of(phrases) @ (about / max(float(np.linalg.norm(about)), 1e-9))

    def _of(self, phrases: Iterable[str]) -> NDArray[np.float32]:
        assert self._words is not None
        wanted = list(phrases)
        if new := [phrase for phrase in dict.fromkeys(wanted) if phrase not in self._phrases]:
            vectors = unit(self._words.encode(new) - self._middle)
            self._phrases.update(zip(new, vectors, strict=True))
        return np.stack([self._phrases[phrase] for phrase in wanted])


def name_vectors(names: Sequence[str]) -> NDArray[np.float32] | None:
    """(n, dim) float32, of length 1 or 0: what names are about, less what all have in common; None
    without word vectors."""
    try:
        vectors = StaticWords().encode(names)
    except EmbedderUnavailable:
        return None
    is_there = np.linalg.norm(vectors, axis=1, keepdims=True) > 0
    middle = vectors[is_there[:, 0]].mean(axis=0) if is_there.any() else 0.0
    return unit(np.where(is_there, vectors - middle, 0.0).astype(np.float32))
