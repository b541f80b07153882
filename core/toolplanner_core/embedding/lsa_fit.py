"""Fit LSA on the texts of a catalogue: vocabulary, idf, truncated SVD.

Runs in a worker process.

Source: Halko, Martinsson, Tropp 2011, Finding Structure with Randomness (arXiv 0909.4061),
algorithm 4.4: randomised subspace iteration.
"""

import hashlib
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.embedding.lsa_model import LsaModel
from toolplanner_core.embedding.lsa_terms import terms_of
from toolplanner_core.jobs.progress import Progress, Report
from toolplanner_core.jobs.worker import run_in_worker
from toolplanner_core.workspace.vectors import EmbedderState

if TYPE_CHECKING:
    from scipy import sparse

VERSION = 1
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
