"""What a person says of documentation that an import changed: it may be used as it is now."""

from dataclasses import dataclass
from typing import ClassVar

from toolplanner_core.curation.edits.edit import Edit, Planned, known_apis
from toolplanner_core.domain.curated import Changes, CuratedView
from toolplanner_core.errors import BadInput
from toolplanner_core.words.formatting import counted


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptDocumentation(Edit):
    """Plan with these APIs again and call them, as they are documented now.

    Attributes:
        hashes: `Api.doc_hash` of each, as the person saw it; what is imported later is not
            accepted by it.
    """

    kind: ClassVar[str] = "accept_documentation"

    rowids: tuple[int, ...]
    hashes: tuple[str, ...]

    def plan(self, view: CuratedView) -> Planned:
        """The hash of each."""
        known_apis(view, self.rowids)
        if len(self.rowids) != len(self.hashes):
            raise BadInput("Each API needs the documentation that is accepted")
        return Planned(
            label=f"Accept the new documentation of {counted(len(self.rowids), 'API')}",
            changes=Changes(accepted=dict(zip(self.rowids, self.hashes, strict=True))),
        )
