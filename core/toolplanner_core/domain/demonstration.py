"""Demonstrations: solved tasks, and single calls, that a model is shown before it plans its own.

Source: TPTU-v2, arXiv 2311.11315, section 2.3.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from toolplanner_core.domain.ids import ApiId


@dataclass(frozen=True, slots=True, kw_only=True)
class DemonstrationStep:
    """One sub-task of a demonstration.

    Attributes:
        goal: what it was for, "" where nobody said.
        api: id of the API that did it, "" where no tool was needed; title: its name for people.
        result: what came back, cut.
    """

    goal: str
    api: str
    title: str
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])
    result: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Demonstration:
    """A task with the steps that solved it.

    Attributes:
        id: its number in the workspace; 0 for an example of one API that was made on the way.
        run: number of the run that it was saved from, None if it was written by hand.
    """

    id: int
    query: str
    steps: tuple[DemonstrationStep, ...]
    answer: str = ""
    tags: tuple[str, ...] = ()
    run: int | None = None


class DemonstrationOrigin(StrEnum):
    """Where a demonstration comes from: what may be said of it as data."""

    REAL = "runs over real services"
    INVENTED = "runs with replies that were made up"
    SCRIPTED = "example runs with scripted replies"
    BY_HAND = "written by hand"
    UNKNOWN = "runs that are not in this workspace"


@dataclass(frozen=True, slots=True, kw_only=True)
class DemonstrationRequest:
    """Which demonstrations are wanted.

    Attributes:
        text: a query or a goal that they shall be like.
        k: at most so many.
        above: cosine over which a demonstration is like the text, None = examples of APIs alone.
        apis: whose examples get the places that are left, in this order.
        per_api: examples of each API at most, those for goals like the text first.
        tested: query of an experiment whose own demonstrations are left out, "" = none is.
    """

    text: str
    k: int
    above: float | None
    apis: tuple[ApiId, ...]
    per_api: int = 1
    tested: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenDemonstration:
    """A demonstration that was chosen for a query.

    Attributes:
        level: "task": it is like the query; "api": an example of an API that was retrieved.
        score: cosine of the queries, 0 for examples of APIs.
    """

    shown: Demonstration
    level: str
    score: float
