"""The call stack of programs, against what CPython says of the same programs."""

import asyncio
import sys
import textwrap
from collections.abc import Mapping
from datetime import UTC, datetime

import pytest

from toolplanner_core.domain.program import HostCall, HostFailure, ProgramEnd, StackFrame
from toolplanner_core.prompts.programs import format_stack
from toolplanner_core.sandbox.monty import run_program

NOW = datetime(2026, 3, 1, 12, 30, tzinfo=UTC)
Stack = list[tuple[str, int]]


def sandboxed(text: str) -> tuple[ProgramEnd, list[HostCall], list[tuple[int, Stack]]]:
    """How a program ends, its calls of `search`, and the stack before each line."""
    calls: list[HostCall] = []
    lines: list[tuple[int, Stack]] = []

    async def answer(call: HostCall) -> object:
        calls.append(call)
        is_bad = "bad" in (*call.positional, *call.arguments.values())
        return HostFailure(message="bad", error="ValueError") if is_bad else len(calls)

    async def on_line(line: int, _: Mapping[str, str], stack: tuple[StackFrame, ...]) -> None:
        lines.append((line, pairs(stack)))

    end = asyncio.run(
        run_program(text, functions=("search",), answer=answer, now=NOW, seed="1", on_line=on_line)
    )
    return end, calls, lines


def pairs(stack: tuple[StackFrame, ...]) -> Stack:
    return [(frame.name, frame.line) for frame in stack]


def in_cpython(text: str) -> tuple[str, list[Stack]]:
    """What the program prints in CPython, and the stack at each call."""
    seen: list[Stack] = []
    printed: list[str] = []

    def search(*positional: object, **named: object) -> int:
        stack: Stack = []
        frame = sys._getframe(1)
        while frame.f_code.co_filename == "<program>":
            if frame.f_code.co_name not in ("<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>"):
                name = frame.f_code.co_name.strip("<>").removeprefix("module")
                stack.insert(0, (name, frame.f_lineno))
            assert frame.f_back is not None
            frame = frame.f_back
        seen.append(stack)
        if "bad" in (*positional, *named.values()):
            raise ValueError("bad")
        return len(seen)

    def said(*words: object) -> None:
        printed.append(" ".join(map(str, words)))

    exec(compile(text, "<program>", "exec"), {"search": search, "print": said})  # noqa: S102
    return "".join(f"{each}\n" for each in printed), seen


PROGRAMS = {
    "recursion": """\
        def down(n):
            if n == 0:
                return search(n=n)
            return down(n - 1) + 1
        print(down(3))""",
    "two calls in turn": """\
        def one(n):
            return search(n)
        def two(n):
            return one(n) + 1
        print(one(1), two(2))
        print(one(3) + one(4))""",
    "recursion before each call": """\
        def sums(n):
            if n < 0:
                return 0
            return search(q=sums(n - 1), n=n)
        print(sums(2))""",
    "an exception passing through": """\
        def inner(q):
            x = [q]
            return search(q=x[0])
        def outer(q):
            return inner(q) + inner("fine")
        try:
            outer("bad")
        except ValueError as error:
            print(error, search(q="after"))
        print(outer("good"))""",
    "an exception caught half way": """\
        def fails(n):
            if n:
                return fails(n - 1)
            search(q="bad")
        def caught():
            try:
                fails(2)
            except ValueError:
                return search(q="caught")
            finally:
                search(q="at last")
        print(caught(), search())""",
    "a function in a function": '''\
        def outer(names):
            """Many of them."""
            total = 0
            def inner(name):
                nonlocal total
                total = total + search(name)
                return total
            for name in names:
                if name == "skip":
                    continue
                inner(name)
            return search(total)
        print(outer(["a", "skip", "b"]))''',
    "texts over lines": '''\
        def text(n):
            made = """one
        two
            three""" + str(n)
            more = [
          n,
              search(
            q=made,
              ),
            ]
            return f"{made} {more} {search(q=1)}"
        print(text(2))''',
    "functions in one line": """\
        def f(x): return search(q=x)
        def g(x): y = f(x); return y + f(y)
        class Made:
            def asked(self, n=1): return search(n)
        print(g(1), Made().asked())""",
    "functions without a name": """\
        def each(do, xs):
            return [do(x) for x in xs]
        ask = lambda x: search(q=x)
        print(each(ask, [1, 2]), sorted([3, 1], key=lambda v: -v))
        print(each(lambda x: x + 1, [search()]))""",
    "what the interpreter cannot wait in": """\
        def last(pair):
            found = pair[-1]
            return found
        def ordered(xs): return sorted(xs, key=last)
        print(ordered([(1, 3), (2, 1)]), list(map(last, [(1,)])), search(max([(5,)], key=last)))""",
    "classes": """\
        class Place:
            kind = "town"
            def __init__(self, name):
                found = search(name)
                self.name = f"{name} {found}"
            def __repr__(self):
                text = self.name
                return f"{self.kind} {text}"
            def asked(self):
                return search(q=self.name)
        place = Place("Oslo")
        print(place, [place], place.asked())""",
    "a value that is global": """\
        count = 0
        def counted():
            global count
            count += search(**{"q": 1})
            return count
        print(counted() + counted(), count)""",
    "a loop left by return": """\
        def first(xs):
            for x in xs:
                while x:
                    if search(x) > 1:
                        return x
                    x -= 1
        print(first([1, 2, 3]), search(*[1, 2]))""",
    "characters of more bytes": """\
        def größe(x):
            ü = "ä"; y = search(q="ö", x=search(x))
            return y
        print(größe(1))""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_stack_when_a_host_function_is_called_then_it_is_that_of_cpython(name: str) -> None:
    text = textwrap.dedent(PROGRAMS[name])
    printed, stacks = in_cpython(text)
    end, calls, lines = sandboxed(text)
    assert (end.how, end.printed) == ("finished", printed)
    assert [pairs(call.stack) for call in calls] == stacks
    assert all(call.line == call.stack[-1].line for call in calls)
    assert all(stack[-1][1] == line for line, stack in lines)


def test_stack_when_lines_are_stepped_then_recursion_and_repeated_calls_differ() -> None:
    _, _, lines = sandboxed("def f(n):\n    return n and f(n - 1)\nf(1)\nf(0)")
    assert lines == [
        (1, [("", 1)]),
        (3, [("", 3)]),
        (2, [("", 3), ("f", 2)]),
        (2, [("", 3), ("f", 2), ("f", 2)]),
        (4, [("", 4)]),
        (2, [("", 4), ("f", 2)]),
    ]


def test_values_when_a_function_was_called_for_an_argument_then_they_are_of_the_caller() -> None:
    _, [_, call], _ = sandboxed("def inner(x):\n    return search(x)\nmine = 1\nsearch(q=inner(2))")
    assert dict(call.values) == {"mine": "1"}


def test_stack_when_a_name_has_a_meaning_of_its_own_then_that_is_called_untouched() -> None:
    text = "def search(*given):\n    return given\nprint(search(1), search())"
    end, calls, _ = sandboxed(text)
    assert (end.printed, calls) == ("(1,) ()\n", [])
    _, calls, _ = sandboxed("def f(ask):\n    return ask(q=1)\nf(search)")
    assert [(call.line, pairs(call.stack)) for call in calls] == [(2, [("", 3), ("f", 2)])]


def test_stack_when_the_program_lies_about_it_then_it_is_not_known() -> None:
    _, calls, _ = sandboxed("_tp_told = lambda f: [{'_tp_told': ['x']}]\nsearch(q=1)")
    assert all(call.stack == () and call.arguments == {"q": 1} for call in calls)


def test_stack_when_exceptions_pass_then_their_lines_are_told_as_they_were() -> None:
    text = "def f(x):\n    return x['no']\ndef g(x):\n    return f(x)\nif search(q=1):\n    g({})"
    end, _, _ = sandboxed(text)
    assert (end.error, end.line) == ("KeyError", 2)
    assert end.trace.split("\n")[:3] == [
        "line 6: g({})", "line 4: return f(x)", "line 2: return x['no']",
    ]  # fmt: skip
    end, calls, _ = sandboxed("def f(n):\n    return search(n) + f(n + 1)\nf(0)")
    assert end.error in ("RecursionError", "ValueError") or end.how != "finished"
    assert calls[3].stack == (StackFrame("", 3), *[StackFrame("f", 2)] * 4)


def test_stack_when_it_is_deep_then_its_middle_is_counted() -> None:
    stack = (StackFrame("", 2), *[StackFrame("f", 1)] * 99)
    told = format_stack(stack, "def f(): f()\nf()").split("\n")
    assert told[:3] == ["line 2: f()", "… 89 more lines", "line 1 in f: def f(): f()"]
    assert len(told) == 12
    assert format_stack(stack[:2], "") == "line 2\nline 1 in f"
