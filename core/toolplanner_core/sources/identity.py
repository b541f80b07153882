"""Permanent ids and documentation hashes: what makes an API the same one at the next import.

Edits, labels, runs and exports all point at an API by its id, so the id must not depend on the
machine, the time, the row or the wording of the documentation. It is a hash of what names the API
in its catalogue. What the documentation says has a hash of its own, so that a re-import can tell
"unchanged" from "updated".
"""

import hashlib
import json
from collections import Counter
from typing import Any

from toolplanner_core.domain.api import Api, JsonSchema
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.domain.operation import Operation
from toolplanner_core.domain.plain_data import without_defaults
from toolplanner_core.sources.risk import risk_of

_SORTED = json.JSONEncoder(sort_keys=True, separators=(",", ":"))


def make_api_id(
    *,
    source: str,
    category: str,
    tool: str,
    name: str,
    method: str,
    url: str,
    position: int = 0,
) -> ApiId:
    """The permanent id of an API, 16 hex digits.

    Args:
        source: name of the catalogue, such as "toolbench"; not its path, which differs by machine.
        tool: the catalogue's own name of the tool (a file stem, say), else its title.
        position: how many identical APIs came before it; 0 for nearly all.
    """
    parts: list[str | int] = [source, category, tool, name, method.upper(), url]
    if position:
        parts.append(position)
    # JSON keeps the parts apart: ("a", "bc") and ("ab", "c") must not meet.
    text = json.dumps(parts, ensure_ascii=True)
    return ApiId(hashlib.blake2b(text.encode(), digest_size=8).hexdigest())


class ApiIds:
    """Hands out the ids of one import and tells identical APIs apart by their position.

    An entry that appears twice, word for word, gets two ids; both are the same at every import as
    long as the order among the identical ones is.

    Args:
        source: name of the catalogue.
    """

    def __init__(self, source: str) -> None:
        self._source = source
        self._seen: Counter[ApiId] = Counter()

    def next(self, *, category: str, tool: str, name: str, method: str, url: str) -> ApiId:
        """The id of the next API with these names."""
        first = make_api_id(
            source=self._source, category=category, tool=tool, name=name, method=method, url=url
        )
        position = self._seen[first]
        self._seen[first] += 1
        if not position:
            return first
        return make_api_id(
            source=self._source,
            category=category,
            tool=tool,
            name=name,
            method=method,
            url=url,
            position=position,
        )


def doc_hash(
    *,
    tool: str,
    name: str,
    description: str,
    tool_description: str,
    parameters: JsonSchema,
    response_schema: JsonSchema | None,
    operation: Operation | None = None,
) -> str:
    """SHA-256 (hex) of an API's documentation; the order of keys in the schemas does not count."""
    called = [] if operation is None else [without_defaults(operation)]
    text = _SORTED.encode(
        [tool, name, description, tool_description, parameters, response_schema, *called]
    )
    return hashlib.sha256(text.encode()).hexdigest()


def make_api(
    api_id: ApiId,
    *,
    source: str,
    key: str,
    category: str,
    tool: str,
    name: str,
    parameters: JsonSchema,
    response_schema: JsonSchema | None = None,
    method: str = "",
    url: str = "",
    description: str = "",
    tool_description: str = "",
    operation: Operation | None = None,
) -> Api:
    """An API as a catalogue documents it, with its hash and its risk by rule.

    Args:
        tool: its title for people.
    """
    documented: dict[str, Any] = {
        "tool": tool,
        "name": name,
        "description": description,
        "tool_description": tool_description,
        "parameters": parameters,
        "response_schema": response_schema,
        "operation": operation,
    }
    return Api(
        id=api_id,
        source=source,
        key=key,
        category=category,
        method=method,
        url=url,
        risk=risk_of(method, name, description),
        doc_hash=doc_hash(**documented),
        **documented,
    )


def tool_key(api: Api) -> str:
    """The catalogue's own name of an API's tool within its category.

    It is what stands between category and API in `Api.key` ("Logistics/suivi_colis/latest" gives
    "suivi_colis"), else the tool's title. Two tools of one category may share a title, never this.
    """
    inner = api.key.removeprefix(f"{api.category}/")
    return inner.rpartition("/")[0] or api.tool
