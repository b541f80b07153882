"""The catalogue as a hierarchy of three levels: categories, tools, APIs; or, where a catalogue has
no categories worth the name, the regions of the map, their toolkits, and the APIs of these."""

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from toolplanner_core.prompts.render import one_line
from toolplanner_core.strategies.browsing import Entry, Page
from toolplanner_core.strategies.scope import RunScope

By = Literal["auto", "categories", "toolkits"]

_MOST = 500
"""Categories that are read at all: all are named to the first agent."""


class ShelfNames:
    """What a level holds, by names that are unique among what one agent has seen."""

    def __init__(self) -> None:
        self._by_name: dict[str, Entry] = {}
        self._names: dict[tuple[str, str], str] = {}

    def add(self, entries: Iterable[Entry], *, of: str = "") -> list[str]:
        """The names of some entries; `of` tells apart those of different places."""
        found: list[str] = []
        for entry in entries:
            key = (of, entry.id)
            if key not in self._names:
                self._names[key] = self._free(one_line(entry.name, 120) or "without a name")
                self._by_name[self._names[key]] = entry
            found.append(self._names[key])
        return found

    def _free(self, name: str) -> str:
        """The name, or with a number where another entry has it."""
        number, free = 1, name
        while free in self._by_name:
            number += 1
            free = f"{name} #{number}"
        return free

    def get(self, name: str) -> Entry | None:
        """What has this name."""
        return self._by_name.get(name.strip())

    @property
    def all(self) -> Sequence[str]:
        """All names, in the order in which they were seen."""
        return list(self._by_name)


class ShelfPage(NamedTuple):
    """A page of a level: the names on it, and as it is told."""

    names: list[str]
    told: str


class Shelves:
    """The hierarchy of one run.

    Args:
        by: what its levels are; "auto" = categories if there are at least two.
        page_size: tools or APIs on one page.
    """

    def __init__(self, run: RunScope, *, by: By, page_size: int) -> None:
        self._run, self._by, self._page_size = run, by, page_size

    async def categories(self) -> list[Entry]:
        """The upper level; what has no name is left out."""
        if self._by != "toolkits":
            page = await self._run.catalogue.browse("category", size=_MOST)
            found = [entry for entry in page.entries if entry.id]
            if self._by == "categories" or len(found) > 1:
                self._by = "categories"
                return found
        self._by = "toolkits"
        return list((await self._run.catalogue.browse("region", size=_MOST)).entries)

    async def tools(self, category: Entry, *, page: int = 1) -> Page:
        """A page of what is below a category."""
        size, browse = self._page_size, self._run.catalogue.browse
        if self._by == "categories":
            return await browse("tool", page=page, size=size, category=category.id)
        return await browse("toolkit", page=page, size=size, region=category.id)

    async def apis(self, category: Entry, tool: Entry, *, page: int = 1) -> Page:
        """A page of what is below a tool."""
        size, browse = self._page_size, self._run.catalogue.browse
        if self._by == "categories":
            return await browse("api", page=page, size=size, category=category.id, tool=tool.id)
        return await browse("api", page=page, size=size, toolkit=tool.id)

    def listed(self, page: Page, names: ShelfNames, *, of: str = "", told: int = 0) -> ShelfPage:
        """A page in words for a model.

        Args:
            told: characters of descriptions; 0 = names alone.
        """
        shown = names.add(page.entries, of=of)
        lines = [
            f"- {name}: {one_line(entry.description, told)}"
            if told and entry.description.strip()
            else f"- {name}"
            for name, entry in zip(shown, page.entries, strict=True)
        ]
        pages = -(-page.total // self._page_size)
        if pages > 1:
            lines.append(f"(page {page.page} of {pages})")
        return ShelfPage(shown, "\n".join(lines) if shown else "There is nothing here.")
