"""How a person last looked at one workspace: colours and place of the map, what is open, orders.

Kept with the person's choices, by the path of the file: a workspace that is sent to somebody brings
no looks. Written a moment after the last change, since a map moves sixty times a second.
"""

from pathlib import Path
from typing import Any, cast

from PySide6.QtCore import QObject, QTimer

from toolplanner_gui.bridge.user_settings import UserSettings

_SOON_MS = 300


class ViewState(QObject):
    """What is remembered of one open workspace. GUI thread.

    Args:
        choices: where it is kept.
        path: of the workspace.
    """

    def __init__(self, choices: UserSettings, path: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._choices = choices
        self._path = path
        self._values = choices.view_of(path)
        self._soon = QTimer(self, singleShot=True, interval=_SOON_MS)
        self._soon.timeout.connect(self.flush)

    def text(self, name: str) -> str:
        """A kept text; "" without one."""
        value = self._values.get(name)
        return value if isinstance(value, str) else ""

    def values(self, name: str) -> list[Any]:
        """A kept list; empty without one."""
        value = self._values.get(name)
        return cast(list[Any], value) if isinstance(value, list) else []

    def numbers(self, name: str, count: int) -> list[float] | None:
        """A kept list of so many numbers; None without one."""
        found = self.values(name)
        is_right = len(found) == count and all(type(one) in (int, float) for one in found)
        return [float(one) for one in found] if is_right else None

    def put(self, name: str, value: object) -> None:
        """Keep a value that JSON can hold; "" and an empty list forget it."""
        if self._values.get(name) != value:
            self._values[name] = value
            self._soon.start()

    def flush(self) -> None:
        """Write what was put."""
        self._soon.stop()
        self._choices.keep_view(self._path, {k: v for k, v in self._values.items() if v})
