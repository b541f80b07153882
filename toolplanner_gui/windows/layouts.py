"""The layouts as a table: which panel stands where. A new layout is a new row."""

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Place(StrEnum):
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
    places: Mapping[str, Place]
    widths: Mapping[Place, int]
    heights: Mapping[Place, int]
    shares: Mapping[str, int]

    @property
    def centre(self) -> str:
        """The panel shown in the centre at first."""
        return next(panel for panel, place in self.places.items() if place is Place.CENTRE)

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
            "toolkits": Place.LEFT,
            "map": Place.CENTRE,
            "details": Place.RIGHT,
            "history": Place.BOTTOM,
            "staging": Place.BOTTOM,
            "charts": Place.BOTTOM,
        },
        widths={Place.LEFT: 330, Place.RIGHT: 330},
        heights={Place.BOTTOM: 200},
        shares={},
    ),
    Layout(
        id="debug",
        title="Debug",
        icon="bug-outline",
        shortcut="Ctrl+2",
        places={
            "runs": Place.LEFT,
            "run_tree": Place.CENTRE,
            "inspector": Place.RIGHT,
            "map": Place.RIGHT,
            "timeline": Place.BOTTOM,
            "event_log": Place.BOTTOM,
            "breakpoints": Place.BOTTOM,
            "faults": Place.BOTTOM,
            "compare": Place.CENTRE,
        },
        widths={Place.LEFT: 300, Place.RIGHT: 430},
        heights={Place.BOTTOM: 240},
        shares={"inspector": 62, "map": 38},
    ),
    Layout(
        id="review",
        title="Review",
        icon="clipboard-check-outline",
        shortcut="Ctrl+3",
        places={
            "review": Place.CENTRE,
            "map": Place.RIGHT,
            "details": Place.RIGHT,
        },
        widths={Place.RIGHT: 480},
        heights={},
        shares={"map": 58, "details": 42},
    ),
)

BY_ID = {layout.id: layout for layout in LAYOUTS}
