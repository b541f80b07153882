"""What is looked up in a log, and which of its events are wanted: for the table of events."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.workspace.run_log import HeadRow


class Facts(NamedTuple):
    """What is looked up in a log: the first event of each node, types and actors that occur."""

    first: dict[NodePath, int]
    types: set[str]
    actors: set[str]


def facts_of(heads: Sequence[HeadRow]) -> Facts:
    """Facts of a whole log; any thread, since a long one takes tens of milliseconds."""
    facts = Facts({}, set(), set())
    note(facts, heads)
    return facts


def note(facts: Facts, heads: Sequence[HeadRow]) -> None:
    """Add the next events."""
    for head in heads:
        facts.first.setdefault(head.path, head.seq)
        facts.types.add(head.type)
        facts.actors.add(head.actor)


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which events are shown; "" = all.

    Attributes:
        text: words that all must occur in type, actor, node or what the event says.
        type: name of a type, such as "call.failed".
        actor: value of an `Actor`.
    """

    text: str = ""
    type: str = ""
    actor: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether all events are shown."""
        return not (self.text.strip() or self.type or self.actor)
