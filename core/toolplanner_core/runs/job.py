"""A run that is to be made: what, with which parts, and who is with it."""

import asyncio
from dataclasses import dataclass

from toolplanner_core.runs.catalogue import WorkspaceCatalogue
from toolplanner_core.runs.clock import Clock
from toolplanner_core.runs.debugging.debugger import Debugger
from toolplanner_core.runs.log import RecordListener
from toolplanner_core.runs.parts import RunParts
from toolplanner_core.runs.spec import RunSpec
from toolplanner_core.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class RunJob:
    """All that `execute` needs.

    Attributes:
        parts: instead of those that `spec` names.
        catalogue: shared by several runs, so that vectors and embedder are loaded once; stays open.
        listener: gets all records in batches of at most 50 ms, on the run's thread.
        cancel: set to stop the run. Cancelling the calling task (Ctrl+C) stops it as well: the
            run is closed in its log and the summary returned with status "cancelled".
        clock: instead of the machine's.
        debugger: holds the run at stop points and takes a person's decisions.
    """

    workspace: Workspace
    spec: RunSpec
    parts: RunParts | None = None
    catalogue: WorkspaceCatalogue | None = None
    listener: RecordListener | None = None
    cancel: asyncio.Event | None = None
    clock: Clock | None = None
    debugger: Debugger | None = None
