"""The catalogue of a replay: there is none. All look-ups stand on the tape."""

from collections.abc import Sequence
from typing import NoReturn

from toolplanner_core.domain.candidates import ScoredApi, ScoredToolkit
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Toolkit
from toolplanner_core.strategies.browsing import Level, Page


class NoCatalogue:
    """Implements `catalogue.Catalogue`; being asked is a mistake of the program."""

    async def shortlist(
        self, text: str, n: int, *, without: Sequence[ToolkitId]
    ) -> list[ScoredToolkit]:
        """Never asked."""
        del n, without
        _refuse(text)

    async def members(self, toolkit: ToolkitId, *, near: str) -> list[ScoredApi]:
        """Never asked."""
        del toolkit
        _refuse(near)

    async def get(self, toolkit: ToolkitId) -> Toolkit:
        """Never asked."""
        _refuse(f"toolkit {toolkit}")

    async def search(self, text: str, k: int) -> list[ScoredApi]:
        """Never asked."""
        del k
        _refuse(text)

    async def browse(self, level: Level, *, page: int, size: int, **within: str) -> Page:
        """Never asked."""
        del page, size, within
        _refuse(level)


def _refuse(what: str) -> NoReturn:
    raise AssertionError(f"a replay has no catalogue, but was asked for {what!r}")
