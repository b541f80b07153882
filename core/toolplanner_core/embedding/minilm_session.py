"""Run all-MiniLM-L6-v2 on onnxruntime: tokens in, unit vectors out.

The same arithmetic as sentence-transformers (mean of the token vectors, length 1), about twice as
fast on a CPU and without torch.

Source: Reimers, Gurevych 2019, Sentence-BERT (arXiv 1908.10084); the model card's pooling. Parts of
a query: Günther et al. 2024, Late Chunking (arXiv 2409.04701).
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.embedding.embedder import silent, tokenizable
from toolplanner_core.jobs.progress import Report

DIMENSIONS = 384
MAX_TOKENS = 256
"""Longer texts are cut, as the model was trained and as sentence-transformers does."""
_BATCH = 16
"""Small batches of equal length win on CPUs: 99 texts a second against 64 with batches of 64."""
_MAX_THREADS = 4


def silent_onnxruntime() -> Any:
    """The module, which sends nothing home.

    From 1.29 on its packages report each process and model to their maker and write an id of the
    device into the person's home, as soon as they are loaded; only this variable prevents both.
    """
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    import onnxruntime

    return onnxruntime


class MiniLmSession:
    """The loaded model. Thread-safe: onnxruntime and tokenizers lock where they must.

    Args:
        model: the ONNX file; inputs `input_ids`, `attention_mask`, `token_type_ids` (batch,
            sequence) int64, first output (batch, sequence, 384) float32.
        tokenizer: its tokenizer.json.
    """

    id = "minilm"
    dim = DIMENSIONS

    def __init__(self, model: Path, tokenizer: Path) -> None:
        from tokenizers import Tokenizer

        onnxruntime = silent_onnxruntime()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = max(1, min(_MAX_THREADS, os.cpu_count() or 1))
        options.inter_op_num_threads = 1
        # Threads that wait for each other sleep: spinning costs the processors as much again, and
        # where other programs hold a core a query takes four times as long.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.log_severity_level = 3
        self._session: Any = onnxruntime.InferenceSession(
            str(model), options, providers=["CPUExecutionProvider"]
        )
        self._tokenizer: Any = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MAX_TOKENS)

    def encode(self, texts: Sequence[str], *, report: Report = silent) -> NDArray[np.float32]:
        """As `Embedder.encode`: (n, 384) float32, rows of length 1."""
        clean = [tokenizable(text) for text in texts]
        ids: list[list[int]] = [e.ids for e in self._tokenizer.encode_batch(clean)]
        lengths = np.array([len(row) for row in ids], dtype=np.int64)
        out = np.empty((len(texts), DIMENSIONS), dtype=np.float32)
        # Batches of equal lengths need little padding.
        order = np.argsort(lengths, kind="stable")
        for begin in range(0, len(order), _BATCH):
            batch = order[begin : begin + _BATCH]
            out[batch] = self._encode_batch([ids[i] for i in batch], lengths[batch])
            report("Embedding", begin + len(batch), len(order))
        return out

    def encode_parts(self, sentences: Sequence[Sequence[str]]) -> NDArray[np.float32]:
        """As `HasParts.encode_parts`: a part is the mean of its tokens as its sentence makes them.

        One that the first tokens of its sentence do not hold is read by itself.
        """
        texts = [tokenizable(sentence[0]) for sentence in sentences]
        tokens = self._tokenizer.encode_batch(texts)
        hidden = self._hidden([each.ids for each in tokens])
        sums: list[NDArray[np.float32]] = []
        whole = np.zeros(DIMENSIONS, dtype=np.float32)
        for sentence, text, read, vectors in zip(sentences, texts, tokens, hidden, strict=True):
            sums.append(vectors[: len(read.ids)].sum(axis=0))
            whole += sums[-1]
            begins, ends = np.array(read.offsets, dtype=np.int64).T
            at = 0
            for part in map(tokenizable, sentence[1:]):
                begin = text.find(part, at)
                at = max(begin, at)
                is_own = (begins >= begin) & (ends <= begin + len(part)) & (ends > begins)
                has_own = begin >= 0 and bool(is_own.any())
                own = vectors[: len(read.ids)][is_own] if has_own else self.encode([part])
                sums.append(own.sum(axis=0))
        summed = np.stack([whole, *sums])
        return summed / np.linalg.norm(summed, axis=1, keepdims=True)

    def _encode_batch(
        self, ids: list[list[int]], lengths: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        mask = np.arange(int(lengths.max())) < lengths[:, None]
        summed = np.einsum("bsd,bs->bd", self._hidden(ids), mask.astype(np.float32))
        return summed / np.linalg.norm(summed, axis=1, keepdims=True)

    def _hidden(self, ids: list[list[int]]) -> NDArray[np.float32]:
        """(b, s, 384) vectors of the tokens of texts, the shorter ones padded."""
        padded = np.zeros((len(ids), max(map(len, ids))), dtype=np.int64)
        mask = np.zeros_like(padded)
        for row, held, tokens in zip(padded, mask, ids, strict=True):
            row[: len(tokens)] = tokens
            held[: len(tokens)] = 1
        inputs = {
            "input_ids": padded,
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(padded),
        }
        return self._session.run(None, inputs)[0]
