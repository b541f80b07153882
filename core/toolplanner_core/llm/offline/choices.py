"""Which option of an enum, or which truth value, a text means. Called by `fill.py`."""

import re
from typing import Any

from toolplanner_core.llm.offline.tables import either, spelled, table
from toolplanner_core.llm.offline.words import name_words, stem, stems

_NO = r"(?:no|not|without|exclude|excluding|skip|omit|don't|do not)\s+(?:the\s+|any\s+)?"
_YES = r"(?:with|include|including|also|add|only|and|want|show)\s+(?:the\s+|their\s+|its\s+)?"


def choose_option(
    options: list[Any], text: str, known: frozenset[str], words: tuple[str, ...]
) -> Any | None:
    """The option that a text names itself, or by a synonym; None when it names none.

    Args:
        known: stems of the API's own words: "weather" in the text says nothing to a weather API.
        words: words of the parameter's name, which say nothing either.
    """
    mute = known | {stem(word) for word in words}
    low = text.lower().replace("-", " ")
    scores = [_score(str(option), low, mute) for option in options]
    best = max(scores, default=0.0)
    return options[scores.index(best)] if best else None


def _score(option: str, text: str, mute: frozenset[str]) -> float:
    low, plain = option.lower(), " ".join(name_words(option))
    if len(plain) > 2 and _stands([plain], text):
        return 3.0 + len(plain) / 100
    synonyms, unit = table("synonyms"), spelled("units").get(low)
    said = [*synonyms.get(low, ()), *synonyms.get(plain.replace(" ", "_"), ())]
    said += [word for word in (table("units")[unit] if unit else ()) if len(word) > 1]
    found = _stands(said, text) if said else ""
    if found:
        return 2.0 + len(found) / 100
    own = stems(plain) - mute
    return 1.0 if own and own <= stems(text) else 0.0


def _stands(said: list[str], text: str) -> str:
    match = re.search(rf"(?<!\w)(?:{either(said)})(?!\w)", text)
    return match.group() if match else ""


def choose_truth(words: tuple[str, ...], text: str) -> bool | None:
    """Whether a text asks for what a yes-or-no parameter is named after; None if it is silent."""
    telling = [w for w in words if w not in ("is", "has", "include", "with", "show", "get")]
    phrase = r"\W+".join(rf"{re.escape(stem(word))}\w*" for word in telling)
    if phrase and re.search(rf"\b{_NO}{phrase}", text.lower()):
        return False
    return True if phrase and re.search(rf"\b{_YES}{phrase}", text.lower()) else None
