"""The ReAct loop: turns of a dialogue, each done (call APIs, tell the dialogue what came back, read
a finish), without going back. Each trial of Reflexion is one, too.

Source: Yao et al., arXiv 2210.03629. The model sees the thought it had, the calls it made and what
became of them, in the words of `prompts/render.py`."""

from collections.abc import Callable
from dataclasses import dataclass

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.nodes import NodeKind, NodeState, ShownField
from toolplanner_core.domain.plan import Answer
from toolplanner_core.prompts.conversation import FunctionCall
from toolplanner_core.prompts.functions import (
    CALL_SOMETHING,
    Finished,
    Functions,
    InvalidCall,
    read_finish,
)
from toolplanner_core.prompts.render import as_json, observation_text, sent_text
from toolplanner_core.strategies.interface.dialogue import Dialogue, Turn
from toolplanner_core.strategies.interface.scope import OpenNode, RunScope
from toolplanner_core.words.formatting import counted, one_line

_THOUGHT_LIMIT = 100
"""Characters of a thought on one line of the tree; its action follows."""
_MALFORMED = "the finish could not be read"


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnOutcome:
    """What came of a turn.

    Attributes:
        seq: event of the last outcome; a cause for what follows.
        finished: the model ended.
        api: the last API that was called.
        error: class of the last call that failed, None if the last one worked.
        said: thought and calls in one line; told: what came back, in one line, "" if nothing did.
    """

    seq: int
    finished: Finished | None = None
    api: Api | None = None
    error: ErrorClass | None = None
    said: str = ""
    told: str = ""


class TurnExecutor:
    """Acts on turns of one strategy."""

    def __init__(self, run: RunScope, functions: Functions) -> None:
        self._run = run
        self._functions = functions

    async def on(self, turn: Turn, talk: Dialogue, node: OpenNode) -> TurnOutcome:
        """Do what a turn wants, and say at the node what it is and what came of it."""
        acted = await self._do(turn, talk)
        said = {"thought": turn.text, "observation": acted.told}
        data = {name: text for name, text in said.items() if text}
        if acted.api is not None:
            data["api"] = acted.api.id
        node.tell(title=acted.said, **data)
        return acted

    async def _do(self, turn: Turn, talk: Dialogue) -> TurnOutcome:
        thought = one_line(turn.text, _THOUGHT_LIMIT)
        if not turn.calls:
            talk.say(CALL_SOMETHING)
            return TurnOutcome(
                seq=turn.seq, said=thought or "Says nothing", told="nothing was called"
            )
        finish = next((c for c in turn.calls if c.name in self._functions.others), None)
        if finish is not None:
            return self._finish(turn, talk, finish, thought)
        acted = TurnOutcome(seq=turn.seq, said=thought)
        for call in turn.calls:
            acted = await self._call(call, talk, acted)
        return acted

    async def _call(self, call: FunctionCall, talk: Dialogue, before: TurnOutcome) -> TurnOutcome:
        wanted = self._functions.read(call)
        if isinstance(wanted, InvalidCall):
            talk.result(call, wanted.what)
            error = ErrorClass.UNKNOWN_API if wanted.is_unknown else ErrorClass.WRONG_FORMAT
            told = wanted.what.partition(". ")[0]
            return TurnOutcome(
                seq=before.seq, error=error, said=joined(before.said, call.name), told=told
            )
        observation = await self._run.call(wanted.api, wanted.arguments)
        sent = sent_text(observation, wanted.api.title, dict(wanted.arguments))
        talk.result(call, f"{sent}{observation_text(observation)}")
        api = observation.api or wanted.api
        return TurnOutcome(
            seq=observation.seq,
            api=api,
            error=observation.error,
            said=joined(before.said, api.title),
            told=one_line(as_json(observation.value)) if observation.ok else "",
        )

    def _finish(self, turn: Turn, talk: Dialogue, call: FunctionCall, thought: str) -> TurnOutcome:
        finished = read_finish(call)
        if isinstance(finished, Finished):
            words = {
                "answer": "Gives the answer",
                "give_up": "Gives up",
                "restart": "Goes another way",
            }
            return TurnOutcome(
                seq=turn.seq,
                finished=finished,
                said=joined(thought, words[finished.how]),
                told=one_line(finished.text),
            )
        said = joined(thought, call.name)
        if any(m.role == "tool" and m.name in self._functions.others for m in talk.messages):
            # It was told once what is missing.
            gave_up = Finished(how="give_up", text=f"{_MALFORMED}: {finished.what}")
            return TurnOutcome(seq=turn.seq, finished=gave_up, said=said)
        for each in turn.calls:
            talk.result(each, finished.what if each is call else "Not called: finish first.")
        return TurnOutcome(
            seq=turn.seq, error=ErrorClass.WRONG_FORMAT, said=said, told=finished.what
        )


def joined(thought: str, action: str) -> str:
    """A thought, or a thought with actions, and one more action."""
    if not thought:
        return action
    return f"{thought}, {action}" if " → " in thought else f"{thought} → {action}"


THOUGHT = NodeKind(
    id="thought",
    word="thought",
    icon="thought-bubble-outline",
    is_numbered=True,
    on_map=True,
    identity=("api",),
    compared=("api",),
    shown=(ShownField("thought", "Thought"), ShownField("observation", "Observation")),
)


async def run_react_loop(
    run: RunScope,
    acting: TurnExecutor,
    talk: Dialogue,
    *,
    max_steps: int,
    enough: Callable[[], str] = str,
) -> Answer:
    """Think and act until the model finishes; each turn is a node.

    Args:
        enough: why no other turn may be had, "" if one may.

    Raises:
        ModelGaveUp: there is no turn.
    """
    cause: int | None = None
    for number in range(1, max_steps + 1):
        if why := enough():
            return Answer(text="", solved=False, reason=why)
        async with run.node(THOUGHT, number, "Thinking", cause=cause) as node:
            acted = await acting.on(await talk.reply(), talk, node)
            finished = acted.finished
            if finished is not None and finished.how == "answer":
                node.end(NodeState.OK, acted.told)
                return finished.answer
            if finished is not None:
                node.end(NodeState.FAILED, finished.text)
                return Answer(text="", solved=False, reason=f"It gave up: {finished.text}")
            state = NodeState.OK if acted.error is None else NodeState.FAILED
            node.end(state, acted.told, error=acted.error)
            cause = None if acted.error is None else acted.seq
    steps = counted(max_steps, "step")
    return Answer(text="", solved=False, reason=f"No answer within {steps}")
