"""Toolkits as a strategy sees them: answers of the catalogue, each written to the log.

So the inspector can show which candidates there were and with which scores, and a replay sees the
same. Caller: `scope.py`.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.candidates import ScoredApi, ScoredToolkit
from toolplanner_core.domain.ids import ApiId, ToolkitId
from toolplanner_core.domain.toolkit import Toolkit
from toolplanner_core.runs.catalogue import Catalogue
from toolplanner_core.runs.taped_lookups import TapedLookups
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


def api_from_row(row: Mapping[str, Any], api_of: ApiOf) -> ScoredApi:
    """A candidate as it was logged."""
    return ScoredApi(api=api_of(ApiId(row["api"])), score=row["score"], parts=row["parts"])


def toolkit_row(item: ScoredToolkit) -> Mapping[str, Any]:
    """A candidate toolkit as it is logged: with the text a model saw, since people edit it."""
    return {
        "toolkit": item.toolkit.id,
        "name": item.toolkit.name,
        "description": item.toolkit.description,
        "size": item.toolkit.size,
        "score": round(item.score, 6),
        "parts": {name: round(part, 6) for name, part in item.parts.items()},
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
            self._lookups.record("shortlist", request, [toolkit_row(item) for item in found])
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
            return [api_from_row(row, self._api_of) for row in rows]
        found = await self._catalogue.members(toolkit, near=near)
        self._lookups.record("members", request, [api_row(item) for item in found])
        return found

    async def get(self, toolkit: ToolkitId) -> Toolkit:
        """One toolkit."""
        rows = self._lookups.recall("toolkit", {"toolkit": toolkit})
        if rows is None:
            found = await self._catalogue.get(toolkit)
            row = {
                "toolkit": found.id,
                "name": found.name,
                "description": found.description,
                "size": found.size,
            }
            self._lookups.record("toolkit", {"toolkit": toolkit}, [row])
        else:
            found = _toolkit_from_row(rows[0])
        self._names[found.id] = found.name
        return found
