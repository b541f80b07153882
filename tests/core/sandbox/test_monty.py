"""The conformance of our adapter: what it must keep whatever version of Monty is installed."""

import asyncio
import threading
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from typing import Any

import pytest

from toolplanner_core.domain.program import HostCall, HostFailure, ProgramEnd
from toolplanner_core.sandbox import monty
from toolplanner_core.sandbox.instrumentation import MarkedProgram, add_marks
from toolplanner_core.sandbox.monty import as_json_value, run_program

NOW = datetime(2026, 3, 1, 12, 30, tzinfo=UTC)


def go(text: str, *, answers: Any = None, **more: Any) -> tuple[ProgramEnd, list[HostCall]]:
    """Run a program whose one host function is `search`."""
    calls: list[HostCall] = []

    async def answer(call: HostCall) -> Any:
        calls.append(call)
        return answers(call) if answers else {"id": len(calls)}

    end = asyncio.run(
        run_program(text, functions=("search",), answer=answer, now=NOW, seed="1", **more)
    )
    return end, calls


def test_sandbox_when_functions_are_called_then_the_program_waits_for_each_answer() -> None:
    text = 'a = search(q="x")\nfor n in range(2):\n    b = search(a["id"], n=n)\nprint(a, b["id"])'
    end, calls = go(text)
    assert end == ProgramEnd(how="finished", printed="{'id': 1} 3\n")
    assert [(c.line, c.positional, dict(c.arguments)) for c in calls] == [
        (1, (), {"q": "x"}), (3, (1,), {"n": 0}), (3, (1,), {"n": 1}),
    ]  # fmt: skip
    assert dict(calls[1].values) == {"a": "{'id': 1}", "n": "0"}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("def f(x):\n    y = 1\n    return search(q=x)\nprint(f(2))", 3),
        ("if False:\n    pass\nelif search(q=1):\n    print(1)", 3),
        ("x = [\n    1,\n    search(q=1),\n]", 3),
        ("a = 'ü'; b = search(q=1)", 1),
        ("try:\n    pass\nfinally:\n    search(q=1)", 4),
        ("x = '''\n\n'''; search(q=1)", 3),
        ("with_it = search\nwith_it(q=1)", 2),
        ("def f():\n    repr = 1\n    return search(q=repr)\nprint(f())", 3),
    ],
)
def test_sandbox_when_a_function_is_called_anywhere_then_its_line_is_known(
    text: str, line: int
) -> None:
    end, [call] = go(text)
    assert end.ok, end
    assert call.line == line


def test_sandbox_when_a_function_fails_then_it_raises_in_the_program() -> None:
    def fail(_: HostCall) -> HostFailure:
        return HostFailure(message="no such city", error="ValueError")

    text = "try:\n    search(q=1)\nexcept ValueError as error:\n    print(error)\nsearch(q=2)"
    end, calls = go(text, answers=fail)
    assert len(calls) == 2
    assert (end.how, end.printed) == ("raised", "no such city\n")
    assert (end.error, end.message, end.line) == ("ValueError", "no such city", 5)
    assert end.trace == "line 5: search(q=2)\nValueError: no such city"


def test_sandbox_when_a_program_raises_then_the_lines_that_led_there_are_told() -> None:
    end, _ = go("def f(x):\n    return x['no']\nprint('so far')\nf(search(q=1))")
    assert (end.how, end.error, end.line, end.printed) == ("raised", "KeyError", 2, "so far\n")
    assert end.trace.split("\n")[:2] == ["line 4: f(search(q=1))", "line 2: return x['no']"]


def test_sandbox_when_a_program_cannot_begin_then_refused_with_its_line() -> None:
    end, _ = go("x = 1\ndef f(:\n    pass")
    assert (end.how, end.error, end.line) == ("refused", "SyntaxError", 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x" * 20_001, "The program has 20,001 characters, 20,000 are allowed"),
        ("0\n" * 9_990, "The program has 9,991 lines, 1,000 are allowed"),
    ],
)
def test_sandbox_when_a_text_is_too_long_then_refused_before_it_is_read(
    text: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    readers = _readers(monkeypatch)
    end, _ = go(text)
    assert (end.how, end.error, end.message) == ("refused", "TooLong", message)
    assert readers == []


def test_sandbox_when_a_text_is_read_then_not_on_the_thread_of_the_loop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    readers = _readers(monkeypatch)
    for text in ("print(1)", "1" + "<2" * 9_000):
        go(text)
    assert len(readers) == 2
    assert threading.get_ident() not in readers


def _readers(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The thread of each time that a text is parsed and marked, as it goes on."""
    readers: list[int] = []

    def watched(text: str, functions: Collection[str]) -> MarkedProgram:
        readers.append(threading.get_ident())
        return add_marks(text, functions)

    monkeypatch.setattr(monty, "add_marks", watched)
    return readers


def test_sandbox_when_time_or_chance_are_asked_then_they_are_the_runs() -> None:
    text = (
        "import datetime, random, time\nprint(datetime.datetime.now(), datetime.date.today(),"
        " time.time())\ntime.sleep(3600)\nprint(random.random(), time.process_time())"
    )
    first, second = go(text)[0], go(text)[0]
    assert first.printed == second.printed
    assert first.printed.startswith(f"2026-03-01 12:30:00 2026-03-01 {NOW.timestamp()}\n")


def test_sandbox_when_lines_are_watched_then_each_is_told_with_its_values() -> None:
    seen: list[tuple[int, dict[str, str]]] = []

    async def on_line(line: int, values: Mapping[str, str], _: object) -> None:
        seen.append((line, dict(values)))

    go("a = 1\nif a:\n    b = [a]\nelse:\n    b = []\nprint(b)", on_line=on_line)
    assert seen == [
        (1, {}), (2, {"a": "1"}), (3, {"a": "1"}), (6, {"a": "1", "b": "[1]"}),
    ]  # fmt: skip
    seen.clear()
    go("for n in range(1000):\n    x = n", on_line=on_line)
    assert len([line for line, _ in seen if line == 2]) == 20


def test_sandbox_when_the_one_who_answers_breaks_then_that_comes_out() -> None:
    def broken(_: HostCall) -> None:
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        go("try:\n    search(q=1)\nexcept BaseException:\n    pass", answers=broken)


def test_sandbox_when_cancelled_then_it_ends_at_once() -> None:
    async def cancelled() -> None:
        async def never(_: HostCall) -> None:
            await asyncio.Event().wait()

        for text in ("search(q=1)", "while True:\n    pass"):
            task = asyncio.ensure_future(
                run_program(text, functions=("search",), answer=never, now=NOW, seed="1")
            )
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    asyncio.run(cancelled())


def test_sandbox_when_values_go_out_then_only_json_passes() -> None:
    end, calls = go("search(q=(1, [2]), s={3}, d={1: None})")
    assert end.ok
    assert dict(calls[0].arguments) == {"q": [1, [2]], "s": [3], "d": {"1": None}}
    for odd in ("b'x'", "1e999", "print", "object()"):
        end, calls = go(f"search(q={odd})")
        assert (end.error, calls) == ("TypeError", []), odd
    with pytest.raises(TypeError, match="no JSON value"):
        as_json_value({"x": [object()]})


def test_sandbox_when_it_is_missing_then_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere(name: str) -> None:
        del name

    monkeypatch.setattr(monty.importlib.util, "find_spec", nowhere)
    with pytest.raises(monty.SandboxMissing, match="cannot run here"):
        go("print(1)")
