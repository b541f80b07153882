"""Embedder `lsa`: latent semantic analysis, made from the catalogue itself in seconds.

TF-IDF over words and pairs of words, reduced by a truncated SVD. It needs no download and no GPU,
and knows the catalogue's own vocabulary, in any language. The fitted state is stored in the
workspace, so queries and later APIs are encoded without fitting anew. A query may use other words
than the catalogue: those stand for the words of the catalogue that are near them.

Source: Deerwester et al. 1990, Indexing by Latent Semantic Analysis; sublinear term frequency and
smoothed idf as in scikit-learn's TfidfVectorizer.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.embedding.embedder import EmbedderPlugin, silent
from toolplanner_core.embedding.lsa_model import LsaModel, fit_in_worker, terms_of
from toolplanner_core.embedding.near_words import NearWords
from toolplanner_core.errors import BadInput
from toolplanner_core.jobs.progress import Progress, Report
from toolplanner_core.options.option import NoOptions
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.vectors import EmbedderState, stored_embedders, texts_of_catalogue

REFIT_GROWTH = 1.5
"""A catalogue this many times larger than the one fitted on gets a new fit."""
_REPORT_EVERY = 256


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
            if (i + 1) % _REPORT_EVERY == 0:
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
