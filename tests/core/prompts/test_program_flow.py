"""Fallible programs: the call that a failing line depends on is found from the text."""

import ast
from collections.abc import Iterator

import pytest

from toolplanner_core.prompts import programs
from toolplanner_core.prompts.programs import calls_behind

NAMES = ("find_person", "credits_of", "movie", "weather")
HEAD = 'people = find_person(query="Coppola")\nwho = people["results"][0]\n'
PERSON = "made = credits_of(person=1)\n"
FIRST = 'def first(reply):\n    return reply["results"][0]\n'
CASES = {
    # A reply that is read wrongly.
    "wrong field at once": (HEAD.replace("results", "items"), 2, "find_person"),
    "wrong field later": (HEAD + PERSON + 'print(made["cast"])', 4, "credits_of"),
    "wrong field of the first reply": (HEAD + PERSON + 'print(who["nam"])', 4, "find_person"),
    "wrong field in a loop": (
        HEAD + 'for each in credits_of(person=1)["crew"]:\n    print(each["job"])', 4, "credits_of",
    ),
    "wrong field in a comprehension": (
        HEAD + PERSON + 'n = [c["x"] for c in made["crew"]]', 4, "credits_of",
    ),
    "empty list": (HEAD + "print(who)", 2, "find_person"),
    "in a function": (FIRST + "m = movie(id=1)\nprint(first(m))", 2, "movie"),
    "through a function": (
        'def top():\n    return movie(id=1)\nbest = top()\nprint(best["x"])', 4, "movie",
    ),
    "in a formatted text": (
        'w = weather(city="Oslo")\nprint(f"{w[\'deg\']} degrees")', 2, "weather",
    ),
    "after two assignments": (
        'a = weather(city="Oslo")\nb = a["main"]\nc = b\nprint(c["x"])', 4, "weather",
    ),
    "taken apart": ('x, y = movie(id=1), weather(city=2)\nz = y\nprint(y["x"])', 3, "movie"),
    "kept in a list": (
        'all = []\nfor i in range(3):\n    r = movie(id=i)\n    print(r["x"])', 4, "movie",
    ),
    # The wrong endpoint, or arguments that it does not take.
    "call that fails": (HEAD + 'made = credits_of(person=who["name"])', 3, "credits_of"),
    "call over several lines": (HEAD + "made = credits_of(\n    person=1,\n)", 3, "credits_of"),
    "call in a condition": (HEAD + 'if movie(id=1)["x"]:\n    pass', 3, "movie"),
    # An exception of the program's own arithmetic.
    "division": ('n = len(movie(id=1)["cast"])\nprint(3 / n)', 2, "movie"),
    "types": ('w = weather(city="Oslo")\nt = w["deg"]\nprint("warm: " + t)', 3, "weather"),
    "dates": (
        'import datetime\nm = movie(id=1)\nd = m["date"]\nprint(datetime.date(d))', 4, "movie",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_line_when_it_fails_then_the_call_behind_it_comes_first(name: str) -> None:
    program, line, blamed = CASES[name]
    assert calls_behind(program, line, NAMES)[0] == blamed


def test_line_when_no_call_is_behind_it_then_none_is_named() -> None:
    assert calls_behind("x = 1\nprint(x / 0)", 2, NAMES) == ()
    assert calls_behind("def f(:", 1, NAMES) == ()
    assert calls_behind("x = 1", 9, NAMES) == ()


def test_line_when_a_program_has_many_functions_then_each_statement_is_read_a_few_times(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reads = list[ast.stmt]()

    def counted(statement: ast.stmt) -> Iterator[str]:
        reads.append(statement)
        return read(statement)

    read = programs._read
    monkeypatch.setattr(programs, "_read", counted)
    functions = "".join(f"def f{n}(a):\n    return a\n" for n in range(200))
    program = functions + "m = f7(movie(id=1))\nprint(m)"
    assert calls_behind(program, 402, NAMES) == ("movie",)
    assert len(reads) < 3 * 402
