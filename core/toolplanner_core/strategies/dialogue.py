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

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from toolplanner_core.prompts.conversation import Function, FunctionCall, Message
from toolplanner_core.prompts.question import Role


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What a model said.

    Attributes:
        calls: functions it wants to be called; a name that was not offered or arguments that are
            no JSON object are the strategy's to deal with.
        seq: the log event that holds the reply; a cause for what follows.
    """

    text: str
    calls: tuple[FunctionCall, ...]
    seq: int


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A turn, and the messages as they were really sent: a person may have edited them."""

    turn: Turn
    messages: tuple[Message, ...]


class Dialogue:
    """A conversation while it goes on; made by `RunScope.dialogue`.

    Args:
        send: puts one request to the model, through the gate.
        functions: what may be called.
        name, title: of its turns in the tree.
    """

    def __init__(
        self,
        send: Callable[[TurnRequest], Awaitable[Said]],
        messages: Sequence[Message],
        functions: Sequence[Function],
        *,
        name: str,
        title: str,
        role: Role,
        temperature: float | None,
    ) -> None:
        self._send = send
        self._messages = tuple(messages)
        self._functions = tuple(functions)
        self._name, self._title, self._role, self._temperature = name, title, role, temperature

    @property
    def messages(self) -> tuple[Message, ...]:
        """What was said so far, without hidden messages."""
        return tuple(message for message in self._messages if not message.is_hidden)

    def say(self, text: str, *, is_hidden: bool = False) -> None:
        """Add a message of the user; a hidden one only goes with the next request."""
        self._messages += (Message("user", text, is_hidden=is_hidden),)

    def result(self, call: FunctionCall, text: str) -> None:
        """Add the result of a call."""
        self._messages += (Message("tool", text, call=call.id, name=call.name),)

    def offer(self, functions: Sequence[Function]) -> None:
        """Offer other functions from the next turn on."""
        self._functions = tuple(functions)

    def branch(self) -> "Dialogue":
        """Another conversation that shares what was said so far."""
        return Dialogue(
            self._send,
            self.messages,
            self._functions,
            name=self._name,
            title=self._title,
            role=self._role,
            temperature=self._temperature,
        )

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
        said = await self._send(
            TurnRequest(
                name=name or self._name,
                title=title or self._title,
                role=self._role,
                messages=self._messages,
                functions=self._functions,
                tool_choice=tool_choice if self._functions else "",
                temperature=self._temperature if temperature is None else temperature,
            )
        )
        # What a person edited is what was said; hidden messages are dropped.
        self._messages = tuple(each for each in said.messages if not each.is_hidden)
        if said.turn.text or said.turn.calls:  # endpoints refuse a message that says nothing
            self._messages += (Message("assistant", said.turn.text, said.turn.calls),)
        return said.turn
