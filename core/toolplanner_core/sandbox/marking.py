"""Put a mark before each statement of a program, so that a stop knows the line and the values.

The interpreter of the sandbox pauses at host calls only and shows no variables. So a line that
calls a host function stands before every statement that begins a line. In loops the first passes
of a line are marked, those with a host call always: endless loops still run into the time limit
of the interpreter. Each mark tells the stack, too (`framing.py`). A program that Python cannot
read, or not after marking, stays as it is.
"""

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from toolplanner_core.sandbox.framing import (
    FRAME,
    FRAME_HEAD,
    FRAME_NAMES,
    GO,
    STACK,
    Lines,
    framed,
    plain_lines,
)

MARK = "_tp_at"
"""The host function that marks call, with a line, values and the stack."""
PASSES = 20
"""How often a line without a host call is marked in one run of a program."""
VALUE_LIMIT = 200
"""Characters of one value."""
MOST_CHARACTERS = 20_000
MOST_LINES = 1_000
"""Each may get a mark, and while Python parses a marked text no other thread runs."""
_COUNT = "_tp_count"
_COUNTS = "_tp_counts"
_TELL = "_tp_tell"
OWN_NAMES = FRAME_NAMES | {MARK, _COUNT, _COUNTS, _TELL}
_HEAD = (
    *FRAME_HEAD,
    f"{_COUNTS} = {{}}",
    f"def {_COUNT}(frame, line):",
    f"    {GO}(frame, line)",
    f"    {_COUNTS}[line] = {_COUNTS}.get(line, 0) + 1",
    f"    return {_COUNTS}[line] <= {PASSES}",
    f"def {_TELL}(line, names):",
    f"    values = {{k: repr(v)[:{VALUE_LIMIT}] for k, v in names.items()}}",
    "    try:",
    f"        {MARK}(line, values, {STACK})",
    "    except NotImplementedError:",  # where the interpreter cannot wait: a key of sorted()
    "        pass",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedProgram:
    """A program as the sandbox gets it.

    Attributes:
        origins: for each of its lines the line of the original, 0 for lines of ours.
        source: the original.
    """

    text: str
    origins: tuple[int, ...]
    source: str

    def line_of(self, line: int) -> int | None:
        """The line of the original, from 1 on."""
        found = self.origins[line - 1] if 0 < line <= len(self.origins) else 0
        return found or None

    def line_at(self, byte: int) -> int | None:
        """The line of the original at a place in the text, in bytes of UTF-8."""
        return self.line_of(self.text.encode()[:byte].count(b"\n") + 1)


def too_long(text: str) -> str:
    """Why a program is not read at all, "" = it may be."""
    for size, most, what in (
        (len(text), MOST_CHARACTERS, "characters"),
        (text.count("\n") + 1, MOST_LINES, "lines"),
    ):
        if size > most:
            return f"The program has {size:,} {what}, {most:,} are allowed"
    return ""


def mark(text: str, functions: Collection[str]) -> MarkedProgram:
    """The program with marks; `functions` are the names of host functions.

    Takes up to a fifth of a second: not for the thread of a loop.
    """
    plain = plain_lines(text)
    for lines in (framed, _unframed):
        try:
            found = lines(text, functions)
            marked = _marked(found, dict(_places(ast.parse(found.text), frozenset(functions))))
            ast.parse(marked.text)
        except _UNREADABLE:
            continue
        return MarkedProgram(text=marked.text, origins=tuple(marked.origins), source=text)
    return MarkedProgram(text=text, origins=tuple(plain.origins), source=text)


_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
"""The sandbox says what is wrong with it."""


def _unframed(text: str, functions: Collection[str]) -> Lines:
    """A program that tells no stack: putting it in made it unreadable."""
    del functions
    return plain_lines(text)


def _marked(lines: Lines, places: dict[int, tuple[int, bool]]) -> Lines:
    out, origins = [*_HEAD], [0] * len(_HEAD)
    for number, (line, origin) in enumerate(zip(*lines, strict=True), start=1):
        column, always = places.get(number, (-1, False))
        if origin and column >= 0 and _begins(lines.texts, number, column):
            call = f"{_TELL}({origin}, locals())"
            here = f"({FRAME}, {origin})"
            begins = f"{GO}{here}; " if always else f"if {_COUNT}{here}: "
            out.append(f"{line[:column]}{begins}{call}")
            origins.append(origin)
        out.append(line)
        origins.append(origin)
    return Lines(out, origins)


def _begins(lines: list[str], number: int, column: int) -> bool:
    """Whether a line of its own can stand before this one."""
    line = lines[number - 1]
    is_continued = number > 1 and lines[number - 2].endswith("\\")
    return not line[:column].strip() and not line[column:].startswith("elif") and not is_continued


def _places(tree: ast.Module, functions: frozenset[str]) -> Iterator[tuple[int, tuple[int, bool]]]:
    """Lines at which statements begin, with their column and whether they call a host function."""
    unmarked = {id(each) for each in _unmarked(tree)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.stmt) or id(node) in unmarked:
            continue
        decorators = getattr(node, "decorator_list", [])
        line = min([node.lineno, *(each.lineno for each in decorators)])
        yield line, (node.col_offset, _calls(node, functions))


def _unmarked(tree: ast.Module) -> Iterator[ast.AST]:
    """Statements before which nothing else may stand, or that values themselves would run."""
    for node in ast.walk(tree):
        match node:
            case ast.Global() | ast.Nonlocal():
                yield node
            case ast.ClassDef():
                yield from node.body
            case ast.FunctionDef(name=name) if name.startswith("__"):
                yield from (each for each in ast.walk(node) if each is not node)
            case _:
                pass


def _calls(node: ast.stmt, functions: frozenset[str]) -> bool:
    """Whether a statement itself, without the blocks below it, names a host function."""
    waiting: list[ast.AST] = [node]
    while waiting:
        each = waiting.pop()
        if isinstance(each, ast.Name) and each.id in functions:
            return True
        waiting += [n for n in ast.iter_child_nodes(each) if not isinstance(n, ast.stmt)]
    return False
