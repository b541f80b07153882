"""The evidence after an edit, from the edit's changes. Pure."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from toolplanner_core.curation.questions.kinds.evidence import Evidence, ToolkitFacts, after_edit
from toolplanner_core.domain.curated import Changes
from toolplanner_core.domain.ids import ToolkitId


class EvidenceAfter(NamedTuple):
    """The state after an edit.

    Attributes:
        touched: ids of the toolkits that lost or gained members or changed name, text or pin.
    """

    evidence: Evidence
    touched: set[ToolkitId]


def follow_changes(before: Evidence, changes: Changes) -> EvidenceAfter:
    """The evidence with these values; tens of milliseconds for 45,000 APIs.

    APIs without a vector are not part of the evidence; what happens to them is left out.
    """
    toolkits = list(before.toolkits)
    position = {fact.id: place for place, fact in enumerate(toolkits)}
    for toolkit, fields in changes.all_fields.items():
        place = position.get(toolkit)
        if place is not None:
            toolkits[place] = toolkits[place].with_fields(fields)
        elif fields.get("is_living"):
            position[toolkit] = len(toolkits)
            toolkits.append(ToolkitFacts(id=toolkit).with_fields(fields))
    touched: set[ToolkitId] = {toolkit for toolkit in changes.toolkits if toolkit in position}
    labels, is_pinned = before.labels.copy(), before.is_pinned.copy()
    rowids = np.fromiter(changes.members, np.int64, len(changes.members))
    places = np.minimum(np.searchsorted(before.rowids, rowids), max(0, len(before.rowids) - 1))
    for rowid, place in zip(rowids.tolist(), places.tolist(), strict=True):
        if not len(before.rowids) or before.rowids[place] != rowid:
            continue
        membership = changes.members[rowid]
        if labels[place] >= 0:
            touched.add(toolkits[labels[place]].id)
        labels[place] = -1 if membership is None else position.get(membership.toolkit, -1)
        is_pinned[place] = membership is not None and membership.is_pinned
        if membership is not None and membership.toolkit in position:
            touched.add(membership.toolkit)
    pinned = replace(before, is_pinned=is_pinned)
    after = after_edit(pinned, labels=labels, toolkits=toolkits, touched=touched)
    return EvidenceAfter(after, touched)
