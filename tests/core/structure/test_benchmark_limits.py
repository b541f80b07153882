"""No benchmark judges a time by a bare number: machines differ, and are shared.

A limit is scaled by what the same session measured of the machine (`benchmarks/figures.py`), or by
a reference of the same run. What is a time is followed through names: what a clock gave, and all
that is made of it.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

from .test_clocks import CLOCKS, DURATION, bounds_of

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
FORBIDDEN = "getloadavg"
"""It is of the last minute: what was started in it, the tests themselves included."""
KEEPING = {"append", "extend", "add", "insert", "setdefault"}
UNITS = {"s", "ms"}


def names_of(target: ast.expr) -> Iterator[str]:
    """Names that an assignment binds, or whose part it binds."""
    match target:
        case ast.Name(id=name):
            yield name
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            for part in parts:
                yield from names_of(part)
        case ast.Subscript(value=whole) | ast.Starred(value=whole):
            yield from names_of(whole)
        case _:
            pass


def is_time(value: ast.AST, known: set[str]) -> bool:
    """Whether something is made of a clock's time."""
    for node in ast.walk(value):
        match node:
            case ast.Attribute(attr=name):
                if name in CLOCKS or name.lower().endswith(DURATION):
                    return True
            case ast.Name(id=name):
                if name in CLOCKS or name in known or name.lower().endswith(DURATION):
                    return True
            case _:
                pass
    return False


def sources_of(tree: ast.AST) -> Iterator[tuple[list[str], ast.AST]]:
    """Names, and what becomes known by them."""
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=targets, value=value):
                yield [name for target in targets for name in names_of(target)], value
            case (
                ast.AnnAssign(target=target, value=ast.expr() as value)
                | ast.AugAssign(target=target, value=value)
            ):
                yield list(names_of(target)), value
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr), args=args) if (
                attr in KEEPING
            ):
                yield from (([name], each) for each in args)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                returned = [each.value for each in ast.walk(node) if isinstance(each, ast.Return)]
                yield from (([name], value) for value in returned if value is not None)
            case _:
                pass


def times_of(tree: ast.AST) -> set[str]:
    """Names of all that is made of a clock's time."""
    known: set[str] = set()
    sources = list(sources_of(tree))
    before = -1
    while before != len(known):
        before = len(known)
        for names, value in sources:
            if is_time(value, known):
                known.update(names)
    return known


def is_bare(limit: ast.expr) -> bool:
    """Whether a limit is a number that is written down: nothing in it is measured."""
    return all(
        not isinstance(node, ast.Call | ast.Attribute)
        and not (isinstance(node, ast.Name) and not node.id.isupper())
        for node in ast.walk(limit)
    )


def bare_limits(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and text of all that judges a time by a bare number."""
    known = times_of(tree)
    for node in ast.walk(tree):
        match node:
            case ast.Assert(test=test):
                for part in ast.walk(test):
                    if isinstance(part, ast.Compare) and is_judged_barely(part, known):
                        yield part.lineno, ast.unparse(part)
            case ast.Call(
                func=ast.Attribute(attr="hold"),
                args=[_, value, limit, ast.Constant(value=unit)],
            ) if unit in UNITS and is_bare(limit) and is_time(value, known):
                yield node.lineno, ast.unparse(node)
            case ast.Attribute(attr=name) | ast.Name(id=name) if name == FORBIDDEN:
                yield node.lineno, name
            case _:
                pass


def is_judged_barely(compared: ast.Compare, known: set[str]) -> bool:
    """Whether a time has to be less than a bare number."""
    return any(is_time(less, known) and is_bare(limit) for less, limit in bounds_of(compared))


def test_benchmarks_when_read_then_none_judges_a_time_by_a_bare_number() -> None:
    found = [
        f"{path.name}:{line} {what}"
        for path in sorted(BENCHMARKS.glob("*.py"))
        for line, what in bare_limits(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert found == [], "judge it by figures.seconds, ms or felt, or by a reference of the same run"


def test_limits_when_bare_in_any_way_then_they_are_found() -> None:
    for line in (
        "assert took_s < 3",
        "assert median(times_ms) <= 2 * MOST",
        "x = time.perf_counter() - y\nassert x < 0.4",
        "z = []\nz.append(time.thread_time())\nassert min(z) < 0.4",
        "def f():\n    return clock_s - began_s\nfound = {'a': f()}\nassert found['a'] < LIMIT",
        "assert figures.hold('x', took_s, 2.0, 's')",
        "assert took_s < limit * os.getloadavg()[0]",
    ):
        assert list(bare_limits(ast.parse(line))), line
    for line in (
        "assert took_s < 27 * reference_s",
        "assert figures.hold('x', took_s, 1.1 * figures.import_s, 's')",
        "assert figures.felt('x', took_s, 2.0, crowd)",
        "assert 3 < took_s",
        "assert n_rows < 5",
    ):
        assert not list(bare_limits(ast.parse(line))), line
