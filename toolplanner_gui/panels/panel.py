"""What a panel is, and the registry of panels."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QToolButton, QWidget

from toolplanner_core.registry import Registry
from toolplanner_gui.context import AppContext


class Panel(QWidget):
    """Base of all panels: a widget that knows the context and follows the theme."""

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self.context = context
        self.setProperty("role", "panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        context.theme.changed.connect(self.retheme)

    def buttons(self) -> Sequence[QToolButton]:
        """The panel's own buttons, shown in its title."""
        return ()

    @property
    def is_idle(self) -> bool:
        """Whether all that is going to be shown is shown: what a screenshot waits for."""
        return True

    def retheme(self) -> None:
        """Take the icons and colours of another theme."""

    def icon(self, name: str, token: str = "dim") -> QIcon:
        """An icon in the theme of the moment."""
        return self.context.theme.icon(name, token)


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelPlugin:
    """A panel: `make(context)` builds it; `icon` is a name of the icon font; `area` is where it
    stands in a layout that does not mention it ("left", "right" or "bottom")."""

    id: str
    title: str
    icon: str
    area: str
    order: int
    make: Callable[[AppContext], Panel]


panels = Registry(PanelPlugin, package="toolplanner_gui.panels", kind="panels", what="panel")
