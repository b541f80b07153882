"""What changes of the toolkits mean, in words and with exact counts.

Shown before an edit is confirmed and for every step of the history. Called by dialogs of curation,
the staging tray and the history panel; pure.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from toolplanner_core.domain.curated import Changes
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_gui.viewmodels.catalogue import Catalogue
from toolplanner_gui.viewmodels.texts import counted, one_line

_NAMES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Consequences:
    """Counts of what changes.

    Attributes:
        moved: row ids of the APIs that change their toolkit.
        begun, ended: toolkits that begin to live, and that end.
        changed: toolkits that live on with another name, text or pin.
        lines: all of it as sentences.
    """

    moved: tuple[int, ...]
    begun: tuple[ToolkitId, ...]
    ended: tuple[ToolkitId, ...]
    changed: tuple[ToolkitId, ...]
    lines: tuple[str, ...]


def consequences(
    changes: Changes, catalogue: Catalogue, *, names: Mapping[ToolkitId, str] | None = None
) -> Consequences:
    """What these values change.

    Args:
        catalogue: the toolkits before the changes, or after them: names are looked up in it.
        names: of toolkits that do not live any more.
    """
    called = _Names(changes, catalogue, names or {})
    begun, ended, changed = _toolkits(changes)
    moved, pinned, unpinned = _members(changes, catalogue)
    excluded = [rowid for rowid, reason in changes.excluded.items() if reason is not None]
    included = [rowid for rowid, reason in changes.excluded.items() if reason is None]
    lines: list[str] = []
    if moved:
        lines.append(f"{counted(len(moved), 'API')} {_s('move', len(moved))}")
    if begun:
        lines.append(f"{called.all_of(begun)} {_s('begin', len(begun))}")
    if ended:
        lines.append(f"{called.all_of(ended)} {_s('end', len(ended))}")
    lines.extend(_field_lines(changes, changed, called))
    for rowids, verb in (
        (pinned, "pinned"),
        (unpinned, "unpinned"),
        (excluded, "excluded"),
        (included, "included again"),
    ):
        if rowids:
            is_or_are = "is" if len(rowids) == 1 else "are"
            lines.append(f"{counted(len(rowids), 'API')} {is_or_are} {verb}")
    if changes.links:
        lines.append(f"{counted(len(changes.links), 'link')} between APIs")
    return Consequences(
        moved=tuple(moved),
        begun=tuple(begun),
        ended=tuple(ended),
        changed=tuple(changed),
        lines=tuple(lines),
    )


def _toolkits(
    changes: Changes,
) -> tuple[list[ToolkitId], list[ToolkitId], list[ToolkitId]]:
    begun: list[ToolkitId] = []
    ended: list[ToolkitId] = []
    changed: list[ToolkitId] = []
    for toolkit, fields in changes.toolkits.items():
        if "is_living" not in fields:
            changed.append(toolkit)
        else:
            (begun if fields["is_living"] else ended).append(toolkit)
    return begun, ended, changed


def _members(changes: Changes, catalogue: Catalogue) -> tuple[list[int], list[int], list[int]]:
    """Row ids that move, and of the others those that are pinned and unpinned."""
    moved: list[int] = []
    pinned: list[int] = []
    unpinned: list[int] = []
    points = catalogue.places_of(np.fromiter(changes.members, np.int64, len(changes.members)))
    for (rowid, value), point in zip(changes.members.items(), points.tolist(), strict=True):
        owner = catalogue.toolkit_of_point(point) if point >= 0 else None
        before = catalogue.others.get(rowid)
        old = owner.id if owner is not None else (before.toolkit if before is not None else None)
        if value is None or value.toolkit != old:
            moved.append(rowid)
        else:
            (pinned if value.is_pinned else unpinned).append(rowid)
    return moved, pinned, unpinned


def _field_lines(changes: Changes, changed: list[ToolkitId], called: "_Names") -> list[str]:
    lines: list[str] = []
    for toolkit in changed[:_NAMES]:
        fields = changes.toolkits[toolkit]
        name = called.one(toolkit)
        if "name" in fields:
            lines.append(f"{name} is the new name")
        if "description" in fields:
            lines.append(f"{name} has another description")
        if "note" in fields:
            lines.append(f"{name} has another note")
        if "is_pinned" in fields:
            lines.append(f"{name} is {'pinned' if fields['is_pinned'] else 'unpinned'}")
    if len(changed) > _NAMES:
        rest = len(changed) - _NAMES
        lines.append(f"{counted(rest, 'more toolkit')} {_s('change', rest)}")
    return lines


class _Names:
    """What toolkits are called: as the changes name them, as they are now, as they were."""

    def __init__(
        self, changes: Changes, catalogue: Catalogue, names: Mapping[ToolkitId, str]
    ) -> None:
        self._changes = changes
        self._catalogue = catalogue
        self._names = names

    def all_of(self, toolkits: list[ToolkitId]) -> str:
        """A few names, or how many there are."""
        if len(toolkits) > _NAMES:
            return counted(len(toolkits), "toolkit")
        return ", ".join(self.one(toolkit) for toolkit in toolkits)

    def one(self, toolkit: ToolkitId) -> str:
        """A name in quotation marks."""
        name = self._changes.toolkits.get(toolkit, {}).get("name")
        known = self._catalogue.toolkit(toolkit)
        if not name:
            name = self._names.get(toolkit) or (
                f"toolkit {toolkit}" if known is None else known.name
            )
        return f"“{one_line(str(name), 60)}”"


def _s(verb: str, n: int) -> str:
    return f"{verb}s" if n == 1 else verb
