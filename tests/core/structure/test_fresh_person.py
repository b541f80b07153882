"""No test reads or changes what belongs to the person who runs it."""

import importlib.util
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PROBE = ROOT / "tests" / "fixtures" / "person_probe.py"
HAS_QT = importlib.util.find_spec("PySide6") is not None
WITHOUT_QT = [] if HAS_QT else ["-p", "no:pytest-qt", "-W", "ignore::pytest.PytestConfigWarning"]
BELONGINGS = {
    ".config/toolplanner/settings.json": '{"endpoint": {"base_url": "http://person.example/v1"}}',
    ".config/ToolPlanner/ToolPlanner.conf": "[General]\ntheme=light\n",
    ".local/share/toolplanner/models/all-MiniLM-L6-v2/model.onnx": "weights",
    ".local/share/toolplanner/demo.toolplanner": "a demo",
    ".cache/toolplanner/something": "cached",
    "Documents/mine.toolplanner": "a workspace",
}


@pytest.fixture
def person(tmp_path: Path) -> Path:
    """The home of somebody who uses ToolPlanner."""
    home = tmp_path / "person"
    for place, text in BELONGINGS.items():
        (home / place).parent.mkdir(parents=True, exist_ok=True)
        (home / place).write_text(text)
    return home


def seen(folder: Path) -> dict[str, tuple[int, bytes]]:
    """All that is in a folder: when it was changed and what it holds."""
    return {
        str(path.relative_to(folder)): (
            path.stat().st_mtime_ns,
            path.read_bytes() if path.is_file() else b"",
        )
        for path in folder.rglob("*")
    }


def variables(home: Path) -> dict[str, str]:
    """The environment of that person."""
    named = {
        "XDG_DATA_HOME": ".local/share", "XDG_CONFIG_HOME": ".config", "XDG_CACHE_HOME": ".cache",
        "XDG_DOCUMENTS_DIR": "Documents", "APPDATA": ".config", "LOCALAPPDATA": ".local/share",
        "HOME": ".", "USERPROFILE": ".", "TOOLPLANNER_DATA": "no catalogues",
        "TOOLPLANNER_SETTINGS": ".config/toolplanner/settings.json",
        "TOOLPLANNER_MODELS": ".local/share/toolplanner/models",
    }  # fmt: skip
    return {name: str(home / place) for name, place in named.items()} | {
        "OPENAI_API_KEY": "key-of-the-person",
        "OPENAI_BASE_URL": "http://person.example/v1",
        "HTTP_PROXY": "http://person.example:8080",
    }


@pytest.mark.skipif(os.name == "nt", reason="signals are ignored by POSIX shells")
def test_session_when_somebody_runs_it_in_the_background_then_nothing_of_theirs_is_touched(
    person: Path, tmp_path: Path
) -> None:
    before = seen(person)
    temporary = tmp_path / "temporary"
    # Left by a session that was killed: no process has this number.
    (temporary / f"toolplanner-tests-{2**22 + 1}-x" / "data").mkdir(parents=True)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", str(PROBE), "-q", *WITHOUT_QT],
        cwd=ROOT,
        env=os.environ | variables(person) | {"TMPDIR": str(temporary)},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert ("5 passed" if HAS_QT else "4 passed, 1 skipped") in done.stdout
    assert seen(person) == before
    assert [path.name for path in temporary.iterdir() if "pytest-of" not in path.name] == []
