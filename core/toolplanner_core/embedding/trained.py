"""Embedder `trained:NAME`: a retriever that was trained on this machine (`training/`).

Retrievers that were trained on this machine: their folders, and what is known about each.

A model is `document.onnx` (and `query.onnx` if it has two encoders), a tokenizer, and a record with
hashes, options, learning curve and figures. Its id carries a part of the hash, so that vectors of
one never pass for those of another of the same name.

Source: TPTU-v2, arXiv 2311.11315, section 2.2: one encoder for APIs, one for queries, or the same
for both. Search asks with the one of queries; map and clustering use the side of the APIs.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.embedding.embedder import EmbedderPlugin, silent
from toolplanner_core.embedding.minilm import DIMENSIONS, MiniLmSession, models_root, sha256_of
from toolplanner_core.errors import BadInput, EmbedderUnavailable
from toolplanner_core.jobs.progress import Progress, Report
from toolplanner_core.options.option import NoOptions
from toolplanner_core.words.window_places import MAKE_VECTORS_ANEW, TRAIN
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.vectors import EmbedderState

KIND = "trained"
DOCUMENT, QUERY, TOKENIZER_FILE, RECORD_FILE = (
    "document.onnx",
    "query.onnx",
    "tokenizer.json",
    "record.json",
)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,39}")
_HASH = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainedModel:
    """A trained retriever on this machine.

    Attributes:
        record: "hashes", and what its training wrote: "options", "curve", "figures" ...
    """

    name: str
    folder: Path
    record: dict[str, Any]

    @property
    def id(self) -> str:
        """Its storage id: "trained:NAME@1a2b3c4d"."""
        hashes = self.record["hashes"]
        return f"{KIND}:{self.name}@{hashes[DOCUMENT][:_HASH]}"

    @property
    def has_queries(self) -> bool:
        """Whether it has an encoder of its own for queries."""
        return QUERY in self.record["hashes"]


def trained_root() -> Path:
    """The folder below which they are."""
    return models_root() / "trained"


def trained_folder(name: str) -> Path:
    """Where the model of a name belongs.

    Raises:
        BadInput: the name cannot be one of a folder.
    """
    if not _NAME.fullmatch(name):
        raise BadInput(
            f"{name!r} cannot name a model",
            todo="Take letters, digits, dots, dashes and underlines, 40 at most",
        )
    return trained_root() / name


def trained_model(name: str) -> TrainedModel:
    """The model of a name, or of a storage id's end ("NAME@1a2b3c4d").

    Raises:
        EmbedderUnavailable: it is not on this machine, is damaged, or is another of that name.
    """
    plain, _, wanted = name.partition("@")
    folder = trained_folder(plain)
    try:
        record = json.loads((folder / RECORD_FILE).read_text(encoding="utf-8"))
        model = TrainedModel(name=plain, folder=folder, record=record)
        is_right = model.id.endswith(wanted)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise EmbedderUnavailable(
            f"The trained model {plain!r} is not on this machine",
            where=str(folder),
            todo=f"{TRAIN}, or copy its folder there",
        ) from error
    if not is_right:
        raise EmbedderUnavailable(
            f"The trained model {plain!r} on this machine is another one",
            why=f"The vectors are of {KIND}:{name}, here is {model.id}",
            todo=MAKE_VECTORS_ANEW,
        )
    return model


def checked_model(name: str) -> TrainedModel:
    """As `trained_model`, after the hashes of its files were checked.

    Raises:
        EmbedderUnavailable: as there.
    """
    model = trained_model(name)
    for file, expected in model.record["hashes"].items():
        if not (model.folder / file).is_file() or sha256_of(model.folder / file) != expected:
            raise EmbedderUnavailable(
                f"The files of the trained model {model.name!r} are damaged",
                where=str(model.folder / file),
                todo="Train it anew, or copy its folder again",
            )
    return model


def list_trained() -> list[TrainedModel]:
    """All models that were trained here, by name."""
    root = trained_root()
    names = sorted(path.parent.name for path in root.glob(f"*/{RECORD_FILE}"))
    return [trained_model(name) for name in names if _NAME.fullmatch(name)]


def write_record(folder: Path, record: dict[str, Any]) -> None:
    """Write a record with the hashes of the files that are there; what makes it a model."""
    files = [name for name in (DOCUMENT, QUERY, TOKENIZER_FILE) if (folder / name).is_file()]
    hashes = {name: sha256_of(folder / name) for name in files}
    part = folder / f"{RECORD_FILE}.part"
    part.write_text(json.dumps({**record, "hashes": hashes}, indent=1), encoding="utf-8")
    part.replace(folder / RECORD_FILE)


class TrainedEmbedder:
    """The opened model. Thread-safe."""

    dim = DIMENSIONS

    def __init__(self, model: TrainedModel) -> None:
        self.id = model.id
        tokenizer = model.folder / TOKENIZER_FILE
        self._documents = MiniLmSession(model.folder / DOCUMENT, tokenizer)
        self._queries = self._documents
        if model.has_queries:
            self._queries = MiniLmSession(model.folder / QUERY, tokenizer)

    def encode(self, texts: Sequence[str], *, report: Report = silent) -> NDArray[np.float32]:
        """As `Embedder.encode`, of what describes APIs."""
        return self._documents.encode(texts, report=report)

    def encode_queries(
        self, texts: Sequence[str], *, report: Report = silent
    ) -> NDArray[np.float32]:
        """As `Embedder.encode`, of what asks for APIs."""
        return self._queries.encode(texts, report=report)

    def encode_parts(self, sentences: Sequence[Sequence[str]]) -> NDArray[np.float32]:
        """As `HasParts.encode_parts`."""
        return self._queries.encode_parts(sentences)


def _prepare(
    _workspace: Workspace, name: str, _options: NoOptions, _progress: Progress
) -> EmbedderState:
    if not name:
        there = ", ".join(f"{KIND}:{model.name}" for model in list_trained())
        raise BadInput(
            "The embedder trained needs the name of a model",
            todo=f"Choose from: {there}" if there else TRAIN,
        )
    return EmbedderState(id=checked_model(name).id, kind=KIND, dim=DIMENSIONS, state=None)


def _open(state: EmbedderState) -> TrainedEmbedder:
    return TrainedEmbedder(trained_model(state.id.partition(":")[2]))


PLUGIN = EmbedderPlugin(
    id=KIND,
    title="Trained here",
    description="trained:NAME is a retriever that was trained on labelled queries of your own. It"
    " finds what was asked for in the words of your people; as quick as MiniLM.",
    finds="queries are near to what answered those like them in your labelled queries.",
    prepare=_prepare,
    open=_open,
    named="Name that was given at its training",
    texts_per_s=105,
)
