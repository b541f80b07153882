"""Toolkits and the catalogue as a strategy sees them: answers, each written to the log, and in a
replay or fork read from the tape instead.

So the inspector can show which candidates there were and with which scores, and a replay sees the
catalogue as it was, whatever has been edited since.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from functools import cache
from typing import Any, TypeVar, Unpack

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.demonstration import ChosenDemonstration, DemonstrationRequest
from toolplanner_core.domain.ids import ApiId, NodePath, ToolkitId
from toolplanner_core.domain.plain_data import from_plain, without_defaults
from toolplanner_core.domain.toolkit import ScoredApi, ScoredToolkit, Toolkit
from toolplanner_core.errors import NotFound
from toolplanner_core.runs.catalogue.workspace_catalogue import Catalogue
from toolplanner_core.runs.events.decision import CatalogueLookup
from toolplanner_core.runs.log.run_log import RunLog
from toolplanner_core.strategies.interface.views import (
    BrowseFilter,
    CatalogueEntry,
    CataloguePage,
    Level,
)
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import get_api

T = TypeVar("T")
Rows = list[Mapping[str, Any]]


class TapedLookups:
    """Look-ups of one run.

    Args:
        place: path of the node that is open where it is asked.
    """

    def __init__(self, log: RunLog, place: Callable[[], NodePath]) -> None:
        self._log = log
        self._place = place

    async def answer(
        self,
        what: str,
        request: Mapping[str, Any],
        ask: Callable[[], Awaitable[list[T]]],
        to_row: Callable[[T], Mapping[str, Any]],
        from_row: Callable[[Mapping[str, Any]], T],
    ) -> list[T]:
        """What the tape holds for a look-up, else what the catalogue answers, written down."""
        rows = self.recall(what, request)
        if rows is not None:
            return [from_row(row) for row in rows]
        found = await ask()
        given = [to_row(item) for item in found]
        written = self.record(what, request, given)
        return found if written == given else [from_row(row) for row in written]

    def record(self, what: str, request: Mapping[str, Any], found: Rows) -> Rows:
        """Write down what the catalogue answered.

        Returns:
            The answer as it was written: what looks like a secret is blacked out. A run must see
            that, too, else its replay sees other texts than it did.
        """
        path = self._place()
        written = self._log.append(
            CatalogueLookup(what=what, request=request, found=found), path=path
        )
        assert isinstance(written.event, CatalogueLookup)
        return [dict(row) for row in written.event.found]

    def recall(self, what: str, request: Mapping[str, Any]) -> Rows | None:
        """What the tape holds for a look-up, None when the catalogue is to be asked."""
        taped = self._log.tape.peek(self._place())
        if taped is None and not self._log.tape.end.is_strict:
            return None
        # The answer is taken from there; another request, or none, is a difference.
        found = taped.event.found if taped and isinstance(taped.event, CatalogueLookup) else []
        self.record(what, request, found)
        return found


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


def _member_row(item: ScoredApi) -> Mapping[str, Any]:
    """A member of a toolkit as it is logged; by its key whoever reads the run knows what the
    toolkit held."""
    return {**api_row(item), "key": item.api.key}


def _toolkit_row(toolkit: Toolkit) -> Mapping[str, Any]:
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


def _scored_row(item: ScoredToolkit) -> Mapping[str, Any]:
    return {
        **_toolkit_row(item.toolkit),
        "score": round(item.score, 6),
        "parts": {name: round(part, 6) for name, part in item.parts.items()},
    }


def _scored_from_row(row: Mapping[str, Any]) -> ScoredToolkit:
    return ScoredToolkit(toolkit=_toolkit_from_row(row), score=row["score"], parts=row["parts"])


class RecordedCatalogue:
    """Implements `ToolkitView` and `CatalogueView`; what the
    tape holds is not looked up again.

    Args:
        catalogue: None in a replay, where it is never asked.
        candidates: the only APIs that there are; () = all.
    """

    def __init__(
        self,
        catalogue: Catalogue | None,
        *,
        lookups: TapedLookups,
        api_of: ApiOf,
        candidates: Collection[ApiId] = (),
    ) -> None:
        self._known, self._candidates = catalogue, frozenset(candidates)
        self._lookups = lookups
        self._api_of = api_of
        self._names: dict[ToolkitId, str] = {}

    @property
    def _catalogue(self) -> Catalogue:
        assert self._known is not None, "a replay has no catalogue, but was asked for something"
        return self._known

    def name_of(self, toolkit: ToolkitId) -> str:
        """Name of a toolkit that was seen in this run, else its number."""
        return self._names.get(toolkit, f"toolkit {toolkit}")

    async def shortlist(
        self, text: str, n: int, *, without: Sequence[ToolkitId] = ()
    ) -> list[ScoredToolkit]:
        """The `n` toolkits that fit a text best, best first."""
        found = await self._lookups.answer(
            "shortlist",
            {"text": text, "n": n, "without": list(without)},
            lambda: self._catalogue.shortlist(text, n, without=without),
            _scored_row,
            _scored_from_row,
        )
        self._names.update({item.toolkit.id: item.toolkit.name for item in found})
        return found

    async def members(self, toolkit: ToolkitId, *, near: str) -> list[ScoredApi]:
        """The APIs of a toolkit, best first."""
        return await self._lookups.answer(
            "members",
            {"toolkit": toolkit, "near": near},
            lambda: self._catalogue.members(toolkit, near=near),
            _member_row,
            self._api_from_row,
        )

    async def search(self, text: str, k: int) -> list[ScoredApi]:
        """The `k` APIs of the whole catalogue that fit a text best."""
        return await self._lookups.answer(
            "retrieve",
            {"text": text, "k": k},
            lambda: self._catalogue.search(text, k),
            api_row,
            self._api_from_row,
        )

    async def demonstrations(self, request: DemonstrationRequest) -> list[ChosenDemonstration]:
        """Demonstrations for a text; the whole of each is written down, since people edit them."""
        return await self._lookups.answer(
            "demonstrations",
            without_defaults(request),
            lambda: self._catalogue.demonstrations(request),
            without_defaults,
            lambda row: from_plain(ChosenDemonstration, row),
        )

    def _api_from_row(self, row: Mapping[str, Any]) -> ScoredApi:
        api = self._api_of(ApiId(row["api"]))
        return ScoredApi(api=api, score=row["score"], parts=row["parts"])

    async def get(self, toolkit: ToolkitId) -> Toolkit:
        """One toolkit."""

        async def ask() -> list[Toolkit]:
            return [await self._catalogue.get(toolkit)]

        [found] = await self._lookups.answer(
            "toolkit", {"toolkit": toolkit}, ask, _toolkit_row, _toolkit_from_row
        )
        self._names[found.id] = found.name
        return found

    async def browse(
        self, level: Level, *, page: int = 1, size: int = 50, **below: Unpack[BrowseFilter]
    ) -> CataloguePage:
        """One page of a level."""
        within = {name: str(value) for name, value in below.items() if value}
        request = {"level": level, **within, "page": page, "size": size}
        rows = self._lookups.recall("browse", request)
        if rows is None:
            found = await self._catalogue.browse(level, page=page, size=size, **within)
            entries: list[Mapping[str, Any]] = [entry._asdict() for entry in found.entries]
            rows = self._lookups.record("browse", request, [{"total": found.total}, *entries])
        entries_found = [CatalogueEntry(**row) for row in rows[1:]]
        return CataloguePage(
            entries=entries_found, total=rows[0]["total"] if rows else 0, page=page
        )

    async def api(self, api_id: ApiId) -> Api:
        """One API; its documentation is that of today.

        Raises:
            NotFound: there is none, or it is no candidate of the task.
        """
        if self._candidates and api_id not in self._candidates:
            raise NotFound(f"The API {api_id} is no candidate of this task")
        return self._api_of(api_id)
