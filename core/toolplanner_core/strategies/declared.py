"""Node kinds and stop points by their ids: those of the engine and of every strategy.

A log can hold kinds of a strategy that is not installed here; they are shown by their ids.
"""

from functools import cache

from toolplanner_core.domain.nodes import ENGINE_KINDS, NodeKind
from toolplanner_core.domain.stop_points import ENGINE_POINTS, StopPoint
from toolplanner_core.strategies.strategy import strategies


@cache
def node_kinds() -> dict[str, NodeKind]:
    """All kinds that are declared, by id."""
    found = {kind.id: kind for plugin in strategies for kind in plugin.kinds}
    return found | {kind.id: kind for kind in ENGINE_KINDS}


@cache
def stop_points() -> dict[str, StopPoint]:
    """All points that are declared, by id: the engine's first."""
    found = {point.id: point for point in ENGINE_POINTS}
    return found | {point.id: point for plugin in strategies for point in plugin.points}


def node_kind(kind_id: str) -> NodeKind:
    """The kind with this id; one that nobody declares is known by its id alone."""
    known = node_kinds().get(kind_id)
    return known if known is not None else NodeKind(id=kind_id, word=_words(kind_id))


def stop_point(point_id: str) -> StopPoint:
    """The point with this id; one that nobody declares is known by its id alone."""
    known = stop_points().get(point_id)
    if known is not None:
        return known
    words = _words(point_id)
    return StopPoint(id=point_id, kind=point_id, word=f"{words.capitalize()}:", event=words)


def _words(name: str) -> str:
    return name.replace("_", " ")
