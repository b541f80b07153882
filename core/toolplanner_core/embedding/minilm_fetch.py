"""Fetch all-MiniLM-L6-v2 from the model hub, at a pinned revision, with known hashes.

Once per machine, when nothing else worked.
"""

import hashlib
from pathlib import Path

from toolplanner_core.embedding.minilm_files import MODEL, TOKENIZER
from toolplanner_core.errors import EmbedderUnavailable
from toolplanner_core.jobs.progress import Progress

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
