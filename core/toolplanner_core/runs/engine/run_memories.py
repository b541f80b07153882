"""What a run remembers of earlier ones, and what it leaves to later ones."""

import asyncio
from collections.abc import Callable
from typing import Any

from toolplanner_core.runs.events.event import Event, Record
from toolplanner_core.runs.events.shared import MemoryRead
from toolplanner_core.workspace.memories import CurrentMemory


class RunMemory:
    """One memory in the hands of one run; implements `strategies.memory.Memory`."""

    def __init__(self, name: str, value: Any) -> None:
        self.name = name
        self.value = value
        self.is_written = False

    def write(self, value: Any) -> None:
        """Remember this from the next run on."""
        self.value = value
        self.is_written = True


class RunMemories:
    """The memories of one run.

    Args:
        read: the newest version of a name; None in a replay, where all stands on the tape.
    """

    def __init__(self, read: Callable[[str], CurrentMemory] | None) -> None:
        self._read = read
        self._open: dict[str, RunMemory] = {}

    async def read(self, name: str, write: Callable[[Event], Record]) -> RunMemory:
        """A memory as it was when it was first read in this run."""
        if name not in self._open:
            found = CurrentMemory(0, None)
            if self._read is not None:
                found = await asyncio.to_thread(self._read, name)
            event = write(MemoryRead(name=name, version=found.version, value=found.value)).event
            assert isinstance(event, MemoryRead)
            self._open[name] = RunMemory(name, event.value)
        return self._open[name]

    def written(self) -> list[tuple[str, Any]]:
        """What is to be stored when the run ends."""
        return [(m.name, m.value) for m in self._open.values() if m.is_written]
