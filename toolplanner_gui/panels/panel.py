"""What a panel is, and the registry of panels."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from PySide6.QtCore import QPoint, QSize, Qt, QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFormLayout, QLabel, QToolButton, QWidget

from toolplanner_core.registry import Registry
from toolplanner_core.words.glossary import explain_term
from toolplanner_gui.bridge.latest_request import LatestRequest
from toolplanner_gui.context import AppContext
from toolplanner_gui.layouts import DockPlace
from toolplanner_gui.viewmodels.item_models import plain_tooltip
from toolplanner_gui.widgets.buttons import popup_menu
from toolplanner_gui.widgets.tab_order import is_in_sight

if TYPE_CHECKING:
    from toolplanner_core.workspace import Workspace


def explain_labels(shown: QWidget) -> None:
    """Give each label that has no tooltip that of its field, or what its word means."""
    for form in shown.findChildren(QFormLayout):
        for row in range(form.rowCount()):
            label, field = (
                item.widget() if (item := form.itemAt(row, role)) is not None else None
                for role in (QFormLayout.ItemRole.LabelRole, QFormLayout.ItemRole.FieldRole)
            )
            if isinstance(label, QLabel) and not label.toolTip():
                own = field.toolTip() if field is not None else ""
                label.setToolTip(own or plain_tooltip(explain_term(label.text().replace("&", ""))))


READING = "Reading what this file holds …"
"""What a panel says before it can know whether there is anything."""


class Panel(QWidget):
    """Base of all panels: a widget that knows the context and follows the theme."""

    least: ClassVar[QSize] = QSize(200, 96)
    """What a panel insists on at most: what it shows must never make the window larger."""

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self.context = context
        self.newest = LatestRequest(context.tasks, self)
        """What is being read to be shown."""
        self._is_outdated = True
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self._renew_if_outdated)
        self.setProperty("role", "panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)

    def buttons(self) -> Sequence[QToolButton]:
        """The panel's own buttons, shown in its title."""
        return ()

    def minimumSizeHint(self) -> QSize:
        return super().minimumSizeHint().boundedTo(self.least)

    @property
    def is_idle(self) -> bool:
        """Whether all that is going to be shown is shown: what a screenshot waits for."""
        return self.newest.is_idle and not self._soon.isActive()

    @property
    def is_seen(self) -> bool:
        """Whether a person can see it: Qt calls a panel behind another one's tab visible, too."""
        return self.isVisible() and is_in_sight(self)

    def renew(self) -> None:
        """Show what is now; called when a person sees the panel for what `mark_outdated` said."""

    def mark_outdated(self) -> None:
        """What is shown is no longer so: show anew, at once or when somebody looks."""
        self._is_outdated = True
        if self.is_seen:
            self._is_outdated = False
            self.renew()

    def write(self, work: "Callable[[Workspace], object]") -> None:
        """Change the file in a thread, then show it anew."""
        workspace = self.context.workspace
        if workspace is None:
            return

        async def flow() -> None:
            await self.context.tasks.in_thread(lambda: work(workspace))
            self.mark_outdated()

        self.context.tasks.spawn(flow(), owner=self)

    def refresh_if_seen(self) -> None:
        """Somebody may look from now on: whether it stands in front of the other tabs is known in
        the next turn."""
        self._soon.start()

    def showEvent(self, event: QShowEvent) -> None:
        explain_labels(self)
        super().showEvent(event)
        self.refresh_if_seen()

    def _renew_if_outdated(self) -> None:
        if self._is_outdated:
            self.mark_outdated()

    def open_selection_menu(self, place: QPoint) -> None:
        """Open the menu of what is selected, at a place of the screen."""
        menu = popup_menu(self)
        self.context.shell.fill_menu(menu, "selection", None)
        menu.popup(place)


class PanelPlace(NamedTuple):
    """Where a panel stands in a layout.

    Attributes:
        order: among the panels of a side, one below the other, at the bottom as tabs. The first
            one of the middle is shown there, others come when asked for.
        share: of the height of its side, in percent; 0 = as much as the others.
    """

    side: DockPlace
    order: int = 1
    share: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelPlugin:
    """A panel.

    Attributes:
        icon: a name of the icon font.
        places: where it stands, by the id of a layout; it is not part of others.
    """

    id: str
    title: str
    icon: str
    make: Callable[[AppContext], Panel]
    places: Mapping[str, PanelPlace]


panels = Registry(
    PanelPlugin, package="toolplanner_gui.panels.builtin_panels", kind="panels", what="panel"
)


def places_in(layout: str) -> dict[str, PanelPlace]:
    """The panels of a layout with their places, in their order."""
    found = [(p.id, p.places[layout]) for p in panels if layout in p.places]
    return dict(sorted(found, key=lambda one: (one[1].order, one[0])))
