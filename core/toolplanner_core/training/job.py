"""What the training loop is given and what it tells: plain data that travels to a process of its
own."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from toolplanner_core.embedding.torch_device import DeviceOptions
from toolplanner_core.options.option import option


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingOptions(DeviceOptions):
    """How a retriever is trained."""

    minutes: float = option(30.0, "Time for the training itself at most.", minimum=0.01)
    epochs: int = option(3, "Rounds over all pairs at most.", minimum=1)
    batch: int = option(32, "Pairs of a batch: each has the APIs of all others as negatives.")
    learning_rate: float = option(3e-5, "At the beginning; it falls to nothing until the end.")
    negatives: int = option(16, "Hard negatives added to a batch.", minimum=0)
    encoders: Literal["shared", "two"] = option(
        "shared", "One encoder for queries and APIs, or one for each."
    )
    made: int = option(
        0,
        "Queries made of the catalogue's own names and descriptions, learned beside the others.",
        title="Made queries",
        minimum=0,
    )
    tokens: int = option(96, "Word pieces of a text that are trained on.", minimum=8, maximum=256)
    check_every: int = option(40, "Batches between two looks at the held-out queries.", minimum=1)
    patience: int = option(4, "Looks without a better one until it ends early.", minimum=1)
    seed: int = option(0, "Seed of the split, the order and the draws.")
    threads: int = option(1, "Threads of the training process.", minimum=1, maximum=64)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingPair:
    """A query with one API that answers it.

    Attributes:
        document: its position; gold: those of all that answer it, never a negative of the query.
    """

    query: str
    document: int
    gold: frozenset[int]
    hard: Sequence[int] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingJob:
    """All that the loop needs.

    Attributes:
        weights: folder of the sentence-transformers model to begin with.
        folder: where checkpoints are kept; one that is there is gone on with.
        fingerprint: names the job; a checkpoint of another is not gone on with.
        texts: of the documents that pairs and `dev_pool` name.
        dev: queries with their gold documents; dev_pool: among which those are looked for.
    """

    weights: str
    folder: str
    fingerprint: str
    texts: dict[int, str]
    pairs: Sequence[TrainingPair]
    dev: Sequence[tuple[str, tuple[int, ...]]]
    dev_pool: Sequence[int]
    options: TrainingOptions = field(default_factory=TrainingOptions)


class CurvePoint(NamedTuple):
    """One point of the learning curve.

    Attributes:
        loss: mean since the point before; recall: Recall@5 of the held-out queries.
        seconds: of training so far, over all sittings.
    """

    step: int
    loss: float
    recall: float
    seconds: float


class TrainingResult(NamedTuple):
    """How a training ended.

    Attributes:
        why: "all rounds", "early", or "time".
        best: step whose weights were kept.
        resumed: step that it went on from, 0 = from the beginning.
    """

    why: str
    steps: int
    best: int
    seconds: float
    resumed: int
    curve: list[CurvePoint]


MODEL_FOLDERS = {"query": "best-query", "document": "best-document"}
"""Folders of the best weights below the job's; a shared encoder is in the second alone."""
