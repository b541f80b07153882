"""Embedder `words`: the mean of static word vectors.

Needs nothing but what is installed, and embeds tens of thousands of texts in seconds, so it is the
default from the first start. It knows that "warm" and "temperature" are near each other, but not
what a sentence as a whole means. Weighting words by the catalogue (idf, its square root, SIF)
gained less than 0.01 Recall and would make vectors depend on the catalogue.

The package `wordllama` carries the table: 32,000 word pieces of Llama 2 with 256 dimensions each,
16 MB as float16. Its own loader is not used: it would fetch from the network what lies beside it.

Words of a vocabulary that are near a word which it lacks, by static word vectors.

A catalogue of two hundred APIs never says "warm", "snow" or "package"; those who search do.

Source: Miller 2024, WordLlama (github.com/dleemiller/WordLlama, MIT), "l2_supercat".
"""

import importlib.util
import threading
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.embedding.embedder import EmbedderPlugin, silent, tokenizable
from toolplanner_core.embedding.minilm import sha256_of
from toolplanner_core.errors import EmbedderUnavailable
from toolplanner_core.jobs.progress import Report
from toolplanner_core.words.stems import singular
from toolplanner_core.workspace.vectors import EmbedderState

_BATCH = 2048
_NOTHING = 1
"""Word piece of the beginning of a text: all that an empty one has."""


DIMENSIONS = 256


PACKAGE = "wordllama"


_FILES = {
    "weights/l2_supercat_256.safetensors": (
        "64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5"
    ),
    "tokenizers/l2_supercat_tokenizer_config.json": (
        "bf467c9e0f536bda271283c6ef85eb1a943e3196b621c8a912d64953b205df83"
    ),
}
"""Path in the package -> SHA-256."""


class WordVectors(NamedTuple):
    """The loaded table.

    Attributes:
        vectors: (32000, 256) float32, one row per word piece.
        tokenizer: a `tokenizers.Tokenizer`; thread-safe.
    """

    vectors: NDArray[np.float32]
    tokenizer: Any


def find_files() -> tuple[Path, Path]:
    """Vectors and tokenizer in the installed package, after their hashes were checked (20 ms).

    Raises:
        EmbedderUnavailable: the package is missing, or holds other files.
    """
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise EmbedderUnavailable(
            f"The package {PACKAGE}, which carries the word vectors, is not installed",
            todo="Install ToolPlanner again, or choose the embedder lsa",
        )
    folder = Path(spec.origin).parent
    for name, sha256 in _FILES.items():
        if not (folder / name).is_file() or sha256_of(folder / name) != sha256:
            raise EmbedderUnavailable(
                f"The word vectors in the package {PACKAGE} are not the known ones",
                where=str(folder / name),
                todo="Install ToolPlanner again, or choose the embedder lsa",
            )
    vectors, tokenizer = (folder / name for name in _FILES)
    return vectors, tokenizer


@cache
def load_word_vectors() -> WordVectors:
    """The table, in memory from the first call on (about 0.1 s, 33 MB).

    Raises:
        EmbedderUnavailable: as `find_files`.
    """
    from safetensors.numpy import load_file

    table = load_file(str(find_files()[0]))["embedding.weight"].astype(np.float32)
    return WordVectors(table, _load_tokenizer())


@cache
def _load_tokenizer() -> Any:
    from tokenizers import Tokenizer

    read: Any = Tokenizer.from_file(str(find_files()[1]))
    read.no_padding()
    read.no_truncation()
    return read


LETTERS_A_PIECE = 3.0
"""What is put together from shorter pieces is no word that the table was trained on. By this, nine
of ten words are known that 30 of 45,284 APIs use, and one of ten made of syllables at random."""


def count_word_pieces(word: str) -> int:
    """How many pieces the vocabulary has to put a word together from; 0 where the package is
    missing."""
    try:
        read = _load_tokenizer()
    except EmbedderUnavailable:
        return 0
    return len(read.encode(tokenizable(word), add_special_tokens=False).ids)


def has_word_vector(word: str) -> bool:
    """Whether the vector of a word says something; of none where the package is missing."""
    one = singular(word)
    count = count_word_pieces(one)
    return count == 1 or (count > 1 and len(tokenizable(one)) / count >= LETTERS_A_PIECE)


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


def _prepare(*_: object) -> EmbedderState:
    # The same for every workspace; nothing to choose or to wait for.
    find_files()
    return EmbedderState(id="words", kind="words", dim=DIMENSIONS, state=None)


PLUGIN = EmbedderPlugin(
    id="words",
    title="Words",
    description="Static word vectors: knows related words, always there, seconds for any"
    " catalogue.",
    finds="related words are near, such as car and vehicle; what a sentence says it does not know.",
    prepare=_prepare,
    open=lambda _: StaticWords(),
    chunk=4096,
    texts_per_s=8_000,
)


MOST = 5
LEAST_COSINE = 0.25
"""Both were chosen on the everyday questions over the demo, of which 39 of 50 are found without
such words and 45 are to be. Recall@50 on the queries of MetaTool, API-Bank, Seal-Tools and
RestBench rises by 0.015, 0.037, 0.001 and 0.033; Recall@5 by 0.022, -0.006, -0.002 and 0.016."""
_MOST_KEPT = 10_000


class NearWord(NamedTuple):
    """A word of the vocabulary, and how near it is."""

    word: str
    cosine: float


class NearWords:
    """The words near others. Thread-safe; the vocabulary is encoded when it is first needed.

    Args:
        vocabulary: single words.
    """

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._vocabulary = vocabulary
        self._lock = threading.Lock()
        self._vectors: NDArray[np.float32] | None = None
        self._kept: dict[str, list[NearWord]] = {}

    def of(self, word: str) -> list[NearWord]:
        """The nearest words, nearest first; none of a word that the vectors do not know either:
        pieces of it lie near something, too."""
        with self._lock:
            if word not in self._kept:
                if len(self._kept) >= _MOST_KEPT:
                    self._kept.clear()
                self._kept[word] = self._find(word)
            return self._kept[word]

    def _find(self, word: str) -> list[NearWord]:
        if not self._vocabulary or not has_word_vector(word):
            return []
        static = StaticWords()
        if self._vectors is None:
            self._vectors = static.encode(self._vocabulary)
        cosines = self._vectors @ static.encode([word])[0]
        near: list[int] = np.argsort(-cosines, kind="stable")[:MOST].tolist()
        found = [NearWord(self._vocabulary[i], float(cosines[i])) for i in near]
        return [each for each in found if each.cosine >= LEAST_COSINE]
