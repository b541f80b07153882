"""A toolkit: APIs that can stand in for one another (Source: Tool-Planner, arXiv 2406.03807)."""

from dataclasses import dataclass
from enum import StrEnum

from toolplanner_core.domain.ids import ToolkitId


class Author(StrEnum):
    """Who wrote a name or a description."""

    RULE = "rule"
    MODEL = "model"
    PERSON = "person"


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolkit:
    """A toolkit without its members; `size` counts them.

    Attributes:
        is_description_old: members came or went since a person or a model wrote it.
    """

    id: ToolkitId
    name: str
    description: str
    size: int
    pinned: bool = False
    name_author: Author = Author.RULE
    description_author: Author = Author.RULE
    is_description_old: bool = False
