"""Programs with marks before their statements and a call stack of their own, so that a stop knows
the line, the values and the functions it is in.

The interpreter of the sandbox tells a stack only with an exception. So each function puts itself on
a list when it begins and takes itself off when it returns. What it leaves by an exception is taken
off by whoever goes on: each function knows its frame, and its next statement or call cuts the list
there. (`try` around a body would do, but cuts what an exception tells of its lines.) Each direct
call of a host function takes the list along. The list lives in the program, since a call out of
the sandbox at each function would outlive the limits of time.

The interpreter of the sandbox pauses at host calls only and shows no variables. So a line that
calls a host function stands before every statement that begins a line. In loops the first passes of
a line are marked, those with a host call always: endless loops still run into the time limit of the
interpreter. A program that Python cannot read, or not after marking, stays as it is.
"""

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

from toolplanner_core.domain.program import StackFrame

STACK, FRAME, TOLD = "_tp_stack", "_tp_frame", "_tp_told"
LAMBDA = "lambda"
"""What a function without a name is called in a stack."""
GO = "_tp_go"
_LAMBDA, _ENTER, _LEAVE = "_tp_lambda", "_tp_enter", "_tp_leave"
FRAME_NAMES = frozenset({STACK, FRAME, TOLD, GO, _LAMBDA, _ENTER, _LEAVE})
FRAME_HEAD = (
    f"{FRAME} = ['', 0, 1]",
    f"{STACK} = [{FRAME}]",
    f"def {_ENTER}(name, line):",
    f"    {STACK}.append([name, line, len({STACK}) + 1])",
    f"    return {STACK}[-1]",
    f"def {_LEAVE}(value):",
    f"    {STACK}.pop()",
    "    return value",
    f"def {GO}(frame, line):",
    f"    while len({STACK}) > frame[2]:",
    f"        {STACK}.pop()",
    f"    if len({STACK}) < frame[2]:",  # it has returned, but something is done at last
    f"        {STACK}.append(frame)",
    "    frame[1] = line",
    f"def {TOLD}(frame):",
    f"    {GO}(frame, frame[1])",
    f"    return [{{'{TOLD}': {STACK}}}]",
    f"def {_LAMBDA}():",
    f"    return [{{'{TOLD}': {STACK} + [['{LAMBDA}', 0, 0]]}}]",
)
_LONGEST_NAME = 80
_Edit = tuple[int, int, str]
"""Line, column in bytes, and what is put in there."""


class Lines(NamedTuple):
    """Lines of a changed program, and for each that of the original; 0 for lines of ours."""

    texts: list[str]
    origins: list[int]

    @property
    def text(self) -> str:
        """The program."""
        return "\n".join(self.texts)


def plain_lines(text: str) -> Lines:
    """A program as it is."""
    texts = text.split("\n")
    return Lines(texts, [*range(1, len(texts) + 1)])


def add_call_stack(text: str, functions: Collection[str]) -> Lines:
    """A program that keeps its stack; `functions` are the names of host functions.

    Raises:
        SyntaxError: Python cannot read it, as with `ValueError` and `RecursionError`.
    """
    texts, tree = text.split("\n"), ast.parse(text)
    before, after = dict[int, str](), dict[int, list[str]]()
    edits = [*_calls(texts, tree, frozenset(functions) - {*_bound(tree)}), *_caught(texts, tree)]
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        edits += _returns(node)
        enter, leave = f"{FRAME} = {_ENTER}({node.name!r}, {node.lineno})", f"{_LEAVE}(None)"
        (line, column), last = _place(node.body[0]), node.body[-1]
        indent = _head(texts, line, column)
        if indent.strip():  # all in one line
            edits.append((line, column, f"{enter}; "))
            edits.append((last.end_lineno or line, last.end_col_offset or 0, f"; {leave}"))
        else:
            before[line] = indent + enter
            after.setdefault(last.end_lineno or line, []).insert(0, indent + leave)
    return _put_in(texts, edits, before, after)


def _put_in(
    texts: list[str], edits: list[_Edit], before: dict[int, str], after: dict[int, list[str]]
) -> Lines:
    edited = [*texts]
    in_order = sorted(edits, key=lambda each: each[:2])  # at one place the first stands first
    for line, column, given in in_order[::-1]:
        encoded = edited[line - 1].encode()
        edited[line - 1] = (encoded[:column] + given.encode() + encoded[column:]).decode()
    made = Lines([], [])
    for number, text in enumerate(edited, start=1):
        ours = [before[number]] if number in before else []
        here = [*ours, text, *after.get(number, ())]
        made.texts.extend(here)
        made.origins.extend([0] * len(ours) + [number] + [0] * (len(here) - len(ours) - 1))
    return made


def _calls(texts: list[str], tree: ast.AST, functions: frozenset[str]) -> Iterator[_Edit]:
    """Each direct call of a host function gets the stack as its first argument."""
    lambdas = (node for node in ast.walk(tree) if isinstance(node, ast.Lambda))
    in_lambda = {id(inner) for each in lambdas for inner in ast.walk(each.body)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            name, line, column = node.func.id, node.func.lineno, node.func.col_offset
            is_there = texts[line - 1].encode()[column:].startswith(f"{name}(".encode())
            if name in functions and is_there:
                told = f"*{_LAMBDA}()" if id(node) in in_lambda else f"*{TOLD}({FRAME})"
                more = ", " if node.args or node.keywords else ""
                yield line, column + len(name.encode()) + 1, told + more


def _returns(function: ast.AST) -> Iterator[_Edit]:
    """Each return of a function itself takes it off the stack, once its value is known."""
    waiting = [*ast.iter_child_nodes(function)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Return):
            begin = node.col_offset + len("return")
            yield node.lineno, begin, f" {_LEAVE}((" if node.value else f" {_LEAVE}(None)"
            if node.value and node.end_lineno and node.end_col_offset:
                yield node.end_lineno, node.end_col_offset, "))"
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.expr):
            waiting += ast.iter_child_nodes(node)


def _caught(texts: list[str], tree: ast.AST) -> Iterator[_Edit]:
    """`except Error: go_on()` in one line has no mark that would cut the stack."""
    for node in ast.walk(tree):
        block: list[ast.stmt] = []
        if isinstance(node, ast.ExceptHandler):
            block = node.body
        elif isinstance(node, ast.Try):
            block = node.finalbody
        if block:
            line, column = _place(block[0])
            if _head(texts, line, column).strip():
                yield line, column, f"{GO}({FRAME}, {line}); "


def _bound(tree: ast.AST) -> Iterator[str]:
    """Names that a program gives a meaning of its own."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.ClassDef(name=name) | ast.ExceptHandler(name=str(name)):
                yield name
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield name
            case ast.alias(name=name, asname=other):
                yield other or name.partition(".")[0]
            case _:
                pass


def _place(statement: ast.stmt) -> tuple[int, int]:
    """Line and column at which a statement begins, with its decorators."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(each.lineno for each in decorators)]), statement.col_offset


def _head(texts: list[str], line: int, column: int) -> str:
    """What stands before a place in its line."""
    return texts[line - 1].encode()[:column].decode()


def stack_before(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """The stack that stands before the arguments of a host call, if it does."""
    match arguments:
        case (dict() as first, *_) if TOLD in first:
            return (cast("dict[str, Any]", first)[TOLD],)
        case _:
            return ()


def stack_of(told: Any, line: int) -> tuple[StackFrame, ...]:
    """A stack as a program told it, at a line; a program can tell anything."""
    found: list[StackFrame] = []
    for each in cast("list[Any]", told) if isinstance(told, list) else ():
        match each:
            case [str() as name, int() as at, int()]:
                found.append(StackFrame(name[:_LONGEST_NAME], at))
            case _:
                return ()
    return (*found[:-1], StackFrame(found[-1].name, line)) if found else ()


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


def program_too_long(text: str) -> str:
    """Why a program is not read at all, "" = it may be."""
    for size, most, what in (
        (len(text), MOST_CHARACTERS, "characters"),
        (text.count("\n") + 1, MOST_LINES, "lines"),
    ):
        if size > most:
            return f"The program has {size:,} {what}, {most:,} are allowed"
    return ""


def add_marks(text: str, functions: Collection[str]) -> MarkedProgram:
    """The program with marks; `functions` are the names of host functions.

    Takes up to a fifth of a second: not for the thread of a loop.
    """
    plain = plain_lines(text)
    for lines in (add_call_stack, _unframed):
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
        yield line, (node.col_offset, _has_call(node, functions))


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


def _has_call(node: ast.stmt, functions: frozenset[str]) -> bool:
    """Whether a statement itself, without the blocks below it, names a host function."""
    waiting: list[ast.AST] = [node]
    while waiting:
        each = waiting.pop()
        if isinstance(each, ast.Name) and each.id in functions:
            return True
        waiting += [n for n in ast.iter_child_nodes(each) if not isinstance(n, ast.stmt)]
    return False
