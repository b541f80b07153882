"""Say that APIs must, or must not, be in one toolkit: constraints for every later clustering."""

from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

from toolplanner_core.curation.edits.edit import EditFields, Planned, known_apis
from toolplanner_core.domain.curated import Changes, CuratedView, LinkKind, Pair
from toolplanner_core.errors import BadInput
from toolplanner_core.words.wording import counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Link(EditFields):
    """Link APIs.

    Attributes:
        rowids: at least two. "must" holds them all together; "cannot" keeps each two of them apart.
        link: "must", "cannot", or "" to take links between them away.
    """

    kind: ClassVar[str] = "link"

    rowids: tuple[int, ...]
    link: str

    def plan(self, view: CuratedView) -> Planned:
        """A chain of pairs for "must", all pairs otherwise."""
        chosen = known_apis(view, self.rowids)
        if len(chosen) < 2:
            raise BadInput("A link needs two APIs", todo="Choose another one")
        if self.link not in ("", *LinkKind):
            raise BadInput(f"There is no link “{self.link}”", todo="Use must, cannot or nothing")
        if self.link != LinkKind.MUST and len(chosen) > _MOST:
            raise BadInput(
                f"{len(chosen):,} APIs are too many to link each with each",
                todo=f"Choose at most {_MOST}",
            )
        pairs: list[Pair] = (
            list(pairwise(chosen))
            if self.link == LinkKind.MUST
            else [(a, b) for i, a in enumerate(chosen) for b in chosen[i + 1 :]]
        )
        kind = LinkKind(self.link) if self.link else None
        what = counted(len(chosen), "API")
        label = {
            LinkKind.MUST: f"Keep {what} together",
            LinkKind.CANNOT: f"Keep {what} apart",
            None: f"Remove links between {what}",
        }[kind]
        return Planned(label=label, changes=Changes(links=dict.fromkeys(pairs, kind)))


_MOST = 100
"""APIs linked each with each: 4,950 pairs."""
