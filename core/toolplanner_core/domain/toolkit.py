"""A toolkit: APIs that can stand in for one another (Source: Tool-Planner, arXiv 2406.03807).

Candidates with their scores, as retrieval and ranking hand them out and the inspector shows
them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from toolplanner_core.domain.api import Api
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
        proposed_name: what the rule would call it now that its members are others; "" = nothing
            else.
    """

    id: ToolkitId
    name: str
    description: str
    size: int
    pinned: bool = False
    name_author: Author = Author.RULE
    description_author: Author = Author.RULE
    is_description_old: bool = False
    proposed_name: str = ""

    @property
    def is_curated(self) -> bool:
        """Whether a person named or pinned it: plans prefer it where fit is alike."""
        return self.pinned or self.name_author is Author.PERSON


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredApi:
    """An API and why it stands where it does.

    Attributes:
        score: higher is better; comparable only within one list.
        parts: the signals the score was made of, by name, such as {"bm25": 1.9, "vector": 0.7}.
        holds_words: whether it holds a word of what was searched; else meaning alone found it.
    """

    api: Api
    score: float
    parts: Mapping[str, float] = field(default_factory=dict[str, float])
    holds_words: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredToolkit:
    """A toolkit and why it stands where it does."""

    toolkit: Toolkit
    score: float
    parts: Mapping[str, float] = field(default_factory=dict[str, float])


class MemberFit(NamedTuple):
    """How much the best API of a toolkit has to do with a text, each figure on an absolute scale.

    Attributes:
        cosine: of the text and an API, -1 to 1; 0 without vectors.
        words: share of the text's words that an API's documentation holds, 0 to 1.
    """

    cosine: float
    words: float
