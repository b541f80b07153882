"""Where MiniLM's files come from: the folder, the export, the hub; damaged files; no way at all."""

import hashlib
import http.server
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from fixtures.loopback import serving

from toolplanner_core.embedding.minilm import (
    MODEL,
    RECORD,
    TOKENIZER,
    ensure_minilm_files,
    fetch,
    find_files,
    model_folder,
)
from toolplanner_core.errors import Cancelled, EmbedderUnavailable
from toolplanner_core.jobs.progress import Progress


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for models."""
    monkeypatch.setenv("TOOLPLANNER_MODELS", str(tmp_path / "models"))
    return model_folder()


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """A file server on loopback: its address and its folder."""
    root = tmp_path / "hub"
    root.mkdir()

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args: object) -> None:
            super().__init__(*args, directory=str(root))  # pyright: ignore[reportArgumentType]

        def log_message(self, *args: object) -> None:
            pass

    with serving(Handler) as origin:
        yield origin, root


def nothing_works(folder: Path, progress: Progress) -> None:
    (folder / MODEL).write_bytes(b"half a file")
    raise EmbedderUnavailable("The moon is in the way")


def test_files_when_no_way_works_then_error_names_each_and_three_ways_out(models: Path) -> None:
    with pytest.raises(EmbedderUnavailable) as caught:
        ensure_minilm_files(Progress(), makers=(nothing_works, nothing_works))
    text = caught.value.sentence
    assert text.count("The moon is in the way") == 2
    for way in ("toolplanner[sbert]", "internet", str(models), "lsa"):
        assert way in text
    assert not list(models.parent.iterdir())


def test_files_when_making_is_cancelled_then_nothing_is_left(models: Path) -> None:
    progress = Progress()
    progress.cancel()
    with pytest.raises(Cancelled):
        ensure_minilm_files(progress, makers=(lambda _, progress: progress.check(),))
    assert not list(models.parent.iterdir())


def test_files_when_not_there_then_find_says_how_to_get_them(models: Path) -> None:
    with pytest.raises(EmbedderUnavailable, match="Choose the embedder minilm"):
        find_files()


@pytest.mark.slow
def test_files_when_put_there_by_hand_then_are_taken_after_a_check(
    models: Path, minilm: Path
) -> None:
    models.mkdir(parents=True)
    shutil.copy(minilm / models.name / MODEL, models / MODEL)
    shutil.copy(minilm / models.name / TOKENIZER, models / TOKENIZER)
    assert ensure_minilm_files(Progress(), makers=()).model == models / MODEL
    assert (models / RECORD).is_file()
    # Damaged later: one byte.
    with (models / MODEL).open("r+b") as file:
        file.seek(5_000_000)
        byte = file.read(1)
        file.seek(5_000_000)
        file.write(bytes([byte[0] ^ 255]))
    with pytest.raises(EmbedderUnavailable, match="damaged"):
        find_files()


@pytest.mark.slow
def test_files_when_they_are_no_model_then_the_next_way_replaces_them(
    models: Path, minilm: Path
) -> None:
    models.mkdir(parents=True)
    (models / MODEL).write_bytes(b"not a model")
    (models / TOKENIZER).write_text("{}")

    def copy(folder: Path, progress: Progress) -> None:
        shutil.copy(minilm / models.name / MODEL, folder / MODEL)
        shutil.copy(minilm / models.name / TOKENIZER, folder / TOKENIZER)

    assert (
        ensure_minilm_files(Progress(), makers=(nothing_works, copy)).model.stat().st_size
        > 50_000_000
    )


def test_fetch_when_hub_has_the_files_then_they_are_written(
    hub: tuple[str, Path], tmp_path: Path
) -> None:
    address, root = hub
    (root / "m").write_bytes(b"model" * 1000)
    (root / "t").write_bytes(b"tokenizer")
    known = {
        name: (path, hashlib.sha256((root / path).read_bytes()).hexdigest())
        for name, path in ((MODEL, "m"), (TOKENIZER, "t"))
    }
    fetch(tmp_path, Progress(), hub=address, files=known)
    assert (tmp_path / MODEL).read_bytes() == b"model" * 1000


def test_fetch_when_file_is_another_then_is_refused(hub: tuple[str, Path], tmp_path: Path) -> None:
    address, root = hub
    (root / "m").write_bytes(b"something else")
    with pytest.raises(EmbedderUnavailable, match="another file than the known one"):
        fetch(tmp_path, Progress(), hub=address, files={MODEL: ("m", "0" * 64)})


def test_fetch_when_hub_has_no_such_file_then_says_so(
    hub: tuple[str, Path], tmp_path: Path
) -> None:
    with pytest.raises(EmbedderUnavailable, match="404"):
        fetch(tmp_path, Progress(), hub=hub[0])


def test_fetch_when_there_is_no_connection_then_says_so(tmp_path: Path) -> None:
    with pytest.raises(EmbedderUnavailable, match="could not be reached"):
        fetch(tmp_path, Progress(), hub="http://127.0.0.1:9")


def test_fetch_when_cancelled_then_stops(hub: tuple[str, Path], tmp_path: Path) -> None:
    (hub[1] / "m").write_bytes(b"x")
    progress = Progress()
    progress.cancel()
    with pytest.raises(Cancelled):
        fetch(tmp_path, progress, hub=hub[0], files={MODEL: ("m", "")})
