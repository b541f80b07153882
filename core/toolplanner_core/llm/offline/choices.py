"""Which option of an enum, or which truth value, a text means. Called by `fill.py`."""

import re
from typing import Any

from toolplanner_core.llm.offline import tables
from toolplanner_core.llm.offline.words import name_words, stem, stems

_NO = r"(?:no|not|without|exclude|excluding|skip|omit|don't|do not)"
_YES = r"(?:with|include|including|also|add|only|and|want|show)"


def choose_option(
    options: list[Any], text: str, known: frozenset[str], words: tuple[str, ...]
) -> Any | None:
    """The option that a text names itself, or by a synonym; None when it names none.

    Args:
        known: stems of the API's own words: "weather" in the text says nothing to a weather API.
        words: words of the parameter's name, which say nothing either.
    """
    low = f" {text.lower()} "
    mute = known | {stem(word) for word in words}
    scored: list[tuple[float, int]] = []
    for index, option in enumerate(options):
        score = _option_score(str(option), low, mute)
        if score:
            scored.append((score, -index))
    if not scored:
        return None
    return options[-max(scored)[1]]


def _option_score(option: str, low: str, mute: frozenset[str]) -> float:
    plain = " ".join(name_words(option))
    if len(plain) > 2 and re.search(rf"(?<!\w){re.escape(plain)}(?!\w)", low):
        return 3.0 + len(plain) / 100
    said = tables.synonyms().get(option.lower(), ()) + tables.synonyms().get(
        plain.replace(" ", "_"), ()
    )
    unit = tables.units().get(option.lower())
    if unit:
        said += tuple(word for word in tables.unit_spellings()[unit] if len(word) > 1)
    for word in said:
        if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", low):
            return 2.0 + len(word) / 100
    own = stems(plain) - mute
    if own and own <= stems(low):
        return 1.0
    return 0.0


def choose_truth(words: tuple[str, ...], text: str) -> bool | None:
    """Whether a text asks for what a yes-or-no parameter is named after; None if it is silent."""
    meaning = [
        word for word in words if word not in ("is", "has", "include", "with", "show", "get")
    ]
    if not meaning:
        return None
    low = text.lower()
    phrase = r"\W+".join(rf"{re.escape(stem(word))}\w*" for word in meaning)
    if re.search(rf"\b{_NO}\s+(?:the\s+|any\s+)?{phrase}", low):
        return False
    if re.search(rf"\b{_YES}\s+(?:the\s+|their\s+|its\s+)?{phrase}", low):
        return True
    return None
