"""Runs of an experiment, opened in a workspace of their own that goes afterwards.

An experiment's file holds its runs packed. Whoever looks at trees, compares runs or forks them has
them here as runs of a workspace, in a copy of the one that the experiment was made on; who only
looks needs none, and has an empty one.
"""

import gzip
import tempfile
import zlib
from pathlib import Path
from types import TracebackType
from typing import Self

from toolplanner_core.curation.edits import history
from toolplanner_core.domain.ids import EditId, RunId
from toolplanner_core.domain.workspace_file import SUFFIX
from toolplanner_core.errors import BadInput, NotFound
from toolplanner_core.runs.importing.reading import import_runs
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.copying import copy_without_runs
from toolplanner_core.workspace.edit_history import read_head
from toolplanner_core.workspace.lab_store import LabStore


class OpenedRuns:
    """Runs of an experiment by the numbers of their trials. Use it with `with`; blocks.

    Args:
        source: the workspace that the experiment was made on; None = trees are only looked at.

    Raises:
        BadInput: the toolkits of the workspace cannot be brought back to those of the experiment.
        WorkspaceError: a copy cannot be written.
    """

    def __init__(self, store: LabStore, source: Path | None = None) -> None:
        self._store = store
        self._folder = tempfile.TemporaryDirectory(prefix="toolplanner-")
        try:
            self.workspace = self._copy(Path(self._folder.name) / f"runs{SUFFIX}", source)
        except BaseException:
            self._folder.cleanup()
            raise
        self._runs: dict[int, RunId] = {}

    def _copy(self, place: Path, source: Path | None) -> Workspace:
        if source is None:
            return Workspace.create(place)
        with Workspace.open(source) as workspace:
            copy_without_runs(workspace, place)
        copy = Workspace.open(place)
        edit = self._store.experiment().arms[0].edit
        try:
            if read_head(copy.reader()) != edit:
                history.jump(copy, EditId(edit))
        except NotFound as error:
            copy.close()
            raise BadInput(
                "The workspace has not the toolkits of the experiment",
                where=source.name,
                why=f"Edit {edit} is not in its history",
                todo="Put the workspace there that the experiment was run on",
            ) from error
        return copy

    def run_of(self, number: int) -> RunId | None:
        """The run of a trial, None where it has none.

        Raises:
            BadInput: it cannot be read.
        """
        if number not in self._runs:
            packed = self._store.packed(number)
            if not packed:
                return None
            file = Path(self._folder.name) / f"{number}.jsonl.gz"
            try:
                file.write_bytes(gzip.compress(zlib.decompress(packed), 1))
            except zlib.error as error:
                raise BadInput(f"The run of trial {number} cannot be read") from error
            report = import_runs(self.workspace, file)
            file.unlink()
            if not report.runs:
                raise BadInput(
                    f"The run of trial {number} cannot be read", why=report.rejected[0].why
                )
            self._runs[number] = report.runs[0]
        return self._runs[number]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _at: TracebackType | None,
    ) -> None:
        self.workspace.close()
        self._folder.cleanup()
