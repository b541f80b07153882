"""Pin APIs in their toolkits, or whole toolkits: no machine changes them any more."""

from dataclasses import dataclass
from typing import ClassVar

from toolplanner_core.curation.edits.edit import EditFields, Planned, known_apis, living
from toolplanner_core.domain.curated import Changes, CuratedView, Membership
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.errors import BadInput
from toolplanner_core.words.wording import counted


@dataclass(frozen=True, slots=True, kw_only=True)
class PinApis(EditFields):
    """Fix APIs in the toolkit they are in, or let go of them."""

    kind: ClassVar[str] = "pin_apis"

    rowids: tuple[int, ...]
    is_pinned: bool = True

    def plan(self, view: CuratedView) -> Planned:
        """The pin of each membership."""
        chosen = known_apis(view, self.rowids)
        memberships = view.memberships(chosen)
        if len(memberships) < len(chosen) and self.is_pinned:
            homeless = len(chosen) - len(memberships)
            raise BadInput(
                f"{counted(homeless, 'API')} of these belong to no toolkit and cannot be pinned",
                todo="Move them to a toolkit first",
            )
        return Planned(
            label=f"{_verb(self.is_pinned)} {counted(len(memberships), 'API')}",
            changes=Changes(
                members={
                    rowid: Membership(membership.toolkit, self.is_pinned)
                    for rowid, membership in memberships.items()
                }
            ),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PinToolkits(EditFields):
    """Fix toolkits as they are: name, description and members."""

    kind: ClassVar[str] = "pin_toolkits"

    toolkits: tuple[ToolkitId, ...]
    is_pinned: bool = True

    def plan(self, view: CuratedView) -> Planned:
        """The pin of each toolkit."""
        if not self.toolkits:
            raise BadInput("No toolkits were chosen", todo="Choose at least one")
        names = [living(view, toolkit).name for toolkit in self.toolkits]
        what = f"“{names[0]}”" if len(names) == 1 else counted(len(names), "toolkit")
        return Planned(
            label=f"{_verb(self.is_pinned)} {what}",
            changes=Changes(
                toolkits={toolkit: {"is_pinned": self.is_pinned} for toolkit in self.toolkits}
            ),
        )


def _verb(is_pinned: bool) -> str:
    return "Pin" if is_pinned else "Unpin"
