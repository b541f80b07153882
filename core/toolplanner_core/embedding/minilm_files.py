"""Where the files of all-MiniLM-L6-v2 are on this machine, and whether they are whole.

How they get there is told in `minilm_getting.py`; the hashes that it records beside them are
checked at each load.
"""

import hashlib
import json
import os
from pathlib import Path
from typing import NamedTuple

from toolplanner_core.errors import EmbedderUnavailable

MODEL, TOKENIZER, RECORD = "model.onnx", "tokenizer.json", "hashes.json"
NAME = "all-MiniLM-L6-v2"
_BLOCK_BYTES = 1 << 20


class MiniLmFiles(NamedTuple):
    """A checked set of files."""

    model: Path
    tokenizer: Path


def model_folder() -> Path:
    """Where the files belong: below `TOOLPLANNER_MODELS`, else in the user's data folder."""
    import platformdirs

    chosen = os.environ.get("TOOLPLANNER_MODELS")
    root = Path(chosen) if chosen else Path(platformdirs.user_data_dir("toolplanner")) / "models"
    return root / NAME


def find_files() -> MiniLmFiles:
    """The files that are there, after their hashes were checked (about 0.2 s).

    Raises:
        EmbedderUnavailable: there are none, or they are damaged.
    """
    folder = model_folder()
    record = folder / RECORD
    if not record.is_file():
        raise EmbedderUnavailable(
            f"The model {NAME} is not on this machine",
            where=str(folder),
            todo="Get it with: toolplanner embed WORKSPACE --embedder minilm",
        )
    try:
        hashes: dict[str, str] = json.loads(record.read_text(encoding="utf-8"))
        is_whole = all(sha256_of(folder / name) == hashes[name] for name in (MODEL, TOKENIZER))
    except (OSError, ValueError, KeyError):
        is_whole = False
    if not is_whole:
        raise EmbedderUnavailable(
            f"The files of the model {NAME} are damaged",
            where=str(folder),
            todo="Make them anew with: toolplanner embed WORKSPACE --embedder minilm",
        )
    return MiniLmFiles(folder / MODEL, folder / TOKENIZER)


def sha256_of(path: Path) -> str:
    """SHA-256 (hex) of a file."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK_BYTES):
            digest.update(block)
    return digest.hexdigest()
