"""A plan over the map as data: stops, and the trail that joins them.

Apart from the layer that draws them: whoever makes them paints nothing. Made by the map panel,
drawn by `plan_layer.py`.
"""

from __future__ import annotations

from typing import NamedTuple


class TrailStop(NamedTuple):
    """One step of a plan on the map.

    Attributes:
        x, y: world.
        label: its number.
        token: name of the colour of its state.
        icon: name of the picture of its state, "" where the number says enough.
        is_active: whether it goes on now.
        key: what a click on it means to the caller.
        lines: what the card beside it says.
    """

    x: float
    y: float
    label: str
    token: str
    icon: str
    is_active: bool
    key: str
    lines: tuple[str, ...]


class Trail(NamedTuple):
    """A plan; `is_old` when another one has taken its place."""

    stops: tuple[TrailStop, ...]
    is_old: bool
