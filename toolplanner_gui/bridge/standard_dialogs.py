"""Questions to the person without nested event loops: confirm, choose files and folders.

Icons and types of files in file dialogs, told from their names alone. Qt's own opens each file that
is listed and looks into it. On Linux and macOS a process that closes a file loses all its locks on
it, also those that SQLite holds for the open workspace: after that another program takes the
workspace for unused and deletes the log that the window still writes to.

Source: "How to corrupt an SQLite database file", section 2.2 (sqlite.org/howtocorrupt.html).

Questions to the person without nested event loops: dialogs are opened, their end is awaited. A
nested `exec()` would stop the asyncio loop of this thread (architecture "Threads"). Call these
inside a coroutine started by `context.tasks.spawn`.
"""

import asyncio
from pathlib import Path

from PySide6.QtCore import QFileInfo
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QDialog, QFileDialog, QFileIconProvider, QMessageBox, QWidget


class PlainFileIcons(QFileIconProvider):
    """Never opens a file."""

    def icon(self, what: QFileIconProvider.IconType | QFileInfo) -> QIcon:
        """A folder's or a file's."""
        if not isinstance(what, QFileInfo):
            return super().icon(what)
        kinds = QFileIconProvider.IconType
        return super().icon(kinds.Folder if what.isDir() else kinds.File)

    def type(self, info: QFileInfo) -> str:
        """ "Folder", or the ending in words: "toolplanner file"."""
        return "Folder" if info.isDir() else f"{info.suffix()} file".strip().capitalize()


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
    # As they are when the dialog is accepted: what its folder is read into goes on after that.
    names: list[str] = []
    dialog.filesSelected.connect(names.extend)
    await finished(dialog)
    return [Path(name) for name in names]
