"""The layouts as a table; which panels stand in them, the panels declare themselves."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class DockPlace(StrEnum):
    """A side of the window, or its middle."""

    LEFT = "left"
    CENTRE = "centre"
    RIGHT = "right"
    BOTTOM = "bottom"


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """One arrangement of panels.

    Attributes:
        widths: pixels of the sides at the first start.
        heights: pixels of the bottom at the first start.
        most_height: share of the height of a small window that the bottom takes at most then.
    """

    id: str
    title: str
    icon: str
    shortcut: str
    widths: Mapping[DockPlace, int]
    heights: Mapping[DockPlace, int]
    most_height: float = 0.28


LAYOUTS: tuple[Layout, ...] = (
    Layout(
        id="curate",
        title="Curate",
        icon="hexagon-multiple-outline",
        shortcut="Ctrl+1",
        widths={DockPlace.LEFT: 390, DockPlace.RIGHT: 330},
        heights={DockPlace.BOTTOM: 280},  # five APIs of the table
        most_height=0.47,
    ),
    Layout(
        id="debug",
        title="Debug",
        icon="bug-outline",
        shortcut="Ctrl+2",
        widths={DockPlace.LEFT: 300, DockPlace.RIGHT: 430},
        heights={DockPlace.BOTTOM: 240},
    ),
    Layout(
        id="lab",
        title="Lab",
        icon="flask-outline",
        shortcut="Ctrl+3",
        widths={DockPlace.LEFT: 320, DockPlace.RIGHT: 400},
        heights={DockPlace.BOTTOM: 180},
    ),
    Layout(
        id="review",
        title="Review",
        icon="clipboard-check-outline",
        shortcut="Ctrl+4",
        widths={DockPlace.RIGHT: 480},
        heights={},
    ),
)

BY_ID = {layout.id: layout for layout in LAYOUTS}
