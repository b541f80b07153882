"""What the library says is read in the window too: no command of the terminal in it.

A person who has only the window must be told a place in it (`words/window_places.py`, which knows
both, and what the terminal says instead).
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from toolplanner_core.words import window_places as places

CORE = Path(__file__).resolve().parents[3] / "core" / "toolplanner_core"
WINDOW = "../../toolplanner_gui"
PARTS = [*sorted({each.name for each in CORE.glob("[a-z]*")} - {"cli"}), WINDOW]
COMMAND = re.compile(
    r"(?<!\.)\btoolplanner [a-z]+\b|\b(?:pip|pipx|npm|npx) install\b|(?<!\w)--[a-z]{3,}"
)
REASONS = {
    f"{WINDOW}/__main__.py": "the flags of its own command line",
    "providers/http_request.py": "words of curl, in a line that is meant for a terminal",
    "resources.py": "an extra of the distribution can only be had with pip",
    "serving/client_config.py": "the command that programs with agents start",
    "serving/reply_words.py": "for agents; a person decides about their calls in a terminal",
    "serving/snippets/inspector.py": "a command of another program, which people paste",
    "training/finetuning.py": "the window starts no fine-tuning at a service",
    "words/window_places.py": "the commands themselves",
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
        f"{file}:{line} {what}"
        for file in files
        if file.as_posix().removeprefix(f"{CORE.as_posix()}/") not in REASONS
        for line, what in commands_in(file.read_text("utf-8"))
    ]
    assert found == []


def test_commands_when_named_in_any_text_then_they_are_found() -> None:
    assert [*commands_in('"""Docs: toolplanner run"""\nx = f"Try: toolplanner import {w}"')]
    assert [*commands_in('why = "pip install pyarrow"')]
    assert not [*commands_in('"""Called by toolplanner run"""\nx = "a .toolplanner file"')]


@pytest.mark.parametrize(
    "place",
    [name for name, text in vars(places).items() if name.isupper() and isinstance(text, str)],
)
def test_places_when_a_message_names_one_then_each_menu_entry_of_it_is_there(place: str) -> None:
    """ "Toolkits > Prepare" names the menu and the entry as they are called."""
    pytest.importorskip("PySide6")
    from toolplanner_gui.actions.action import Action, Submenu, menus
    from toolplanner_gui.panels.panel import panels

    entries = {
        menu.title.replace("&", ""): {
            entry.title.replace("&", "").removesuffix(" …")
            for entry in menu.entries
            if isinstance(entry, Action | Submenu)
        }
        for menu in menus
    }
    said = getattr(places, place)
    for menu, found in re.findall(r"(\w+) > ([A-Z][\w ]+?)(?=,|:|$| >)", said):
        assert found in entries[menu], said
    for panel in re.findall(r"the panel (\w+)", said):
        assert panel in {each.title for each in panels}, said
