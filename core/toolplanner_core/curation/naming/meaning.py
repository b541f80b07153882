"""How near a phrase is to what a group of texts is about, by static word vectors.

Counting alone likes what is rare: of a group about games it may take "scissors". The vectors know
that "game" is in the middle. Source: candidate phrases ranked by cosine to the text, Grootendorst
2020, KeyBERT; here of the group, less what all texts of the catalogue have in common.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.clustering.groups import unit
from toolplanner_core.embedding.static_words import StaticWords
from toolplanner_core.errors import EmbedderUnavailable

_MOST = 40
"""Members of a group that are read; the most central say what the others do."""


class Meaning:
    """The vectors of a catalogue's texts and of the phrases in them.

    Args:
        texts: of all APIs.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._phrases: dict[str, NDArray[np.float32]] = {}
        self._usual: dict[str, bool] = {}
        try:
            self._words = StaticWords()
        except EmbedderUnavailable:
            self._words = None
            return
        vectors = self._words.encode(texts)
        self._middle = vectors.mean(axis=0)
        self._texts = unit(vectors - self._middle)

    def is_usual(self, word: str) -> bool:
        """Whether people use the word: the vocabulary holds it as a whole."""
        if word not in self._usual:
            forms = (word, word.lower())
            self._usual[word] = self._words is None or min(map(self._words.pieces, forms)) == 1
        return self._usual[word]

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
