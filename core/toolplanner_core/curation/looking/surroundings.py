"""What is known around the points of a catalogue: titles, nearest neighbours.

Read once after the catalogue; an edit of toolkits changes nothing of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.curation.looking.curated_catalogue import CuratedCatalogue
from toolplanner_core.curation.looking.map_finding import neighbours_of_points
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.map_facts import exemplars, known_neighbours

TITLES_EACH = 3
"""APIs of each toolkit whose title may stand on the map."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Surroundings:
    """What was read for a catalogue.

    Attributes:
        titled: (m,) int64, points whose title may be shown, the most telling first.
        titles: m texts.
        neighbours: (n, k) int32, nearest points in the space of the vectors, itself first, -1 for
            none; None before they are known.
    """

    titled: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    titles: Sequence[str] = ()
    neighbours: NDArray[np.int32] | None = None


def read_surroundings(workspace: Workspace, catalogue: CuratedCatalogue) -> Surroundings:
    """Read everything; blocks for about a second."""
    chosen = exemplars(workspace, TITLES_EACH)
    places = catalogue.places_of(np.array([each.rowid for each in chosen], np.int64))
    there = np.flatnonzero(places >= 0)
    near = known_neighbours(workspace)
    return Surroundings(
        titled=places[there],
        titles=[chosen[i].title for i in there.tolist()],
        neighbours=None if near is None else neighbours_of_points(near, catalogue),
    )
