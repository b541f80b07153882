"""Stop points: where a run can be held and a person may decide, and what is chosen there.

A point is declared once, beside the strategy that passes it (`StrategyPlugin.points`), or by the
engine for questions and calls. Stepping, breakpoints, forks and replays know points only by what
they declare.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Choice(StrEnum):
    """What a person may do at a stop, besides going on."""

    EDIT = "edit"
    ANSWER = "answer"
    FAIL = "fail"
    SKIP = "skip"
    TAKE = "take"
    """Another one of the alternatives, or an API that is not among them."""
    GIVE_UP = "give_up"


@dataclass(frozen=True, slots=True, kw_only=True)
class StopPoint:
    """A place where a run can be held.

    Attributes:
        id: in logs and breakpoints, such as "before_fallback"; never renamed.
        kind: what breakpoints call it: `kind=fallback`.
        word: before the title of a stop: "Before a fallback".
        event: what happens there, for breakpoints: "a fallback is about to be chosen".
        allowed: what a person may do; giving up is always possible.
        take: on the button that takes an alternative; its explanation follows in `take_hint`.
        skip: on the button that takes none of them; "" = that is not possible.
        takes_any_api: also an API that is not among the alternatives may be taken.
        is_stepped: stepping stops there; else only a breakpoint on failures does.
        needs_person: a run always holds there, and does not go on without a decision.
        failure: the class of failures it stands for, `failure=exhausted`; "" = none.
        chosen_word: of the choice in the event log: "Fallback chosen".
        counted: name of the total that counts choices made here; "" = none.
        cause_kind, cause_state: a node of this kind at the cause takes this state once something
            was chosen: an attempt that failed turns out to have fallen back.
    """

    id: str
    kind: str
    word: str
    event: str
    allowed: frozenset[Choice] = frozenset({Choice.GIVE_UP})
    take: str = ""
    take_hint: str = ""
    skip: str = ""
    skip_hint: str = ""
    takes_any_api: bool = False
    is_stepped: bool = True
    needs_person: bool = False
    failure: str = ""
    chosen_word: str = ""
    counted: str = ""
    cause_kind: str = ""
    cause_state: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternative:
    """One of several things that can be done next.

    Attributes:
        id: unique among them; an API's id where it is an API.
        score: higher is better; comparable only within one list. None = not scored.
        parts: the signals that the score was made of.
    """

    id: str
    title: str
    score: float | None = None
    parts: Mapping[str, float] = field(default_factory=dict[str, float])

    def to_json(self) -> dict[str, Any]:
        """As it is logged."""
        parts = {name: round(part, 6) for name, part in self.parts.items()}
        score = None if self.score is None else round(self.score, 6)
        return {"id": self.id, "title": self.title, "score": score, "parts": parts}


_SEEN_AND_CHANGED = frozenset({Choice.ANSWER, Choice.FAIL, Choice.GIVE_UP})

BEFORE_CALL = StopPoint(
    id="before_call",
    kind="call",
    word="Before the call",
    event="a call is about to be sent",
    allowed=_SEEN_AND_CHANGED | {Choice.EDIT, Choice.SKIP},
)
AFTER_CALL = StopPoint(
    id="after_call",
    kind="call",
    word="After the call",
    event="a call has come back",
    allowed=_SEEN_AND_CHANGED,
)
BEFORE_QUESTION = StopPoint(
    id="before_question",
    kind="question",
    word="Before the question",
    event="a question is about to go to the model",
    allowed=_SEEN_AND_CHANGED | {Choice.EDIT},
)
AFTER_QUESTION = StopPoint(
    id="after_question",
    kind="question",
    word="After the answer to",
    event="the model has answered",
    allowed=frozenset({Choice.ANSWER, Choice.GIVE_UP}),
)
APPROVAL = StopPoint(
    id="approval",
    kind="approval",
    word="Asks for leave:",
    event="a call that may change something is about to be sent",
    allowed=frozenset({Choice.TAKE, Choice.SKIP, Choice.GIVE_UP}),
    take="Allow",
    take_hint="The call is sent. What is chosen here says for which later calls that counts, too.",
    skip="Refuse",
    skip_hint="Nothing is sent: the run sees the call as not allowed, and looks for another way.",
    needs_person=True,
)
BEFORE_LINE = StopPoint(
    id="before_line",
    kind="line",
    word="Before",
    event="a line of a program is about to run",
)
ENGINE_POINTS = (
    BEFORE_CALL,
    APPROVAL,
    AFTER_CALL,
    BEFORE_QUESTION,
    AFTER_QUESTION,
    BEFORE_LINE,
)
"""Points that every run passes, whatever its strategy."""
