"""The probed protocols of a workspace: listed, shown, accepted or rejected by a person.

Each is a memory with all its versions; a decision is another version, written by a person.
"""

from dataclasses import replace
from typing import NamedTuple

from toolplanner_core.domain.ids import ApiId
from toolplanner_core.errors import NotFound
from toolplanner_core.probing.protocol import (
    ProbedProtocol,
    ProtocolStatus,
    protocol_from,
    protocol_memory,
)
from toolplanner_core.words.places import PROBE
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.memories import decide_memory, memory_versions, read_memory


class KeptProtocol(NamedTuple):
    """A protocol and the version of it that counts."""

    version: int
    protocol: ProbedProtocol


def list_protocols(workspace: Workspace) -> list[KeptProtocol]:
    """All protocols of a workspace, by title."""
    start = protocol_memory(ApiId(""))
    names = {v.name: None for v in memory_versions(workspace) if v.name.startswith(start)}
    found = (_read(workspace, name) for name in names)
    return sorted((kept for kept in found if kept), key=lambda kept: kept.protocol.title)


def get_protocol(workspace: Workspace, api: ApiId) -> KeptProtocol:
    """The protocol of an API.

    Raises:
        NotFound: it was never probed.
    """
    kept = _read(workspace, protocol_memory(api))
    if kept is None:
        raise NotFound(f"The API {api} was never probed", todo=PROBE)
    return kept


def decide_protocol(workspace: Workspace, api: ApiId, status: ProtocolStatus) -> KeptProtocol:
    """Accept or reject a protocol. Blocks.

    Raises:
        NotFound: it was never probed.
    """
    kept = get_protocol(workspace, api)
    decided = replace(kept.protocol, status=status)
    version = decide_memory(workspace, protocol_memory(api), decided.to_json())
    return KeptProtocol(version, decided)


def _read(workspace: Workspace, name: str) -> KeptProtocol | None:
    found = read_memory(workspace, name)
    protocol = protocol_from(found.value)
    return None if protocol is None else KeptProtocol(found.version, protocol)
