"""What a run may look up: toolkits, their members, APIs by meaning.

`Catalogue` is what the scope needs; `WorkspaceCatalogue` answers from the workspace through
`retrieval/`. Searching blocks (SQLite, matrix products), so it happens on worker threads. Caller:
`engine.py` makes one per run.
"""

from collections.abc import Sequence
from typing import Any, Protocol

from toolplanner_core.domain.candidates import ScoredApi, ScoredToolkit
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Toolkit


class Catalogue(Protocol):
    """Answers of the catalogue, best first."""

    async def shortlist(
        self, text: str, n: int, *, without: Sequence[ToolkitId]
    ) -> list[ScoredToolkit]:
        """The `n` toolkits that fit a text best."""
        ...

    async def members(self, toolkit: ToolkitId, *, near: str) -> list[ScoredApi]:
        """The APIs of a toolkit by similarity to `near` and health."""
        ...

    async def get(self, toolkit: ToolkitId) -> Toolkit:
        """One toolkit."""
        ...

    async def retrieve(self, text: str, k: int) -> list[ScoredApi]:
        """The `k` APIs that fit a text best."""
        ...


def open_catalogue(workspace: object) -> Any:
    """Placeholder of this minute: the retrieval package is being built."""
    raise NotImplementedError
