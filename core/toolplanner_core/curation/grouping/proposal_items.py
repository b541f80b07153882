"""From a new grouping to parts of a proposal that can be accepted one by one.

Each new group becomes at most one part: the APIs that would come to it. New groups continue old
toolkits by overlap, so most of a re-clustering is no change at all.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.clustering.matching import continued_groups
from toolplanner_core.curation.naming.toolkit_names import ToolkitText
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace.proposals import ProposedItem


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Regrouped:
    """A new grouping of some APIs.

    Attributes:
        rowids: (n,) int32.
        old: (n,) int32 toolkit ids, 0 for none.
        labels: (n,) int32, new groups; -1 for none.
        given: the toolkits of the groups 0, 1 ... that were given.
        texts: name and description of each new group.
        names: of the living toolkits.
    """

    rowids: NDArray[np.int32]
    old: NDArray[np.int32]
    labels: NDArray[np.int32]
    given: Sequence[ToolkitId]
    texts: Sequence[ToolkitText]
    names: Mapping[ToolkitId, str]


def items_of(regrouped: Regrouped) -> list[ProposedItem]:
    """All parts, those that move most first."""
    targets = _targets(regrouped)
    items = [
        _item(regrouped, label, target)
        for label, target in targets.items()
        if _coming(regrouped, label, target).any()
    ]
    items.extend(_leaving(regrouped))
    items.sort(key=lambda item: -len(item.rowids))
    return [replace(item, position=position) for position, item in enumerate(items)]


def _targets(regrouped: Regrouped) -> dict[int, ToolkitId | None]:
    """The toolkit that each new group is or continues; None for one without a past."""
    n_given = len(regrouped.given)
    targets: dict[int, ToolkitId | None] = dict(enumerate(regrouped.given))
    free = regrouped.labels >= n_given
    ids, old = np.unique(regrouped.old[free], return_inverse=True)
    is_open = np.array([i != 0 and i not in regrouped.given for i in ids.tolist()], dtype=np.bool_)
    old = np.where(is_open[old], old, -1).astype(np.int32)
    new = (regrouped.labels[free] - n_given).astype(np.int32)
    for group, continued in enumerate(continued_groups(old, new).tolist()):
        targets[group + n_given] = ToolkitId(int(ids[continued])) if continued >= 0 else None
    return targets


def _coming(regrouped: Regrouped, label: int, target: ToolkitId | None) -> NDArray[np.bool_]:
    return (regrouped.labels == label) & (regrouped.old != (target or -1))


def _item(regrouped: Regrouped, label: int, target: ToolkitId | None) -> ProposedItem:
    coming = _coming(regrouped, label, target)
    rowids = tuple(regrouped.rowids[coming].tolist())
    came = Counter(ToolkitId(t) for t in regrouped.old[coming].tolist() if t)
    sources = tuple(toolkit for toolkit, _ in came.most_common())
    emptied = [t for t, n in came.items() if n == int((regrouped.old == t).sum())]
    text = regrouped.texts[label]
    if target is not None:
        kind = "merge" if emptied else "move"
    else:
        kind = "split" if len(sources) == 1 else "new"
    name = text.name if target is None else regrouped.names[target]
    words = part_label(kind, len(rowids), [regrouped.names[t] for t in sources], name)
    return ProposedItem(
        position=0,
        kind=kind,
        label=words,
        rowids=rowids,
        target=target,
        name="" if target is not None else text.name,
        description="" if target is not None else text.description,
        sources=sources,
    )


def _leaving(regrouped: Regrouped) -> list[ProposedItem]:
    """Points that the method calls noise, a part for each toolkit they would leave."""
    noise = (regrouped.labels < 0) & (regrouped.old > 0)
    items: list[ProposedItem] = []
    for toolkit in np.unique(regrouped.old[noise]).tolist():
        rowids = tuple(regrouped.rowids[noise & (regrouped.old == toolkit)].tolist())
        name = regrouped.names[ToolkitId(toolkit)]
        items.append(
            ProposedItem(
                position=0,
                kind="leave",
                label=part_label("leave", len(rowids), [name], ""),
                rowids=rowids,
                target=None,
                sources=(ToolkitId(toolkit),),
            )
        )
    return items


def part_label(kind: str, n_apis: int, sources: Sequence[str], name: str) -> str:
    """What a part would do, in the imperative.

    Args:
        sources: names of the toolkits that its APIs are in now.
        name: of the toolkit that they would go to.
    """
    apis, origin = counted(n_apis, "API"), _names(sources)
    if kind == "leave":
        return f"Take {apis} out of {origin}: they resemble no group"
    if kind == "merge":
        return f"Merge {origin} into “{name}”"
    if kind == "move":
        return f"Move {apis} from {origin} to “{name}”"
    if kind == "split":
        return f"Split {apis} off {origin} as “{name}”"
    return f"Make “{name}” of {apis} from {origin}"


def _names(toolkits: Sequence[str]) -> str:
    if not toolkits:
        return "no toolkit"
    first = ", ".join(f"“{name}”" for name in toolkits[:2])
    return first if len(toolkits) <= 2 else f"{first} and {len(toolkits) - 2:,} more"
