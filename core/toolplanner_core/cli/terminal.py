"""Print results: one JSON document for machines, or tables and lines for people.

Text from catalogues and models is data: control characters are removed before it reaches a
terminal, and rich never reads markup in it.
"""

import json
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

from rich.console import Console
from rich.table import Table
from rich.text import Text

from toolplanner_core.words.window_places import replace_places_by_commands

T = TypeVar("T")

# C0 and C1 controls, zero-width characters, direction overrides.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]")


def clean(text: object) -> str:
    """Text that is safe to print: no escape sequences, no direction overrides."""
    return replace_places_by_commands(_CONTROL.sub("", str(text)))


def print_json(data: Any) -> None:
    """One JSON document on stdout."""
    sys.stdout.write(json.dumps(data, ensure_ascii=False, indent=2, default=str) + "\n")


def print_line(text: str = "") -> None:
    """A line of plain text on stdout."""
    sys.stdout.write(clean(text) + "\n")


def print_table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A table on stdout; headings that start with ">" are right-aligned."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in headings:
        is_number = heading.startswith(">")
        table.add_column(
            heading.removeprefix(">"),
            justify="right" if is_number else "left",
            no_wrap=is_number,
            overflow="ellipsis",
        )
    for row in rows:
        table.add_row(*(Text(clean(cell)) for cell in row))
    console = Console(file=sys.stdout, highlight=False)
    if not sys.stdout.isatty():
        console.width = 160
    console.print(table)


def print_rows(
    rows: Sequence[T],
    headings: Sequence[str],
    cells: Callable[[T], Sequence[object]],
    *,
    as_json: bool,
    to_json: Callable[[T], Any],
    empty: str,
) -> None:
    """Rows as a JSON array, or as a table; `empty` is said to people where there are none."""
    if as_json:
        print_json([to_json(row) for row in rows])
    elif rows:
        print_table(headings, map(cells, rows))
    else:
        print_line(empty)


def when(microseconds: int) -> str:
    """A moment for people, in their own time."""
    return _moment(microseconds).astimezone().strftime("%Y-%m-%d %H:%M")


def iso(microseconds: int) -> str:
    """A moment for machines."""
    return _moment(microseconds).isoformat(timespec="seconds")


def _moment(microseconds: int) -> datetime:
    return datetime.fromtimestamp(microseconds / 1e6, tz=UTC)


def is_person_there() -> bool:
    """Whether somebody sits at the terminal and can be asked."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def say(text: str) -> None:
    """A line on stderr, for people who watch."""
    sys.stderr.write(clean(text) + "\n")


def say_error(text: str) -> None:
    """An error on stderr."""
    say(f"Error: {text}")
