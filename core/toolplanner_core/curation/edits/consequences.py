"""What changes of the toolkits mean, in words and with exact counts.

Said before an edit is confirmed, in the window and on the command line, and of every step of the
history. Values and those that were there before say all of it; only names of toolkits that keep
theirs have to be asked for.
"""

from collections.abc import Callable, Sequence

from toolplanner_core.curation.edits.history import Done
from toolplanner_core.domain.curated import Changes, Membership
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.words.formatting import count, counted, one_line

_NAMES = 3


def consequences(done: Done, *, name_of: Callable[[ToolkitId], str]) -> list[str]:
    """What an edit changes or would change, as sentences without a full stop.

    Args:
        name_of: the present name of a toolkit that the edit neither names nor ends.
    """
    changes, before = done.changes, done.before
    fields_after, fields_before = changes.all_fields, before.all_fields

    def called(toolkit: ToolkitId) -> str:
        known = (fields_after[toolkit], fields_before[toolkit])
        name = next((fields["name"] for fields in known if "name" in fields), None)
        return f"“{one_line(name_of(toolkit) if name is None else str(name), 60)}”"

    moved = along = pinned = unpinned = there = 0
    for rowid, now in changes.members.items():
        was = before.members[rowid]
        if now is None or was is None or now.toolkit != was.toolkit:
            moved += 1
            there += _is_pinned_by(now, was)
            along += was is not None and now is not None and was.is_pinned and now.is_pinned
        else:
            pinned, unpinned = pinned + now.is_pinned, unpinned + (not now.is_pinned)
    excluded = sum(reason is not None for reason in changes.excluded.values())
    accepted = sum(text is not None for text in changes.accepted.values())
    lines = [counted(moved, "API moves", "APIs move")] if moved else []
    if along:
        lines.append(f"{counted(along, 'pinned API goes', 'pinned APIs go')} along")
    for toolkits, ends in ((changes.begun, "begin"), (changes.ended, "end")):
        if toolkits:
            lines.append(f"{_listed(toolkits, called)} {ends if len(toolkits) > 1 else ends + 's'}")
    lines.extend(_field_lines(changes, called))
    lines.extend(_proposed(done))
    for n, verb in (
        (there, "then pinned there"),
        (pinned, "pinned"),
        (unpinned, "unpinned"),
        (accepted, "used as documented now"),
        (len(changes.accepted) - accepted, "waiting to be accepted again"),
    ):
        if n:
            lines.append(f"{counted(n, 'API is', 'APIs are')} {verb}")
    if excluded:
        lines.append(f"{counted(excluded, 'API is', 'APIs are')} offered to no plan any more")
    if again := len(changes.excluded) - excluded:
        lines.append(f"{counted(again, 'API is', 'APIs are')} offered to plans again")
    if rezoned := changes.region_of.keys() - {*changes.begun, *done.ended}:
        lines.append(f"{counted(len(rezoned), 'toolkit comes', 'toolkits come')} to another region")
    if changes.texts:
        lines.append(counted(len(changes.texts), "API has another text", "APIs have another text"))
    if changes.links:
        lines.append(f"{counted(len(changes.links), 'link')} between APIs")
    return [*lines, done.against] if done.against else lines


def besides(done: Done, *, name_of: Callable[[ToolkitId], str]) -> str:
    """What an edit did beside its label, for who did not look at a preview: " · pinned there"."""
    members, before = done.changes.members, done.before.members
    n_pinned = sum(_is_pinned_by(now, before[rowid]) for rowid, now in members.items())
    said = "pinned there" if n_pinned == len(members) else f"{count(n_pinned)} pinned there"
    parts = [said] if n_pinned else []
    if n_pinned and (ended := done.changes.ended):
        verb = "ends" if len(ended) == 1 else "end"
        parts.append(f"{_listed(ended, lambda t: f'“{one_line(name_of(t), 60)}”')} {verb}, empty")
    parts.extend(_proposed(done))
    parts += [done.against] if done.against else []
    return "".join(f" · {part}" for part in parts)


def _proposed(done: Done) -> list[str]:
    """How many names are proposed then: none of them changes by itself."""
    retold = done.changes.retold
    n = sum(bool(fields.get("proposed_name")) for fields in retold.values())
    return [f"another name is proposed for {counted(n, 'toolkit')}"] if n else []


def _is_pinned_by(now: Membership | None, was: Membership | None) -> bool:
    """Whether an API comes to a toolkit and is pinned there by the same edit."""
    if now is None or not now.is_pinned:
        return False
    return was is None or (was.toolkit != now.toolkit and not was.is_pinned)


def _listed(toolkits: Sequence[ToolkitId], called: Callable[[ToolkitId], str]) -> str:
    """A few names, or how many there are."""
    if len(toolkits) > _NAMES:
        return counted(len(toolkits), "toolkit")
    return ", ".join(map(called, toolkits))


def _field_lines(changes: Changes, called: Callable[[ToolkitId], str]) -> list[str]:
    lines: list[str] = []
    for toolkit in changes.updated[:_NAMES]:
        fields, name = changes.toolkits[toolkit], called(toolkit)
        if "name" in fields:
            lines.append(f"{name} is the new name")
        if "description" in fields:
            lines.append(f"{name} has another description")
        if "note" in fields:
            lines.append(f"{name} has another note")
        if "is_pinned" in fields:
            lines.append(f"{name} is {'pinned' if fields['is_pinned'] else 'unpinned'}")
    if (rest := len(changes.updated) - _NAMES) > 0:
        lines.append(counted(rest, "more toolkit changes", "more toolkits change"))
    return lines
