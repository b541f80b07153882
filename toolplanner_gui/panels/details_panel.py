"""The details of what is selected: a toolkit, an API, several APIs, or how to select something."""

from collections import Counter

from PySide6.QtWidgets import QStackedWidget, QVBoxLayout

from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.workspace.catalogue import apis_by_rowid
from toolplanner_core.workspace.toolkits import toolkit_of
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.details.api_page import ApiPage
from toolplanner_gui.panels.details.group_page import GroupPage
from toolplanner_gui.panels.details.toolkit_page import ToolkitPage
from toolplanner_gui.panels.panel import Panel, PanelPlugin
from toolplanner_gui.viewmodels.catalogue import read_member_rows
from toolplanner_gui.widgets.empty_state import EmptyState


class DetailsPanel(Panel):
    """Follows the shared selection."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._empty = EmptyState("Select a toolkit or an API, in the list or on the map.")
        self.toolkit_page = ToolkitPage()
        self.api_page = ApiPage()
        self._group_page = GroupPage()
        self._api_toolkit: ToolkitId | None = None
        self._is_reading = False
        self.pages = QStackedWidget()
        for page in (self._empty, self.toolkit_page, self.api_page, self._group_page):
            self.pages.addWidget(page)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.pages)
        self.toolkit_page.member_chosen.connect(
            lambda rowid: context.selection.select_apis([rowid])
        )
        self.api_page.toolkit_wanted.connect(self._on_toolkit_wanted)
        self._group_page.toolkit_chosen.connect(context.selection.select_toolkit)
        context.selection.changed.connect(lambda _origin: self._refresh())
        context.catalogue_changed.connect(self._refresh)
        context.colours_changed.connect(self._on_colours_changed)
        self.retheme()
        self._refresh()

    @property
    def is_idle(self) -> bool:
        return not self._is_reading

    def retheme(self) -> None:
        self._empty.set_icon(self.icon("cursor-default-click-outline"))

    def _refresh(self) -> None:
        selection = self.context.selection
        if self.context.workspace is None or selection.is_empty:
            self.pages.setCurrentWidget(self._empty)
        elif selection.toolkit is not None:
            self._show_toolkit(selection.toolkit)
        elif len(selection.apis) == 1:
            self._show_api(int(selection.apis[0]))
        else:
            self._show_group()

    def _show_toolkit(self, toolkit_id: ToolkitId) -> None:
        toolkit = self.context.catalogue.toolkit(toolkit_id)
        if toolkit is None:
            self.pages.setCurrentWidget(self._empty)
            return
        self.toolkit_page.show_toolkit(toolkit)
        self.pages.setCurrentWidget(self.toolkit_page)
        self.context.tasks.spawn(self._read_members(toolkit_id), owner=self)

    async def _read_members(self, toolkit: ToolkitId) -> None:
        workspace = self.context.workspace
        if workspace is None:
            return
        self._is_reading = True
        try:
            rows = await self.context.tasks.in_thread(lambda: read_member_rows(workspace, toolkit))
        finally:
            self._is_reading = False
        if self.context.selection.toolkit == toolkit:
            self.toolkit_page.show_members(rows)

    def _show_api(self, rowid: int) -> None:
        workspace = self.context.workspace
        api = apis_by_rowid(workspace, [rowid]).get(rowid) if workspace is not None else None
        if workspace is None or api is None:
            self.pages.setCurrentWidget(self._empty)
            return
        self._api_toolkit = toolkit_of(workspace, api.id)
        toolkit = (
            None if self._api_toolkit is None else self.context.catalogue.toolkit(self._api_toolkit)
        )
        colour = None if toolkit is None else self.context.colours.get(toolkit.id)
        self.api_page.show_api(api, toolkit, colour)
        self.pages.setCurrentWidget(self.api_page)

    def _show_group(self) -> None:
        catalogue = self.context.catalogue
        points = catalogue.points_of(self.context.selection.apis)
        shares = Counter(int(catalogue.labels[p]) for p in points)
        self._group_page.show_group(
            len(points),
            [(catalogue.toolkits[i] if i >= 0 else None, n) for i, n in shares.most_common()],
            self.context.colours,
        )
        self.pages.setCurrentWidget(self._group_page)

    def _on_colours_changed(self) -> None:
        if self.pages.currentWidget() in (self.api_page, self._group_page):
            self._refresh()

    def _on_toolkit_wanted(self) -> None:
        if self._api_toolkit is not None:
            self.context.selection.select_toolkit(self._api_toolkit)


PLUGIN = PanelPlugin(
    id="details",
    title="Details",
    icon="information-outline",
    area="right",
    order=1,
    make=DetailsPanel,
)
