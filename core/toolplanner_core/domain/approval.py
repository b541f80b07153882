"""What a person allowed, or refused, once for all: rules about calls that may change something.

Source: design/security.md, "Approval".
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import Any

from toolplanner_core.domain.api import Api, Risk
from toolplanner_core.domain.operation import Origin
from toolplanner_core.errors import BadInput


class ApprovalScope(StrEnum):
    """What a rule is about."""

    API = "api"
    TOOL = "tool"
    ORIGIN = "origin"


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """One rule of a person.

    Attributes:
        allows: False = such calls are refused without asking.
        value: id of the API, "source/tool" or origin such as "https://api.example.com".
        title: of what it is about, for people.
        up_to: the highest risk that is allowed; leave to write is no leave to delete. A refusal
            counts for every risk.
        doc_hash: of an API as it was documented then: another one is asked for anew. "" = any.
        arguments: a pattern for the text of each argument that is named, `*` and `?` as in file
            names; others may be anything.
        given: day on which it was given, ISO.
    """

    allows: bool
    scope: ApprovalScope
    value: str
    title: str
    up_to: Risk = Risk.DESTRUCTIVE
    doc_hash: str = ""
    arguments: Mapping[str, str] = field(default_factory=dict[str, str])
    given: str = ""

    def covers(self, api: Api, arguments: Mapping[str, Any]) -> bool:
        """Whether a call is one that the rule is about."""
        if self.value != scope_value(self.scope, api):
            return False
        if self.allows and api.risk.level > self.up_to.level:
            return False
        if self.doc_hash and self.doc_hash != api.doc_hash:
            return False
        return all(
            name in arguments and fnmatchcase(str(arguments[name]), pattern)
            for name, pattern in self.arguments.items()
        )

    @property
    def in_words(self) -> str:
        """One line for people: "allow writing: PetStore · addPet, where name = R*"."""
        effect = f"allow {_DEEDS[self.up_to]}" if self.allows else "refuse"
        patterns = ", ".join(f"{name} = {text}" for name, text in self.arguments.items())
        return f"{effect}: {self.title}{f', where {patterns}' if patterns else ''}"


_DEEDS = {Risk.READ: "reading", Risk.WRITE: "writing", Risk.DESTRUCTIVE: "writing and deleting"}


def scope_value(scope: ApprovalScope, api: Api) -> str:
    """What a rule of a scope about an API names; "" if the API has none."""
    match scope:
        case ApprovalScope.API:
            return api.id
        case ApprovalScope.TOOL:
            return f"{api.source}/{api.tool}"
        case ApprovalScope.ORIGIN:
            return call_origin(api)


def scope_title(scope: ApprovalScope, api: Api) -> str:
    """The same for people."""
    match scope:
        case ApprovalScope.API:
            return api.title
        case ApprovalScope.TOOL:
            return api.tool
        case ApprovalScope.ORIGIN:
            return call_origin(api)


def call_origin(api: Api) -> str:
    """Where its calls go, as documented; "" if that is not known."""
    servers = api.operation.servers if api.operation is not None else ()
    try:
        return str(Origin.of(servers[0] if servers else api.url))
    except BadInput:
        return ""


def literal_pattern(value: Any) -> str:
    """The pattern that fits the text of a value and no other."""
    return "".join(f"[{c}]" if c in "*?[" else c for c in str(value))
