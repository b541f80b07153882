"""What shows an answer, in lines: the same above the tree, in the inspector, terminal and pages."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from toolplanner_core.words.wording import one_line

_SHOWN, _NOT_SHOWN = "Shown by", "Not shown by"
VERDICTS = "verdict:"
"""Before the number of a run: the memory that holds what models said of its answer."""


def evidence_lines(root: Mapping[str, Any]) -> list[str]:
    """A line for each need and result: the need, who met it, and the values that show it; what
    several trials found alike is said once.

    Args:
        root: what is known of the run itself.
    """
    rows = cast("Sequence[Mapping[str, Any]]", root.get("evidence") or ())
    return list(dict.fromkeys(map(_line, rows)))


def evidence_title(root: Mapping[str, Any]) -> str:
    """What stands above the lines: whether anything of the answer stands in a reply at
    all, and whether a person gave it in the place of a model."""
    rows = cast("Sequence[Mapping[str, Any]]", root.get("evidence") or ())
    title = _SHOWN if any(row.get("values") for row in rows) else _NOT_SHOWN
    return f"Written by you, {title.lower()}" if root.get("is_your_answer") else title


def judged_words(verdict: Mapping[str, Any]) -> str:
    """What a model said of an answer, in one line."""
    word = "solved" if verdict.get("solved") else "unsolved"
    said = f"Judged {word} by {verdict.get('model', '')}"
    return f"{said}: {verdict['reason']}" if verdict.get("reason") else said


def _line(row: Mapping[str, Any]) -> str:
    values = ", ".join(str(value) for value in row.get("values") or ())
    shown = f" ({values})" if values else ", of which nothing new stands in the answer"
    return f"{one_line(str(row.get('need', '')), 80)} ← {row.get('api', '')}{shown}"
