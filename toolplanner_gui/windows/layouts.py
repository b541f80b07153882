"""The layouts as a table: which panel stands where. A new layout is a new row."""

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
        places: panel id -> place, in the order in which they share a side; one is in the centre.
        widths: pixels of the sides at the first start.
        shares: panel id -> its share of the height of its side, in percent.
    """

    id: str
    title: str
    icon: str
    shortcut: str
    places: Mapping[str, Place]
    widths: Mapping[Place, int]
    shares: Mapping[str, int]


LAYOUTS: tuple[Layout, ...] = (
    Layout(
        id="curate",
        title="Curate",
        icon="hexagon-multiple-outline",
        shortcut="Ctrl+1",
        places={"toolkits": Place.LEFT, "map": Place.CENTRE, "details": Place.RIGHT},
        widths={Place.LEFT: 300, Place.RIGHT: 330},
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
        },
        widths={Place.LEFT: 300, Place.RIGHT: 430},
        shares={"inspector": 55, "map": 45},
    ),
)

BY_ID = {layout.id: layout for layout in LAYOUTS}
