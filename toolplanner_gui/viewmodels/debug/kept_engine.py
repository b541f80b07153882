"""The run engine of an open workspace: made at its first use, ended with the workspace."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from toolplanner_core.workspace import Workspace

if TYPE_CHECKING:
    from toolplanner_core.runs.engine import EngineThread


class KeptEngine:
    """Makes the engine once, off the GUI thread; one that comes too late is ended at once."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._engine: EngineThread | None = None
        self.is_released = False

    def get(self) -> "EngineThread":
        """The engine. Blocks at the first use."""
        from toolplanner_core.runs.engine import EngineThread

        engine = self._engine
        if engine is None:
            self._engine = engine = EngineThread(self._workspace)
            if self.is_released and self._engine is engine:
                self._engine = None
                engine.close()
        return engine

    def release(self) -> Callable[[], None] | None:
        """What ends it, to be called off the GUI thread; None when there is none."""
        # In this order: an engine that is being made sees that nobody waits for it any more.
        self.is_released = True
        engine, self._engine = self._engine, None
        return None if engine is None else engine.close
