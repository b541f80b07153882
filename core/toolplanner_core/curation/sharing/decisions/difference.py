"""What is joined and what is in conflict when two people's decisions meet."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from toolplanner_core.curation.edits.curated_state import CuratedState

Side = Literal["ours", "theirs"]
Key = tuple[str, Any, str]
"""As `Changes.keys` names what an edit changed."""


class Sides(NamedTuple):
    """The state both began with, and what each made of it."""

    base: CuratedState
    ours: CuratedState
    theirs: CuratedState


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What both sides decided, and differently.

    Attributes:
        number: 1 for the first, by which it is settled.
        kind: "membership", "name", "description", "note", "exclusion" or "link".
        what: the toolkit it is about, "" if it is about APIs.
        rowids: the APIs it is about.
        base, ours, theirs: the values in words.
        keys: the values it is about, to find who set them.
        settled: whose value was taken; "" = neither, it stays as it was.
    """

    number: int
    kind: str
    what: str
    rowids: tuple[int, ...]
    base: str
    ours: str
    theirs: str
    keys: tuple[Key, ...]
    settled: Side | Literal[""]


Settle = Callable[[int], Side | Literal[""]]
"""Whose value is taken for the conflict with this number."""
