"""Exclude APIs from planning, with a reason, and include them again.

An excluded API stays in its toolkit and on the map, but no plan is offered it.
"""

from dataclasses import dataclass
from typing import ClassVar

from toolplanner_core.curation.edits.edit import EditFields, Planned, known_apis
from toolplanner_core.domain.curated import Changes, CuratedView
from toolplanner_core.words.wording import counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Exclude(EditFields):
    """Offer these APIs to no plan.

    Attributes:
        reason: for people; may be empty.
    """

    kind: ClassVar[str] = "exclude"

    rowids: tuple[int, ...]
    reason: str = ""

    def plan(self, view: CuratedView) -> Planned:
        """The reason of each."""
        chosen = known_apis(view, self.rowids)
        why = f": {self.reason.strip()}" if self.reason.strip() else ""
        return Planned(
            label=f"Exclude {counted(len(chosen), 'API')}{why}",
            changes=Changes(excluded=dict.fromkeys(chosen, self.reason.strip())),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Include(EditFields):
    """Offer these APIs to plans again."""

    kind: ClassVar[str] = "include"

    rowids: tuple[int, ...]

    def plan(self, view: CuratedView) -> Planned:
        """No reason any more."""
        chosen = view.exclusions(known_apis(view, self.rowids))
        return Planned(
            label=f"Include {counted(len(chosen), 'API')}",
            changes=Changes(excluded=dict.fromkeys(chosen)),
        )
