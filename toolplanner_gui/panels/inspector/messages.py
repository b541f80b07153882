"""What was said to models and by them, as the widgets show it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from toolplanner_core.prompts.functions import function_title
from toolplanner_core.runs.debugging.stops import Stop
from toolplanner_core.runs.presentation.conversation import CallCard, Conversation, Spoken
from toolplanner_core.runs.presentation.sections import pretty, pretty_text
from toolplanner_core.runs.stages.live_replies import LiveReply
from toolplanner_core.words.formatting import counted
from toolplanner_gui.widgets.conversation_view import (
    GrowingMessage,
    MessageBubble,
    ShownCall,
    ShownConversation,
)
from toolplanner_gui.widgets.message_editors import OfferedFunction

_WHO = {"system": "System", "user": "User", "assistant": "Assistant", "tool": "Result", "note": ""}


def speaker_name(message: Mapping[str, Any]) -> str:
    """Whose a message is, in words."""
    who, name = _WHO.get(str(message.get("role")), "Message"), message.get("name")
    return f"{who} of {function_title(str(name))}" if name else who


def conversation_of(conversation: Conversation) -> ShownConversation:
    """A conversation of the log."""
    return ShownConversation(
        conversation.title, message_bubbles(conversation.spoken), conversation.n_before
    )


def message_bubbles(spoken: Iterable[Spoken]) -> tuple[MessageBubble, ...]:
    """What was said, message by message."""
    return tuple(
        MessageBubble(
            role=each.role,
            who=_WHO.get(each.role, each.role),
            text=pretty_text(each.text),
            cards=tuple(_card(card) for card in each.cards),
            note=each.aside,
            is_dim=bool(each.aside) and each.role != "note",
            thought=each.thought,
        )
        for each in spoken
    )


def _card(card: CallCard) -> ShownCall:
    given = card.arguments
    return ShownCall(
        title=card.title,
        arguments=given if isinstance(given, str) else pretty(dict(given)),
        result=None if card.result is None else pretty_text(card.result),
    )


def growing_message(said: LiveReply) -> GrowingMessage:
    """What a model says right now."""
    thinks = bool(said.reasoning) and not (said.text or said.calls)
    calls = "\n".join(f"{function_title(name)} {given}".strip() for name, given in said.calls)
    return GrowingMessage(
        who="Assistant, thinking" if thinks else "Assistant, speaking",
        note=f"about {counted(said.pieces, 'token')} so far",
        thought=said.reasoning,
        text=said.text,
        calls=calls,
    )


def offered_functions(stop: Stop) -> Sequence[OfferedFunction]:
    """The functions that may be called at a stop."""
    names = [str(tool["name"]) for tool in stop.tools]
    schemas = [tool.get("parameters") or {} for tool in stop.tools]
    return [OfferedFunction(n, function_title(n), s) for n, s in zip(names, schemas, strict=True)]
