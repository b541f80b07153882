"""What a run may look up: toolkits, their members, APIs by meaning, the catalogue page by page.

`Catalogue` is what the scope needs; `WorkspaceCatalogue` answers from the workspace through
`retrieval/`, members of a toolkit ranked by how reliable they were in earlier runs, too. Searching
blocks (SQLite, matrix products, an embedder), so it happens on worker threads.
"""

import asyncio
import threading
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any, Protocol

from toolplanner_core.curation.grouping.region_keeping import keep_regions
from toolplanner_core.domain.demonstration import ChosenDemonstration, DemonstrationRequest
from toolplanner_core.domain.ids import ApiId, ToolkitId
from toolplanner_core.domain.toolkit import MemberFit, ScoredApi, ScoredToolkit, Toolkit
from toolplanner_core.errors import NotFound
from toolplanner_core.retrieval.demonstrations import DemonstrationIndex
from toolplanner_core.retrieval.hybrid import HybridIndex
from toolplanner_core.retrieval.toolkits import ToolkitIndex
from toolplanner_core.strategies.interface.views import CatalogueEntry, CataloguePage, Level
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.call_statistics import CallFigures, call_figures
from toolplanner_core.workspace.catalogue import BrowseScope, apis_by_rowid, browse
from toolplanner_core.workspace.curated_tables import all_region_of, all_regions
from toolplanner_core.workspace.runs import newest_run
from toolplanner_core.workspace.settings import get_setting
from toolplanner_core.workspace.toolkits import (
    excluded_ids,
    get_toolkit,
    plannable_labels,
    plannable_toolkits,
)

_UNKNOWN = CallFigures(n_ok=0, n_failed=0).smoothed


class CallHealth:
    """Smoothed share of successful calls of each API, as of the newest run: the calls of a run do
    not change its own order. Thread-safe."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._lock = threading.Lock()
        self._as_of: int | None = None
        self._shares: dict[ApiId, float] = {}

    def of(self, api: ApiId) -> float:
        """0 to 1; one half for an API that was never called."""
        with self._lock:
            newest = newest_run(self._workspace)
            if newest != self._as_of:
                figures = call_figures(self._workspace)
                apis = apis_by_rowid(self._workspace, list(figures))
                self._shares = {apis[rowid].id: each.smoothed for rowid, each in figures.items()}
                self._as_of = newest
            return self._shares.get(api, _UNKNOWN)


class CataloguePager:
    """Pages of one workspace.

    Args:
        only: row ids of the only APIs that there are; None = all.
    """

    def __init__(self, workspace: Workspace, only: Collection[int] | None = None) -> None:
        self._workspace, self._only = workspace, only
        self._regions: list[tuple[CatalogueEntry, frozenset[ToolkitId]]] = []
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
    ) -> CataloguePage:
        """One page of a level; only what is below the things named.

        Raises:
            NotFound: there is no such region or toolkit.
        """
        if level == "region":
            entries = [entry for entry, _ in self._find_regions()]
            return _cut(entries, page, size)
        within = BrowseScope(
            source=source,
            category=category,
            tool=tool,
            toolkit=_number(toolkit, "toolkit") if toolkit else None,
            toolkits=self._toolkits_of(region) if region else None,
            apis=self._only,
        )
        rows, total = browse(self._workspace, level, within, page=page, size=size)
        return CataloguePage(entries=[CatalogueEntry(*row) for row in rows], total=total, page=page)

    def _toolkits_of(self, region: str) -> frozenset[ToolkitId]:
        for entry, toolkits in self._find_regions():
            if entry.id == region:
                return toolkits
        raise NotFound(f"There is no region {region!r}")

    def _find_regions(self) -> list[tuple[CatalogueEntry, frozenset[ToolkitId]]]:
        """Regions, largest first; one of all toolkits where there are too few to need any."""
        version = int(get_setting(self._workspace, "toolkits_version", 0))
        if version == self._version:
            return self._regions
        toolkits = {toolkit.id: toolkit for toolkit in plannable_toolkits(self._workspace)}
        if self._only is not None:
            labels = plannable_labels(self._workspace)
            sizes = Counter(labels[rowid] for rowid in self._only if rowid in labels)
            toolkits = {n: replace(toolkits[n], size=size) for n, size in sizes.items()}
        groups: dict[str, set[ToolkitId]] = {}
        keep_regions(self._workspace)
        db = self._workspace.reader()
        regions = all_regions(db)
        for toolkit, region in all_region_of(db).items():
            if toolkit in toolkits:
                groups.setdefault(regions[region].name, set()).add(toolkit)
        left = set(toolkits) - {toolkit for group in groups.values() for toolkit in group}
        if left:
            groups["All toolkits" if not groups else "Other toolkits"] = set(left)
        sized = [(sum(toolkits[t].size for t in m), name, m) for name, m in groups.items()]
        sized.sort(key=lambda each: -each[0])
        self._regions = [
            (CatalogueEntry(str(number), name, "", size), frozenset(members))
            for number, (size, name, members) in enumerate(sized, start=1)
        ]
        self._version = version
        return self._regions


def _cut(entries: Sequence[CatalogueEntry], page: int, size: int) -> CataloguePage:
    begin = (page - 1) * size
    return CataloguePage(entries=entries[begin : begin + size], total=len(entries), page=page)


def _number(text: str, what: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise NotFound(f"There is no {what} {text!r}") from None


class Catalogue(Protocol):
    """Answers of the catalogue, best first."""

    async def shortlist(
        self, text: str, n: int, *, without: Sequence[ToolkitId]
    ) -> list[ScoredToolkit]:
        """The `n` toolkits that fit a text best."""
        ...

    async def members(self, toolkit: ToolkitId, *, near: str) -> list[ScoredApi]:
        """The APIs of a toolkit by similarity to `near`."""
        ...

    async def get(self, toolkit: ToolkitId) -> Toolkit:
        """One toolkit."""
        ...

    async def search(self, text: str, k: int) -> list[ScoredApi]:
        """The `k` APIs that fit a text best."""
        ...

    async def demonstrations(self, request: DemonstrationRequest) -> list[ChosenDemonstration]:
        """As `CatalogueView.demonstrations`."""
        ...

    async def browse(self, level: Level, *, page: int, size: int, **within: str) -> CataloguePage:
        """One page of a level; `within`: as of `CatalogueView.browse`."""
        ...


class WorkspaceCatalogue:
    """The catalogue of a workspace. Cheap to make; vectors and embedder are loaded at first use and
    kept, so share one among runs. End it with `close`.

    Args:
        like: of the same APIs with other toolkits; its vectors and embedder serve this one, too,
            which then is not to be closed.
    """

    def __init__(self, workspace: Workspace, *, like: "WorkspaceCatalogue | None" = None) -> None:
        self._workspace = workspace
        self._index = HybridIndex(workspace) if like is None else like._index
        self._toolkits = ToolkitIndex(workspace, self._index)
        self._browser = CataloguePager(workspace)
        self._health = CallHealth(workspace) if like is None else like._health
        self._demonstrations = DemonstrationIndex(workspace)

    @property
    def encode(self) -> Callable[[list[str]], Any] | None:
        """Texts -> (n, dim) float32 unit vectors, None before the catalogue was embedded."""
        encoder = self._index.encoder
        return None if encoder.embedder_id is None else encoder.encode

    @property
    def embedder_id(self) -> str:
        """Storage id of the active embedder, "" before the catalogue was embedded."""
        return self._index.encoder.embedder_id or ""

    def evidence(self, text: str, words: str, toolkits: Sequence[ToolkitId]) -> list[MemberFit]:
        """How much the members of each toolkit have to do with a text; blocks like a search."""
        return self._toolkits.fits(text, words, toolkits)

    async def shortlist(
        self, text: str, n: int, *, without: Sequence[ToolkitId]
    ) -> list[ScoredToolkit]:
        """The `n` toolkits that fit a text best."""
        return await asyncio.to_thread(self._toolkits.rank_toolkits, text, n, without)

    async def members(self, toolkit: ToolkitId, *, near: str) -> list[ScoredApi]:
        """The APIs of a toolkit by similarity to `near` and health."""
        return await asyncio.to_thread(self._rank_members, toolkit, near)

    def _rank_members(self, toolkit: ToolkitId, near: str) -> list[ScoredApi]:
        return self._toolkits.rank_members(toolkit, near, self._health.of)

    async def get(self, toolkit: ToolkitId) -> Toolkit:
        """One toolkit, living or retired.

        Raises:
            NotFound: no toolkit has this id.
        """
        return await asyncio.to_thread(get_toolkit, self._workspace, toolkit)

    async def browse(self, level: Level, *, page: int, size: int, **within: str) -> CataloguePage:
        """One page of a level."""
        return await asyncio.to_thread(self._browser.page, level, page=page, size=size, **within)

    async def search(self, text: str, k: int) -> list[ScoredApi]:
        """The `k` APIs that fit a text best; none that a person excluded."""
        excluded = await asyncio.to_thread(excluded_ids, self._workspace)
        found = await asyncio.to_thread(self._index.search, text, k + len(excluded))
        return [scored for scored in found if scored.api.id not in excluded][:k]

    async def demonstrations(self, request: DemonstrationRequest) -> list[ChosenDemonstration]:
        """Demonstrations of similar tasks, then examples of APIs."""
        return await asyncio.to_thread(self._demonstrations.choose, request)

    def close(self) -> None:
        """Let go of the embedder, and of its process if it has one."""
        self._index.encoder.close()
