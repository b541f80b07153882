"""What a strategy keeps between runs: solved plans, a graph, demonstrations.

A memory is one JSON value under a name in the workspace. It is read at the start of a run, changed
by the strategy, and stored as another version when the run ends, with the run that wrote it; a
person can go back to an earlier version.
"""

from typing import Any, Protocol


class Memory(Protocol):
    """One memory in the hands of one run."""

    @property
    def value(self) -> Any:
        """What is remembered, None if nothing is."""
        ...

    def write(self, value: Any) -> None:
        """Remember this from the next run on; stored when this run ends, unless it is stopped."""
        ...
