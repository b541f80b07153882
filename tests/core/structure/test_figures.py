"""Figures with targets are asserted where they are taken, so that a reader sees what can fail."""

import ast
from pathlib import Path

TESTS = Path(__file__).resolve().parents[2]
JUDGED = {"hold", "seconds", "ms", "felt"}


def test_figures_when_taken_then_a_test_asserts_them() -> None:
    silent = [
        f"{path.relative_to(TESTS)}:{node.lineno}"
        for path in sorted(TESTS.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Attribute)
        and node.value.func.attr in JUDGED
        and ast.unparse(node.value.func.value).endswith(("figures", "measured"))
    ]
    assert silent == []
