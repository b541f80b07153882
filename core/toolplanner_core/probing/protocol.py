"""What probing found out of one API, as it is remembered between runs: one memory per API."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, cast

from toolplanner_core.domain.api import Api, JsonSchema
from toolplanner_core.domain.ids import ApiId

ProtocolStatus = Literal["new", "accepted", "rejected"]
_PREFIX = "protocol/"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbedProtocol:
    """A protocol that was found by calling an API.

    Attributes:
        probed_at: ISO 8601.
        doc_hash: of the documentation at that time; another one now makes the protocol stale.
        question, program: a usage example that worked.
        returns: JSON Schema of the reply.
        helpers: titles of the APIs whose replies were needed.
        status: "new" until a person has looked at it.
    """

    api: ApiId
    title: str
    probed_at: str
    doc_hash: str
    question: str
    program: str
    returns: JsonSchema
    helpers: tuple[str, ...] = ()
    status: ProtocolStatus = "new"

    def to_json(self) -> dict[str, Any]:
        """As it is remembered."""
        return asdict(self) | {"helpers": list(self.helpers)}

    def is_stale(self, api: Api) -> bool:
        """Whether the documentation has changed since."""
        return self.doc_hash != api.doc_hash


def protocol_memory(api: ApiId) -> str:
    """The name of the memory that holds the protocol of an API."""
    return f"{_PREFIX}{api}"


def protocol_from(value: Any) -> ProbedProtocol | None:
    """What a memory holds; None where there is nothing that this program can read."""
    if not isinstance(value, Mapping):
        return None
    known: dict[str, Any] = dict(cast("Mapping[str, Any]", value))
    known["helpers"] = tuple(known.get("helpers") or ())
    try:
        return ProbedProtocol(**known)
    except TypeError:
        return None
