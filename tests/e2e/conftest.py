"""The parts of the window, for stories that are told through it."""

from tests.gui.conftest import choices, loop, qtbot, theme, window

__all__ = ["choices", "loop", "qtbot", "theme", "window"]
