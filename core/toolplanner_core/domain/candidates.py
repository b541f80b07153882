"""Candidates with their scores, as retrieval and ranking hand them out and the inspector shows
them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.toolkit import Toolkit


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
