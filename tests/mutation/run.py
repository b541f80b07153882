"""Change the program in each way of `mutants.py`, in a copy of the tree, and see whether a named
test notices: `make mutants`, or `run.py 10 20` for some of them. An hour for all."""

import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

from mutation.mutants import MUTANTS, Mutant

ROOT = Path(__file__).parents[2]
_COPIED = ("core", "resources", "tests", "toolplanner_gui", "pyproject.toml", "README.md")
_TIMEOUT_S = 300


def outcome(mutant: Mutant, tree: Path) -> str:
    """ "killed", "timeout" (killed, too), or "SURVIVED"; the copy is as it was afterwards."""
    file = tree / "core" / "toolplanner_core" / mutant.file
    before = file.read_text(encoding="utf-8")
    file.write_text(before.replace(mutant.old, mutant.new, 1), encoding="utf-8")
    try:
        status = _status(mutant.tests, tree)
    except subprocess.TimeoutExpired:
        return "timeout"
    finally:
        file.write_text(before, encoding="utf-8")
    return "SURVIVED" if status == 0 else "killed"


@cache
def check_unchanged(tests: str, tree: Path) -> None:
    """End where tests do not pass before anything is changed: they would "kill" all."""
    if status := _status(tests, tree):
        sys.exit(f"{tests}: ends with {status} in a copy in which nothing was changed")


def _status(tests: str, tree: Path) -> int:
    files = [str(tree / "tests" / "core" / name) for name in tests.split()]
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *files]
    done = subprocess.run(
        command, cwd=tree, env=_environment(tree), timeout=_TIMEOUT_S, check=False,
        capture_output=True,
    )  # fmt: skip
    return done.returncode


def _environment(tree: Path) -> dict[str, str]:
    """The copy is imported before what is installed."""
    return {**os.environ, "PYTHONPATH": str(tree / "core"), "PYTHONDONTWRITEBYTECODE": "1"}


def main() -> int:
    """Run the mutants from the first to the last number that are given, else all."""
    first, last = (int(text) for text in (sys.argv[1:3] or ("1", str(len(MUTANTS)))))
    survived: list[str] = []
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        tree = Path(folder)
        for name in _COPIED:
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy2
            copy(ROOT / name, tree / name)
        for number, mutant in enumerate(MUTANTS[first - 1 : last], first):
            check_unchanged(mutant.tests, tree)
            came = outcome(mutant, tree)
            line = f"{number:3} {came:8} {mutant.file}: {mutant.old!r} -> {mutant.new!r}"
            print(line, flush=True)
            if came == "SURVIVED":
                survived.append(line)
    print(f"{last - first + 1 - len(survived)} killed, {len(survived)} survived")
    return 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main())
