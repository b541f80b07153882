"""The layouts as a table: which panel stands where. A new layout is a new row."""

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class DockPlace(StrEnum):
    """Where a panel stands."""

    LEFT = "left"
    CENTRE = "centre"
    RIGHT = "right"
    BOTTOM = "bottom"


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """One arrangement of panels.

    Attributes:
        places: panel id -> place, in the order in which they share a side: one below the other,
            at the bottom as tabs. The first one of the centre is shown, others come when asked for.
        widths: pixels of the sides at the first start.
        heights: pixels of the bottom at the first start.
        shares: panel id -> its share of the height of its side, in percent.
    """

    id: str
    title: str
    icon: str
    shortcut: str
    places: Mapping[str, DockPlace]
    widths: Mapping[DockPlace, int]
    heights: Mapping[DockPlace, int]
    shares: Mapping[str, int]

    @property
    def centre(self) -> str:
        """The panel shown in the centre at first."""
        return next(panel for panel, place in self.places.items() if place is DockPlace.CENTRE)

    @property
    def version(self) -> int:
        """Another number for every other set of panels: how docks stood with fewer panels says
        nothing about the new ones, so it is forgotten."""
        return zlib.crc32(repr(sorted(self.places.items())).encode()) & 0x7FFFFFFF


LAYOUTS: tuple[Layout, ...] = (
    Layout(
        id="curate",
        title="Curate",
        icon="hexagon-multiple-outline",
        shortcut="Ctrl+1",
        places={
            "toolkits": DockPlace.LEFT,
            "map": DockPlace.CENTRE,
            "details": DockPlace.RIGHT,
            "history": DockPlace.BOTTOM,
            "staging": DockPlace.BOTTOM,
            "charts": DockPlace.BOTTOM,
        },
        widths={DockPlace.LEFT: 330, DockPlace.RIGHT: 330},
        heights={DockPlace.BOTTOM: 200},
        shares={},
    ),
    Layout(
        id="debug",
        title="Debug",
        icon="bug-outline",
        shortcut="Ctrl+2",
        places={
            "runs": DockPlace.LEFT,
            "run_tree": DockPlace.CENTRE,
            "inspector": DockPlace.RIGHT,
            "map": DockPlace.RIGHT,
            "timeline": DockPlace.BOTTOM,
            "event_log": DockPlace.BOTTOM,
            "breakpoints": DockPlace.BOTTOM,
            "faults": DockPlace.BOTTOM,
            "compare": DockPlace.CENTRE,
        },
        widths={DockPlace.LEFT: 300, DockPlace.RIGHT: 430},
        heights={DockPlace.BOTTOM: 240},
        shares={"inspector": 62, "map": 38},
    ),
    Layout(
        id="review",
        title="Review",
        icon="clipboard-check-outline",
        shortcut="Ctrl+3",
        places={
            "review": DockPlace.CENTRE,
            "map": DockPlace.RIGHT,
            "details": DockPlace.RIGHT,
        },
        widths={DockPlace.RIGHT: 480},
        heights={},
        shares={"map": 58, "details": 42},
    ),
)

BY_ID = {layout.id: layout for layout in LAYOUTS}
