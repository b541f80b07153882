"""A decision where it is made: its values in terms of this workspace, what stands against it, and
what is left of it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from toolplanner_core.curation.edits.curated_state import CuratedState
from toolplanner_core.curation.edits.edit import Edit
from toolplanner_core.curation.sharing.decisions.decision import Decision
from toolplanner_core.curation.sharing.decisions.resolving import Resolver
from toolplanner_core.curation.sharing.decisions.translating import changes_with_rowids
from toolplanner_core.domain.curated import Changes
from toolplanner_core.domain.ids import ApiId, ToolkitId
from toolplanner_core.errors import BadInput


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A part of a decision that is not made, since something here speaks against it.

    Attributes:
        why: for people.
        rowids: the APIs it is about; none: it is about the toolkit.
    """

    why: str
    rowids: tuple[int, ...] = ()


@dataclass(slots=True, kw_only=True)
class Wanted:
    """What to do about one decision.

    Attributes:
        edits: usually one; none if everything is so already or nothing can be done.
        makes: numbers in the file of the toolkits that the first edit makes, in their order.
        missing: APIs that are not in this catalogue.
    """

    edits: list[Edit] = field(default_factory=list)
    makes: list[ToolkitId] = field(default_factory=list)
    missing: list[ApiId] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)

    def refuse(self, why: str, *rowids: int) -> None:
        """Note what is not made; APIs with the same reason are told together."""
        for position, other in enumerate(self.refused):
            if other.why == why:
                self.refused[position] = Refused(why=why, rowids=other.rowids + rowids)
                return
        self.refused.append(Refused(why=why, rowids=rowids))


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedDecision:
    """One decision and the state it is to be made in.

    Attributes:
        before, after: the decision's values for the APIs that are here, with the toolkit numbers
            of the file.
    """

    decision: Decision
    state: CuratedState
    resolver: Resolver
    rowid_of: Mapping[ApiId, int]
    before: Changes
    after: Changes

    @classmethod
    def of(
        cls,
        decision: Decision,
        state: CuratedState,
        resolver: Resolver,
        rowid_of: Mapping[ApiId, int],
    ) -> "PlacedDecision":
        """With the values translated."""
        return cls(
            decision=decision,
            state=state,
            resolver=resolver,
            rowid_of=rowid_of,
            before=changes_with_rowids(decision.before, rowid_of),
            after=changes_with_rowids(decision.after, rowid_of),
        )

    def find(self, number: ToolkitId) -> ToolkitId:
        """The living toolkit that is meant.

        Raises:
            BadInput: none is like it, or two are equally like it.
        """
        return self.resolver.find(number, self.decision.toolkits)

    def find_free(self, number: ToolkitId) -> ToolkitId:
        """`find`, and nobody pinned it here who had not pinned it there.

        Raises:
            BadInput: as `find`, or it is pinned.
        """
        toolkit = self.find(number)
        if self.is_fixed(toolkit, number):
            raise BadInput(f"“{self.state.toolkits[toolkit].name}” is pinned here")
        return toolkit

    def is_fixed(self, toolkit: ToolkitId, number: ToolkitId | None) -> bool:
        """Whether a toolkit is pinned here and was not where the decision was made."""
        anchor = None if number is None else self.decision.toolkits.get(number)
        return self.state.toolkits[toolkit].is_pinned and not (anchor and anchor.is_pinned)

    def here(self, apis: Iterable[str], wanted: Wanted) -> list[int]:
        """Row ids of those APIs that are in this catalogue; the others are noted as missing."""
        found: list[int] = []
        for api in apis:
            rowid = self.rowid_of.get(ApiId(api))
            if rowid is None:
                wanted.missing.append(ApiId(api))
            else:
                found.append(rowid)
        return found

    def free(self, rowids: Sequence[int], to: ToolkitId | None, wanted: Wanted) -> list[int]:
        """Those APIs that may move to a toolkit, and are not there; what stands against the others
        is noted."""
        moving: list[int] = []
        for rowid in rowids:
            here = self.state.toolkit_of.get(rowid)
            if (None if here is None else here.toolkit) == to:
                continue
            if why := self._against(rowid):
                wanted.refuse(why, rowid)
            else:
                moving.append(rowid)
        return moving

    def _against(self, rowid: int) -> str:
        here = self.state.toolkit_of.get(rowid)
        if here is None:
            return ""
        was = self.before.members.get(rowid)
        name = self.state.toolkits[here.toolkit].name
        is_known = was is not None and self.resolver.is_same(
            was.toolkit, here.toolkit, self.decision.toolkits
        )
        if here.is_pinned and not (is_known and was is not None and was.is_pinned):
            return f"pinned in “{name}” here"
        if self.is_fixed(here.toolkit, was.toolkit if was is not None and is_known else None):
            return f"in “{name}”, which is pinned here"
        return ""
