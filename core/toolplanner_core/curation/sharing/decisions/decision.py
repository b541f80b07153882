"""One decision: an edit that another workspace can make, with other toolkit ids and other members.

APIs stand in it with their permanent ids, toolkits with the number they had where it was made and
an anchor: name and members at that time, by which they are found elsewhere. The values before and
after tell a conflict from a difference that does not matter. One line of a decisions file.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from toolplanner_core.domain.ids import ApiId, ToolkitId
from toolplanner_core.domain.toolkit import Author


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """A toolkit as it was just before a decision, so that it can be found elsewhere.

    Attributes:
        apis: its members at that time.
    """

    name: str
    apis: tuple[ApiId, ...]
    pinned: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One edit of a person.

    Attributes:
        key: the same wherever it is made: by it a decision that was made already is known.
        kind: id of the edit's class (`edits/kinds.py`).
        label: what it did, for people.
        asked: its fields, with API ids and toolkit numbers of the workspace it was made in.
        toolkits: the toolkits it is about, by those numbers.
        makes: numbers of the toolkits that began with it, ascending.
        before, after: values it changed, as `domain/curated.py` writes them, with API ids.
        names: what the catalogue calls the APIs in `asked`, for reports.
        made_us: microseconds since 1970.
    """

    key: str
    kind: str
    label: str
    asked: Mapping[str, Any]
    toolkits: Mapping[ToolkitId, Anchor]
    makes: tuple[ToolkitId, ...]
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    names: Mapping[ApiId, str] = field(default_factory=dict)
    origin: Mapping[str, Any] = field(default_factory=dict)
    actor: Author = Author.PERSON
    who: str = ""
    made_us: int = 0


def key_of(kind: str, asked: Mapping[str, Any], *, who: str, made_us: int) -> str:
    """16 hex digits that stay the same for this decision and no other."""
    text = json.dumps([kind, dict(asked), who, made_us], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
