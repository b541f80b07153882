"""A learnt protocol beside the documentation of its API: what people look at before they accept."""

from datetime import datetime
from typing import NamedTuple

from toolplanner_core.domain.api import JsonSchema
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.errors import NotFound
from toolplanner_core.probing.comparing import ComparedField, compare_schemas, compared_fields
from toolplanner_core.probing.keeping import KeptProtocol, get_protocol, list_protocols
from toolplanner_core.probing.protocol import ProtocolStatus
from toolplanner_core.words.wording import when
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import get_api

DECIDED: dict[ProtocolStatus, str] = {
    "new": "Not decided",
    "accepted": "Accepted",
    "rejected": "Rejected",
}
_NOT_SAID: JsonSchema = {}


class ProtocolBeside(NamedTuple):
    """A protocol and the documentation.

    Attributes:
        words: how they go together, in a sentence.
        fields: of replies, as documented and as found.
    """

    kept: KeptProtocol
    words: str
    fields: tuple[ComparedField, ...]

    @property
    def said(self) -> str:
        """What was decided, when it was found and what the documentation says, for people."""
        found = self.kept.protocol
        helped = f" With the help of: {', '.join(found.helpers)}." if found.helpers else ""
        at = when(datetime.fromisoformat(found.probed_at).timestamp())
        return f"{DECIDED[found.status]}; found {at}. Documentation: {self.words}.{helped}"


def beside_documentation(workspace: Workspace, kept: KeptProtocol) -> ProtocolBeside:
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
    return ProtocolBeside(kept, words, fields)


def protocols_beside(workspace: Workspace) -> list[ProtocolBeside]:
    """All protocols of a workspace, by title. Blocks."""
    return [beside_documentation(workspace, each) for each in list_protocols(workspace)]


def protocol_beside(workspace: Workspace, api: ApiId) -> ProtocolBeside | None:
    """The protocol of an API, None if it was never probed. Blocks."""
    try:
        return beside_documentation(workspace, get_protocol(workspace, api))
    except NotFound:
        return None
