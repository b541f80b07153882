"""Questions to the person without nested event loops: dialogs are opened, their end is awaited.

A nested `exec()` would stop the asyncio loop of this thread (architecture "Threads"). Call these
inside a coroutine started by `context.tasks.spawn`.
"""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtWidgets import QDialog, QFileDialog, QMessageBox, QWidget

from toolplanner_gui.bridge.file_icons import PlainFileIcons


async def finished(dialog: QDialog) -> int:
    """Open a dialog and wait for its end.

    Returns:
        `QDialog.DialogCode`, or the code of the pressed button of a message box.
    """
    ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def on_finished(code: int) -> None:
        if not ended.done():
            ended.set_result(code)

    dialog.finished.connect(on_finished)
    dialog.open()
    try:
        return await ended
    finally:
        dialog.close()
        dialog.deleteLater()


async def confirm(parent: QWidget, question: str, *, why: str, yes: str) -> bool:
    """Ask before something that cannot be undone; `yes` is the verb on the button, which is not
    pressed by Enter alone."""
    box = QMessageBox(QMessageBox.Icon.Question, "ToolPlanner", question, parent=parent)
    box.setInformativeText(why)
    accept = box.addButton(yes, QMessageBox.ButtonRole.AcceptRole)
    box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
    pressed: list[object] = []
    box.buttonClicked.connect(pressed.append)
    await finished(box)
    return bool(pressed) and pressed[0] is accept


async def choose_files(parent: QWidget, title: str, filters: str = "All files (*)") -> list[Path]:
    """Existing files; empty when the person changed their mind."""
    dialog = _dialog(parent, title, str(Path.home()), filters)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
    return await _chosen(dialog)


async def choose_folder(parent: QWidget, title: str) -> list[Path]:
    """An existing folder; empty when the person changed their mind."""
    dialog = _dialog(parent, title, str(Path.home()))
    dialog.setFileMode(QFileDialog.FileMode.Directory)
    return await _chosen(dialog)


async def choose_new_file(
    parent: QWidget, title: str, suggestion: Path, filters: str
) -> list[Path]:
    """A name for a new file, with the suffix of the one that is offered; empty when the person
    changed their mind."""
    dialog = _dialog(parent, title, str(suggestion.parent), filters)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setDefaultSuffix(suggestion.suffix.lstrip("."))
    dialog.selectFile(suggestion.name)
    return await _chosen(dialog)


def _dialog(parent: QWidget, title: str, folder: str, filters: str = "") -> QFileDialog:
    dialog = QFileDialog(parent, title, folder, filters)
    icons = PlainFileIcons()
    dialog.setIconProvider(icons)
    dialog.setProperty("icons", icons)  # lives as long as the dialog, which does not own it
    return dialog


async def _chosen(dialog: QFileDialog) -> list[Path]:
    code = await finished(dialog)
    names: Sequence[str] = dialog.selectedFiles() if code == QDialog.DialogCode.Accepted else []
    return [Path(name) for name in names]
