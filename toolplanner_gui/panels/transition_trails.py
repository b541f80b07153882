"""Transitions of the graph of tools as trails over the map: from an API to what comes after it.

Called by the map panel where no run stands beside the map.
"""

from collections.abc import Sequence

from toolplanner_core.domain.ids import ApiId
from toolplanner_core.words.wording import one_line
from toolplanner_gui.map.plan_trail import Trail, TrailStop
from toolplanner_gui.panels.plan_trails import PlaceOf, PlanPicture
from toolplanner_gui.viewmodels.curate.transitions import Arrow

API_KEY = "api:"
"""Begins the key of a stop that is an API."""
_LINE = 64


def transition_picture(arrows: Sequence[Arrow], words: str, place_of: PlaceOf) -> PlanPicture:
    """A trail of two stops for each arrow whose ends are on the map.

    Args:
        place_of: of an API; None for one that is not there.
    """
    trails: list[Trail] = []
    for arrow in arrows:
        begin, end = place_of(arrow.before), place_of(arrow.after)
        if begin is None or end is None or arrow.before == arrow.after:
            continue
        after = (arrow.title, f"Comes after it, weight {arrow.weight}")
        stops = (
            _stop(arrow.before, begin, "", ("What is selected",)),
            _stop(arrow.after, end, str(arrow.weight), after),
        )
        trails.append(Trail(stops, is_old=False))
    return PlanPicture(trails, words if trails else "")


def _stop(api: ApiId, place: tuple[float, float], label: str, lines: Sequence[str]) -> TrailStop:
    return TrailStop(
        x=place[0],
        y=place[1],
        label=label,
        token="accent",
        icon="",
        is_active=False,
        key=f"{API_KEY}{api}",
        lines=tuple(one_line(line, _LINE) for line in lines),
    )
