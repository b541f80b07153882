"""What is known around the points of a catalogue: nearest neighbours, and titles to be shown.

Read after the catalogue; an edit of toolkits changes nothing of it.
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
class PointTitles:
    """Titles of APIs that may be written on the map.

    Attributes:
        points: (m,) int64, the most telling first.
        texts: m of them.
    """

    points: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    texts: Sequence[str] = ()


def read_titles(workspace: Workspace, catalogue: CuratedCatalogue) -> PointTitles:
    """Read the titles; 45,000 APIs take a tenth of a second."""
    chosen = exemplars(workspace, TITLES_EACH)
    places = catalogue.places_of(np.array([each.rowid for each in chosen], np.int64))
    there = np.flatnonzero(places >= 0)
    texts = [chosen[i].title for i in there.tolist()]
    return PointTitles(points=places[there], texts=texts)


def read_neighbours(workspace: Workspace, catalogue: CuratedCatalogue) -> NDArray[np.int32] | None:
    """(n, k), nearest points in the space of the vectors, itself first, -1 for none; None before
    they are known."""
    near = known_neighbours(workspace)
    return None if near is None else neighbours_of_points(near, catalogue)
