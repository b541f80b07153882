"""What tools, servers and sources say is read in the window too: no command of the terminal in it.

Elsewhere a command is the advice of a message (`todo`), which the window leaves out; here a person
who has only the window must be told a place in it (`words/places.py`, which knows both).
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

CORE = Path(__file__).resolve().parents[3] / "core" / "toolplanner_core"
PARTS = (
    "providers", "sources", "mcp_servers", "python_functions", "net", "keys.py", "approvals.py",
    "risks.py", "runs/stages",
)  # fmt: skip
COMMAND = re.compile(
    r"(?<!\.)\btoolplanner [a-z]+\b|\b(?:pip|pipx|npm|npx) install\b|(?<!\w)--[a-z]{3,}"
)
REASONS = {
    "providers/http/told.py": "words of curl, in a line that is meant for a terminal",
}


def files_of(part: str) -> list[Path]:
    place = CORE / part
    return [place] if place.is_file() else sorted(place.rglob("*.py"))


def commands_in(text: str) -> Iterator[tuple[int, str]]:
    """Lines of texts, docstrings apart, that name a command."""
    tree = ast.parse(text)
    docs = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield from ((node.lineno, found) for found in COMMAND.findall(node.value))


@pytest.mark.parametrize("part", PARTS)
def test_messages_when_read_then_none_names_a_command_of_the_terminal(part: str) -> None:
    files = files_of(part)
    assert files, f"{part} is gone"
    found = [
        f"{file.relative_to(CORE)}:{line} {what}"
        for file in files
        if file.relative_to(CORE).as_posix() not in REASONS
        for line, what in commands_in(file.read_text("utf-8"))
    ]
    assert found == []


def test_commands_when_named_in_any_text_then_they_are_found() -> None:
    assert [*commands_in('"""Docs: toolplanner run"""\nx = f"Try: toolplanner import {w}"')]
    assert [*commands_in('why = "pip install pyarrow"')]
    assert not [*commands_in('"""Called by toolplanner run"""\nx = "a .toolplanner file"')]
