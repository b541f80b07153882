"""The model "example": a script for one query, so that a person without a model sees, replays and
steps through every strategy. Found by the registry of models.

It answers what it is asked from what came back so far, so a call that a person changes changes what
follows; any other query is refused. `runs/examples.py` makes the examples of the demo with it.
"""

import json
from collections import Counter

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.observation import EXAMPLE_MODEL
from toolplanner_core.llm.model import (
    EXAMPLE_LABEL,
    ModelError,
    ModelPlugin,
    ModelRequest,
    Reply,
)
from toolplanner_core.llm.scripted.answers import answer
from toolplanner_core.llm.scripted.known import QUERY
from toolplanner_core.llm.scripted.turns import turn
from toolplanner_core.prompts.conversation import FunctionCall


class ExampleModel:
    """One conversation partner for one run."""

    label = EXAMPLE_LABEL

    def __init__(self) -> None:
        self._asked: Counter[str] = Counter()
        self._calls = 0

    async def complete(self, request: ModelRequest) -> Reply:
        """Say what the script says here.

        Raises:
            ModelError: the query is another one, or the script does not know this question.
        """
        is_probe = request.id in ("probe_api", "choose_helpers")
        if not is_probe and not any(QUERY in message.content for message in request.messages):
            raise _unknown("It knows one query only: that of the examples")
        if request.question is None:
            return self._turn(request)
        key = f"{request.id}{request.messages[-1].content}"
        data = answer(request, self._asked[key])
        self._asked[key] += 1
        if data is None:
            raise _unknown(f"It has no answer to the question “{request.id}”")
        return Reply(data=data, text=json.dumps(data, ensure_ascii=False))

    def _turn(self, request: ModelRequest) -> Reply:
        said = turn(request)
        calls: list[FunctionCall] = []
        for name, values in said.calls:
            self._calls += 1
            arguments = json.dumps(dict(values), ensure_ascii=False)
            calls.append(FunctionCall(f"call_{self._calls}", name, arguments))
        return Reply(data=None, text=said.text, calls=tuple(calls))

    async def close(self) -> None:
        """Nothing is open."""


def _unknown(why: str) -> ModelError:
    message = f"The scripted replies end here. {why}. Choose a language model for this"
    return ModelError(ErrorClass.BAD_PAYLOAD, message, is_transient=False)


PLUGIN = ModelPlugin(
    id=EXAMPLE_MODEL,
    title="Scripted replies of the examples",
    description=f"A script for one query of the demo, “{QUERY}”, for every strategy.",
    make=lambda _name, _context, _options: ExampleModel(),
    is_free=True,
)
