"""Which toolkit of this workspace a decision means: numbers and members differ from where it came.

A toolkit is found by the members it had (its anchor): the living one that shares most with them.
Once found, or made by a decision of the file, it is the same for all decisions that follow.
"""

from collections import Counter
from collections.abc import Mapping

from toolplanner_core.curation.edits.curated_state import CuratedState
from toolplanner_core.curation.sharing.decisions.decision import Anchor
from toolplanner_core.domain.ids import ApiId, ToolkitId
from toolplanner_core.errors import BadInput
from toolplanner_core.words.formatting import counted

LEAST_SHARED = 1 / 3
"""Jaccard of members and anchor from which on they are one toolkit: half of each is common."""


class Resolver:
    """Finds the toolkits of a file in a state that changes while its decisions are made.

    Args:
        state: the state here; whoever makes decisions keeps it up to date.
        rowid_of: row ids of the APIs that are here.
    """

    def __init__(self, state: CuratedState, rowid_of: Mapping[ApiId, int]) -> None:
        self._state = state
        self.rowid_of = rowid_of
        self._known: dict[ToolkitId, ToolkitId] = {}

    def learn(self, number: ToolkitId, toolkit: ToolkitId) -> None:
        """From now on `number` of the file is this toolkit."""
        self._known[number] = toolkit

    def find(self, number: ToolkitId, anchors: Mapping[ToolkitId, Anchor]) -> ToolkitId:
        """The living toolkit that is meant.

        Raises:
            BadInput: none is like it, or two are equally like it.
        """
        known = self._known.get(number)
        if known is not None and known in self._state.toolkits:
            return known
        anchor = anchors.get(number)
        if anchor is None:
            raise BadInput("A toolkit that an earlier decision made is not here")
        found = self._by_members(anchor) if anchor.apis else self._by_name(anchor)
        self._known[number] = found
        return found

    def find_retired(self, number: ToolkitId, anchors: Mapping[ToolkitId, Anchor]) -> ToolkitId:
        """The toolkit that is meant, which may have ended by an earlier decision.

        Raises:
            BadInput: as `find`.
        """
        known = self._known.get(number)
        if known is not None and known in self._state.gone:
            return known
        return self.find(number, anchors)

    def _by_name(self, anchor: Anchor) -> ToolkitId:
        named = [t for t, fields in self._state.toolkits.items() if fields.name == anchor.name]
        if len(named) != 1:
            raise BadInput(
                f"“{anchor.name}” had no members, and {len(named) or 'no'} toolkits here have its"
                " name"
            )
        return named[0]

    def _by_members(self, anchor: Anchor) -> ToolkitId:
        here = [self.rowid_of[api] for api in anchor.apis if api in self.rowid_of]
        if not here:
            raise BadInput(
                f"None of the {counted(len(anchor.apis), 'API')} of “{anchor.name}” is here"
            )
        common = Counter(
            self._state.toolkit_of[rowid].toolkit
            for rowid in here
            if rowid in self._state.toolkit_of
        )
        ranked = sorted(
            (
                (
                    n / (len(here) + len(self._state.members_of[toolkit]) - n),
                    self._is_named(toolkit, anchor),
                    toolkit,
                )
                for toolkit, n in common.items()
            ),
            reverse=True,
        )
        if not ranked:
            raise BadInput(f"The APIs of “{anchor.name}” belong to no toolkit here")
        best, *others = ranked
        name = self._state.toolkits[best[2]].name
        if best[0] < LEAST_SHARED:
            raise BadInput(
                f"No toolkit here is like “{anchor.name}”",
                why=f"The most alike, “{name}”, has {common[best[2]]:,} of its {len(here):,} APIs"
                f" and {len(self._state.members_of[best[2]]) - common[best[2]]:,} others",
            )
        if others and others[0][:2] == best[:2]:
            other = self._state.toolkits[others[0][2]].name
            raise BadInput(f"“{name}” and “{other}” are equally like “{anchor.name}”")
        return best[2]

    def _is_named(self, toolkit: ToolkitId, anchor: Anchor) -> bool:
        return self._state.toolkits[toolkit].name == anchor.name
