"""What questions show of toolkits, APIs, results and failures: small typed cards, not loose text.

The offline planner works on these fields; language models see them rendered.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import ToolkitId


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolkitCard:
    """A toolkit as offered to the planner; `score` is its similarity to the query, best first."""

    id: ToolkitId
    name: str
    description: str
    score: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class StepResult:
    """A finished step: what it was for, what answered it, and its whole value (cut when shown to a
    model)."""

    step: int
    goal: str
    toolkit: ToolkitId | None
    api_title: str
    arguments: Mapping[str, Any]
    value: Any
    state: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureCard:
    """A failed attempt, as later questions are told of it."""

    step: int
    goal: str
    toolkit: ToolkitId | None
    api_title: str
    arguments: Mapping[str, Any]
    error: ErrorClass
    message: str


OBSERVATION_LIMIT = 1024
"""Characters of a result shown to a model; the whole value stays in the log (strategies.md,
section 0)."""
