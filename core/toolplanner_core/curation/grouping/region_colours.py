"""A colour number for each region, its own for life.

Numbers that are alike modulo `HUES` look alike, so regions side by side on the map get others. The
window turns numbers into colours of its theme.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

HUES = 12
"""Colours that are apart for every eye (`toolplanner_gui/map/palette.py`)."""
_NEAR = 5
"""Regions that count as beside one."""


def choose_colours(kept: Sequence[int | None], places: NDArray[np.floating[Any]]) -> list[int]:
    """Numbers, none twice.

    Args:
        kept: of each region, None for a new one.
        places: (r, 2) on the map, nan for none.
    """
    colours = list(kept)
    for region, colour in enumerate(colours):
        if colour is not None:
            continue
        away = np.linalg.norm(places - places[region], axis=1)
        near = [i for i in np.argsort(away).tolist() if i != region and np.isfinite(away[i])]
        beside = {c % HUES for i in near[:_NEAR] if (c := colours[i]) is not None}
        used = {c for c in colours if c is not None}
        free = [c for c in range(len(colours) + HUES) if c not in used]
        colours[region] = min(free, key=lambda c: (c // HUES, c % HUES in beside, c))
    return [colour for colour in colours if colour is not None]
