"""What models are saying, and how far calls have come, as one line that grows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from toolplanner_core.words.formatting import count, counted, one_line

if TYPE_CHECKING:
    from toolplanner_core.runs.stages.live_replies import LiveReply


_SHOWN = 70


def growing_line(said: Sequence[LiveReply]) -> str:
    """The end of what one model says, or how much several have said, and where calls are; "" if
    there is nothing to say."""
    replies = [each for each in said if not each.progress]
    return " · ".join(filter(None, (_replies_line(replies), progress_line(said))))


def progress_line(said: Sequence[LiveReply]) -> str:
    """How far the call has come that told of it last, and how many others have; "" if none."""
    told = [each.progress for each in said if each.progress]
    others = f" ({counted(len(told) - 1, 'other call')} under way)" if len(told) > 1 else ""
    return f"so far {one_line(told[-1], _SHOWN)}{others}" if told else ""


def _replies_line(said: Sequence[LiveReply]) -> str:
    if not said:
        return ""
    pieces = sum(each.pieces for each in said)
    if len(said) > 1:
        return f"{count(len(said))} replies are coming, about {counted(pieces, 'token')} so far"
    (one,) = said
    call = f"{one.calls[-1][0]} {one.calls[-1][1]}" if one.calls else ""
    words = " ".join((call or one.text or one.reasoning).split())
    end = words if len(words) <= _SHOWN else f"… {words[-_SHOWN:]}"
    return one_line(f"about {counted(pieces, 'token')}: {end}", _SHOWN + 40)
