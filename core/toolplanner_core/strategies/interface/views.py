"""What a strategy sees beside the tree of its run: the catalogue page by page, its toolkits, the
board that concurrent branches share, and what is kept between runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol, TypedDict, Unpack

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.demonstration import ChosenDemonstration, DemonstrationRequest
from toolplanner_core.domain.ids import ApiId, ToolkitId
from toolplanner_core.domain.toolkit import ScoredApi, ScoredToolkit, Toolkit

Level = Literal["source", "category", "tool", "region", "toolkit", "api"]
"""Sources > categories > tools > APIs, and regions > toolkits > APIs."""


class CatalogueEntry(NamedTuple):
    """One thing of a level.

    Attributes:
        id: names it within its level and what is above it: the name of a source, category or tool,
            the number of a region or toolkit, the id of an API.
        size: APIs below it; 1 for an API.
    """

    id: str
    name: str
    description: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CataloguePage:
    """Some entries of a level.

    Attributes:
        total: entries of the level on all pages.
        page: 1, 2, ...
    """

    entries: Sequence[CatalogueEntry]
    total: int
    page: int


class BrowseFilter(TypedDict, total=False):
    """Things that a page is limited to; "" = not by this one."""

    source: str
    category: str
    tool: str
    region: str
    toolkit: str


class CatalogueView(Protocol):
    """The catalogue, read-only. Every answer is recorded, so that a replay sees the same."""

    async def browse(
        self, level: Level, *, page: int = 1, size: int = 50, **below: Unpack[BrowseFilter]
    ) -> CataloguePage:
        """One page of a level, in the order of names; only what is below the things named.

        Raises:
            NotFound: one of them is not there.
        """
        ...

    async def api(self, api_id: ApiId) -> Api:
        """One API with its documentation.

        Raises:
            NotFound: there is none.
        """
        ...

    async def search(self, text: str, k: int) -> list[ScoredApi]:
        """The `k` APIs that fit a text best (hybrid search), best first."""
        ...

    async def demonstrations(self, request: DemonstrationRequest) -> list[ChosenDemonstration]:
        """Demonstrations whose query is like a text, best first; free places get examples of single
        APIs."""
        ...


class ToolkitView(Protocol):
    """The curated toolkits, read-only. Every answer is recorded, so that a replay sees the same."""

    async def shortlist(
        self, text: str, n: int, *, without: Sequence[ToolkitId] = ()
    ) -> list[ScoredToolkit]:
        """The `n` toolkits that fit a text best (or all, if fewer), best first."""
        ...

    async def members(self, toolkit: ToolkitId, *, near: str) -> list[ScoredApi]:
        """The APIs of a toolkit, by similarity to `near` and health, best first."""
        ...

    async def get(self, toolkit: ToolkitId) -> Toolkit:
        """One toolkit."""
        ...

    def name_of(self, toolkit: ToolkitId) -> str:
        """Name of a toolkit that this run has seen, else its number in words."""
        ...


class SharedBoard(Protocol):
    """What branches of one run share."""

    def get(self, name: str, default: Any = None) -> Any:
        """The value of an entry."""
        ...

    def set(self, name: str, value: Any) -> None:
        """Set the value of an entry."""
        ...

    def items(self, name: str) -> Sequence[Any]:
        """The items of an entry, in the order in which they were added."""
        ...

    def add(self, name: str, item: Any, *, room: int | None = None) -> bool:
        """Add an item; False when it is there already, or `room` items are."""
        ...

    def remove(self, name: str, item: Any) -> bool:
        """Take an item away; False when it is not there."""
        ...


class Memory(Protocol):
    """One memory in the hands of one run."""

    @property
    def value(self) -> Any:
        """What is remembered, None if nothing is."""
        ...

    def write(self, value: Any) -> None:
        """Remember this from the next run on; stored when this run ends, unless it is stopped."""
        ...
