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
    """

    id: str
    title: str
    icon: str
    shortcut: str
    widths: Mapping[DockPlace, int]
    heights: Mapping[DockPlace, int]


LAYOUTS: tuple[Layout, ...] = (
    Layout(
        id="curate",
        title="Curate",
        icon="hexagon-multiple-outline",
        shortcut="Ctrl+1",
        widths={DockPlace.LEFT: 390, DockPlace.RIGHT: 330},
        heights={DockPlace.BOTTOM: 200},
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
        id="review",
        title="Review",
        icon="clipboard-check-outline",
        shortcut="Ctrl+3",
        widths={DockPlace.RIGHT: 480},
        heights={},
    ),
)

BY_ID = {layout.id: layout for layout in LAYOUTS}
