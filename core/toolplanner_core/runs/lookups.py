"""Toolkits and the catalogue as a strategy sees them: answers, each written to the log.

So the inspector can show which candidates there were and with which scores, and a replay sees the
same.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.candidates import ScoredApi, ScoredToolkit
from toolplanner_core.domain.ids import ApiId, ToolkitId
from toolplanner_core.domain.toolkit import Toolkit
from toolplanner_core.runs.catalogue import Catalogue
from toolplanner_core.runs.tape.lookups import TapedLookups
from toolplanner_core.strategies.browsing import Entry, Level, Page
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import get_api

ApiOf = Callable[[ApiId], Api]
"""The API of an id; raises `NotFound`."""


def stored_apis(workspace: Workspace) -> ApiOf:
    """Finds APIs of a workspace by their ids; each is read once."""

    @cache
    def find(api_id: ApiId) -> Api:
        return get_api(workspace, api_id)

    return find


def api_row(item: ScoredApi) -> Mapping[str, Any]:
    """A candidate as it is logged."""
    return {
        "api": item.api.id,
        "title": item.api.title,
        "score": round(item.score, 6),
        "parts": {name: round(part, 6) for name, part in item.parts.items()},
    }


def _api_from_row(row: Mapping[str, Any], api_of: ApiOf) -> ScoredApi:
    return ScoredApi(api=api_of(ApiId(row["api"])), score=row["score"], parts=row["parts"])


def _toolkit_row(toolkit: Toolkit) -> dict[str, Any]:
    """A toolkit as it is logged: with the text a model saw, since people edit it."""
    return {
        "toolkit": toolkit.id,
        "name": toolkit.name,
        "description": toolkit.description,
        "size": toolkit.size,
    }


def _toolkit_from_row(row: Mapping[str, Any]) -> Toolkit:
    return Toolkit(
        id=ToolkitId(row["toolkit"]),
        name=row["name"],
        description=row.get("description", ""),
        size=row.get("size", 0),
    )


class RecordedToolkits:
    """Implements `strategies.scope.ToolkitView`; what the tape holds is not looked up again."""

    def __init__(self, catalogue: Catalogue, *, lookups: TapedLookups, api_of: ApiOf) -> None:
        self._catalogue = catalogue
        self._lookups = lookups
        self._api_of = api_of
        self._names: dict[ToolkitId, str] = {}

    def name_of(self, toolkit: ToolkitId) -> str:
        """Name of a toolkit that was seen in this run, else its number."""
        return self._names.get(toolkit, f"toolkit {toolkit}")

    async def shortlist(
        self, text: str, n: int, *, without: Sequence[ToolkitId] = ()
    ) -> list[ScoredToolkit]:
        """The `n` toolkits that fit a text best, best first."""
        request = {"text": text, "n": n, "without": list(without)}
        rows = self._lookups.recall("shortlist", request)
        if rows is None:
            found = await self._catalogue.shortlist(text, n, without=without)
            self._lookups.record("shortlist", request, [_scored_row(item) for item in found])
        else:
            found = [
                ScoredToolkit(
                    toolkit=_toolkit_from_row(row), score=row["score"], parts=row["parts"]
                )
                for row in rows
            ]
        self._names.update({item.toolkit.id: item.toolkit.name for item in found})
        return found

    async def members(self, toolkit: ToolkitId, *, near: str) -> list[ScoredApi]:
        """The APIs of a toolkit, best first."""
        request = {"toolkit": toolkit, "near": near}
        rows = self._lookups.recall("members", request)
        if rows is not None:
            return [_api_from_row(row, self._api_of) for row in rows]
        found = await self._catalogue.members(toolkit, near=near)
        self._lookups.record("members", request, [api_row(item) for item in found])
        return found

    async def get(self, toolkit: ToolkitId) -> Toolkit:
        """One toolkit."""
        rows = self._lookups.recall("toolkit", {"toolkit": toolkit})
        if rows is None:
            found = await self._catalogue.get(toolkit)
            self._lookups.record("toolkit", {"toolkit": toolkit}, [_toolkit_row(found)])
        else:
            found = _toolkit_from_row(rows[0])
        self._names[found.id] = found.name
        return found


def _scored_row(item: ScoredToolkit) -> dict[str, Any]:
    return {
        **_toolkit_row(item.toolkit),
        "score": round(item.score, 6),
        "parts": {name: round(part, 6) for name, part in item.parts.items()},
    }


class RecordedCatalogue:
    """Implements `strategies.browsing.CatalogueView`; what the tape holds is not looked up
    again."""

    def __init__(self, catalogue: Catalogue, *, lookups: TapedLookups, api_of: ApiOf) -> None:
        self._catalogue = catalogue
        self._lookups = lookups
        self._api_of = api_of

    async def browse(
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
        """One page of a level."""
        below = {
            "source": source,
            "category": category,
            "tool": tool,
            "region": region,
            "toolkit": toolkit,
        }
        within = {name: value for name, value in below.items() if value}
        request = {"level": level, **within, "page": page, "size": size}
        rows = self._lookups.recall("browse", request)
        if rows is None:
            found = await self._catalogue.browse(level, page=page, size=size, **within)
            entries: list[Mapping[str, Any]] = [entry._asdict() for entry in found.entries]
            self._lookups.record("browse", request, [{"total": found.total}, *entries])
            return found
        entries_found = [Entry(**row) for row in rows[1:]]
        return Page(entries=entries_found, total=rows[0]["total"] if rows else 0, page=page)

    async def api(self, api_id: ApiId) -> Api:
        """One API; its documentation is that of today."""
        return self._api_of(api_id)

    async def search(self, text: str, k: int) -> list[ScoredApi]:
        """The `k` APIs of the whole catalogue that fit a text best."""
        request = {"text": text, "k": k}
        rows = self._lookups.recall("retrieve", request)
        if rows is not None:
            return [_api_from_row(row, self._api_of) for row in rows]
        found = await self._catalogue.search(text, k)
        self._lookups.record("retrieve", request, [api_row(item) for item in found])
        return found
