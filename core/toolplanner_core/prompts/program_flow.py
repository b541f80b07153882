"""Which calls a line of a program depends on: evidence for attribution, read from the text alone.

The calls of the line itself come first, then those whose results flow into it, nearest first. It
follows assignments, loops, and parameters of the program's own functions; not what is changed in
place.
"""

import ast
from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Collection, Iterator


def calls_behind(program: str, line: int, functions: Collection[str]) -> tuple[str, ...]:
    """Names of host functions that a line depends on, the most likely to blame first."""
    try:
        statements = [s for s in ast.walk(ast.parse(program)) if isinstance(s, ast.stmt)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    around = [s for s in statements if s.lineno <= line <= (s.end_lineno or s.lineno)]
    if not around:
        return ()
    flow = _Flow(statements, frozenset(functions))
    return flow.behind(max(around, key=lambda s: s.lineno))


class _Flow:
    """Who gives a value to which name."""

    def __init__(self, statements: list[ast.stmt], functions: frozenset[str]) -> None:
        self._functions = functions
        self._givers = defaultdict[str, list[ast.stmt]](list)
        self._returns: dict[str, list[ast.stmt]] = {}
        readers = defaultdict[str, list[ast.stmt]](list)
        arguments = dict[tuple[str, str], None]()
        for statement in statements:
            for name in _bound(statement):
                self._givers[name].append(statement)
            for name in dict.fromkeys(_read(statement)):
                readers[name].append(statement)
            if isinstance(statement, ast.FunctionDef):
                inner = [s for s in ast.walk(statement) if isinstance(s, ast.Return)]
                self._returns[statement.name] = [*inner]
                arguments |= {(statement.name, each.arg): None for each in statement.args.args}
        for function, argument in arguments:
            self._givers[argument] += readers[function]
        for givers in self._givers.values():
            givers.sort(key=_line)

    def behind(self, start: ast.stmt) -> tuple[str, ...]:
        found: dict[str, None] = {}
        waiting, seen, spent = deque([start]), {id(start)}, set[str]()
        while waiting:
            statement = waiting.popleft()
            names = [*_read(statement)]
            found |= {name: None for name in names if name in self._functions}
            for name in names:
                givers = self._above(name, statement)
                if not givers and name not in spent:
                    givers = self._givers.get(name, [])
                    spent.add(name)
                for giver in [*givers, *self._returns.get(name, ())]:
                    if id(giver) not in seen:
                        seen.add(id(giver))
                        waiting.append(giver)
        return tuple(found)

    def _above(self, name: str, reader: ast.stmt) -> list[ast.stmt]:
        """What stands nearest above a statement of all that gives a name its value."""
        givers = self._givers.get(name, [])
        above = bisect_left(givers, reader.lineno, key=_line)
        return givers[max(0, above - 1) : above]


def _line(statement: ast.stmt) -> int:
    return statement.lineno


def _own(statement: ast.stmt) -> Iterator[ast.AST]:
    """What belongs to a statement itself, without the blocks below it, in the order of the text."""
    waiting = deque[ast.AST]([statement])
    while waiting:
        node = waiting.popleft()
        yield node
        inner = [n for n in ast.iter_child_nodes(node) if not isinstance(n, ast.stmt)]
        waiting.extendleft(reversed(inner))


def _read(statement: ast.stmt) -> Iterator[str]:
    names = (n for n in _own(statement) if isinstance(n, ast.Name))
    return (name.id for name in names if isinstance(name.ctx, ast.Load))


def _bound(statement: ast.stmt) -> Iterator[str]:
    names = (n for n in _own(statement) if isinstance(n, ast.Name))
    return (name.id for name in names if isinstance(name.ctx, ast.Store))
