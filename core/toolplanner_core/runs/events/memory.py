"""What a strategy keeps between runs: read at the start, written when a run ends."""

from typing import Any

from toolplanner_core.runs.events.event import Actor, Event, event_type


@event_type(
    "memory.read", "Memory read", Actor.STRATEGY, is_taped=True, uncompared=("version", "value")
)
class MemoryRead(Event):
    """A memory was read; a replay sees the same, whatever was learned since.

    Attributes:
        version: of the memory, 0 when there was none.
    """

    name: str
    version: int
    value: Any

    def said(self) -> str:
        return f"{self.name}, version {self.version}" if self.version else f"{self.name}, empty"


@event_type("memory.written", "Memory written")
class MemoryWritten(Event):
    """What was learned is stored as another version, by the end of the run."""

    name: str
    version: int

    def said(self) -> str:
        return f"{self.name}, version {self.version}"
