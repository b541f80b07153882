"""The plan of names right after an edit: the old places with the names of now.

Working names out anew takes a thread up to some seconds, in which the map must not show the name of
a toolkit that was renamed or has ended. Pure; a millisecond for 5,000 toolkits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace

import numpy as np

from toolplanner_gui.map.labels import REGION, TOOLKIT, LabelItems, LabelPlan


def places_of(keys: np.ndarray, before: np.ndarray) -> np.ndarray:
    """Where each of the keys `(k,) int` stood before, `(k,) int64`, -1 for a new one."""
    if not len(before):
        return np.full(len(keys), -1, np.int64)
    order = np.argsort(before, kind="stable")
    found = order[np.minimum(np.searchsorted(before, keys, sorter=order), len(before) - 1)]
    return np.where(before[found] == keys, found, -1)


def with_toolkits(
    plan: LabelPlan,
    texts: Sequence[str],
    *,
    places: np.ndarray,
    names: Sequence[str],
    measure: Callable[[str, int], float],
) -> tuple[LabelPlan, list[str]]:
    """The plan for other toolkits; new ones have no name yet.

    Args:
        texts: of the items.
        places: `(k,) int`, where each toolkit of now stood among those of before, -1 for nowhere.
        names: of the toolkits of now.
        measure: width of a text at a level.
    """
    level = plan.items.level
    first, n_before = int((level == REGION).sum()), int((level == TOOLKIT).sum())
    behind = np.arange(first + n_before, len(level))
    is_new = places < 0
    # What is taken for a new one is never shown.
    taken = np.concatenate([np.arange(first), np.where(is_new, 0, first + places), behind])
    now = slice(first, first + len(places))
    columns = {each.name: getattr(plan.items, each.name)[taken] for each in fields(LabelItems)}
    columns["level"][now] = TOOLKIT
    columns["weight"][now][is_new] = 0.0
    least = plan.least_scale[taken]
    least[now][is_new] = np.inf
    back = np.full(len(level), -1, np.int64)
    old = np.ones(len(taken), dtype=bool)
    old[now] = ~is_new
    back[taken[old]] = np.flatnonzero(old)
    order = back[plan.order]
    for place in np.flatnonzero(~is_new).tolist():
        if names[place] != texts[first + int(places[place])] and columns["width"][first + place]:
            columns["width"][first + place] = measure(names[place], TOOLKIT)
    changed = LabelPlan(items=LabelItems(**columns), least_scale=least, order=order[order >= 0])
    return changed, [*texts[:first], *names, *texts[first + n_before :]]


def with_regions(
    plan: LabelPlan,
    texts: Sequence[str],
    *,
    names: Sequence[str],
    measure: Callable[[str, int], float],
) -> tuple[LabelPlan, list[str]]:
    """The plan with other names of as many regions; of more or fewer it is left as it is."""
    if int((plan.items.level == REGION).sum()) != len(names):
        return plan, list(texts)
    width = plan.items.width.copy()
    for place, (before, name) in enumerate(zip(texts, names, strict=False)):
        if before != name:
            width[place] = measure(name, REGION)
    return replace(plan, items=replace(plan.items, width=width)), [*names, *texts[len(names) :]]
