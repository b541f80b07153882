"""Whether systems of the README can install it: the check fails where a wheel or a pin is missing.

The check itself (`make check-platforms`) asks for all of them.
"""

import runpy
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
CHECK = runpy.run_path(str(ROOT / "packaging" / "check_platforms.py"))
INTEL = next(system for system in CHECK["SYSTEMS"] if "Intel" in system.name)


def wrong_on_intel(folder: Path, requirement: str, constraint: str) -> str:
    source, constraints = folder / "wanted.in", folder / "pins.txt"
    source.write_text(f"{requirement}\n", encoding="utf-8")
    constraints.write_text(f"{constraint}\n", encoding="utf-8")
    try:
        return CHECK["resolve"](INTEL, "3.12", source=source, extras=[], constraints=constraints)
    except CHECK["Unreachable"] as error:
        pytest.skip(f"no package index is reachable: {error}")


def test_resolve_when_a_pin_has_no_wheel_there_then_says_which(tmp_path: Path) -> None:
    wrong = wrong_on_intel(tmp_path, "llvmlite", "llvmlite==0.50.0")
    assert "llvmlite==0.50.0 has no usable wheels" in wrong


def test_resolve_when_a_marker_gives_an_older_pin_there_then_nothing_is_wrong(
    tmp_path: Path,
) -> None:
    pins = (
        "llvmlite==0.50.0; platform_machine != 'x86_64'\n"
        "llvmlite==0.45.1; platform_machine == 'x86_64' and sys_platform == 'darwin'"
    )
    assert wrong_on_intel(tmp_path, "llvmlite", pins) == ""


def test_resolve_when_a_package_has_no_pin_then_says_so(tmp_path: Path) -> None:
    assert wrong_on_intel(tmp_path, "colorama", "click==8.5.1") == (
        "No version in pins.txt: colorama"
    )


def test_resolve_when_no_index_answers_then_is_told_apart_from_a_missing_wheel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("UV_HTTP_RETRIES", "0")
    with pytest.raises(pytest.skip.Exception, match="no package index is reachable"):
        wrong_on_intel(tmp_path, "colorama", "colorama==0.4.6")


def test_extra_all_when_read_then_holds_every_extra_for_people() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    (everything,) = extras["all"]
    named = everything.removeprefix("toolplanner[").removesuffix("]").split(",")
    assert set(named) == set(extras) - {"all", "dev", "installer"}
