"""How a conversation ends: the functions by which a model answers or gives up.

Source: design/strategies.md section 0, "Finish" (ToolBench's one function with a return type in
three).
"""

from dataclasses import dataclass
from typing import Any, Literal, cast

from toolplanner_core.domain.api import JsonSchema
from toolplanner_core.domain.plan import Answer
from toolplanner_core.prompts.conversation import Function, FunctionCall
from toolplanner_core.prompts.texts import prompt

CALL_SOMETHING = prompt("call_something")
"""Said where a turn called nothing."""
_TEXT = {"type": "string"}


def _ending(name: str, about: str, **properties: JsonSchema) -> Function:
    """A function that ends a conversation; its first property is required."""
    required = list(properties)[:1]
    return Function(name, about, {"type": "object", "properties": properties, "required": required})


GIVE_ANSWER = _ending(
    "give_answer",
    "Give the final answer to the user's query. It must be complete in itself: the user sees"
    " nothing else of the conversation.",
    final_answer={**_TEXT, "description": "The answer, with all facts."},
    no_call_needed={
        "type": "boolean",
        "description": "true only if the query can be answered without any call, as a greeting.",
    },
)
GIVE_UP = _ending(
    "give_up",
    "Say that the query cannot be answered with these functions.",
    reason={**_TEXT, "description": "Why not."},
    failed_functions={
        "type": "array",
        "items": _TEXT,
        "description": "Names of functions that did not work or were of no use.",
    },
)
RESTART = _ending(
    "give_up_and_restart",
    "Give up what was tried last and go another way: nothing more can come of this one.",
    reason={**_TEXT, "description": "Why it leads nowhere."},
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """How a model ended.

    Attributes:
        text: the answer, or the reason.
        failed: names of functions that it found to be of no use.
        needs_no_call: it says that the query can be answered without any call.
    """

    how: Literal["answer", "give_up", "restart"]
    text: str
    failed: tuple[str, ...] = ()
    needs_no_call: bool = False

    @property
    def answer(self) -> Answer:
        """What it says, as the answer of the run."""
        return Answer(text=self.text, solved=True, needs_no_call=self.needs_no_call)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unfinished:
    """A finish that cannot be used; `what` tells the model what is missing."""

    what: str


_HOW: dict[str, tuple[Literal["answer", "give_up", "restart"], str]] = {
    GIVE_ANSWER.name: ("answer", "final_answer"),
    GIVE_UP.name: ("give_up", "reason"),
    RESTART.name: ("restart", "reason"),
}


def read_finish(call: FunctionCall) -> Finished | Unfinished:
    """What a call of one of these functions means."""
    how, name = _HOW[call.name]
    values = call.values()
    text = None if values is None else values.get(name)
    if values is None or not isinstance(text, str) or not text.strip():
        return Unfinished(what=f"{call.name} needs {name!r}, a text that is not empty")
    named = values.get("failed_functions")
    failed = tuple(map(str, cast("list[Any]", named))) if isinstance(named, list) else ()
    alone = values.get("no_call_needed") is True
    return Finished(how=how, text=text.strip(), failed=failed, needs_no_call=alone)
