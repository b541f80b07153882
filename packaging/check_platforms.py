"""Whether every system that README.md names can install the program from wheels, in the versions of
the constraints.

uv resolves for systems and Pythons other than its own, markers of all dependencies included, which
pip does not (`pip install --platform` asks the markers of the system it runs on). It is asked for
the extra `all` only: where that resolves and every package is pinned, each smaller set is a part of
what was found. Called by `make check`; an hour's answer is kept. Exit status: 0 all can, or no
index is reachable, which is said; 1 one cannot.
"""

# ruff: noqa: T201

import hashlib
import os
import re
import subprocess
import sys
import sysconfig
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

CHECKOUT = Path(__file__).resolve().parents[1]
KEPT = CHECKOUT / "build" / "platforms"
"""The cache of uv, and for each question that was answered well an empty file."""
KEPT_S = 3600.0
_UNREACHABLE = re.compile(
    r"Failed to fetch|error sending request|Network connectivity is disabled|dns error"
)

_PINNED_BY = re.compile(r"(nvidia|cuda)-|(triton|pip|setuptools)$")
"""Packages without a version of ours: CUDA, in the one that torch asks for, and what a Python
brings."""


class System(NamedTuple):
    """A system that README.md names, with the oldest version that it names.

    Attributes:
        name: for people.
        platform: as uv calls it; what it says of macOS is the machine only.
        macos: its oldest version, else "".
        pythons: which of them have wheels of all packages.
    """

    name: str
    platform: str
    pythons: tuple[str, ...] = ("3.11", "3.12", "3.13", "3.14")
    macos: str = ""


SYSTEMS = (
    System("Linux x64, glibc 2.36", "x86_64-manylinux_2_36"),
    System("Linux arm64, glibc 2.39", "aarch64-manylinux_2_39"),
    System("Windows x64", "x86_64-pc-windows-msvc"),
    System("macOS 14, Apple silicon", "aarch64-apple-darwin", macos="14.0"),
    # numba, llvmlite and onnxruntime came to an end there before Python 3.14.
    System("macOS 13, Intel", "x86_64-apple-darwin", ("3.11", "3.12", "3.13"), macos="13.0"),
)


class Unreachable(Exception):
    """No package index answers."""


def resolve(
    system: System, python: str, *, source: Path, extras: Sequence[str], constraints: Path
) -> str:
    """What is wrong with installing this there, in uv's words; "" = nothing.

    Args:
        system: for which.
        python: its version, such as "3.12".
        source: a pyproject.toml or a list of requirements.
        extras: of the pyproject.toml.
        constraints: must name a version of each package that is found.

    Raises:
        Unreachable: no index answers.
    """
    uv = Path(sysconfig.get_path("scripts")) / f"uv{sysconfig.get_config_var('EXE') or ''}"
    command = [
        str(uv), "pip", "compile", str(source), "--quiet", "--no-header", "--no-annotate",
        "--no-config", "--system-certs", "--cache-dir", str(KEPT / "uv"), "--only-binary", ":all:",
        "--python-platform", system.platform, "--python-version", python,
        "--constraint", str(constraints), *(f"--extra={extra}" for extra in extras),
    ]  # fmt: skip
    done = subprocess.run(
        command,
        check=False,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=_environment(system),
    )
    if done.returncode:
        if _UNREACHABLE.search(done.stderr):
            raise Unreachable(done.stderr.strip())
        return done.stderr.strip()
    found = {_plain(line.partition("==")[0]) for line in done.stdout.splitlines() if "==" in line}
    loose = sorted(name for name in found - _pinned(constraints) if not _PINNED_BY.match(name))
    return f"No version in {constraints.name}: {', '.join(loose)}" if loose else ""


def _environment(system: System) -> dict[str, str]:
    """uv asks the index, and trusts the certificates, that pip is set to."""
    said = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], check=False, capture_output=True, text=True
    ).stdout
    pip = dict(re.findall(r"^[\w.:]*\.([\w-]+)='(.*)'$", said, re.MULTILINE))
    known = {"UV_DEFAULT_INDEX": pip.get("index-url"), "SSL_CERT_FILE": pip.get("cert"),
             "MACOSX_DEPLOYMENT_TARGET": system.macos or None}  # fmt: skip
    return {**os.environ, **{name: value for name, value in known.items() if value}}


def _pinned(constraints: Path) -> set[str]:
    lines = constraints.read_text(encoding="utf-8").splitlines()
    return {_plain(line.partition("==")[0]) for line in lines if "==" in line and line[0] != "#"}


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name.strip()).lower()


def main() -> int:
    """Ask for all systems at the same time, and print what is wrong."""
    source, constraints = CHECKOUT / "pyproject.toml", CHECKOUT / "constraints.txt"
    asked = b"".join(path.read_bytes() for path in (source, constraints, Path(__file__)))
    kept = KEPT / hashlib.sha256(asked).hexdigest()[:16]
    if kept.exists() and time.time() - kept.stat().st_mtime < KEPT_S:
        print("Every system can install it, as was found within the last hour.")
        return 0
    targets = [(system, python) for system in SYSTEMS for python in system.pythons]
    try:
        with ThreadPoolExecutor(8) as pool:
            wrong = list(
                pool.map(
                    lambda target: resolve(
                        *target, source=source, extras=["all"], constraints=constraints
                    ),
                    targets,
                )
            )
    except Unreachable as error:
        print(f"Skipped: no package index is reachable, so nobody knows whether all systems can"
              f" install it. {error}")  # fmt: skip
        return 0
    for (system, python), text in zip(targets, wrong, strict=True):
        print(f"{system.name}, Python {python}: {text or 'can install it'}")
    if any(wrong):
        return 1
    kept.touch()
    return 0


if __name__ == "__main__":
    sys.exit(main())
