"""A real server of notes and a workspace over it, for all tests of the gateway."""

from collections.abc import Generator
from pathlib import Path

import pytest
from fixtures.notes_server import Notes, notes_workspace


@pytest.fixture(scope="package")
def made_notes(tmp_path_factory: pytest.TempPathFactory) -> Generator[Notes]:
    """Made once; use `notes`."""
    with notes_workspace(tmp_path_factory.mktemp("notes")) as made:
        yield made


@pytest.fixture
def notes(made_notes: Notes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Notes:
    """A copy that a test may change."""
    return made_notes.copied_to(tmp_path, monkeypatch)
