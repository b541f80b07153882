"""What a person says of APIs and toolkits without moving any: excluded, linked, pinned."""

from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

from toolplanner_core.curation.edits.edit import Edit, Planned, known_apis, living
from toolplanner_core.domain.curated import Changes, CuratedView, LinkKind, Membership, Pair
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.errors import BadInput
from toolplanner_core.words.formatting import counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Exclude(Edit):
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
class Include(Edit):
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Link(Edit):
    """Link APIs.

    Attributes:
        rowids: at least two. "must" holds them all together; "cannot" keeps each two of them apart.
        link: "must", "cannot", or "" to take links between them away.
    """

    kind: ClassVar[str] = "link"

    rowids: tuple[int, ...]
    link: str

    def plan(self, view: CuratedView) -> Planned:
        """A chain of pairs for "must", all pairs otherwise."""
        chosen = known_apis(view, self.rowids)
        if len(chosen) < 2:
            raise BadInput("A link needs two APIs", todo="Choose another one")
        if self.link not in ("", *LinkKind):
            raise BadInput(f"There is no link “{self.link}”", todo="Use must, cannot or nothing")
        if self.link != LinkKind.MUST and len(chosen) > _MOST:
            raise BadInput(
                f"{len(chosen):,} APIs are too many to link each with each",
                todo=f"Choose at most {_MOST}",
            )
        pairs: list[Pair] = (
            list(pairwise(chosen))
            if self.link == LinkKind.MUST
            else [(a, b) for i, a in enumerate(chosen) for b in chosen[i + 1 :]]
        )
        kind = LinkKind(self.link) if self.link else None
        what = counted(len(chosen), "API")
        label = {
            LinkKind.MUST: f"Keep {what} together",
            LinkKind.CANNOT: f"Keep {what} apart",
            None: f"Remove links between {what}",
        }[kind]
        return Planned(label=label, changes=Changes(links=dict.fromkeys(pairs, kind)))


_MOST = 100
"""APIs linked each with each: 4,950 pairs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PinApis(Edit):
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
class PinToolkits(Edit):
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
