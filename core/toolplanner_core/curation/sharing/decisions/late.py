"""APIs that were not in the catalogue when a decision was made here, and have come since.

The decision itself is not made again; where it put its APIs then, it puts the late ones now.
"""

from collections.abc import Mapping, Sequence
from itertools import count

from toolplanner_core.curation.edits.marks import Exclude
from toolplanner_core.curation.edits.move import Move
from toolplanner_core.curation.sharing.decisions.collecting import MadeDecision
from toolplanner_core.curation.sharing.decisions.decision import Decision
from toolplanner_core.curation.sharing.decisions.place import PlacedDecision
from toolplanner_core.curation.sharing.decisions.translating import apis_in
from toolplanner_core.domain.curated import Membership
from toolplanner_core.domain.ids import ApiId


def late_key(decision: Decision, made: Mapping[str, MadeDecision]) -> str:
    """The key of the next edit that makes up for late APIs."""
    keys = (f"{decision.key}/late/{number}" for number in count(1))
    return next(key for key in keys if key not in made)


def late_apis(
    decision: Decision, made: Mapping[str, MadeDecision], rowid_of: Mapping[ApiId, int]
) -> list[ApiId]:
    """The APIs that were missing, are here now, and were not made up for yet."""
    missing = made[decision.key].decision.origin.get("missing", ())
    caught_up = {
        api
        for key, one in made.items()
        if key.startswith(f"{decision.key}/late/")
        for api in apis_in(one.decision.asked)
    }
    return [ApiId(api) for api in missing if api in rowid_of and api not in caught_up]


def want_late(place: PlacedDecision, apis: Sequence[ApiId]) -> None:
    """Note in `place` the edits that put late APIs where the decision put them."""
    homes: dict[Membership | None, list[int]] = {}
    reasons: dict[str, list[int]] = {}
    for rowid in place.here(apis):
        if rowid in place.after.members:
            homes.setdefault(place.after.members[rowid], []).append(rowid)
        reason = place.after.excluded.get(rowid)
        if reason is not None and rowid not in place.state.excluded:
            reasons.setdefault(reason, []).append(rowid)
    for home, rowids in homes.items():
        with place.refusing(*rowids):
            to = None if home is None else place.find(home.toolkit)
            if moving := place.free(rowids, to):
                is_pinned = home is None or home.is_pinned
                place.edits.append(Move(rowids=tuple(moving), to=to, is_pinned=is_pinned))
    place.edits += [
        Exclude(rowids=tuple(rowids), reason=reason) for reason, rowids in reasons.items()
    ]
