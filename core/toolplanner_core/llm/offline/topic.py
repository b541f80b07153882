"""What a need is about, in words: the text to search for. Called by `candidates.py`."""

import re
from collections.abc import Sequence

from toolplanner_core.llm.offline import tables
from toolplanner_core.llm.offline.mentions import Mention
from toolplanner_core.llm.offline.words import stem

_LEAD = re.compile(
    r"^(?:(?:please|kindly|also|then|and|now|so|next|finally|additionally|can|could|would|will|you|i|"
    r"we|me|us|to|like|want|need|wish|love|let|know|do|does|is|are|was|there|any|some|help|if|"
    r"find|search|look|looking|show|get|give|tell|list|fetch|retrieve|provide|suggest|recommend|"
    r"check|see|what|what's|which|who|how|where|when|for|up|out|about|the|a|an|all|my|'s|of|"
    r"translate|convert|define|explain|describe|say|send|make|create|calculate|compute|analyse|"
    r"analyze|detect|generate|does|mean|information|info|details|data|on)\b\s*)+",
    re.IGNORECASE,
)
_INTRODUCED = tuple(
    re.compile(rf"\b(?:{words})\s+(?P<rest>.+)$", re.IGNORECASE)
    for words in (
        "called|named|titled|entitled|about|containing|regarding|concerning|word|term|phrase",
        "with|using|for|of",
    )
)
"""What introduces a subject; the surer words are looked for first."""
_SMALL = frozenset(["the", "a", "an", "some", "any", "my", "of", "for", "with", "in", "to", "on"])
_TAILS = frozenset(["mean", "means", "meaning", "please", "now", "today", "is", "are", "it"])
_EDGE = " \t\n,;:.?!-'\""


def topic_of(
    text: str, mentions: Sequence[Mention], known: frozenset[str], *, drop_places: bool
) -> str:
    """The subject of a need: a quoted span, else what "called", "about", "with", "for" introduces,
    else the need without its command.

    Args:
        known: stems of the API's own words, which say nothing new ("recipes" to a recipe search).
        drop_places: True when other parameters take the places.
    """
    for mention in mentions:
        if mention.kind == "quoted":
            return str(mention.value)
    bare = _without(text, mentions, drop_places)
    for introduced in _INTRODUCED:
        match = introduced.search(bare)
        found = _trim(match["rest"], known) if match is not None else ""
        if found:
            return found
    return _trim(_LEAD.sub("", bare), known)


def _without(text: str, mentions: Sequence[Mention], drop_places: bool) -> str:
    """The text without dates and, if wanted, without places and the preposition before them."""
    for mention in sorted(mentions, key=lambda m: -m.start):
        is_place = mention.kind in ("name", "lower", "country", "state") and (
            mention.unit in tables.words("place_prepositions")
        )
        if mention.kind in ("date", "time") or (drop_places and is_place):
            head = re.sub(
                r"\b(?:on|in|at|near|around|for|from|to|during)\s+(?:the\s+)?$",
                "",
                text[: mention.start],
            )
            text = f"{head.rstrip()} {text[mention.end :].lstrip()}"
    return text.strip(_EDGE)


def _trim(text: str, known: frozenset[str]) -> str:
    words = text.strip(_EDGE).split()
    while words and (words[0].lower() in _SMALL or stem(words[0].lower().strip(_EDGE)) in known):
        words.pop(0)
    while words and (words[-1].lower() in _SMALL or stem(words[-1].lower().strip(_EDGE)) in known):
        words.pop()
    while len(words) > 1 and words[-1].lower().strip(_EDGE) in _TAILS:
        words.pop()
    return " ".join(words).strip(_EDGE)
