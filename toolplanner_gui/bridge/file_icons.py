"""Icons and types of files in file dialogs, told from their names alone.

Qt's own opens each file that is listed and looks into it. On Linux and macOS a process that closes
a file loses all its locks on it, also those that SQLite holds for the open workspace: after that
another program takes the workspace for unused and deletes the log that the window still writes to.

Source: "How to corrupt an SQLite database file", section 2.2 (sqlite.org/howtocorrupt.html).
"""

from PySide6.QtCore import QFileInfo
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QFileIconProvider


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
