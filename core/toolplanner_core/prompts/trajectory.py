"""What was done on the way, as a question about it shows it: thoughts, calls, what came back."""

from collections.abc import Iterator, Sequence

from toolplanner_core.prompts.conversation import Message

_LIMIT = 9000
"""Characters of a whole way: its end says more about a failure than its beginning."""


def trajectory_lines(messages: Sequence[Message]) -> Iterator[str]:
    """Thoughts, calls and results; not what the user said."""
    for message in messages:
        if message.role == "assistant":
            yield from (f"thought: {message.content}",) if message.content else ()
            yield from (f"called: {call.name}({call.arguments})" for call in message.calls)
        elif message.role == "tool":
            yield f"{message.name} gave back: {message.content}"


def trajectory_text(messages: Sequence[Message]) -> str:
    """The lines; of a long way its last ones, and how many were left out."""
    lines, left = list(trajectory_lines(messages)), _LIMIT
    for place in reversed(range(len(lines))):
        left -= len(lines[place])
        if left < 0 and place + 1 < len(lines):
            return "\n".join([f"[{place + 1} earlier lines left out]", *lines[place + 1 :]])
    return "\n".join(lines)
