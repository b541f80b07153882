"""The files of all-MiniLM-L6-v2: where they are on this machine, whether they are whole, and where
the model hub has them, at a pinned revision, with known hashes.

How they get there is told in `minilm_getting.py`; the hashes that it records beside them are
checked at each load.
"""

import hashlib
import json
import os
from pathlib import Path
from typing import NamedTuple

from toolplanner_core.errors import EmbedderUnavailable
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.words.places import MAKE_MINILM

MODEL, TOKENIZER, RECORD = "model.onnx", "tokenizer.json", "hashes.json"
NAME = "all-MiniLM-L6-v2"
_BLOCK_BYTES = 1 << 20


class MiniLmFiles(NamedTuple):
    """A checked set of files."""

    model: Path
    tokenizer: Path


def models_root() -> Path:
    """Where models belong: the folder in `TOOLPLANNER_MODELS`, else in the user's data folder."""
    import platformdirs

    chosen = os.environ.get("TOOLPLANNER_MODELS")
    return Path(chosen) if chosen else Path(platformdirs.user_data_dir("toolplanner")) / "models"


def model_folder() -> Path:
    """Where the files belong."""
    return models_root() / NAME


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
            todo=MAKE_MINILM,
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
            todo=MAKE_MINILM,
        )
    return MiniLmFiles(folder / MODEL, folder / TOKENIZER)


def sha256_of(path: Path) -> str:
    """SHA-256 (hex) of a file."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK_BYTES):
            digest.update(block)
    return digest.hexdigest()


HUB = (
    "https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2"
    "/resolve/c9745ed1d9f207416be6d2e6f8de32d1f16199bf"
)
FILES = {
    MODEL: (
        "onnx/model.onnx",
        "6fd5d72fe4589f189f8ebc006442dbb529bb7ce38f8082112682524616046452",
    ),
    TOKENIZER: (
        "tokenizer.json",
        "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    ),
}
"""File here: (path on the hub, SHA-256)."""
_TIMEOUT_S = 20.0
_MB = 1_000_000


def fetch(
    folder: Path,
    progress: Progress,
    *,
    hub: str = HUB,
    files: dict[str, tuple[str, str]] = FILES,
) -> None:
    """Write `MODEL` and `TOKENIZER` into `folder`.

    Raises:
        EmbedderUnavailable: no connection, or a file that is not the known one.
        Cancelled: `progress` was cancelled.
    """
    for name, (path, expected) in files.items():
        found = _download(f"{hub}/{path}", folder / name, progress)
        if found != expected:
            raise EmbedderUnavailable(
                "The hub delivered another file than the known one",
                where=f"{hub}/{path}",
                why=f"Its SHA-256 is {found}, not {expected}",
            )


def _download(url: str, target: Path, progress: Progress) -> str:
    import httpx

    digest = hashlib.sha256()
    try:
        with (
            httpx.stream("GET", url, follow_redirects=True, timeout=_TIMEOUT_S) as reply,
            target.open("wb") as file,
        ):
            reply.raise_for_status()
            size = int(reply.headers.get("Content-Length", 0)) // _MB or None
            done = 0
            for block in reply.iter_bytes():
                file.write(block)
                digest.update(block)
                done += len(block)
                progress.report(f"Fetching {target.name}", done // _MB, size, "MB")
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise EmbedderUnavailable(
            "The model hub could not be reached",
            where=url,
            why=str(error) or type(error).__name__,
        ) from error
    return digest.hexdigest()
