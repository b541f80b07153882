"""The probed protocols of a workspace: listed, compared with the documentation of now, accepted or
rejected by a person.
"""

from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from toolplanner_core.domain.api import JsonSchema
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.errors import NotFound
from toolplanner_core.probing.protocol import (
    ProbedProtocol,
    ProtocolStatus,
    protocol_from,
    protocol_memory,
)
from toolplanner_core.probing.schemas import ComparedField, compare_schemas, compared_fields
from toolplanner_core.words.formatting import when
from toolplanner_core.words.window_places import PROBE
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import get_api
from toolplanner_core.workspace.memories import decide_memory, memory_versions, read_memory


class StoredProtocol(NamedTuple):
    """A protocol and the version of it that counts."""

    version: int
    protocol: ProbedProtocol


def list_protocols(workspace: Workspace) -> list[StoredProtocol]:
    """All protocols of a workspace, by title."""
    start = protocol_memory(ApiId(""))
    names = {v.name: None for v in memory_versions(workspace) if v.name.startswith(start)}
    found = (_read(workspace, name) for name in names)
    return sorted((kept for kept in found if kept), key=lambda kept: kept.protocol.title)


def get_protocol(workspace: Workspace, api: ApiId) -> StoredProtocol:
    """The protocol of an API.

    Raises:
        NotFound: it was never probed.
    """
    kept = _read(workspace, protocol_memory(api))
    if kept is None:
        raise NotFound(f"The API {api} was never probed", todo=PROBE)
    return kept


def decide_protocol(workspace: Workspace, api: ApiId, status: ProtocolStatus) -> StoredProtocol:
    """Accept or reject a protocol. Blocks.

    Raises:
        NotFound: it was never probed.
    """
    kept = get_protocol(workspace, api)
    decided = replace(kept.protocol, status=status)
    version = decide_memory(workspace, protocol_memory(api), decided.to_json())
    return StoredProtocol(version, decided)


def _read(workspace: Workspace, name: str) -> StoredProtocol | None:
    found = read_memory(workspace, name)
    protocol = protocol_from(found.value)
    return None if protocol is None else StoredProtocol(found.version, protocol)


DECIDED: dict[ProtocolStatus, str] = {
    "new": "Not decided",
    "accepted": "Accepted",
    "rejected": "Rejected",
}
_NOT_SAID: JsonSchema = {}


class ProtocolComparison(NamedTuple):
    """A protocol and the documentation.

    Attributes:
        words: how they go together, in a sentence.
        fields: of replies, as documented and as found.
    """

    kept: StoredProtocol
    words: str
    fields: tuple[ComparedField, ...]

    @property
    def description(self) -> str:
        """What was decided, when it was found and what the documentation says, for people."""
        found = self.kept.protocol
        helped = f" With the help of: {', '.join(found.helpers)}." if found.helpers else ""
        at = when(datetime.fromisoformat(found.probed_at).timestamp())
        return f"{DECIDED[found.status]}; found {at}. Documentation: {self.words}.{helped}"


def compare_with_documentation(workspace: Workspace, kept: StoredProtocol) -> ProtocolComparison:
    """Compare a protocol with the documentation as it is now."""
    found = kept.protocol
    try:
        api = get_api(workspace, found.api)
    except NotFound:
        words, said = "the API is not in the catalogue any more", None
    else:
        said = api.response_schema
        if found.is_stale(api):
            words = "has changed since: probe again"
        elif said is None:
            words = "says nothing of replies"
        else:
            words = compare_schemas(said, found.returns).in_words
    fields = compared_fields(_NOT_SAID if said is None else said, found.returns)
    return ProtocolComparison(kept, words, fields)


def compare_protocols(workspace: Workspace) -> list[ProtocolComparison]:
    """All protocols of a workspace, by title. Blocks."""
    return [compare_with_documentation(workspace, each) for each in list_protocols(workspace)]


def compare_protocol(workspace: Workspace, api: ApiId) -> ProtocolComparison | None:
    """The protocol of an API, None if it was never probed. Blocks."""
    try:
        return compare_with_documentation(workspace, get_protocol(workspace, api))
    except NotFound:
        return None
