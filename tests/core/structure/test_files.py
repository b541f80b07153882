"""The shape of the repository: file sizes, top level, forbidden leftovers."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
FOLDERS = ("core", "toolplanner_gui", "tests", "packaging")
LONGEST_FILE = 600
MOST_LINES = 60
"""Of a function, of tests too: a longer one holds more than one idea."""
TOP_LEVEL = {
    "pyproject.toml", "toolplanner_gui", "resources", "core", "tests", "packaging", "README.md",
    "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "Makefile",
    "constraints.txt",
}  # fmt: skip
MADE_BY_BUILDING = {"demo-out", "build", "dist"}


def python_files() -> list[Path]:
    return sorted(
        path
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*.py")
        if "__pycache__" not in path.parts
    )


def test_files_when_counted_then_none_is_over_the_limit() -> None:
    sizes = {path: len(path.read_text().splitlines()) for path in python_files()}
    too_long = {str(p.relative_to(ROOT)): n for p, n in sizes.items() if n > LONGEST_FILE}
    assert not too_long


def long_functions(path: Path) -> list[str]:
    """Functions and methods of a file that have too many lines, with their class."""
    found: list[str] = []
    for node in ast.walk(ast.parse(path.read_text())):
        for each in ast.iter_child_nodes(node):
            is_function = isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
            if is_function and (each.end_lineno or 0) - each.lineno >= MOST_LINES:
                above = f"{node.name}." if isinstance(node, ast.ClassDef) else ""
                found.append(f"{above}{each.name}")
    return found


def test_functions_when_counted_then_none_is_over_the_limit() -> None:
    long = [f"{path.name}: {name}" for path in python_files() for name in long_functions(path)]
    assert not long


def test_top_level_when_listed_then_holds_only_what_was_agreed() -> None:
    seen = {path.name for path in ROOT.iterdir() if not path.name.startswith(".")}
    assert seen - MADE_BY_BUILDING <= TOP_LEVEL


@pytest.mark.parametrize("folder", ["core", "resources", "packaging", "tests"])
def test_plain_folders_when_searched_then_hold_no_init(folder: str) -> None:
    # packaging/__init__.py would shadow the library of that name for everyone who runs Python here.
    assert not (ROOT / folder / "__init__.py").exists()


def test_modules_when_parsed_then_each_says_what_it_is() -> None:
    silent = [
        str(path.relative_to(ROOT))
        for path in python_files()
        if path.read_text().strip() and not ast.get_docstring(ast.parse(path.read_text()))
    ]
    assert not silent


def test_names_when_listed_then_no_file_is_a_drawer_for_odds_and_ends() -> None:
    drawers = {"utils", "util", "helpers", "helper", "common", "manager", "misc"}
    assert not [path for path in python_files() if path.stem in drawers]


def test_classes_when_listed_then_no_public_name_is_used_twice() -> None:
    places: dict[str, list[str]] = {}
    for path in python_files():
        if path.relative_to(ROOT).parts[0] not in ("core", "toolplanner_gui"):
            continue
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(f"{path.relative_to(ROOT)}:{node.lineno}")
    twice = {name: where for name, where in places.items() if len(where) > 1}
    assert not twice
