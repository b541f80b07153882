"""The sandbox is the very one that was tried against escapes: its version and its program."""

import base64
import hashlib
import importlib.metadata
import platform
import re
import sys
from pathlib import Path

import pytest

from toolplanner_core.sandbox import monty

ROOT = Path(__file__).resolve().parents[3]
PIN = "1.4.0"
PACKAGES = ("pydantic-monty", "pydantic-monty-client", "pydantic-monty-runtime")
PROGRAMS = {
    ("linux", "x86_64"): "4479e7306fdf0c6a2a567aa139150ac47c75ab3c0138ec2c4efa010c382a87e0",
}
"""SHA-256 of the program as its maker gave it out, where we have seen it."""


def the_program() -> Path:
    return Path(monty._binary())  # pyright: ignore[reportPrivateUsage]


@pytest.mark.parametrize("package", PACKAGES)
def test_sandbox_when_installed_then_exactly_the_version_that_is_pinned(package: str) -> None:
    constraints = (ROOT / "constraints.txt").read_text("utf-8")
    assert re.findall(rf"^{package}(==\S*)$", constraints, re.MULTILINE) == [f"=={PIN}"]
    assert importlib.metadata.version(package) == PIN


def test_sandbox_when_the_program_is_installed_without_constraints_then_still_pinned() -> None:
    assert f'"pydantic-monty=={PIN}"' in (ROOT / "pyproject.toml").read_text("utf-8")


def test_program_when_looked_at_then_it_is_what_its_package_brought() -> None:
    digest = hashlib.sha256(the_program().read_bytes()).digest()
    recorded = {
        file.hash.value
        for file in importlib.metadata.distribution("pydantic-monty-runtime").files or []
        if file.hash is not None and file.name in ("monty", "monty.exe")
    }
    assert recorded == {base64.urlsafe_b64encode(digest).decode().rstrip("=")}


def test_program_when_of_a_system_we_know_then_the_one_that_was_tried() -> None:
    known = PROGRAMS.get((sys.platform, platform.machine()))
    if known is None:
        pytest.skip("the program of this system was not seen when the sandbox was tried")
    assert hashlib.sha256(the_program().read_bytes()).hexdigest() == known
