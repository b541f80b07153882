"""File dialogs list the folder of an open workspace without taking its locks away."""

import os
import sys
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog, QWidget

from toolplanner_core.workspace import Workspace
from toolplanner_gui.bridge.standard_dialogs import _dialog


def locks_on(path: Path) -> int:
    """Locks that this process holds on a file."""
    inode, own = path.stat().st_ino, str(os.getpid())
    rows = [line.split() for line in Path("/proc/locks").read_text("utf-8").splitlines()]
    return sum(own in row and row[-3].endswith(f":{inode}") for row in rows)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="locks are read from /proc")
def test_dialog_when_it_lists_an_open_workspace_then_its_locks_stay(tmp_path: Path, qtbot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    with Workspace.create(tmp_path / "open.toolplanner") as workspace:
        workspace.one_row("SELECT count(*) FROM apis")
        before = locks_on(workspace.path)
        assert before
        dialog = _dialog(parent, "Open", str(tmp_path), "All files (*)")
        dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
        qtbot.addWidget(dialog)
        dialog.show()
        model = dialog.findChild(QWidget, "treeView").model()
        listed = lambda: model.rowCount(dialog.findChild(QWidget, "treeView").rootIndex())  # noqa: E731
        qtbot.waitUntil(lambda: listed() > 0)
        root = dialog.findChild(QWidget, "treeView").rootIndex()
        for row in range(listed()):
            for column in range(model.columnCount()):
                for role in range(2):
                    model.data(model.index(row, column, root), role)
        qtbot.wait(50)
        assert locks_on(workspace.path) == before
        dialog.close()
