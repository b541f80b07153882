"""The main window as menu entries see it."""

from toolplanner_gui.context import AppContext
from toolplanner_gui.shell import Shell


def shell_of(context: AppContext) -> Shell:
    """The main window; menu entries run only when there is one."""
    assert context.shell is not None
    return context.shell
