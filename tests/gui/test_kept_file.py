"""What watches the file of the open workspace."""

from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher

from toolplanner_core.workspace import Workspace
from toolplanner_gui.context import AppContext
from toolplanner_gui.viewmodels.workspace_file_watcher import WorkspaceFileWatcher


def test_release_when_the_workspace_closes_then_nothing_watches_its_folder(
    context: AppContext, tmp_path: Path, qtbot
) -> None:
    # Signals of a closing workspace are blocked; a watcher left alive would spin: its inner
    # socket notifier is woken by each change in the folder and never read.
    with Workspace.create(tmp_path / "w.toolplanner") as workspace:
        kept = WorkspaceFileWatcher(workspace, context.tasks, context.calls)
        assert kept.findChildren(QFileSystemWatcher)
        kept.release()
        qtbot.waitUntil(lambda: not kept.findChildren(QFileSystemWatcher))
