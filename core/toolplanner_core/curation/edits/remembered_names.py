"""What the rule calls groups of APIs of a workspace: the parts of a split, a toolkit after a merge.

The same names are asked for again and again: by the card of a question, the preview of its edit and
the edit itself. So what was found is remembered by the texts it was found from.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from toolplanner_core.curation.edits.turnover import evenly
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.jobs.progress import silent
from toolplanner_core.workspace import Database, Workspace
from toolplanner_core.workspace.catalogue import ApiText, documentation_in
from toolplanner_core.workspace.curated_tables import all_names, some_rowids
from toolplanner_core.workspace.toolkit_centroids import most_central

if TYPE_CHECKING:
    # The window makes edits long before it needs all that naming stands on.
    from toolplanner_core.curation.naming.toolkit_names import ToolkitText

_MOST = 400
"""APIs of a group that are read; more say nothing new about the common subject."""
_BACKGROUND = 300
"""Other APIs whose texts say which words are common: names of 120 toolkits are nearly as often
those that the whole catalogue gives them as with twice as many, in two thirds of the time."""
_BEGIN = 4
"""Letters: "rates" and "rate" begin alike."""
_WORD = re.compile(r"[A-Z]?[a-z]{2,}|[A-Z]{2,}")
_NOTHING_KEPT: Mapping[int, str] = MappingProxyType({})
_REMEMBERED = 16
"""Lists of groups; the texts of each take half a megabyte."""


def names_by_rule(
    db: Database,
    groups: Sequence[Sequence[int]],
    *,
    taken: Collection[str],
    kept: Mapping[int, str] = _NOTHING_KEPT,
) -> "list[ToolkitText]":
    """Names and descriptions of toolkits of these APIs, unlike one another.

    A tenth of a second and 3 ms for each group; a hundredth if they were asked for just now.

    Args:
        groups: row ids of the APIs of each; none is empty.
        taken: names that other toolkits have.
        kept: present names by the place of the group that may keep it: who knows a toolkit by its
            name does not find another one under it.
    """
    ordered = most_central(db, [evenly(rowids, _MOST) for rowids in groups])
    members = [rowid for rowids in ordered for rowid in rowids]
    chosen = set(members)
    sample = [rowid for rowid in some_rowids(db, _BACKGROUND) if rowid not in chosen]
    apis = tuple(documentation_in(db, [*members, *sample]))
    place = {rowid: i for i, rowid in enumerate(members)}
    places = tuple(tuple(place[rowid] for rowid in rowids) for rowids in ordered)
    everything = frozenset(map(str.casefold, taken))
    # As good as all of them unless one is met, and it stays so when names elsewhere change.
    like = _like(everything, apis[: len(members)])
    texts = _named(apis, places, like)
    if any(text.name.casefold() in everything for text in texts):
        texts = _named(apis, places, everything)
    if any(_takes_over(kept, at, text.name) for at, text in enumerate(texts)):
        texts = _named(apis, places, everything.union(map(str.casefold, kept.values())))
    return list(texts)


def propose_name(
    workspace: Workspace, rowids: Sequence[int], *, without: ToolkitId | None = None
) -> "ToolkitText":
    """What a toolkit of these APIs would be called by rule; unlike all names there are. Blocks.

    Args:
        without: a toolkit whose own name is free for it.
    """
    with workspace.snapshot() as db:
        taken = [name for toolkit, name in all_names(db).items() if toolkit != without]
        (text,) = names_by_rule(db, [rowids], taken=taken)
    return text


def _takes_over(kept: Mapping[int, str], at: int, name: str) -> bool:
    return any(name.casefold() == own.casefold() and at != place for place, own in kept.items())


def _like(names: Collection[str], apis: Sequence[ApiText]) -> frozenset[str]:
    """The names that share the beginning of a word with the texts."""
    texts = (text for api in apis for text in (api.name, api.tool, api.category, api.description))
    begins = {word[:_BEGIN].casefold() for text in texts for word in _WORD.findall(text)}
    return frozenset(
        name for name in names if any(word[:_BEGIN] in begins for word in name.split())
    )


@lru_cache(_REMEMBERED)
def _named(
    apis: tuple[ApiText, ...], groups: tuple[tuple[int, ...], ...], taken: frozenset[str]
) -> "tuple[ToolkitText, ...]":
    from toolplanner_core.curation.naming.toolkit_names import name_toolkits

    return tuple(name_toolkits(apis, groups, taken=taken, report=silent))
