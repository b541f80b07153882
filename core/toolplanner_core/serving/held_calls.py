"""A call that would change something, and waits for a person: what is shown of it, and for how
long.

A yes is for one exact request: API, documentation and arguments, hashed. Once only, and not later
than ten minutes after it was asked for.

Source: design/gateway.md section 8.
"""

import hashlib
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from toolplanner_core.domain.api import Api
from toolplanner_core.runs.debugging.stops import Stop
from toolplanner_core.runs.log.redaction import Redactor
from toolplanner_core.words.formatting import one_line

LEAVE_S = 600.0
"""A call that nobody has decided about so long is given up."""
LONGEST_FORM = 4_000
"""Characters of a call that is shown in the form of a client; of a longer one a person could miss
the end, so that it is shown in a terminal."""
_ID_BYTES = 12
"""Of so many bytes, in hexadecimal: what a person types after `approvals decide` never begins like
an option, and names one file where large and small letters are the same."""


class Leave(StrEnum):
    """What came of asking."""

    ALLOW = "allow"
    REFUSE = "refuse"
    NONE = "none"
    """Nobody decided: the call is given up, and may be asked for again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldCall:
    """A call that waits.

    Attributes:
        id: cannot be guessed.
        title: of its API.
        sent: method and address, and what it may do.
        arguments: as JSON, without secrets.
        warning: what a person should know first, "" for nothing.
        digest: of the exact request.
    """

    id: str
    title: str
    sent: str
    arguments: str
    warning: str
    digest: str

    @property
    def shown(self) -> str:
        """What a person reads before a yes or a no; written by us but for the values."""
        warning = f"\n{self.warning}" if self.warning else ""
        return f"{self.title}{warning}\n{self.sent}\nArguments: {self.arguments}"


def call_digest(api: Api, arguments: Mapping[str, Any]) -> str:
    """The hash of one exact request."""
    exact = [api.id, api.doc_hash, dict(arguments)]
    text = json.dumps(exact, sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def held_call(stop: Stop, redactor: Redactor) -> HeldCall:
    """The call at which a run asks for leave."""
    api = stop.api
    assert api is not None
    return HeldCall(
        id=secrets.token_hex(_ID_BYTES),
        title=one_line(stop.title),
        sent=one_line(redactor.text(stop.message), 2_000),
        arguments=redactor.text(json.dumps(dict(stop.arguments), default=str)),
        warning=one_line(stop.warning),
        digest=call_digest(api, stop.arguments),
    )
