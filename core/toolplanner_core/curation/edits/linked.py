"""What people said of pairs of APIs, and whether moving some would go against it.

A link comes from *Keep together*, *Keep apart* or *Never*, here or by a file of decisions; whoever
said it, no question may be asked and no answer made that breaks it.
"""

from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple, Self

from toolplanner_core.domain.curated import LinkKind
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.workspace import Database
from toolplanner_core.workspace.curated_tables import CuratedTables, all_links


class BrokenLink(NamedTuple):
    """Two APIs that would not be any more as a person wants them."""

    one: int
    other: int
    kind: LinkKind


class LinkedApis:
    """Links, by both of their APIs, and the toolkits of these.

    Args:
        links: by pair of row ids.
        toolkit_of: of the linked APIs; those without a toolkit are missing.
    """

    def __init__(
        self, links: Mapping[tuple[int, int], LinkKind], toolkit_of: Mapping[int, ToolkitId]
    ) -> None:
        self._toolkit_of = toolkit_of
        self._partners: defaultdict[int, list[tuple[int, LinkKind]]] = defaultdict(list)
        for (one, other), kind in links.items():
            self._partners[one].append((other, kind))
            self._partners[other].append((one, kind))

    @classmethod
    def read(cls, db: Database) -> Self:
        """The links of a workspace as they are now."""
        links = all_links(db)
        ends = {rowid for pair in links for rowid in pair}
        found = CuratedTables(db).memberships(sorted(ends))
        return cls(links, {rowid: membership.toolkit for rowid, membership in found.items()})

    def broken_by(self, moving: Mapping[int, ToolkitId]) -> BrokenLink | None:
        """A link that is kept now and would not be after a move; None if there is none.

        Args:
            moving: by row id the toolkits that APIs would come to.
        """
        for rowid in moving:
            for other, kind in self._partners.get(rowid, ()):
                before = self._toolkit_of.get(rowid), self._toolkit_of.get(other)
                after = moving[rowid], moving.get(other, before[1])
                if _is_broken(kind, *after) and not _is_broken(kind, *before):
                    return BrokenLink(rowid, other, kind)
        return None


def _is_broken(kind: LinkKind, one: ToolkitId | None, other: ToolkitId | None) -> bool:
    if one is None or other is None:
        return False
    return (one == other) is (kind is LinkKind.CANNOT)
