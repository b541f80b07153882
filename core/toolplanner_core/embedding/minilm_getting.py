"""How the files of all-MiniLM-L6-v2 get onto this machine.

`ensure_files` (called before embedding) looks in this order:

1. the user's data folder (or the folder in `TOOLPLANNER_MODELS`),
2. an export from the weights that the extra `sbert` installed (`minilm_export.py`),
3. the model hub, at a pinned revision (`fetch`).

A new set of files is checked by what it does, three sentences with known vectors, before its hashes
are recorded beside it.
"""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import numpy as np

from toolplanner_core.embedding.minilm_export import export
from toolplanner_core.embedding.minilm_files import (
    MODEL,
    NAME,
    RECORD,
    TOKENIZER,
    MiniLmFiles,
    fetch,
    find_files,
    model_folder,
    sha256_of,
)
from toolplanner_core.embedding.minilm_session import MiniLmSession
from toolplanner_core.errors import EmbedderUnavailable
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.resources import how_to_get, resource_root

MIN_COSINE = 0.9999
"""How close a file's vectors must be to the known ones."""

Maker = Callable[[Path, Progress], None]
"""Puts `MODEL` and `TOKENIZER` into a folder or raises `EmbedderUnavailable`."""


def ensure_files(progress: Progress, makers: tuple[Maker, ...] = (export, fetch)) -> MiniLmFiles:
    """The files, made or fetched if need be.

    Args:
        makers: ways to get them, tried in order; by default the export, then the hub.

    Raises:
        EmbedderUnavailable: no way worked; says why each failed and what can be done.
        Cancelled: and nothing is left behind.
    """
    try:
        return find_files()
    except EmbedderUnavailable:
        folder = model_folder()
    if (folder / MODEL).is_file() and (folder / TOKENIZER).is_file():
        # Put there by hand, or damaged since: their behaviour decides.
        try:
            _check_and_record(folder)
            return find_files()
        except EmbedderUnavailable:
            pass  # what is there is no use: the ways below replace it
    failures: list[str] = []
    for make in makers:
        part = folder.with_name(f"{folder.name}.part-{uuid4().hex[:8]}")
        try:
            part.mkdir(parents=True)
            make(part, progress)
            _check_and_record(part)
            _put_in_place(part, folder)
            return find_files()
        except EmbedderUnavailable as error:
            failures.append(error.sentence)
        except OSError as error:
            failures.append(f"The files could not be written: {error}.")
        finally:
            shutil.rmtree(part, ignore_errors=True)
    raise EmbedderUnavailable(
        f"The model {NAME} is not on this machine",
        why=" ".join(failures),
        todo=(
            f"{how_to_get('sbert')}; or connect to the internet once, or put {MODEL} and"
            f" {TOKENIZER} of sentence-transformers/{NAME} into {folder}; the embedder lsa works"
            " without any of these"
        ),
    )


def _check_and_record(folder: Path) -> None:
    known = json.loads(
        (resource_root() / "models" / f"{NAME}.known.json").read_text(encoding="utf-8")
    )
    expected = np.array(known["vectors"], dtype=np.float32)
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    try:
        found = MiniLmSession(folder / MODEL, folder / TOKENIZER).encode(known["sentences"])
    except Exception as error:  # onnxruntime and tokenizers raise bare Exception for a bad file
        raise EmbedderUnavailable(
            "The model's files cannot be loaded", where=str(folder), why=str(error)
        ) from error
    cosine = float((found * expected).sum(axis=1).min())
    if not cosine >= MIN_COSINE:
        raise EmbedderUnavailable(
            f"The model's file gives other vectors than {NAME} (cosine {cosine:.4f})",
            where=str(folder),
        )
    hashes = {name: sha256_of(folder / name) for name in (MODEL, TOKENIZER)}
    (folder / RECORD).write_text(json.dumps(hashes, indent=1), encoding="utf-8")


def _put_in_place(part: Path, folder: Path) -> None:
    # A folder is replaced as a whole, so that model and record always belong together.
    if folder.exists():
        shutil.rmtree(folder)
    part.rename(folder)
