"""What a call gave back, as the strategy sees it and as the provider delivered it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.failure import ErrorClass

INJECTED = "injected fault"
BY_PERSON = "a person"
SIMULATED = "simulated"
VIRTUAL = "virtual"
"""Of a server that stands in for APIs: nobody knows which of its replies are real."""
NOT_SENT = "not sent"
"""Origin of a failure before anything left: no call was made, so it counts as none."""
NOT_RECORDED = "recorded · none"
"""Origin of a failure where only recordings answer, and there is none: nobody was asked."""
REPEATED = "sent before"
"""Origin of the first reply, given again: the same change was asked for twice in one run."""
MADE_UP = (INJECTED, BY_PERSON, SIMULATED, VIRTUAL)
"""Origins of outcomes that were, or may have been, invented."""
EXAMPLE_MODEL = "example"
"""Model of the runs that come with the demo: what they show was chosen, so nothing is learned from
how their calls and steps ended."""
HEALTH_CHECK = "health"
"""Strategy of runs that ask each API for what its documentation names."""
NO_EVIDENCE = (*MADE_UP, NOT_SENT, NOT_RECORDED, REPEATED)
"""Origins of outcomes that say nothing about the API: they never count as its health."""


REFUSED_BY_PERSON = "A person refused this"
"""How the message of a call begins that a person did not allow."""


class Effect(StrEnum):
    """What a call did to the world outside, as far as anybody knows."""

    NONE = ""
    """It read, or it changed nothing for sure."""
    DONE = "done"
    """It was served: what it changes is changed, however little the reply says."""
    UNKNOWN = "unknown"
    """It was sent, and nobody knows whether it was done."""


class FailureOrigin(StrEnum):
    """Who made a call fail."""

    ITSELF = ""
    YOU = "you"
    FAULT = "a fault"


def failed_by(error: str | None, *, origin: str, effect: str = Effect.NONE) -> FailureOrigin | None:
    """Who made a call fail, None for one that is no failed call: it was served, is in doubt, was
    stopped, or never left. The one rule by which every list, total and sentence counts."""
    is_stopped = error == ErrorClass.CANCELLED
    if not error or is_stopped or origin == NOT_SENT or effect == Effect.UNKNOWN:
        return None
    return _BLAMED.get(origin, FailureOrigin.ITSELF)


_BLAMED = {BY_PERSON: FailureOrigin.YOU, INJECTED: FailureOrigin.FAULT}


@dataclass(frozen=True, slots=True, kw_only=True)
class RawResult:
    """A provider's reply before anything is made of it; kept whole in the log.

    Attributes:
        status: HTTP-like status, None when no reply came.
        body: text of the reply as received.
        content_type: media type as declared, "" if unknown.
        headers: reply headers that matter (Retry-After, quota); secrets never.
        failure: set when no usable reply came (`timeout`, `network`, a recording's `not_found`).
        message: what happened in words, for people.
        reached: of a failure: False, it surely never came to who serves the API; True, it did, and
            nobody knows what came of it; None, status and class say it.
        origin: where the reply comes from, shown everywhere: "demo", "recorded · exact",
            "simulated".
        pictures: those that came beside the text, as `providers/pictures.py` keeps them; to be
            looked at, and no part of what strategies and models get.
    """

    status: int | None = None
    body: str = ""
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    failure: ErrorClass | None = None
    message: str = ""
    reached: bool | None = None
    origin: str
    pictures: list[Mapping[str, Any]] = field(default_factory=list[Mapping[str, Any]])


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """The outcome of one API call.

    Attributes:
        value: parsed payload (JSON value or text) when `ok`.
        error: set exactly when not `ok`.
        message: the failure in words.
        origin: as in `RawResult`.
        seq: number of the log event that holds the reply; what a fallback or replan points at.
        pictures: beside the value, as in `RawResult`: for who passes them on to be looked at.
        effect: what it did outside; never anything where only invented worlds are called.
        api, arguments: as they were really sent: a person may have changed them at a stop. None
            when no call was made.
    """

    ok: bool
    value: Any = None
    error: ErrorClass | None = None
    message: str = ""
    origin: str = ""
    seq: int = 0
    pictures: Sequence[Mapping[str, Any]] = ()
    effect: Effect = Effect.NONE
    api: Api | None = None
    arguments: Mapping[str, Any] | None = None

    @property
    def is_refused_by_person(self) -> bool:
        """Whether a person did not allow the call: no failure of whoever would have served it."""
        is_blocked = self.error is ErrorClass.BLOCKED_BY_POLICY
        return is_blocked and self.message.startswith(REFUSED_BY_PERSON)
