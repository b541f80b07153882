"""What is left of a decision in this workspace: edits to make, and what cannot be done here."""

from dataclasses import dataclass, field

from toolplanner_core.curation.edits.edit import Edit
from toolplanner_core.domain.ids import ApiId, ToolkitId


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A part of a decision that is not made, since something here speaks against it.

    Attributes:
        why: for people.
        rowids: the APIs it is about; none: it is about the toolkit.
    """

    why: str
    rowids: tuple[int, ...] = ()


@dataclass(slots=True, kw_only=True)
class Wanted:
    """What to do about one decision.

    Attributes:
        edits: usually one; none if everything is so already or nothing can be done.
        makes: numbers in the file of the toolkits that the first edit makes, in their order.
        missing: APIs that are not in this catalogue.
    """

    edits: list[Edit] = field(default_factory=list)
    makes: list[ToolkitId] = field(default_factory=list)
    missing: list[ApiId] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)

    def refuse(self, why: str, *rowids: int) -> None:
        """Note what is not made; APIs with the same reason are told together."""
        for position, other in enumerate(self.refused):
            if other.why == why:
                self.refused[position] = Refused(why=why, rowids=other.rowids + rowids)
                return
        self.refused.append(Refused(why=why, rowids=rowids))
