"""A conversation of many turns with tools.

    talk = run.dialogue(system, functions)
    talk.say("Find the weather in Oslo.")
    turn = await talk.reply()
    for call in turn.calls:
        talk.result(call, "...")
    other = talk.branch()          # shares what was said so far; goes its own way from here

A hidden message is part of the next request only: neither later turns nor branches see it (DFSDT
tells a second child what its siblings did, and hides that from what grows below it).
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from toolplanner_core.prompts.conversation import Function, FunctionCall, Message
from toolplanner_core.prompts.question import Role


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What a model said.

    Attributes:
        calls: functions it wants to be called; a name that was not offered or arguments that are
            no JSON object are the strategy's to deal with.
        seq: the log event that holds the reply; a cause for what follows.
        sent: the messages that it answers, as they were really sent: a person may have edited them.
        thinking: what goes back to the endpoint with it, see `Message`.
    """

    text: str
    calls: tuple[FunctionCall, ...]
    seq: int
    sent: tuple[Message, ...] = ()
    thinking: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRequest:
    """One request of a dialogue.

    Attributes:
        name: part of the node's path, such as "act"; title: for people.
        tool_choice: "auto", "none", "required", or the name of a function.
        temperature: None = the run's default for acting.
    """

    name: str
    title: str
    role: Role
    messages: tuple[Message, ...]
    functions: tuple[Function, ...]
    tool_choice: str = "auto"
    temperature: float | None = None


class Dialogue:
    """A conversation while it goes on; made by `RunScope.dialogue`.

    Args:
        send: puts one request to the model, through the gate.
        begun: what its turns have in common, and what was said so far.
    """

    def __init__(self, send: Callable[[TurnRequest], Awaitable[Turn]], begun: TurnRequest) -> None:
        self._send = send
        self._begun = begun

    @property
    def messages(self) -> tuple[Message, ...]:
        """What was said so far, without hidden messages."""
        return tuple(message for message in self._begun.messages if not message.is_hidden)

    def _add(self, message: Message) -> None:
        self._begun = replace(self._begun, messages=(*self._begun.messages, message))

    def say(self, text: str, *, is_hidden: bool = False) -> None:
        """Add a message of the user; a hidden one only goes with the next request."""
        self._add(Message("user", text, is_hidden=is_hidden))

    def result(self, call: FunctionCall, text: str) -> None:
        """Add the result of a call."""
        self._add(Message("tool", text, call=call.id, name=call.name))

    def offer(self, functions: Sequence[Function]) -> None:
        """Offer other functions from the next turn on."""
        self._begun = replace(self._begun, functions=tuple(functions))

    def forget(self, begin: int, count: int) -> None:
        """Forget some of the messages of before, as `messages` has them."""
        said = self.messages
        self._begun = replace(self._begun, messages=(*said[:begin], *said[begin + count :]))

    def branch(self) -> "Dialogue":
        """Another conversation that shares what was said so far."""
        return Dialogue(self._send, replace(self._begun, messages=self.messages))

    async def reply(
        self,
        *,
        tool_choice: str = "auto",
        temperature: float | None = None,
        name: str = "",
        title: str = "",
    ) -> Turn:
        """Ask for the next turn; it is part of the conversation then.

        Args:
            name, title: of this turn, where it differs from the others.

        Raises:
            ModelGaveUp: there is none.
        """
        usual = self._begun
        turn = await self._send(
            replace(
                usual,
                name=name or usual.name,
                title=title or usual.title,
                tool_choice=tool_choice if usual.functions else "",
                temperature=usual.temperature if temperature is None else temperature,
            )
        )
        # What a person edited is what was said; hidden messages are dropped.
        sent = tuple(message for message in turn.sent if not message.is_hidden)
        self._begun = replace(self._begun, messages=sent)
        if turn.text or turn.calls:  # endpoints refuse a message that says nothing
            self._add(Message("assistant", turn.text, turn.calls, thinking=turn.thinking))
        return turn
