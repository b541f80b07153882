"""What in the window is told of something never outlives itself.

A method of a widget is taken off a signal when the widget goes; a lambda stays, and is called with
a widget that Qt has destroyed. The same holds for a shot of a timer that nobody owns.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

WINDOW = Path(__file__).resolve().parents[3] / "toolplanner_gui"
LONGER = ("context.", "run_view.", "view.runs_changed")
"""Whose signals live longer than panels and dialogs do, as these are called where they are used."""


def calls(name: str) -> Iterator[tuple[str, ast.Call, ast.Attribute]]:
    """All calls of a method, with their places."""
    for path in sorted(WINDOW.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            if node.func.attr == name:
                yield f"{path.relative_to(WINDOW)}:{node.lineno}", node, node.func


def test_signals_that_live_longer_when_connected_then_to_methods_and_not_to_lambdas() -> None:
    kept = [
        place
        for place, call, method in calls("connect")
        if ast.unparse(method.value).removeprefix("self._").removeprefix("self.").startswith(LONGER)
        and any(isinstance(each, ast.Lambda) for each in call.args)
    ]
    assert kept == []


def test_shots_of_timers_when_made_then_somebody_owns_them() -> None:
    owned = 3
    alone = [place for place, call, _ in calls("singleShot") if len(call.args) < owned]
    assert alone == []


def test_timers_when_made_then_somebody_owns_them() -> None:
    alone = [
        f"{path.relative_to(WINDOW)}:{node.lineno}"
        for path in sorted(WINDOW.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "QTimer" and not node.args
    ]
    assert alone == []
