"""The parts of the window, for stories that are told through it."""

from tests.gui.conftest import choices, garbage, loop, qtbot, theme, window

__all__ = ["choices", "garbage", "loop", "qtbot", "theme", "window"]
