"""What the rows of the toolkit list show: texts, marks, tooltips for every column and role."""

from collections.abc import Mapping
from typing import Any

from toolplanner_core.curation.looking.details import ToolkitMember
from toolplanner_core.curation.looking.toolkit_columns import (
    ToolkitColumn,
    ToolkitFigures,
    cell,
    is_edited,
    tooltip,
)
from toolplanner_core.curation.looking.toolkit_rows import Region
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Toolkit
from toolplanner_core.words.wording import count, counted, one_line
from toolplanner_gui.theme.icons import make_icon
from toolplanner_gui.viewmodels.columns import RIGHT, Role, plain_tooltip
from toolplanner_gui.viewmodels.swatches import swatch

TOOLKIT_ROLE = Role.UserRole
"""ToolkitId of a toolkit's row, and of the toolkit an API's row stands under."""
ROWID_ROLE = Role.UserRole + 1
"""Row id of an API's row, None for toolkits."""
DIM_ROLE = Role.UserRole + 2
"""Whether a row is drawn dim: an excluded API, a toolkit of such APIs alone."""
WIDE_ROLE = Role.UserRole + 3
"""Whether a row has no figures, so that its name may use their columns: an API."""
ENDS_ROLE = Role.UserRole + 4
"""Whether a row's name is cut at its end: a region, whose first words are its largest trades, and
what ends in words that say nothing."""
ALL_EXCLUDED = "All its APIs are excluded: no plan is offered any of them."
_AND_MORE = " and more"
ROLES = frozenset(
    (
        Role.DisplayRole,
        Role.DecorationRole,
        Role.ToolTipRole,
        Role.TextAlignmentRole,
        Role.AccessibleTextRole,
        TOOLKIT_ROLE,
        ROWID_ROLE,
        DIM_ROLE,
        WIDE_ROLE,
        ENDS_ROLE,
    )
)
"""All that cells answer to. A view asks eleven questions about each cell that it paints."""


class ToolkitCells:
    """Cells by row and column.

    Args:
        figures: cohesion and health; None shows none.
    """

    def __init__(self, figures: ToolkitFigures | None) -> None:
        self._figures = figures
        self.unused: frozenset[ToolkitId] = frozenset()
        """Toolkits whose APIs are all excluded."""
        self._colours: Mapping[ToolkitId, str] = {}
        self._region_colours: dict[int, str] = {}

    @property
    def colours(self) -> Mapping[ToolkitId, str]:
        """Of the toolkits, "#rrggbb"."""
        return self._colours

    @colours.setter
    def colours(self, colours: Mapping[ToolkitId, str]) -> None:
        self._colours = colours
        self.forget_regions()

    def forget_regions(self) -> None:
        """Regions hold other toolkits, or these have other colours."""
        self._region_colours = {}

    def region(self, region: Region, column: ToolkitColumn, role: int) -> Any:
        """What a row of a region shows."""
        if role == Role.DisplayRole:
            if column is ToolkitColumn.NAME:
                return one_line(region.name)
            return count(region.size) if column is ToolkitColumn.SIZE else None
        if role == ENDS_ROLE:
            return True
        if role == Role.DecorationRole and column is ToolkitColumn.NAME:
            return self._region_swatch(region)
        if role == Role.TextAlignmentRole and column is not ToolkitColumn.NAME:
            return RIGHT
        if role == Role.ToolTipRole:
            toolkits = counted(len(region.toolkits), "toolkit")
            return plain_tooltip(f"Region {region.name}: {toolkits}, {counted(region.size, 'API')}")
        return None

    def _region_swatch(self, region: Region) -> Any:
        """The colour of a region whose toolkits all have one and the same.

        Kept, for it is painted often and a region may hold a thousand toolkits.
        """
        colour = self._region_colours.get(region.number)
        if colour is None:
            found = set(map(self._colours.get, [kit.id for kit in region.toolkits]))
            colour = (found.pop() if len(found) == 1 else None) or ""
            self._region_colours[region.number] = colour
        return swatch(colour) if colour else None

    def toolkit(self, toolkit: Toolkit, column: ToolkitColumn, role: int) -> Any:
        """What a row of a toolkit shows."""
        if role == TOOLKIT_ROLE:
            return toolkit.id
        if role == DIM_ROLE:
            return toolkit.id in self.unused
        if column is ToolkitColumn.MARKS and toolkit.id in self.unused:
            return self._unused_mark(toolkit, role)
        if role == Role.ToolTipRole:
            return plain_tooltip(tooltip(toolkit, column, self._figures))
        if column is ToolkitColumn.MARKS:
            return self._mark(toolkit, role)
        if column is not ToolkitColumn.NAME:
            if role == Role.DisplayRole:
                return cell(toolkit, column, self._figures)
            return RIGHT if role == Role.TextAlignmentRole else None
        if role == Role.DisplayRole:
            return one_line(toolkit.name)
        if role == ENDS_ROLE:
            return toolkit.name.endswith(_AND_MORE)
        if role == Role.DecorationRole:
            # Names stand below each other where others have a colour.
            return swatch(self.colours.get(toolkit.id, "")) if self.colours else None
        return None

    def _unused_mark(self, toolkit: Toolkit, role: int) -> Any:
        if role in (Role.ToolTipRole, Role.AccessibleTextRole):
            marks = tooltip(toolkit, ToolkitColumn.MARKS, None)
            return plain_tooltip(f"{ALL_EXCLUDED} {marks}".strip())
        return make_icon("cancel") if role == Role.DecorationRole else None

    def _mark(self, toolkit: Toolkit, role: int) -> Any:
        if role == Role.AccessibleTextRole:
            return tooltip(toolkit, ToolkitColumn.MARKS, None)
        if role != Role.DecorationRole:
            return None
        if toolkit.pinned:
            return make_icon("pin")
        return make_icon("account-edit-outline") if is_edited(toolkit) else None

    def member(self, member: ToolkitMember, owner: ToolkitId, column: int, role: int) -> Any:
        """What a row of an API shows."""
        if role == TOOLKIT_ROLE:
            return owner
        if role == ROWID_ROLE:
            return member.rowid
        if role == DIM_ROLE:
            return member.is_excluded or member.is_waiting
        if role == WIDE_ROLE:
            return True
        if column == ToolkitColumn.MARKS:
            return self._member_mark(member, role)
        if column == ToolkitColumn.NAME and role == Role.DisplayRole:
            return one_line(member.title)
        if column == ToolkitColumn.NAME and role == Role.ToolTipRole:
            return plain_tooltip(f"{member.title}\n{member.description}")
        return None

    def _member_mark(self, member: ToolkitMember, role: int) -> Any:
        words = [
            word
            for word, is_so in (
                ("Documentation changed, to be accepted", member.is_waiting),
                ("Excluded", member.is_excluded),
                ("Pinned", member.is_pinned),
            )
            if is_so
        ]
        if role in (Role.ToolTipRole, Role.AccessibleTextRole):
            return plain_tooltip(", ".join(words))
        if role == Role.DecorationRole and words:
            return make_icon(_mark_of(member))
        return None


def _mark_of(member: ToolkitMember) -> str:
    if member.is_waiting:
        return "file-alert-outline"
    return "cancel" if member.is_excluded else "pin"
