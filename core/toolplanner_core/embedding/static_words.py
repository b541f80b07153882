"""Embedder `words`: the mean of static word vectors.

Needs nothing but what is installed, and embeds tens of thousands of texts in seconds, so it is the
default from the first start. It knows that "warm" and "temperature" are near each other, but not
what a sentence as a whole means. Weighting words by the catalogue (idf, its square root, SIF)
gained less than 0.01 Recall and would make vectors depend on the catalogue.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.embedding.embedder import EmbedderPlugin, silent, tokenizable
from toolplanner_core.embedding.word_vectors import DIMENSIONS, find_files, load_word_vectors
from toolplanner_core.jobs.progress import Progress, Report
from toolplanner_core.options.option import NoOptions
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.vectors import EmbedderState

_BATCH = 2048
_NOTHING = 1
"""Word piece of the beginning of a text: all that an empty one has."""


class StaticWords:
    """The opened table. Thread-safe."""

    id = "words"
    dim = DIMENSIONS

    def __init__(self) -> None:
        self._table, self._tokenizer = load_word_vectors()

    def encode(self, texts: Sequence[str], *, report: Report = silent) -> NDArray[np.float32]:
        """As `Embedder.encode`; texts without a word get the vector of the empty text."""
        vectors = np.empty((len(texts), DIMENSIONS), dtype=np.float32)
        for begin in range(0, len(texts), _BATCH):
            end = min(begin + _BATCH, len(texts))
            vectors[begin:end] = self._encode_batch(texts[begin:end])
            report("Embedding", end, len(texts))
        return vectors

    def _encode_batch(self, texts: Sequence[str]) -> NDArray[np.float32]:
        from scipy.sparse import csr_array

        read = self._tokenizer.encode_batch(
            [tokenizable(text) for text in texts], add_special_tokens=False
        )
        ids = [each.ids or [_NOTHING] for each in read]
        ends = np.cumsum([0, *map(len, ids)])
        pieces = np.concatenate([np.asarray(row, dtype=np.int64) for row in ids])
        counts = csr_array(
            (np.ones(len(pieces), dtype=np.float32), pieces, ends),
            shape=(len(texts), len(self._table)),
        )
        sums: NDArray[np.float32] = counts @ self._table
        return sums / np.linalg.norm(sums, axis=1, keepdims=True)


def _prepare(
    workspace: Workspace,  # noqa: ARG001 - the table is the same for every workspace
    name: str,  # noqa: ARG001
    options: NoOptions,  # noqa: ARG001 - nothing to choose
    progress: Progress,  # noqa: ARG001 - nothing to wait for
) -> EmbedderState:
    find_files()
    return EmbedderState(id="words", kind="words", dim=DIMENSIONS, state=None)


def _open(state: EmbedderState) -> StaticWords:  # noqa: ARG001 - as above
    return StaticWords()


PLUGIN = EmbedderPlugin(
    id="words",
    title="Words",
    description="Static word vectors: knows related words, always there, seconds for any"
    " catalogue.",
    prepare=_prepare,
    open=_open,
    chunk=4096,
)
