"""Look through the catalogue of a workspace from the top down; answers `run.catalogue`.

Sources, categories, tools, toolkits and APIs are read from the tables; regions are made of the
toolkits' vectors once per state of the toolkits. Blocks; on worker threads.
"""

from collections.abc import Sequence

from toolplanner_core.curation.grouping.regions import find_regions
from toolplanner_core.curation.grouping.toolkit_sums import toolkit_sums
from toolplanner_core.errors import NotFound
from toolplanner_core.strategies.browsing import Entry, Level, Page
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.browsing import BrowseFilter, browse
from toolplanner_core.workspace.plannable import plannable_toolkits
from toolplanner_core.workspace.settings import get_setting


class Browser:
    """Pages of one workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._regions: list[tuple[Entry, frozenset[int]]] = []
        self._version: int | None = None

    def page(
        self,
        level: Level,
        *,
        source: str = "",
        category: str = "",
        tool: str = "",
        region: str = "",
        toolkit: str = "",
        page: int = 1,
        size: int = 50,
    ) -> Page:
        """One page of a level; only what is below the things named.

        Raises:
            NotFound: there is no such region or toolkit.
        """
        if level == "region":
            entries = [entry for entry, _ in self._find_regions()]
            return _cut(entries, page, size)
        within = BrowseFilter(
            source=source,
            category=category,
            tool=tool,
            toolkit=_number(toolkit, "toolkit") if toolkit else None,
            toolkits=self._toolkits_of(region) if region else None,
        )
        rows, total = browse(self._workspace, level, within, page=page, size=size)
        return Page(entries=[Entry(*row) for row in rows], total=total, page=page)

    def _toolkits_of(self, region: str) -> frozenset[int]:
        for entry, toolkits in self._find_regions():
            if entry.id == region:
                return toolkits
        raise NotFound(f"There is no region {region!r}")

    def _find_regions(self) -> list[tuple[Entry, frozenset[int]]]:
        """Regions, largest first; one of all toolkits where there are too few to need any."""
        version = int(get_setting(self._workspace, "toolkits_version", 0))
        if version == self._version:
            return self._regions
        toolkits = {toolkit.id: toolkit for toolkit in plannable_toolkits(self._workspace)}
        groups: dict[str, set[int]] = {}
        sums = toolkit_sums(self._workspace)
        if sums is not None:
            names = [toolkits[t].name if t in toolkits else "" for t in sums.toolkits]
            found = find_regions(sums.sums, sums.counts, names)
            for toolkit, index in zip(sums.toolkits, found.of_toolkit.tolist(), strict=True):
                if index >= 0 and toolkit in toolkits:
                    groups.setdefault(found.names[index], set()).add(toolkit)
        left = set(toolkits) - {toolkit for group in groups.values() for toolkit in group}
        if left:
            groups["All toolkits" if not groups else "Other toolkits"] = set(left)
        self._regions = [
            (
                Entry(str(number), name, "", sum(toolkits[t].size for t in members)),  # pyright: ignore[reportArgumentType]
                frozenset(members),
            )
            for number, (name, members) in enumerate(groups.items(), start=1)
        ]
        self._version = version
        return self._regions


def _cut(entries: Sequence[Entry], page: int, size: int) -> Page:
    begin = (page - 1) * size
    return Page(entries=entries[begin : begin + size], total=len(entries), page=page)


def _number(text: str, what: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise NotFound(f"There is no {what} {text!r}") from None
