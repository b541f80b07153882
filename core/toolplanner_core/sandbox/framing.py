"""Keep the call stack of a program while it runs: which function was called from which line.

The interpreter of the sandbox tells a stack only with an exception. So each function puts itself on
a list when it begins and takes itself off when it returns. What it leaves by an exception is taken
off by whoever goes on: each function knows its frame, and its next statement or call cuts the list
there. (`try` around a body would do, but cuts what an exception tells of its lines.) Each direct
call of a host function takes the list along. The list lives in the program, since a call out of
the sandbox at each function would outlive the limits of time.
"""

import ast
from collections.abc import Collection, Iterator
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


def framed(text: str, functions: Collection[str]) -> Lines:
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
