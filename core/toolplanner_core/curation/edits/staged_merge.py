"""A merge that is being put together: which toolkits, which of them keeps its id, who stays."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

from toolplanner_core.curation.edits.move import Merge
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Author, Toolkit


@dataclass(frozen=True, slots=True, kw_only=True)
class StagedMerge:
    """A question, not an edit: nothing of it is stored.

    Attributes:
        toolkits: candidates in the order they came.
        into: the one that keeps its id and its name; None without candidates.
        is_chosen: whether a person said which one that is, whatever comes later.
        left_out: row ids of members that stay where they are.
        name: another name for the result; "" keeps that of `into`.
    """

    toolkits: tuple[ToolkitId, ...] = ()
    into: ToolkitId | None = None
    is_chosen: bool = False
    left_out: frozenset[int] = frozenset()
    name: str = ""

    def changed(self, living: Collection[Toolkit], **values: Any) -> "StagedMerge":
        """With other values; unless a person chose a candidate, a pinned toolkit or one that a
        person named stays, else the largest, whatever came first."""
        made = replace(self, **values, **({"is_chosen": True} if "into" in values else {}))
        is_there = made.into in made.toolkits
        if is_there and made.is_chosen:
            return made
        known = [toolkit for toolkit in living if toolkit.id in made.toolkits]
        best = max(known, key=_worth, default=None)
        into = None if best is None else best.id
        return replace(made, into=into, is_chosen=False, name=made.name if is_there else "")

    def ends_named(self, living: Collection[Toolkit]) -> list[Toolkit]:
        """The toolkits that a person named or pinned and that the merge would end."""
        return [
            toolkit
            for toolkit in living
            if toolkit.id in self.toolkits
            and toolkit.id != self.into
            and (toolkit.pinned or toolkit.name_author == Author.PERSON)
        ]

    def edit(self, living: Collection[Toolkit]) -> Merge | None:
        """The merge as it stands; None with fewer than two toolkits."""
        if self.into is None or len(self.toolkits) < 2:
            return None
        is_old_name = any(t.id == self.into and t.name == self.name for t in living)
        return Merge(
            toolkits=self.toolkits,
            into=self.into,
            left_out=tuple(sorted(self.left_out)),
            name="" if is_old_name else self.name,
        )


def _worth(toolkit: Toolkit) -> tuple[bool, bool, int, int]:
    return toolkit.pinned, toolkit.name_author == Author.PERSON, toolkit.size, -toolkit.id
