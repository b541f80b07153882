"""A colour number for each region, its own for life.

Up to `HUES` regions have colours that can be told apart. Of more, numbers that are alike modulo it
look alike, so regions side by side on the map get others. The window turns numbers into colours of
its theme.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

HUES = 36
"""Colours of a theme that can be told apart (`toolplanner_gui/map/toolkit_colours.py`)."""
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
        seen = Counter(c % HUES for c in used)
        free = [c for c in range(len(colours) + HUES) if c not in used]
        colours[region] = min(free, key=lambda c: (seen[c % HUES], c % HUES in beside, c))
    return [colour for colour in colours if colour is not None]


def next_colours(kept: Sequence[int | None]) -> list[int]:
    """Numbers, none twice, without a look at the map: the lowest that are free.

    Args:
        kept: as of `choose_colours`.
    """
    used = {colour for colour in kept if colour is not None}
    free = (number for number in count() if number not in used)
    return [next(free) if colour is None else colour for colour in kept]
