"""What questions show of toolkits, APIs, results and failures: small typed cards, not loose text.

The offline planner works on these fields; language models see them rendered.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toolplanner_core.domain.api import Api, JsonSchema
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import ApiId, ToolkitId


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolkitCard:
    """A toolkit as offered to the planner; `score` is its similarity to the query, best first."""

    id: ToolkitId
    name: str
    description: str
    score: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiCard:
    """An API with all that is needed to fill its arguments."""

    id: ApiId
    tool: str
    name: str
    method: str
    description: str
    tool_description: str
    parameters: JsonSchema

    @classmethod
    def of(cls, api: Api) -> "ApiCard":
        """The card of an API."""
        return cls(
            id=api.id,
            tool=api.tool,
            name=api.name,
            method=api.method,
            description=api.description,
            tool_description=api.tool_description,
            parameters=api.parameters,
        )

    @property
    def title(self) -> str:
        """Tool and API name for people."""
        return f"{self.tool} · {self.name}"


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
