"""No file imports another that needs it in turn, not even inside a function or for types only.

A circle is one idea cut in two: neither half can be read, tested or moved without the other.
"""

from pathlib import Path

import grimp
import pytest


def circles_in(*packages: str) -> dict[str, set[str]]:
    """The modules that are part of a circle, or lie between two, with what they import of these."""
    graph = grimp.build_graph(*packages, cache_dir=None)
    imports = {
        module: set(graph.find_modules_directly_imported_by(module)) for module in graph.modules
    }
    while True:
        imported = set().union(*imports.values())
        left = {
            module: {other for other in others if other in imports}
            for module, others in imports.items()
            if others & imports.keys() and module in imported
        }
        if left == imports:
            return left
        imports = left


def test_files_when_they_import_each_other_then_never_in_a_circle() -> None:
    assert circles_in("toolplanner_core", "toolplanner_gui") == {}


@pytest.mark.parametrize(
    "back",
    [
        "import circling.first",
        "def late():\n    from circling import first",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from circling.first import x",
    ],
)
def test_circle_when_made_in_any_way_then_it_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, back: str
) -> None:
    package = tmp_path / "circling"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "first.py").write_text("from circling import second\nx = 1\n")
    (package / "second.py").write_text("import circling.third\n")
    (package / "third.py").write_text(f"{back}\n")
    (package / "outside.py").write_text("from circling import first\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert circles_in("circling").keys() == {"circling.first", "circling.second", "circling.third"}
