"""What watches the file of the open workspace."""

from PySide6.QtCore import QFileSystemWatcher

from toolplanner_gui.context import AppContext


def test_release_when_the_workspace_closes_then_nothing_watches_its_folder(
    opened: AppContext, qtbot
) -> None:
    # Signals of a closing workspace are blocked; a watcher left alive would spin: its inner
    # socket notifier is woken by each change in the folder and never read.
    assert opened.opened is not None
    kept = opened.opened.kept
    assert kept.findChildren(QFileSystemWatcher)
    kept.release()
    qtbot.waitUntil(lambda: not kept.findChildren(QFileSystemWatcher))
