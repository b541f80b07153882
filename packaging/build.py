"""`make installer`: freeze the program, check what is in it, and pack it for the system this is.

    python packaging/build.py              all steps; the results lie in dist/
    python packaging/build.py --no-pack    the folder build/frozen/toolplanner only

PyInstaller and what the program needs are installed into build/venv, never into the environment
that one develops in. Uses nothing but the standard library, of Python 3.11 or newer.
"""

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from datetime import UTC, datetime

import contents
import smaller

CHECKOUT, BUILD = contents.CHECKOUT, contents.BUILD
DIST = CHECKOUT / "dist"
FROZEN = BUILD / "frozen" / "toolplanner"
VENV = BUILD / "venv"
PYTHON = VENV / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
_PACKERS = {
    "linux": "linux_packages.py",
    "darwin": "macos_packages.py",
    "win32": "windows_packages.py",
}


def main() -> None:
    """All steps, each of which ends the program when it fails."""
    parser = argparse.ArgumentParser(description="Freeze the program and pack it.")
    parser.add_argument("--no-pack", action="store_true", help="make the folder only")
    arguments = parser.parse_args()
    version = make_environment()
    shutil.rmtree(contents.MADE, ignore_errors=True)
    contents.MADE.mkdir(parents=True)
    built = what_is_built(version)
    said = {key: value for key, value in built.items() if key != "epoch"}
    (contents.MADE / "build.json").write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")
    run(PYTHON, "packaging/make_icons.py", contents.ICONS)
    run(PYTHON, "packaging/third_party.py", contents.MADE / "third_party.txt")
    freeze(built)
    run(PYTHON, "packaging/check_contents.py", FROZEN)
    say_sizes()
    if not arguments.no_pack:
        DIST.mkdir(exist_ok=True)
        run(PYTHON, f"packaging/{_PACKERS[sys.platform]}", FROZEN, DIST, version, built["epoch"])


def make_environment() -> str:
    """Have build/venv hold PyInstaller and what the program needs; returns our version."""
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    needed = [*project["dependencies"], *extras["gui"], *extras["installer"]]
    constraints = CHECKOUT / "constraints.txt"
    stamp = VENV / "made-for"
    wanted = hashlib.sha256("\n".join([*needed, constraints.read_text("utf-8")]).encode())
    if not stamp.is_file() or stamp.read_text("utf-8") != wanted.hexdigest():
        shutil.rmtree(VENV, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", VENV], check=True)
        run(PYTHON, "-m", "pip", "install", "--disable-pip-version-check", "-q",
            "-c", constraints, *needed)  # fmt: skip
        stamp.write_text(wanted.hexdigest(), encoding="utf-8")
    return project["version"]


def what_is_built(version: str) -> dict[str, str]:
    """Version, number, commit and time of what is built, from git; "" where there is none.

    All but the time is what the program says of itself (`toolplanner_core.resources.BuildInfo`).
    """

    def git(*words: str) -> str:
        asked = subprocess.run(
            ["git", *words], cwd=CHECKOUT, capture_output=True, text=True, check=False
        )
        return asked.stdout.strip()

    epoch = git("log", "-1", "--format=%ct") or "0"
    return {
        "version": version,
        "number": os.environ.get("BUILD_NUMBER") or git("rev-list", "--count", "HEAD"),
        "commit": git("rev-parse", "--short=10", "HEAD"),
        "date": datetime.fromtimestamp(int(epoch), UTC).date().isoformat(),
        "epoch": epoch,
    }


def freeze(built: dict[str, str]) -> None:
    """Make the folder: the same input gives the same files."""
    run(
        PYTHON, "-m", "PyInstaller", "--noconfirm", "--log-level", "ERROR",
        "--distpath", FROZEN.parent, "--workpath", BUILD / "work",
        "packaging/frozen/toolplanner.spec",
        PYTHONHASHSEED="0", SOURCE_DATE_EPOCH=built["epoch"], TOOLPLANNER_VERSION=built["version"],
    )  # fmt: skip
    if sys.platform != "linux":
        return
    smaller.make_smaller(FROZEN)
    (FROZEN / "toolplanner-gui").symlink_to("toolplanner")


def say_sizes() -> None:
    """Print how large each part is; write that, and the hash of each file, beside the folder."""
    sizes: Counter[str] = Counter()
    hashes: list[str] = []
    for path in sorted(FROZEN.rglob("*")):
        if path.is_file() and not path.is_symlink():
            inside = path.relative_to(FROZEN)
            with path.open("rb") as file:
                hashes.append(f"{hashlib.file_digest(file, 'sha256').hexdigest()}  {inside}\n")
            parent = inside.parent.as_posix().split("/")
            sizes[parent[1] if len(parent) > 1 else path.name] += path.stat().st_size
    (BUILD / "hashes.txt").write_text("".join(hashes), encoding="utf-8")
    lines = [f"{size / 1e6:8.1f} MB  {name}" for name, size in sizes.most_common()]
    text = "\n".join([f"{sizes.total() / 1e6:8.1f} MB  all", *lines])
    (BUILD / "sizes.txt").write_text(text + "\n", encoding="utf-8")
    sys.stdout.write("\n".join(text.splitlines()[:16]) + "\n")


def run(*command: object, **environment: str) -> None:
    """Run a step; the program ends with its status if it fails."""
    done = subprocess.run(
        [str(word) for word in command], cwd=CHECKOUT, env=os.environ | environment, check=False
    )
    if done.returncode:
        sys.exit(f"The step failed: {' '.join(str(word) for word in command[1:3])}")


if __name__ == "__main__":
    main()
