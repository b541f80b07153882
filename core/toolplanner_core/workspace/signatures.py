"""How APIs are called, without building an `Api` of each: parameter names and address.

For work over the whole catalogue, such as finding copies; 45,000 in about half a second. Caller:
`curation/review_queue/gathering.py`.
"""

import json
from collections.abc import Sequence
from typing import NamedTuple

from toolplanner_core.workspace.workspace import Workspace

_MARK = "\x1f"
"""Stands between parameter names; no name holds a control character."""


class Signature(NamedTuple):
    """How one API is called.

    Attributes:
        parameters: names in documented order.
        address: method and URL, such as "GET https://host/v1/rates"; "" without a URL.
    """

    parameters: list[str]
    address: str


def load_signatures(workspace: Workspace, rowids: Sequence[int]) -> list[Signature]:
    """The signatures of these APIs, in this order; a row id that is not there is left out."""
    rows = workspace.reader().execute(
        "SELECT (SELECT group_concat(p.key, char(31)) FROM json_each(a.parameters, '$.properties')"
        " p), a.method, a.url FROM json_each(?) j JOIN apis a ON a.rowid = j.value ORDER BY j.key",
        [json.dumps([int(rowid) for rowid in rowids])],
    )
    return [
        Signature(names.split(_MARK) if names else [], f"{method} {url}" if url else "")
        for names, method, url in rows
    ]
