"""The table of word vectors that the package `wordllama` carries, checked and loaded once.

32,000 word pieces of Llama 2 with 256 dimensions each, 16 MB as float16. The package's own loader
is not used: it would fetch from the network what lies beside it.

Source: Miller 2024, WordLlama (github.com/dleemiller/WordLlama, MIT), "l2_supercat".
"""

import importlib.util
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.embedding.minilm_files import sha256_of
from toolplanner_core.errors import EmbedderUnavailable

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
            todo="Install ToolPlanner again, or choose another embedder: --embedder lsa",
        )
    folder = Path(spec.origin).parent
    for name, sha256 in _FILES.items():
        if not (folder / name).is_file() or sha256_of(folder / name) != sha256:
            raise EmbedderUnavailable(
                f"The word vectors in the package {PACKAGE} are not the known ones",
                where=str(folder / name),
                todo="Install ToolPlanner again, or choose another embedder: --embedder lsa",
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
    from tokenizers import Tokenizer

    vectors, tokenizer = find_files()
    read: Any = Tokenizer.from_file(str(tokenizer))
    read.no_padding()
    read.no_truncation()
    table = load_file(str(vectors))["embedding.weight"].astype(np.float32)
    return WordVectors(table, read)
