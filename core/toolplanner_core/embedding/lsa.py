"""Embedder `lsa`: latent semantic analysis, made from the catalogue itself in seconds.

Terms are words and pairs of neighbouring words. Of Chinese, Japanese, Thai, Korean, Tamil and
others each letter is a word, so that pairs of letters count; words of Arabic, Greek and Hindi count
by their stems (`words/scripts.py`).

TF-IDF over words and pairs of words, reduced by a truncated SVD. It needs no download and no GPU,
and knows the catalogue's own vocabulary, in any language. The fitted state is stored in the
workspace, so queries and later APIs are encoded without fitting anew. A query may use other words
than the catalogue: those stand for the words of the catalogue that are near them.

Source: Halko, Martinsson, Tropp 2011, Finding Structure with Randomness (arXiv 0909.4061),
algorithm 4.4: randomised subspace iteration; Deerwester et al. 1990, Indexing by Latent Semantic
Analysis; sublinear term frequency and smoothed idf as in scikit-learn's TfidfVectorizer.
"""

import hashlib
import io
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.embedding.embedder import EmbedderPlugin, silent
from toolplanner_core.embedding.static_words import NearWords
from toolplanner_core.errors import BadInput
from toolplanner_core.jobs.progress import Progress, Report
from toolplanner_core.jobs.worker import run_in_worker
from toolplanner_core.options.option import NoOptions
from toolplanner_core.words.scripts import (
    is_paired,
    letter_runs,
    letters_of,
    normalized,
    script_stem,
)
from toolplanner_core.words.stems import singular
from toolplanner_core.words.stop_words import STOP_WORDS
from toolplanner_core.words.window_places import MAKE_VECTORS_ANEW
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.vectors import EmbedderState, stored_embedders, texts_of_catalogue

if TYPE_CHECKING:
    from scipy import sparse


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LsaModel:
    """A fitted state.

    Attributes:
        terms: (v,) the vocabulary, sorted.
        weights: (v, dim - 1) float32, idf times the right singular vectors.
        fitted_on: number of distinct texts it was fitted on.
    """

    terms: list[str]
    weights: NDArray[np.float32]
    fitted_on: int

    def to_bytes(self) -> bytes:
        """As npz without pickle; weights as float16, far finer than what they mean."""
        buffer = io.BytesIO()
        np.savez(
            buffer,
            terms=np.frombuffer("\n".join(self.terms).encode(), dtype=np.uint8),
            weights=self.weights.astype(np.float16),
            fitted_on=np.array(self.fitted_on),
        )
        return buffer.getvalue()

    @classmethod
    def from_bytes(cls, state: bytes) -> "LsaModel":
        """Read what `to_bytes` wrote.

        Raises:
            BadInput: it was not written by us.
        """
        try:
            with np.load(io.BytesIO(state), allow_pickle=False) as arrays:
                raw = arrays["terms"].tobytes().decode()
                return cls(
                    terms=raw.split("\n") if raw else [],
                    weights=arrays["weights"].astype(np.float32),
                    fitted_on=int(arrays["fitted_on"]),
                )
        except (ValueError, KeyError, OSError, EOFError) as error:
            raise BadInput(
                "The stored state of the embedder lsa cannot be read",
                why=str(error),
                todo=MAKE_VECTORS_ANEW,
            ) from error


_WORD = re.compile(r"[^\W_]+")
_READ = 4_000
"""Characters of a text that are looked at; functionality texts have 400."""


def terms_of(text: str) -> list[str]:
    """All terms of a text, in order, repeated as they occur."""
    text = text[:_READ].lower()
    found = _WORD.findall(text) if text.isascii() else _words_of_scripts(text)
    words = [singular(word) for word in found if word not in STOP_WORDS]
    return words + [f"{first} {second}" for first, second in pairwise(words)]


def _words_of_scripts(text: str) -> list[str]:
    found: list[str] = []
    for run in letter_runs(normalized(text)):
        if is_paired(run):
            found += letters_of(run)
        else:
            found.append(_without_accents(script_stem(run)))
    return found


def _without_accents(word: str) -> str:
    decomposed = unicodedata.normalize("NFD", word)
    return unicodedata.normalize(
        "NFC", "".join(c for c in decomposed if c < "\u0300" or c > "\u036f")
    )


VERSION = 2
"""Part of the state's id: changes whenever the same texts would give other vectors."""
DIMENSIONS = 192
MAX_TERMS = 40_000
_OVERSAMPLING = 16
_POWER_ITERATIONS = 2
_SEED = 20_240_606
_REPORT_EVERY = 512


def fit_in_worker(texts: Sequence[str], progress: Progress) -> EmbedderState:
    """Fit on distinct texts; the same set of texts gives the same id, in any order.

    Raises:
        Cancelled: and nothing is left behind.
        WorkerDied: the worker ran out of memory.
    """
    ordered = sorted(texts)
    digest = hashlib.sha256(f"lsa {VERSION} {DIMENSIONS} {MAX_TERMS}".encode())
    for text in ordered:
        digest.update(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest())
    state, dim = run_in_worker(_fit, ordered, progress=progress, what="embedding")
    return EmbedderState(id=f"lsa@{digest.hexdigest()[:12]}", kind="lsa", dim=dim, state=state)


def _fit(texts: list[str], *, report: Report) -> tuple[bytes, int]:
    model = fit(texts, report=report)
    return model.to_bytes(), model.weights.shape[1] + 1


def fit(texts: Sequence[str], *, report: Report) -> LsaModel:
    """Fit in this process.

    Args:
        texts: (n,) distinct texts, n >= 1.
    """
    from scipy import sparse

    counted: list[Counter[str]] = []
    frequency: Counter[str] = Counter()
    for i, text in enumerate(texts):
        counts = Counter(terms_of(text))
        counted.append(counts)
        frequency.update(counts.keys())
        if (i + 1) % _REPORT_EVERY == 0:
            report("Reading words", i + 1, len(texts), "texts")
    report("Reading words", len(texts), len(texts), "texts")
    terms = _vocabulary(frequency, len(texts))
    index = {term: i for i, term in enumerate(terms)}
    idf = np.log((1 + len(texts)) / (1 + np.array([frequency[t] for t in terms]))) + 1

    columns: list[int] = []
    values: list[int] = []
    starts = [0]
    for counts in counted:
        for term, count in counts.items():
            column = index.get(term)
            if column is not None:
                columns.append(column)
                values.append(count)
        starts.append(len(columns))
    weighted = (1 + np.log(np.array(values, dtype=np.float32))) * idf.astype(np.float32)[columns]
    rows = np.repeat(np.arange(len(texts)), np.diff(starts))
    squares = np.bincount(rows, weights=weighted**2, minlength=len(texts))
    matrix = sparse.csr_matrix(
        (weighted / np.sqrt(squares[rows]).astype(np.float32), columns, starts),
        shape=(len(texts), len(terms)),
        dtype=np.float32,
    )
    components = _right_singular_vectors(matrix, report)
    weights = (components * idf[:, None]).astype(np.float32)
    return LsaModel(terms=terms, weights=weights, fitted_on=len(texts))


def _vocabulary(frequency: Counter[str], n_texts: int) -> list[str]:
    # A term of one text tells nothing about similarity, one of every second text as little. In a
    # handful of texts both rules would leave nothing.
    at_least = 2 if n_texts > 50 else 1
    at_most = max(n_texts // 2, 50)
    kept = [(-n, term) for term, n in frequency.items() if at_least <= n <= at_most]
    kept.sort()
    return sorted(term for _, term in kept[:MAX_TERMS])


def _right_singular_vectors(matrix: "sparse.csr_matrix", report: Report) -> NDArray[np.float32]:
    """The first right singular vectors of an (n, v) matrix: (v, dimensions) float32."""
    n, v = cast(tuple[int, int], matrix.shape)
    dimensions = min(DIMENSIONS, n, v)
    if dimensions == 0:
        return np.zeros((v, 1), dtype=np.float32)
    width = min(dimensions + _OVERSAMPLING, n, v)
    random = np.random.default_rng(_SEED)
    basis = random.standard_normal((v, width), dtype=np.float32)
    transposed = matrix.T.tocsr()
    rounds = _POWER_ITERATIONS + 1
    for i in range(rounds):
        report("Finding topics", i, rounds + 1, "rounds")
        left, _ = np.linalg.qr(matrix @ basis)
        basis, _ = np.linalg.qr(transposed @ left)
    report("Finding topics", rounds, rounds + 1, "rounds")
    projected = matrix @ basis
    _, vectors = np.linalg.eigh((projected.T @ projected).astype(np.float64))
    report("Finding topics", rounds + 1, rounds + 1, "rounds")
    return basis @ vectors[:, ::-1][:, :dimensions].astype(np.float32)


REFIT_GROWTH = 1.5
"""A catalogue this many times larger than the one fitted on gets a new fit."""
_REPORT_EVERY_SUMS = 256


class LsaEmbedder:
    """An opened LSA. Vectors have one dimension more than the SVD: it stands for "no known word",
    so that such texts (another language, empty) lie together and away from all others."""

    def __init__(self, embedder_id: str, model: LsaModel) -> None:
        self.id = embedder_id
        self.dim = model.weights.shape[1] + 1
        self._weights = model.weights
        self._index = {term: i for i, term in enumerate(model.terms)}
        self._near = NearWords([term for term in model.terms if " " not in term])

    def encode(self, texts: Sequence[str], *, report: Report = silent) -> NDArray[np.float32]:
        """As `Embedder.encode`."""
        out = np.zeros((len(texts), self.dim), dtype=np.float32)
        for i, text in enumerate(texts):
            out[i, :-1] = self._sum(terms_of(text))
            if (i + 1) % _REPORT_EVERY_SUMS == 0:
                report("Embedding", i + 1, len(texts))
        report("Embedding", len(texts), len(texts))
        return _of_length_one(out)

    def encode_queries(
        self, texts: Sequence[str], *, report: Report = silent
    ) -> NDArray[np.float32]:
        """As `encode`; words that the catalogue lacks stand for those of it near them."""
        out = np.zeros((len(texts), self.dim), dtype=np.float32)
        for i, text in enumerate(texts):
            terms = terms_of(text)
            out[i, :-1] = self._sum(terms)
            for term in terms:
                if term not in self._index and " " not in term:
                    for word, cosine in self._near.of(term):
                        out[i, :-1] += cosine * self._weights[self._index[word]]
        report("Embedding", len(texts), len(texts))
        return _of_length_one(out)

    def _sum(self, terms: Sequence[str]) -> NDArray[np.float32]:
        """(dim - 1,) float32: the known terms by how often they occur."""
        counts = Counter(self._index[term] for term in terms if term in self._index)
        tf = 1 + np.log(np.fromiter(counts.values(), dtype=np.float32))
        return tf @ self._weights[list(counts)]


def _of_length_one(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    is_unknown = lengths[:, 0] < 1e-6
    vectors[is_unknown, -1] = lengths[is_unknown] = 1
    vectors /= lengths
    return vectors


def _prepare(
    workspace: Workspace, _name: str, _options: NoOptions, progress: Progress
) -> EmbedderState:
    texts = [text.text for text in texts_of_catalogue(workspace)]
    if not texts:
        raise BadInput(
            "There is nothing to fit an embedder on: the workspace has no APIs",
            where=str(workspace.path),
            todo="Import a catalogue first",
        )
    for stored in stored_embedders(workspace):
        if stored.kind == "lsa" and stored.state is not None:
            fitted_on = LsaModel.from_bytes(stored.state).fitted_on
            if len(texts) <= fitted_on * REFIT_GROWTH:
                return stored
            break
    return fit_in_worker(texts, progress)


def _open(state: EmbedderState) -> LsaEmbedder:
    return LsaEmbedder(state.id, LsaModel.from_bytes(state.state or b""))


PLUGIN = EmbedderPlugin(
    id="lsa",
    title="LSA",
    description="Word statistics of this catalogue. Always there, no download, seconds.",
    finds="words that stand together in this catalogue are near; it knows no others.",
    prepare=_prepare,
    open=_open,
    chunk=4096,
    texts_per_s=4_000,
)
