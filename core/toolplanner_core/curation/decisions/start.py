"""What two decisions files began from, as one short text to compare.

Called by `collecting.py` and by `merging.py`, which joins only files of the same beginning.
"""

import hashlib
from collections.abc import Mapping

from toolplanner_core.curation.curated_state import CuratedState
from toolplanner_core.domain.ids import ApiId


def fingerprint(state: CuratedState, id_of: Mapping[int, ApiId]) -> str:
    """16 hex digits over the groups of API ids and the names; equal for equal states, whatever the
    numbers of toolkits and APIs are."""
    lines = sorted(
        f"{fields.name}\t{','.join(sorted(id_of[rowid] for rowid in state.members(toolkit)))}"
        for toolkit, fields in state.toolkits.items()
    )
    return hashlib.sha256("\n".join(lines).encode("utf-8", "replace")).hexdigest()[:16]
