"""What is worked out beside the GUI: the colours of toolkits and when their names are shown.

Pure functions of arrays, run by `Background` in a thread. Called by the canvas.
"""

from __future__ import annotations

import numpy as np

from toolplanner_gui.map.colours import assign_colours
from toolplanner_gui.map.labels import LabelPlan, label_weights, plan_labels
from toolplanner_gui.map.neighbours import centres
from toolplanner_gui.map.points import MapPoints


def derive_colours(points: MapPoints) -> np.ndarray:
    """Colours `(k,) int64` that differ between neighbours, near to those of before."""
    return assign_colours(points.xy, points.labels, len(points.names), points.settled_colours)


def derive_labels(
    points: MapPoints, widths: np.ndarray, height: float, overview_scale: float
) -> LabelPlan:
    """The plan of names.

    Args:
        points: the points.
        widths: `(k,)` of the names, logical pixels.
        height: of all names.
        overview_scale: scale at which the whole map is in view.
    """
    middles = centres(points.xy, points.labels, len(points.names))
    weight = label_weights(points.xy, points.labels, middles)
    return plan_labels(middles, weight, widths, height, overview_scale=overview_scale)
