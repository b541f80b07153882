"""Put a mark before each statement of a program, so that a stop knows the line and the values.

The interpreter of the sandbox pauses at host calls only and shows no variables. So a line that
calls a host function stands before every statement that begins a line. In loops the first passes
of a line are marked, those with a host call always: endless loops still run into the time limit
of the interpreter. A program that Python cannot read, or not after marking, stays as it is.
"""

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass

MARK = "_tp_at"
"""The host function that marks call, with a line and values."""
PASSES = 20
"""How often a line without a host call is marked in one run of a program."""
VALUE_LIMIT = 200
"""Characters of one value."""
_COUNT = "_tp_count"
_COUNTS = "_tp_counts"
OWN_NAMES = frozenset({MARK, _COUNT, _COUNTS})
_VALUES = f"{{k: repr(v)[:{VALUE_LIMIT}] for k, v in locals().items()}}"
_HEAD = (
    f"{_COUNTS} = {{}}",
    f"def {_COUNT}(line):",
    f"    {_COUNTS}[line] = {_COUNTS}.get(line, 0) + 1",
    f"    return {_COUNTS}[line] <= {PASSES}",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedProgram:
    """A program as the sandbox gets it.

    Attributes:
        origins: for each of its lines the line of the original, 0 for lines of ours.
    """

    text: str
    origins: tuple[int, ...]

    def line_of(self, line: int) -> int | None:
        """The line of the original, from 1 on."""
        found = self.origins[line - 1] if 0 < line <= len(self.origins) else 0
        return found or None

    def line_at(self, byte: int) -> int | None:
        """The line of the original at a place in the text, in bytes of UTF-8."""
        return self.line_of(self.text.encode()[:byte].count(b"\n") + 1)


def mark(text: str, functions: Collection[str]) -> MarkedProgram:
    """The program with marks; `functions` are the names of host functions."""
    lines = text.split("\n")
    plain = MarkedProgram(text=text, origins=tuple(range(1, len(lines) + 1)))
    try:
        places = dict(_places(ast.parse(text), frozenset(functions)))
        marked = _marked(lines, places)
        ast.parse(marked.text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return plain  # the sandbox says what is wrong with it
    return marked


def _marked(lines: list[str], places: dict[int, tuple[int, bool]]) -> MarkedProgram:
    out, origins = list(_HEAD), [0] * len(_HEAD)
    for number, line in enumerate(lines, start=1):
        column, always = places.get(number, (-1, False))
        if column >= 0 and _begins(lines, number, column):
            call = f"{MARK}({number}, {_VALUES})"
            out.append(line[:column] + (call if always else f"if {_COUNT}({number}): {call}"))
            origins.append(number)
        out.append(line)
        origins.append(number)
    return MarkedProgram(text="\n".join(out), origins=tuple(origins))


def _begins(lines: list[str], number: int, column: int) -> bool:
    """Whether a line of its own can stand before this one."""
    line = lines[number - 1]
    is_continued = number > 1 and lines[number - 2].endswith("\\")
    return not line[:column].strip() and not line[column:].startswith("elif") and not is_continued


def _places(tree: ast.Module, functions: frozenset[str]) -> Iterator[tuple[int, tuple[int, bool]]]:
    """Lines at which statements begin, with their column and whether they call a host function."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.stmt) or isinstance(node, ast.Global | ast.Nonlocal):
            continue
        decorators = getattr(node, "decorator_list", [])
        line = min([node.lineno, *(each.lineno for each in decorators)])
        yield line, (node.col_offset, _calls(node, functions))


def _calls(node: ast.stmt, functions: frozenset[str]) -> bool:
    """Whether a statement itself, without the blocks below it, names a host function."""
    waiting: list[ast.AST] = [node]
    while waiting:
        each = waiting.pop()
        if isinstance(each, ast.Name) and each.id in functions:
            return True
        waiting += [n for n in ast.iter_child_nodes(each) if not isinstance(n, ast.stmt)]
    return False
