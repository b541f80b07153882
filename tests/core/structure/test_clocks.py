"""Functional tests look at no clock: how long something takes depends on what else is going on.

What must be quick is measured in `tests/benchmarks`, which run alone. A test that wants to say
"soon" says in which order things happen, how many there are, or lets time jump
(`fixtures/jumping_time.py`). Limits that only bound a hang are no measures and may stay.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).resolve().parents[2]
CLOCKS = {
    "perf_counter", "perf_counter_ns", "monotonic", "monotonic_ns", "process_time",
    "process_time_ns", "thread_time", "thread_time_ns", "QElapsedTimer",
}  # fmt: skip
DURATION = ("_ms", "_s", "_ns", "_us", "seconds", "elapsed", "took", "spent")
"""How names of times end."""
ALLOWED = {"fixtures/jumping_time.py"}


def is_duration(node: ast.expr) -> bool:
    """Whether an expression is called as times are called here: `took_s`, `summary.seconds`."""
    if isinstance(node, ast.Attribute | ast.Name):
        name = node.attr if isinstance(node, ast.Attribute) else node.id
        return name.endswith(DURATION)
    return isinstance(node, ast.BinOp) and (is_duration(node.left) or is_duration(node.right))


def times_in(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and what is wrong there."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(attr=name) | ast.Name(id=name) if name in CLOCKS:
                yield node.lineno, f"reads the clock {name}"
            case ast.ImportFrom(names=names) if CLOCKS & {each.name for each in names}:
                yield node.lineno, "imports a clock"
            case ast.Assert(test=test):
                for part in ast.walk(test):
                    if isinstance(part, ast.Compare) and is_upper_bound(part):
                        yield part.lineno, f"bounds a time: {ast.unparse(part)}"


def is_upper_bound(compared: ast.Compare) -> bool:
    """Whether it says that something took less than a number of seconds."""
    return any(
        is_duration(less) and isinstance(limit, ast.Constant) for less, limit in bounds_of(compared)
    )


def bounds_of(compared: ast.Compare) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What has to be less, and than what, of each step of a comparison."""
    sides = [compared.left, *compared.comparators]
    for op, left, right in zip(compared.ops, sides, sides[1:], strict=False):
        if isinstance(op, ast.Lt | ast.LtE):
            yield left, right
        elif isinstance(op, ast.Gt | ast.GtE):
            yield right, left


def test_functional_tests_when_read_then_none_looks_at_a_clock() -> None:
    found = [
        f"{path.relative_to(TESTS)}:{line} {what}"
        for path in sorted(TESTS.rglob("*.py"))
        if "benchmarks" not in path.parts and str(path.relative_to(TESTS)) not in ALLOWED
        for line, what in times_in(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert found == [], "measure it in tests/benchmarks, or say it by order or number"


def test_times_when_written_in_any_way_then_they_are_found() -> None:
    for line in (
        "began_s = time.monotonic()",
        "from time import perf_counter as clock",
        "clock = QElapsedTimer()",
        "assert took_s < 3",
        "assert 5 > report.seconds",
        "assert a and (end_ms - begin_ms) <= 200, 'slow'",
        "assert 0 < summary.seconds < 0.5",
    ):
        assert list(times_in(ast.parse(line))), line
    for line in ("assert run_s < real_s", "assert first.seconds == 3.0", "assert n_rows < 5"):
        assert not list(times_in(ast.parse(line))), line
