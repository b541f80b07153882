"""What the report of a catalogue says of APIs that are documented word for word the same.

What to do with them depends on what differs beside their words: only what has one address is one
API. Of 555 such sets among 45,284 crawled APIs none has; 98 are of one tool that documents several
addresses alike, the others are of different services, most of them made from one template.
"""

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum

from toolplanner_core.curation.looking.report_tables import LISTED, more, plain_name, table
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.words.formatting import count, counted
from toolplanner_core.workspace.catalogue import DuplicateDocuments

Owner = Mapping[int, ToolkitId]
"""The toolkits of APIs, by row id."""
Titles = Mapping[int, str]
"""Of APIs, by row id."""


class Sameness(StrEnum):
    """What stands behind the same words."""

    REPEATED = "The same address: one API, listed twice"
    ONE_TOOL = "Other addresses of one tool"
    APART = "Different tools, in several toolkits"
    TOGETHER = "Different tools, in one toolkit: they stand in for one another"


def sameness(one: DuplicateDocuments, owner: Owner) -> Sameness:
    """What stands behind the same words of a set."""
    if one.is_repeated:
        return Sameness.REPEATED
    if one.tools == 1:
        return Sameness.ONE_TOOL
    homes = {owner.get(rowid) for rowid in one.rowids}
    return Sameness.TOGETHER if len(homes) == 1 and None not in homes else Sameness.APART


def named_copies(copies: Sequence[DuplicateDocuments], owner: Owner) -> list[int]:
    """Row ids of the APIs that the report names."""
    first = {kind: sets[0] for kind, sets in _by_kind(copies, owner).items()}
    return [one.rowids[0] for one in (*copies[:LISTED], *first.values())]


def copies_steps(
    copies: Sequence[DuplicateDocuments], owner: Owner, titles: Titles
) -> Iterator[str]:
    """What to do with them, a sentence or two for each kind that asks for something."""
    found = _by_kind(copies, owner)
    for kind, what, todo in (
        (Sameness.REPEATED, "of APIs {have} one address and the same words", "Keep one of each."),
        (
            Sameness.ONE_TOOL,
            "of APIs of one tool differ by their addresses alone, such as “{name}”",
            "No plan can tell them apart: say in their texts what each is for.",
        ),
        (
            Sameness.APART,
            "of APIs are documented the same by different tools and lie in several toolkits, such"
            " as “{name}”",
            "Put those that do the same into one toolkit, where they stand in for one another.",
        ),
    ):
        if sets := found.get(kind):
            name, have = plain_name(titles.get(sets[0].rowids[0], "")), _have(sets)
            yield f"{counted(len(sets), 'set')} {what.format(name=name, have=have)}. {todo}"


def copies_lines(
    copies: Sequence[DuplicateDocuments], owner: Owner, titles: Titles
) -> Iterator[str]:
    """The section of the report."""
    if not copies:
        yield "No two APIs are documented word for word the same."
        return
    yield f"{counted(len(copies), 'set')} of {counted(_apis(copies), 'API')} in all."
    yield "The same words are not always the same API:"
    yield ""
    found = _by_kind(copies, owner)
    kinds = (
        (kind.value, count(len(found[kind])), count(_apis(found[kind])))
        for kind in Sameness
        if kind in found
    )
    yield from table(("What they have", "Sets", "APIs"), kinds)
    yield ""
    rows = (
        (
            plain_name(titles.get(one.rowids[0], "")),
            count(len(one.rowids)),
            count(one.tools),
            count(len({owner[rowid] for rowid in one.rowids if rowid in owner})),
        )
        for one in copies[:LISTED]
    )
    yield from table(("The largest", "Times", "Tools", "Toolkits"), rows)
    yield from more(copies)
    yield ""
    yield "The review asks about those of them that share an address, or a name and parameters,"
    yield "and about copies whose texts differ a little: other sets than these. A yes there"
    yield "excludes all but one: say no to different services that share their words only."


def _by_kind(
    copies: Sequence[DuplicateDocuments], owner: Owner
) -> Mapping[Sameness, list[DuplicateDocuments]]:
    found: dict[Sameness, list[DuplicateDocuments]] = {}
    for one in copies:
        found.setdefault(sameness(one, owner), []).append(one)
    return found


def _apis(copies: Sequence[DuplicateDocuments]) -> int:
    return sum(len(one.rowids) for one in copies)


def _have(sets: Sequence[DuplicateDocuments]) -> str:
    return "has" if len(sets) == 1 else "have"
