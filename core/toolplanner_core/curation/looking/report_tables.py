"""Tables of a report in Markdown, and foreign names in it. Used by the report of a catalogue."""

from collections.abc import Iterable, Iterator, Sequence

from toolplanner_core.words.formatting import count, one_line

LISTED = 10
"""Rows of a table of a report."""


def table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A table whose first column is of words and whose others are of numbers."""
    yield f"| {' | '.join(titles)} |"
    yield f"| {' | '.join('---' if n == 0 else '---:' for n in range(len(titles)))} |"
    yield from (f"| {' | '.join(row)} |" for row in rows)


def more(shown: Sequence[object]) -> Iterator[str]:
    """What a table of the first `LISTED` leaves out."""
    if len(shown) > LISTED:
        yield ""
        yield f"and {count(len(shown) - LISTED)} more"


def plain_name(text: str) -> str:
    """Foreign text as a name in which no mark of Markdown or HTML means anything."""
    line = one_line(text, 80)
    return "".join(f"\\{letter}" if letter in "\\`*_{}[]()#+!|<>&~" else letter for letter in line)
