"""No line of `runs/` or of the window knows a strategy: it is known by what it declares alone."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import toolplanner_core
from toolplanner_core.strategies.interface.strategy import DEFAULT_STRATEGY, strategies

ROOT = Path(__file__).resolve().parents[3]
PLACES = (ROOT / "core/toolplanner_core/runs", ROOT / "toolplanner_gui")
JOBS = {"health", "probe"}
"""What a person starts from a dialog; written as strategies, but no ways of solving."""
SYSTEMS = [plugin for plugin in strategies if plugin.id not in JOBS]
CITED = strategies.get(DEFAULT_STRATEGY).title
"""The paper that the whole product follows is cited."""


def names_in(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and name of each strategy that code knows: its id, its title, or its module."""
    ids = {plugin.id for plugin in SYSTEMS}
    titles = "|".join(re.escape(each.title) for each in SYSTEMS if each.title != CITED)
    titled = re.compile(rf"(?<!\w)({titles})(?!\w)", re.IGNORECASE)
    modules = {plugin.solve.__module__ for plugin in SYSTEMS}
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text)) if text in ids:
                yield node.lineno, text
            case ast.Constant(value=str(text)) if found := titled.search(text):
                if found[0] != "react":
                    yield node.lineno, found[0]
            case ast.ImportFrom(module=str(name)) if name in modules:
                yield node.lineno, name
            case _:
                pass


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.name)
def test_runs_and_window_when_read_then_they_name_no_strategy(place: Path) -> None:
    if not place.exists():
        pytest.skip("the window is not part of this installation")
    found = [
        f"{path.relative_to(ROOT)}:{line} {name}"
        for path in sorted(place.rglob("*.py"))
        for line, name in names_in(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert found == [], "say it in what the strategy declares (strategies/interface/strategy.py)"


def test_names_when_written_in_any_way_then_they_are_found() -> None:
    assert {"anytool", "atc", "toolnet", "tptu"} <= {plugin.id for plugin in SYSTEMS}
    assert Path(toolplanner_core.__file__).is_relative_to(ROOT)
    for line in (
        'if spec.strategy == "anytool": pass',
        'said = "shown by TPTU-v2"',
        'kind = "dfsdt (imported)"',
        "from toolplanner_core.strategies.toolnet import PLUGIN",
        'known = {"atc": 1}',
        '"""A panel of ToolNet."""',
    ):
        assert list(names_in(ast.parse(line))), line
    for line in ('"windows react to it"', '"Probing is a job"', 'x = "tools"'):
        assert not list(names_in(ast.parse(line))), line
