"""Toolkits as a strategy sees them: answers of the catalogue, each written to the log.

So the inspector can show which candidates there were and with which scores, and a replay sees the
same. Caller: `scope.py`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from toolplanner_core.domain.candidates import ScoredApi, ScoredToolkit
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Toolkit
from toolplanner_core.runs.catalogue import Catalogue

RecordLookup = Callable[[str, Mapping[str, Any], list[Mapping[str, Any]]], None]


def api_row(item: ScoredApi) -> Mapping[str, Any]:
    """A candidate as it is logged."""
    return {
        "api": item.api.id,
        "title": item.api.title,
        "score": round(item.score, 6),
        "parts": {name: round(part, 6) for name, part in item.parts.items()},
    }


def toolkit_row(item: ScoredToolkit) -> Mapping[str, Any]:
    """A candidate toolkit as it is logged."""
    return {
        "toolkit": item.toolkit.id,
        "name": item.toolkit.name,
        "score": round(item.score, 6),
        "parts": {name: round(part, 6) for name, part in item.parts.items()},
    }


class RecordedToolkits:
    """Implements `strategies.scope.ToolkitView`."""

    def __init__(self, catalogue: Catalogue, record: RecordLookup) -> None:
        self._catalogue = catalogue
        self._record = record
        self._names: dict[ToolkitId, str] = {}

    def name_of(self, toolkit: ToolkitId) -> str:
        """Name of a toolkit that was seen in this run, else its number."""
        return self._names.get(toolkit, f"toolkit {toolkit}")

    async def shortlist(
        self, text: str, n: int, *, without: Sequence[ToolkitId] = ()
    ) -> list[ScoredToolkit]:
        """The `n` toolkits that fit a text best, best first."""
        found = await self._catalogue.shortlist(text, n, without=without)
        self._names.update({item.toolkit.id: item.toolkit.name for item in found})
        request = {"text": text, "n": n, "without": list(without)}
        self._record("shortlist", request, [toolkit_row(item) for item in found])
        return found

    async def members(self, toolkit: ToolkitId, *, near: str) -> list[ScoredApi]:
        """The APIs of a toolkit, best first."""
        found = await self._catalogue.members(toolkit, near=near)
        request = {"toolkit": toolkit, "near": near}
        self._record("members", request, [api_row(item) for item in found])
        return found

    async def get(self, toolkit: ToolkitId) -> Toolkit:
        """One toolkit."""
        found = await self._catalogue.get(toolkit)
        self._names[found.id] = found.name
        row = {"toolkit": found.id, "name": found.name, "size": found.size}
        self._record("toolkit", {"toolkit": toolkit}, [row])
        return found
