"""What there was to choose from at a node, and what only one of two runs had to choose from.

An API that was excluded, moved or added between two runs may change nothing that was done: it was
offered in one of them all the same. Scores and order are not compared: what follows from them is
seen in what was chosen.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from toolplanner_core.runs.events.decision import Decided, LookedUp
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.blobs import resolve

_NAMED = 5
"""Candidates that are named; the others are counted."""


def note_offer(offers: dict[str, Any], event: LookedUp | Decided) -> None:
    """Keep what a lookup found or a choice offered, under what was asked for."""
    if isinstance(event, LookedUp):
        asked = json.dumps([event.what, event.request], sort_keys=True, default=str)
        offers[asked] = event.found
    else:
        offers[f"{event.point} {len(offers)}"] = event.alternatives


def find_other_offers(
    workspace: Workspace, left: Mapping[str, Any], right: Mapping[str, Any]
) -> tuple[str, str]:
    """What each of two nodes could choose from and the other could not, in words; equal texts
    where there is nothing."""
    ours, theirs = dict[str, None](), dict[str, None]()
    for asked, offered in left.items():
        if asked in right and offered != right[asked]:  # long lists are marks of their content
            one = _titles(resolve(workspace, offered))
            other = _titles(resolve(workspace, right[asked]))
            ours.update({title: None for title in one if title not in other})
            theirs.update({title: None for title in other if title not in one})
    return _words(ours), _words(theirs)


def _titles(rows: Iterable[Mapping[str, Any]]) -> dict[str, None]:
    named = (row.get("title") or row.get("name") for row in rows)
    return {str(name): None for name in named if name}


def _words(titles: Mapping[str, None]) -> str:
    if not titles:
        return "no others"
    named = [*titles][:_NAMED]
    more = f" and {len(titles) - _NAMED:,} more" if len(titles) > _NAMED else ""
    return f"also {', '.join(named)}{more}"
