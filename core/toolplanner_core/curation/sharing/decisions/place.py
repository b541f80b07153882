"""A decision where it is made: its values in terms of this workspace, what stands against it, and
what is left of it.
"""

from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from functools import cached_property

from toolplanner_core.curation.edits.curated_state import CuratedState
from toolplanner_core.curation.edits.edit import Edit
from toolplanner_core.curation.sharing.decisions.decision import Decision
from toolplanner_core.curation.sharing.decisions.resolving import Resolver
from toolplanner_core.domain.curated import Changes, changes_from_json
from toolplanner_core.domain.ids import ApiId, ToolkitId
from toolplanner_core.errors import BadInput


class PlacedDecision:
    """One decision, the state it is to be made in, and what to do about it there.

    Attributes:
        edits: usually one; none if everything is so already or nothing can be done.
        makes: numbers in the file of the toolkits that the first edit makes, in their order.
        missing: APIs that are not in this catalogue.
        refused: why parts of it are not made -> row ids of the APIs; none: it is about the toolkit.
        otherwise: what is otherwise here, so that it reaches less than it did there, and stops
            nothing -> row ids of the APIs.
    """

    def __init__(self, decision: Decision, state: CuratedState, resolver: Resolver) -> None:
        self.decision = decision
        self.asked = decision.asked
        self.state = state
        self.resolver = resolver
        self.edits: list[Edit] = []
        self.makes: Sequence[ToolkitId] = ()
        self.missing: list[ApiId] = []
        self.refused: dict[str, tuple[int, ...]] = {}
        self.otherwise: dict[str, tuple[int, ...]] = {}

    @cached_property
    def before(self) -> Changes:
        """The values before it of the APIs that are here, with toolkit numbers of the file."""
        return changes_from_json(self.decision.before, self.resolver.rowid_of.get)

    @cached_property
    def after(self) -> Changes:
        """The values after it, as `before`."""
        return changes_from_json(self.decision.after, self.resolver.rowid_of.get)

    def refuse(self, why: str, *rowids: int) -> None:
        """Note what is not made; APIs with the same reason are told together."""
        self.refused[why] = self.refused.get(why, ()) + rowids

    @contextmanager
    def refusing(self, *rowids: int) -> Generator[None]:
        """Note what cannot be made inside as refused, and go on."""
        try:
            yield
        except BadInput as error:
            self.refuse(error.sentence, *rowids)

    def find(self, number: int) -> ToolkitId:
        """The living toolkit that is meant.

        Raises:
            BadInput: none is like it, or two are equally like it.
        """
        return self.resolver.find(ToolkitId(number), self.decision.toolkits)

    def find_free(self, number: int) -> ToolkitId:
        """`find`, and nobody pinned it here who had not pinned it there.

        Raises:
            BadInput: as `find`, or it is pinned.
        """
        toolkit = self.find(number)
        if self._is_fixed(toolkit, number):
            raise BadInput(f"“{self.state.toolkits[toolkit].name}” is pinned here")
        return toolkit

    def compare_members(self, numbers: Iterable[int], *, found: Iterable[ToolkitId]) -> None:
        """Note the APIs that were in toolkits of the file and are in none of those found for them.

        Args:
            numbers: the toolkits where it was decided.
        """
        toolkits = set(found)
        for number in numbers:
            anchor = self.decision.toolkits.get(ToolkitId(number))
            for api in () if anchor is None else anchor.apis:
                rowid = self.resolver.rowid_of.get(api)
                here = None if rowid is None else self.state.toolkit_of.get(rowid)
                if rowid is None or (here is not None and here.toolkit in toolkits):
                    continue
                name = None if here is None else self.state.toolkits[here.toolkit].name
                where = "in no toolkit here" if name is None else f"in “{name}” here"
                self.otherwise[where] = (*self.otherwise.get(where, ()), rowid)

    def find_target(self, number: int | None) -> ToolkitId | None:
        """`find`; None stands for no toolkit."""
        return None if number is None else self.find(number)

    def is_same(self, number: ToolkitId, toolkit: ToolkitId) -> bool:
        """Whether `number` of the file is this toolkit."""
        try:
            return self.find(number) == toolkit
        except BadInput:
            return False

    def here(self, apis: Iterable[str]) -> list[int]:
        """Row ids of those APIs that are in this catalogue; the others are noted as missing."""
        found = {ApiId(api): self.resolver.rowid_of.get(ApiId(api)) for api in apis}
        self.missing += [api for api, rowid in found.items() if rowid is None]
        return [rowid for rowid in found.values() if rowid is not None]

    def free(self, rowids: Sequence[int], to: ToolkitId | None) -> list[int]:
        """Those APIs that may move to a toolkit, and are not there; what stands against the others
        is noted."""
        moving: list[int] = []
        for rowid in rowids:
            here = self.state.toolkit_of.get(rowid)
            if (None if here is None else here.toolkit) == to:
                continue
            if why := self._against(rowid):
                self.refuse(why, rowid)
            else:
                moving.append(rowid)
        return moving

    def _is_fixed(self, toolkit: ToolkitId, number: int | None) -> bool:
        """Whether a toolkit is pinned here and was not where the decision was made."""
        anchor = None if number is None else self.decision.toolkits.get(ToolkitId(number))
        return self.state.toolkits[toolkit].is_pinned and not (anchor and anchor.pinned)

    def _against(self, rowid: int) -> str:
        here = self.state.toolkit_of.get(rowid)
        if here is None:
            return ""
        was = self.before.members.get(rowid)
        if was is not None and not self.is_same(was.toolkit, here.toolkit):
            was = None
        name = self.state.toolkits[here.toolkit].name
        if here.is_pinned and not (was and was.is_pinned):
            return f"pinned in “{name}” here"
        if self._is_fixed(here.toolkit, None if was is None else was.toolkit):
            return f"in “{name}”, which is pinned here"
        return ""
