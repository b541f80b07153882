"""What models are saying, as one line that grows."""

from collections.abc import Sequence

from toolplanner_core.runs.live_speech import Speech
from toolplanner_core.words.wording import count, counted, one_line

_SHOWN = 70


def growing_line(said: Sequence[Speech]) -> str:
    """The end of what one model says, or how much several have said; "" if none speaks."""
    pieces = sum(each.pieces for each in said)
    if not said:
        return ""
    if len(said) > 1:
        return f"{count(len(said))} replies are coming, about {counted(pieces, 'token')} so far"
    (one,) = said
    call = f"{one.calls[-1][0]} {one.calls[-1][1]}" if one.calls else ""
    words = " ".join((call or one.text or one.reasoning).split())
    end = words if len(words) <= _SHOWN else f"… {words[-_SHOWN:]}"
    return one_line(f"about {counted(pieces, 'token')}: {end}", _SHOWN + 40)
