"""What people said of pairs of APIs, and whether moving some would go against it.

A link comes from *Keep together*, *Keep apart* or *Never*, here or by a file of decisions; whoever
said it, no question may be asked and no answer made that breaks it. What a person does by hand may
break it and is told.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple, Self

from toolplanner_core.domain.curated import Changes, LinkKind
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.words.formatting import count, one_line
from toolplanner_core.workspace import Database
from toolplanner_core.workspace.catalogue import titles_by_rowid
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

    def are_linked(self, one: int, other: int) -> bool:
        """Whether a person said of two APIs that they are to stay together, or apart."""
        return any(partner == other for partner, _ in self._partners.get(one, ()))

    def broken_by(self, moving: Mapping[int, ToolkitId]) -> BrokenLink | None:
        """A link that is kept now and would not be after a move; None if there is none.

        Args:
            moving: by row id the toolkits that APIs would come to.
        """
        return next(self.each_broken_by(moving), None)

    def each_broken_by(self, moving: Mapping[int, ToolkitId | None]) -> Iterator[BrokenLink]:
        """All links that `broken_by` means, each once; None = an API that comes to no toolkit."""
        seen: set[frozenset[int]] = set()
        for rowid in moving:
            for other, kind in self._partners.get(rowid, ()):
                before = self._toolkit_of.get(rowid), self._toolkit_of.get(other)
                after = moving[rowid], moving.get(other, before[1])
                pair = frozenset((rowid, other))
                if pair in seen or not _is_broken(kind, *after) or _is_broken(kind, *before):
                    continue
                seen.add(pair)
                yield BrokenLink(rowid, other, kind)


def against_links(db: Database, changes: Changes, before: Changes) -> str:
    """Which link changes go against, in words: "against the link that keeps “A” and “B” apart"; ""
    if they go against none.

    Args:
        db: with the changes or without them.
        changes, before: values after and before, under the same keys.
    """
    if not changes.members:
        return ""
    links = {pair: kind for pair, kind in all_links(db).items() if pair not in changes.links}
    ends = sorted({rowid for pair in links for rowid in pair})
    was = {**CuratedTables(db).memberships(ends), **before.members}
    linked = LinkedApis(links, {rowid: each.toolkit for rowid, each in was.items() if each})
    moving = {rowid: now and now.toolkit for rowid, now in changes.members.items()}
    broken = list(linked.each_broken_by(moving))
    if not broken:
        return ""
    first = broken[0]
    titles = titles_by_rowid(db, first[:2])
    names = " and ".join(f"“{one_line(titles[rowid], 60)}”" for rowid in sorted(titles))
    how = "apart" if first.kind is LinkKind.CANNOT else "together"
    more = f" and {count(len(broken) - 1)} more" if len(broken) > 1 else ""
    return f"against the link that keeps {names} {how}{more}"


def _is_broken(kind: LinkKind, one: ToolkitId | None, other: ToolkitId | None) -> bool:
    if one is None or other is None:
        return False
    return (one == other) is (kind is LinkKind.CANNOT)
