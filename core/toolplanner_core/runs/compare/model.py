"""What a comparison of two runs is made of.

Made by `diff.py`; shown by `diff_render.py` and the Compare view.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.runs.compare.node_facts import Change
from toolplanner_core.runs.spec import RunSummary


class Relation(StrEnum):
    """How a place compares."""

    SAME = "same"
    CHANGED = "changed"
    ONLY_LEFT = "only_left"
    ONLY_RIGHT = "only_right"


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffNode:
    """One place of the aligned tree.

    Attributes:
        left, right: the node's path in each run, None where it has none.
        parent: position of the parent in `RunDiff.nodes`, None for the run itself.
        relation: of the node itself; `differs_below` says whether anything under it differs.
        changes: what differs, in the order in which it comes about.
        is_prompt_same: for questions: whether they were put in the same words. A question that got
            the same reply is the same, whatever its prompt.
        elsewhere: for a call that only one run has: where the other run calls that API.
    """

    left: NodePath | None
    right: NodePath | None
    depth: int
    parent: int | None
    kind: str
    title: str
    relation: Relation
    changes: tuple[Change, ...] = ()
    differs_below: bool = False
    is_prompt_same: bool | None = None
    elsewhere: NodePath | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstDifference:
    """Where two runs first went different ways, in the time order of the left one.

    Attributes:
        node: position in `RunDiff.nodes`.
        path: in the left run, or in the right one where only that has it.
        sentence: for people.
    """

    node: int
    path: NodePath
    sentence: str


class TotalPair(NamedTuple):
    """One total of both runs."""

    name: str
    left: Any
    right: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class RunDiff:
    """The comparison of two runs.

    Attributes:
        nodes: depth first; the run itself comes first.
        first: None when the runs went the same way.
        counts: nodes by relation.
    """

    left: RunSummary
    right: RunSummary
    nodes: tuple[DiffNode, ...]
    first: FirstDifference | None
    totals: tuple[TotalPair, ...]
    counts: dict[Relation, int]
