"""The training loop: multiple negatives ranking loss over batches, with hard negatives.

In a process of its own; torch never enters ours. Each pair of a batch has the APIs of all other
pairs and the batch's hard negatives as wrong answers, except those that answer its query, too
(masked). What was learned is kept at each look at the held-out queries, so that a cancel or a crash
loses minutes at most.

Source: Henderson et al. 2017, arXiv 1705.00652 (multiple negatives ranking loss), as TPTU-v2, arXiv
2311.11315, section 2.2, uses it; scale 20 as in sentence-transformers.
"""

import math
import random
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from toolplanner_core.embedding.embedder import tokenizable
from toolplanner_core.embedding.torch_device import torch_device
from toolplanner_core.jobs.progress import Report
from toolplanner_core.training.job import (
    MODEL_FOLDERS,
    CurvePoint,
    TrainingJob,
    TrainingPair,
    TrainingResult,
)
from toolplanner_core.training.search_metrics import recall

SCALE = 20.0
"""Cosines times this are the logits."""
_CHECKPOINT = "checkpoint.pt"
_DEV_DEPTH = 5
_ENCODED_AT_ONCE = 32
_OF_LIKE_LENGTH = 16
_WARM_UP = 0.05
"""Share of the time in which the learning rate rises."""


def train_in_worker(
    job: TrainingJob, *, report: Report, emit: Callable[[CurvePoint], None]
) -> TrainingResult:
    """Train until all rounds are done, nothing gets better, or the time is over."""
    import torch

    torch.set_num_threads(job.options.threads)
    torch.manual_seed(job.options.seed)
    report("Loading the model", 0, None, "models")
    return _Loop(job, report, emit).run()


class _Loop:
    """One sitting of one job."""

    def __init__(
        self, job: TrainingJob, report: Report, emit: Callable[[CurvePoint], None]
    ) -> None:
        import torch

        self._job, self._options = job, job.options
        self._report, self._emit = report, emit
        self._folder = Path(job.folder)
        self._device = torch_device(job.options.device)
        self._documents = _load(job.weights, job.options.tokens, self._device)
        is_shared = job.options.encoders == "shared"
        self._queries = (
            self._documents if is_shared else _load(job.weights, job.options.tokens, self._device)
        )
        models = [self._documents] if is_shared else [self._documents, self._queries]
        self._models = torch.nn.ModuleList(models)
        self._optimizer = torch.optim.AdamW(
            self._models.parameters(), lr=job.options.learning_rate, weight_decay=0.01
        )
        self._step, self._spent_s, self._best_step = 0, 0.0, 0
        self._curve: list[CurvePoint] = []
        self._resumed = self._resume()

    def run(self) -> TrainingResult:
        began_s = time.monotonic() - self._spent_s
        per_epoch = math.ceil(len(self._job.pairs) / self._options.batch)
        total, limit_s = per_epoch * self._options.epochs, self._options.minutes * 60
        losses: list[float] = []
        if not self._curve:
            self._look(losses)
        why = "all rounds"
        for batch in self._batches(per_epoch):
            self._spent_s = time.monotonic() - began_s
            if self._spent_s >= limit_s:
                why = "time"
                break
            self._report("Training", self._step, total, "batches")
            done = max(self._step / total, self._spent_s / limit_s)
            for group in self._optimizer.param_groups:
                group["lr"] = self._options.learning_rate * min(done / _WARM_UP + 0.1, 1 - done)
            losses.append(self._learn(batch))
            self._step += 1
            if self._step % self._options.check_every == 0 or self._step == total:
                self._spent_s = time.monotonic() - began_s
                self._look(losses)
                if self._is_flat():
                    why = "early"
                    break
        if losses:
            self._look(losses)
        return TrainingResult(
            why, self._step, self._best_step, self._spent_s, self._resumed, list(self._curve)
        )

    def _batches(self, per_epoch: int) -> Iterator[Sequence[TrainingPair]]:
        """All batches that are left, in the order that the seed gives."""
        size = self._options.batch
        for number in range(self._step, per_epoch * self._options.epochs):
            epoch, at = divmod(number, per_epoch)
            order = list(range(len(self._job.pairs)))
            random.Random(f"{self._options.seed}/{epoch}").shuffle(order)
            yield [self._job.pairs[i] for i in order[at * size : (at + 1) * size]]

    def _learn(self, batch: Sequence[TrainingPair]) -> float:
        import torch

        drawn = random.Random(f"{self._options.seed}/hard/{self._step}")
        hard = [drawn.choice(pair.hard) for pair in batch if pair.hard]
        drawn.shuffle(hard)
        columns = [pair.document for pair in batch] + hard[: self._options.negatives]
        texts = self._job.texts
        self._models.train()
        queries = unit_vectors(self._queries, [pair.query for pair in batch])
        documents = unit_vectors(self._documents, [texts[at] for at in columns])
        logits = queries @ documents.T * SCALE
        wrong = [
            [at in pair.gold and column != row for column, at in enumerate(columns)]
            for row, pair in enumerate(batch)
        ]
        logits = logits.masked_fill(torch.tensor(wrong, device=self._device), float("-inf"))
        right = torch.arange(len(batch), device=self._device)
        loss = torch.nn.functional.cross_entropy(logits, right)
        self._optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self._models.parameters(), 1.0)
        self._optimizer.step()
        return float(loss.detach())

    def _look(self, losses: list[float]) -> None:
        """Add a point to the curve, keep the weights if they are the best, and where it stands."""
        found = self._dev_recall()
        mean = sum(losses) / len(losses) if losses else 0.0
        losses.clear()
        point = CurvePoint(self._step, mean, found, self._spent_s)
        best = max((old.recall for old in self._curve), default=-1.0)
        self._curve.append(point)
        if found > best or not self._job.dev:
            self._best_step = self._step
            self._keep(MODEL_FOLDERS["document"], self._documents)
            if self._queries is not self._documents:
                self._keep(MODEL_FOLDERS["query"], self._queries)
        self._save()
        self._emit(point)

    def _is_flat(self) -> bool:
        since = [point for point in self._curve if point.step > self._best_step]
        return len(since) >= self._options.patience

    def _dev_recall(self) -> float:
        import torch

        if not self._job.dev:
            return 0.0  # nothing to look at: the last weights are the best
        self._models.eval()
        pool = list(self._job.dev_pool)
        column_of = {at: column for column, at in enumerate(pool)}
        with torch.no_grad():
            documents = self._encode(self._documents, [self._job.texts[at] for at in pool])
            queries = self._encode(self._queries, [text for text, _ in self._job.dev])
            scores = queries @ documents.T
            order = (-scores).argsort(dim=1).argsort(dim=1) + 1
        ranks = [
            [int(order[row, column_of[at]]) for at in gold]
            for row, (_, gold) in enumerate(self._job.dev)
        ]
        return sum(recall(each, _DEV_DEPTH) for each in ranks) / len(ranks)

    def _encode(self, model: Any, texts: Sequence[str]) -> Any:
        import torch

        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        size = len(texts), int(model.get_embedding_dimension())
        out = torch.zeros(size, device=self._device)
        for begin in range(0, len(order), _ENCODED_AT_ONCE):
            self._report("Looking at held-out queries", begin, len(order), "texts")
            batch = order[begin : begin + _ENCODED_AT_ONCE]
            out[batch] = unit_vectors(model, [texts[i] for i in batch])
        return out

    def _keep(self, name: str, model: Any) -> None:
        target, part = self._folder / name, self._folder / f"{name}.part"
        shutil.rmtree(part, ignore_errors=True)
        model.save(str(part), create_model_card=False)
        shutil.rmtree(target, ignore_errors=True)
        part.rename(target)

    def _save(self) -> None:
        import torch

        part = self._folder / f"{_CHECKPOINT}.part"
        state = {
            "fingerprint": self._job.fingerprint,
            "models": self._models.state_dict(),
            "optimizer": self._optimizer.state_dict(),
            "step": self._step,
            "spent_s": self._spent_s,
            "best": self._best_step,
            "curve": [tuple(point) for point in self._curve],
        }
        torch.save(state, part)
        part.replace(self._folder / _CHECKPOINT)

    def _resume(self) -> int:
        import torch

        file = self._folder / _CHECKPOINT
        if not file.is_file():
            return 0
        state = torch.load(file, map_location=self._device, weights_only=True)
        if state["fingerprint"] != self._job.fingerprint:
            return 0
        self._models.load_state_dict(state["models"])
        self._optimizer.load_state_dict(state["optimizer"])
        self._step, self._spent_s = state["step"], state["spent_s"]
        self._best_step = state["best"]
        self._curve = [CurvePoint(*point) for point in state["curve"]]
        return self._step


def _load(weights: str, tokens: int, device: str) -> Any:
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging as transformers_logging

    transformers_logging.disable_progress_bar()
    model: Any = SentenceTransformer(weights, device=device)
    model.max_seq_length = tokens
    return model


def unit_vectors(model: Any, texts: Sequence[str]) -> Any:
    """(n, dim) unit vectors with their gradients; texts of like length share a batch, so that few
    pieces are only padding."""
    import torch
    from sentence_transformers.util import batch_to_device

    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
    parts: list[Any] = []
    for begin in range(0, len(order), _OF_LIKE_LENGTH):
        batch = [tokenizable(texts[i]) for i in order[begin : begin + _OF_LIKE_LENGTH]]
        features = batch_to_device(model.preprocess(batch), model.device)
        parts.append(model(features)["sentence_embedding"])
    place_of = {i: place for place, i in enumerate(order)}
    found = torch.cat(parts)[[place_of[i] for i in range(len(texts))]]
    return torch.nn.functional.normalize(found, dim=1)
