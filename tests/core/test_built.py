"""What the program says it is: an installed one names its build."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from toolplanner_core import __version__, resources
from toolplanner_core.resources import BuildInfo, build_info, install_hint


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(resources, "resource_root", lambda: tmp_path)
    build_info.cache_clear()
    yield tmp_path
    build_info.cache_clear()


def test_built_when_it_is_a_checkout_then_only_the_version_is_said(folder: Path) -> None:
    assert str(build_info()) == __version__


def test_built_when_it_is_an_installers_then_number_and_commit_are_said(folder: Path) -> None:
    made = {"version": "1.2.0", "number": "417", "commit": "0123456789", "date": "2026-11-22"}
    (folder / "build.json").write_text(json.dumps(made), encoding="utf-8")
    assert build_info() == BuildInfo(**made)
    assert str(build_info()) == "1.2.0 (build 417, commit 0123456789, 2026-11-22)"


def test_extra_when_the_program_is_installed_then_an_environment_is_named_instead_of_pip_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert install_hint("sbert") == "Install the extra with: pip install 'toolplanner[sbert]'"
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    said = install_hint("sbert")
    assert "environment" in said and "toolplanner[gui,sbert]" in said
