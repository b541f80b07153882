"""What a strategy keeps between runs: read at the start, written when a run ends."""

from dataclasses import dataclass
from typing import Any, ClassVar

from toolplanner_core.runs.events.event import Actor, Event, event_type


@event_type
@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryRead(Event):
    """A memory was read; a replay sees the same, whatever was learned since.

    Attributes:
        version: of the memory, 0 when there was none.
    """

    type: ClassVar[str] = "memory.read"
    word: ClassVar[str] = "Memory read"
    actor: ClassVar[Actor] = Actor.STRATEGY
    is_taped: ClassVar[bool] = True
    uncompared: ClassVar[frozenset[str]] = frozenset({"version", "value"})
    name: str
    version: int
    value: Any

    def said(self) -> str:
        return f"{self.name}, version {self.version}" if self.version else f"{self.name}, empty"


@event_type
@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryWritten(Event):
    """What was learned is stored as another version, by the end of the run."""

    type: ClassVar[str] = "memory.written"
    word: ClassVar[str] = "Memory written"
    name: str
    version: int

    def said(self) -> str:
        return f"{self.name}, version {self.version}"
