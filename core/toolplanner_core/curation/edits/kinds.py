"""The kinds of edits, by the id that stands in the history and in decisions files."""

from collections.abc import Mapping
from typing import Any

from toolplanner_core.curation.edits import accept, describe, marks, move, region, split
from toolplanner_core.curation.edits.edit import Edit
from toolplanner_core.errors import BadInput

EDIT_KINDS: dict[str, type[Edit]] = {
    cls.kind: cls
    for module in (accept, describe, marks, move, split, region)
    for cls in vars(module).values()
    if isinstance(cls, type) and issubclass(cls, Edit) and cls is not Edit
}
"""Class by kind; "revert" is made by `curation/edits/history.py` alone."""


def edit_from_json(kind: str, asked: Mapping[str, Any]) -> Edit:
    """An edit as it was asked for.

    Raises:
        BadInput: no such kind, or a field is unknown or missing.
    """
    cls = EDIT_KINDS.get(kind)
    if cls is None:
        raise BadInput(f"There is no edit “{kind}”", todo=f"Known: {', '.join(EDIT_KINDS)}")
    return cls.from_asked(asked)
