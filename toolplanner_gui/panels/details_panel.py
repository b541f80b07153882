"""The details of what is selected: a toolkit, an API, several APIs, or how to select something."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np
from PySide6.QtWidgets import QWidget

from toolplanner_core.curation.edits.describe import Describe, Note, Rename, TellApis
from toolplanner_core.curation.edits.edit import Edit
from toolplanner_core.curation.looking.chosen import Chosen
from toolplanner_core.curation.looking.details import (
    ApiDetails,
    calls_in_words,
    read_api_details,
    read_toolkit_details,
    toolkit_in_words,
)
from toolplanner_core.curation.looking.patching import CatalogueEdit
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Toolkit
from toolplanner_core.words.formatting import one_line, score
from toolplanner_core.workspace.catalogue import apis_by_rowid
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.details.run_uses import RunUseReader
from toolplanner_gui.panels.drag_and_drop import SelectionDrag
from toolplanner_gui.panels.panel import Panel, explain_labels
from toolplanner_gui.theme.icons import colour_swatch
from toolplanner_gui.viewmodels.item_models import Row
from toolplanner_gui.widgets.box_layouts import pages_of
from toolplanner_gui.widgets.empty_state import EmptyState

if TYPE_CHECKING:
    # Each is made when the first of its kind is selected.
    from toolplanner_gui.panels.details.api_page import ApiPage
    from toolplanner_gui.panels.details.several_apis_page import SeveralApisPage
    from toolplanner_gui.panels.details.toolkit_page import ToolkitPage

Kind = Literal["", "toolkit", "api", "group"]
"""Of what is seen; "" while nothing is selected."""
_SIMILAR = 12


class DetailsPanel(Panel):
    """Follows the shared selection; texts that are edited here become edits."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._empty = EmptyState(
            "cursor-default-click-outline",
            "Select a toolkit or an API, in the list or on the map.",
        )
        self._seen: Kind = ""
        self._api_toolkit: ToolkitId | None = None
        self._api_shown = -1
        self.pages = pages_of(self._empty, of=self)
        self._uses = RunUseReader(context, self)
        context.selection.changed.connect(self._on_selection_changed)
        context.catalogue_changed.connect(self._refresh)
        context.catalogue_edited.connect(self._on_edited)
        context.colours_changed.connect(self._on_seen_otherwise)
        # What was learnt or decided beside a run is shown on coming back.
        context.layout_changed.connect(self._on_seen_otherwise)
        context.run_view.runs_changed.connect(self._read_uses)
        context.figures.changed.connect(self._on_figures)
        context.theme.changed.connect(self._refresh)
        self._refresh()

    @cached_property
    def toolkit_page(self) -> ToolkitPage:
        """Shows a toolkit."""
        from toolplanner_gui.panels.details.toolkit_page import ToolkitPage

        page = ToolkitPage()
        page.members_chosen.connect(self._on_members)
        page.members_taken.connect(lambda r: self.context.selection.select_apis(r, self))
        SelectionDrag(self.context, page.members, self)
        page.members_let_go.connect(self._refresh)
        page.toolkit_chosen.connect(self.context.selection.select_toolkit)
        page.renamed.connect(lambda name: self._do(lambda t: Rename(toolkit=t, name=name)))
        page.described.connect(
            lambda text: self._do(lambda t: Describe(toolkit=t, description=text))
        )
        page.noted.connect(lambda text: self._do(lambda t: Note(toolkit=t, note=text)))
        page.menu_wanted.connect(self.open_selection_menu)
        page.runs.run_wanted.connect(self._uses.open_run)
        self._add(page)
        return page

    @cached_property
    def api_page(self) -> ApiPage:
        """Shows an API."""
        from toolplanner_gui.panels.details.api_page import ApiPage

        page = ApiPage()
        page.toolkit_wanted.connect(self._on_toolkit_wanted)
        page.text_edited.connect(self._on_text_edited)
        page.api_wanted.connect(lambda rowid: self.context.selection.select_apis([rowid]))
        page.run_wanted.connect(self._uses.open_run)
        self._add(page)
        return page

    @cached_property
    def group_page(self) -> SeveralApisPage:
        """Shows several APIs."""
        from toolplanner_gui.panels.details.several_apis_page import SeveralApisPage

        context = self.context
        page = SeveralApisPage(lambda menu: context.shell.fill_menu(menu, "group", None))
        page.toolkit_chosen.connect(context.selection.select_toolkit)
        page.apis_chosen.connect(lambda r: context.selection.select_apis(r, self))
        page.api_wanted.connect(lambda rowid: context.selection.select_apis([rowid]))
        page.menu_wanted.connect(self.open_selection_menu)
        self._add(page)
        return page

    @property
    def is_idle(self) -> bool:
        return super().is_idle and self._uses.is_idle

    def edit_name(self) -> None:
        """Let a person write the name of the toolkit that is shown."""
        self.toolkit_page.name.begin()

    def refresh(self) -> None:
        """Show what is selected anew."""
        self._refresh()

    def edit_description(self) -> None:
        """Let a person write its description."""
        self.toolkit_page.description.begin()

    def edit_note(self) -> None:
        """Let a person write a note on it."""
        self.toolkit_page.note.begin()

    def _on_selection_changed(self, origin: object) -> None:
        # Members chosen in the list of a toolkit: the list must not go away under the hand.
        if origin is not self:
            self._refresh()

    def _refresh(self) -> None:
        selection = self.context.selection
        chosen = self.context.chosen
        self.newest.forget()
        if self.context.workspace is None or selection.is_empty:
            self._see("", self._empty)
        elif selection.toolkit is not None:
            self._show_toolkit(selection.toolkit)
        elif len(chosen.rowids) == 1:
            self._show_api(int(chosen.rowids[0]))
        else:
            self._show_group(chosen)

    def _see(self, kind: Kind, page: QWidget) -> None:
        self._seen = kind
        self.pages.setCurrentWidget(page)

    def _add(self, page: QWidget) -> None:
        self.pages.addWidget(page)
        explain_labels(page)  # it was not there when the panel was shown first

    def _read_uses(self) -> None:
        """Read which runs used what is seen; a group has no such list."""
        seen = self._seen
        page = self.toolkit_page if seen == "toolkit" else self.api_page if seen == "api" else None
        self._uses.read(page)

    def _on_edited(self, edit: CatalogueEdit) -> None:
        if self._seen == "toolkit":
            shown = self._toolkit_shown
            if shown is not None and shown not in edit.touched:
                return
        self._refresh()

    @property
    def _toolkit_shown(self) -> ToolkitId | None:
        return self.context.selection.toolkit

    def _show_toolkit(self, toolkit_id: ToolkitId) -> None:
        toolkit = self.context.catalogue.toolkit(toolkit_id)
        workspace = self.context.workspace
        if toolkit is None or workspace is None:
            self._see("", self._empty)
            return
        self.toolkit_page.show_toolkit(toolkit, self._facts_line(toolkit))
        self._see("toolkit", self.toolkit_page)
        self.newest.ask(
            lambda: read_toolkit_details(workspace, toolkit_id),
            lambda facts: self.toolkit_page.show_facts(
                facts, marks=self._mark, similar=self._similar(toolkit_id)
            ),
        )
        self._read_uses()

    def _show_api(self, rowid: int) -> None:
        workspace = self.context.workspace
        api = apis_by_rowid(workspace, [rowid]).get(rowid) if workspace is not None else None
        if workspace is None or api is None:
            self._see("", self._empty)
            return
        if self.api_page.is_writing(api):
            return
        self.api_page.keep_text()  # what was written of the API shown before is of that one
        self._api_shown = rowid
        shares = self.context.chosen.shares
        toolkit = shares[0][0] if shares else None
        self._api_toolkit = None if toolkit is None else toolkit.id
        colour = None if toolkit is None else self.context.colours.get(toolkit.id)
        self.api_page.show_api(api, toolkit, colour)
        self._see("api", self.api_page)
        catalogue = self.context.catalogue

        def show(facts: ApiDetails) -> None:
            calls = calls_in_words(self.context.figures.health_of_api(rowid))
            self.api_page.show_facts(facts, calls, self.context.colours)

        self.newest.ask(lambda: read_api_details(workspace, catalogue, rowid), show)
        self._read_uses()

    def _show_group(self, chosen: Chosen) -> None:
        """Several APIs: which they are, and from which toolkits."""
        from toolplanner_gui.panels.details.several_apis_page import several_apis_rows

        homeless = [(None, chosen.n_homeless)] if chosen.n_homeless else []
        page, colours = self.group_page, self.context.colours
        page.show_group(len(chosen.rowids), [*chosen.shares, *homeless], colours)
        self._see("group", page)
        workspace, catalogue = self.context.workspace, self.context.catalogue
        if workspace is not None:
            self.newest.ask(
                lambda: several_apis_rows(workspace, catalogue, chosen.rowids), page.show_apis
            )

    def _facts_line(self, toolkit: Toolkit) -> str:
        figures, catalogue = self.context.figures, self.context.catalogue
        return toolkit_in_words(
            toolkit,
            cohesion=figures.cohesion(toolkit.id),
            calls=figures.health(toolkit.id),
            n_excluded=int(catalogue.excluded[catalogue.mask_of_toolkit(toolkit.id)].sum()),
        )

    def _similar(self, toolkit: ToolkitId) -> list[Row]:
        rows: list[Row] = []
        for found in self.context.figures.sums.nearest(toolkit, _SIMILAR):
            other = self.context.catalogue.toolkit(found.toolkit)
            if other is None:
                continue
            colour = self.context.colours.get(other.id)
            rows.append(
                Row(
                    cells=(one_line(other.name), score(found.cosine)),
                    key=other.id,
                    icon=None if colour is None else lambda c=colour: colour_swatch(c),
                    tooltip=f"{other.name}\n{other.description}",
                )
            )
        return rows

    def _mark(self, rowid: int) -> str:
        catalogue = self.context.catalogue
        point = int(catalogue.places_of(np.array([rowid], np.int64))[0])
        if point < 0:
            membership = catalogue.others.get(rowid)
            return "pin" if membership is not None and membership.is_pinned else ""
        if catalogue.waiting[point]:
            return "file-alert-outline"
        if catalogue.excluded[point]:
            return "cancel"
        return "pin" if catalogue.pinned[point] else ""

    def _do(self, make: Callable[[ToolkitId], Edit]) -> None:
        toolkit = self._toolkit_shown
        if toolkit is not None:
            self.context.curation.do(make(toolkit), origin={"by": "details"})

    def _on_text_edited(self, text: str) -> None:
        edit = TellApis(rowids=(self._api_shown,), texts=(text,))
        self.context.curation.do(edit, origin={"by": "details"})

    def _on_members(self, rowids: Sequence[int]) -> None:
        self.context.selection.select_apis(rowids, None if len(rowids) == 1 else self)

    def _on_seen_otherwise(self) -> None:
        if self._seen in ("api", "group"):
            self._refresh()

    def _on_figures(self) -> None:
        toolkit = self.context.catalogue.toolkit(self._toolkit_shown or ToolkitId(0))
        if toolkit is not None and self._seen == "toolkit":
            self.toolkit_page.show_toolkit(toolkit, self._facts_line(toolkit))
            self.toolkit_page.show_similar(self._similar(toolkit.id))

    def _on_toolkit_wanted(self) -> None:
        if self._api_toolkit is not None:
            self.context.selection.select_toolkit(self._api_toolkit)
