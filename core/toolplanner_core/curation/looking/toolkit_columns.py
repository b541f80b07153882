"""The columns of the toolkit list, what each shows of a toolkit, and the order that each gives."""

from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import Any, Protocol

from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Author, Toolkit
from toolplanner_core.words.formatting import count, counted, score
from toolplanner_core.words.glossary import explain_concept
from toolplanner_core.workspace.call_statistics import CallFigures


class ToolkitColumn(IntEnum):
    """Columns of the list."""

    NAME = 0
    SIZE = 1
    COHESION = 2
    HEALTH = 3
    MARKS = 4


class ToolkitFigures(Protocol):
    """What the list asks of whoever keeps the figures."""

    def cohesion(self, toolkit: ToolkitId) -> float | None:
        """Mean cosine of the members to their centroid."""
        ...

    def health(self, toolkit: ToolkitId) -> CallFigures | None:
        """How the calls of its APIs ended."""
        ...


ALONE = "1 API, no fallback possible"
"""Said of a toolkit of one API, instead of how well it fits itself."""

TITLES = {
    ToolkitColumn.NAME: "Toolkits",
    ToolkitColumn.SIZE: "APIs",
    ToolkitColumn.COHESION: "Fit",
    ToolkitColumn.HEALTH: "Health",
    ToolkitColumn.MARKS: "",
}

MEANINGS = {
    ToolkitColumn.NAME: "Toolkits, and the APIs in them from the most central on",
    ToolkitColumn.SIZE: "Number of APIs",
    ToolkitColumn.COHESION: f"Fit: {explain_concept('fit')}",
    ToolkitColumn.HEALTH: f"Health: {explain_concept('health')}",
    ToolkitColumn.MARKS: "Pinned, edited by a person, or another name is proposed",
}


def figure(toolkit: Toolkit, column: ToolkitColumn, figures: ToolkitFigures | None) -> float | None:
    """What a toolkit is ordered by in a column other than its name; None while it is unknown."""
    if column is ToolkitColumn.SIZE:
        return toolkit.size
    if column is ToolkitColumn.MARKS:
        return 4 * toolkit.pinned + 2 * is_edited(toolkit) + bool(toolkit.proposed_name)
    if figures is None:
        return None
    if column is ToolkitColumn.COHESION:
        return figures.cohesion(toolkit.id) if toolkit.size > 1 else None
    health = figures.health(toolkit.id)
    return None if health is None else health.health


def lacks_figures(
    toolkits: Sequence[Toolkit], column: ToolkitColumn, figures: ToolkitFigures | None
) -> bool:
    """Whether no figure of a column is known yet, as right after opening: toolkits that are ordered
    by it stand in the order of their names."""
    if column is ToolkitColumn.NAME:
        return False
    return bool(toolkits) and all(figure(toolkit, column, figures) is None for toolkit in toolkits)


def cell(toolkit: Toolkit, column: ToolkitColumn, figures: ToolkitFigures | None) -> str:
    """The text of a toolkit in a column of numbers."""
    value = figure(toolkit, column, figures)
    if value is None:
        return "–" if column is ToolkitColumn.COHESION and toolkit.size == 1 else ""
    if column is ToolkitColumn.SIZE:
        return count(toolkit.size)
    return score(value) if column is ToolkitColumn.COHESION else f"{value:.0%}"


def tooltip(toolkit: Toolkit, column: ToolkitColumn, figures: ToolkitFigures | None) -> str:
    """What a cell means, in words."""
    if column is ToolkitColumn.HEALTH and figures is not None:
        health = figures.health(toolkit.id)
        if health is None:
            return "No API of this toolkit was called yet"
        last = f"\nLast error: {health.last_error}" if health.last_error else ""
        return f"{health.words}{last}"
    if column is ToolkitColumn.MARKS:
        return marks_in_words(toolkit)
    if column is ToolkitColumn.COHESION and toolkit.size == 1:
        return ALONE
    return f"{toolkit.name} · {counted(toolkit.size, 'API')}\n{toolkit.description}"


def is_edited(toolkit: Toolkit) -> bool:
    """Whether a person wrote its name or description."""
    return Author.PERSON in (toolkit.name_author, toolkit.description_author)


def marks_in_words(toolkit: Toolkit) -> str:
    """ "Pinned: no machine changes it. Written by a person. Proposed name: ..."."""
    parts: list[str] = []
    if toolkit.pinned:
        parts.append("Pinned: no machine changes it.")
    if is_edited(toolkit):
        parts.append("Name or description written by a person.")
    if toolkit.proposed_name:
        parts.append(f"Its members changed; proposed name: {toolkit.proposed_name}.")
    return " ".join(parts)


def sort_key(
    column: ToolkitColumn, figures: ToolkitFigures | None, *, is_down: bool
) -> Callable[[Toolkit], tuple[Any, ...]]:
    """A key that orders toolkits by a column; ties, and what is unknown, by name."""
    if column is ToolkitColumn.NAME:
        return _by_name_down if is_down else _by_name

    def key(toolkit: Toolkit) -> tuple[Any, ...]:
        found = figure(toolkit, column, figures)
        # What is unknown stands last either way.
        value = float("inf") if found is None else -found if is_down else found
        return value, *_by_name(toolkit)

    return key


def _by_name(toolkit: Toolkit) -> tuple[Any, ...]:
    return toolkit.name.casefold(), toolkit.id


def _by_name_down(toolkit: Toolkit) -> tuple[Any, ...]:
    # Code points turned round: a descending order with one ascending key.
    return [*(-ord(c) for c in toolkit.name.casefold()), 1], -toolkit.id
