"""Cut documentation into phrases of words, for naming toolkits by rule.

A *phrase* is a run of words between punctuation, function words and the generic talk of API
documentation; names come from such runs, so "Get the latest exchange rates for a currency" gives
"exchange rates" and "currency".
"""

import functools
import html
import itertools
import re
from collections.abc import Iterator

from toolplanner_core.curation.naming.verb_nouns import ACTION_OBJECTS, ACTION_OF, LEADING_VERBS
from toolplanner_core.words.stems import singular, without_possessive
from toolplanner_core.words.stop_words import FUNCTION_WORDS, GENERIC, TERMS

Phrase = list[str]
"""Words as written, in order."""

_READ = 2_000
"""Characters of a description that are looked at."""

_MARKUP = re.compile(
    r"<table\b.*?(?:</table>|\Z)"  # tables list parameters
    r"|<[^<>]{1,300}>"  # HTML tags
    r"|!?\[(?P<label>[^\[\]]*)\]\([^()\s]*\)"  # Markdown links keep their label
    r"|(?:https?://|www\.)\S+"
    r"|\S+@\S+\.\S+"
    r"|\{+[^{}]{0,60}\}+"  # path parameters
    r"|[*`#~|>=]+|_{2,}|-{3,}",
    flags=re.DOTALL,
)
_BEFORE_STOP = re.compile(r"[ \t]+([.,;:!?])")
_CONTROL = re.compile(
    r"[^\S\n]|[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\ufeff\ufffe\uffff]"
)
_TERMS_BEGIN = frozenset(first for first, _ in TERMS)
_BEFORE_NOUNS = frozenset(("get", "list", "create", "delete", "update", "add", "fetch", "return"))
_VERSION = re.compile(r"v?\d+(?:\.\d+)*|v\d+\w*|v?[xyz]", flags=re.IGNORECASE)
_IN_IE = ("movies", "cookies", "calories", "selfies", "zombies", "rookies", "indies")
_SIBILANTS = ("xes", "ches", "shes", "sses", "zes")
_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s+|[\n\r]+|(?<=[。！？])")


def plain(text: str) -> str:
    """The text without HTML, Markdown, addresses and path parameters; lines stay lines."""
    text = text[:_READ]
    if "&" in text:
        text = html.unescape(text)
    found = _MARKUP.sub(lambda match: f" {match['label'] or ''} ", text)
    if not found.isprintable():
        found = _CONTROL.sub(" ", found)
    return found if found is text else _BEFORE_STOP.sub(r"\1", found)


def first_sentences(text: str, *, most: int) -> str:
    """The first sentences of a plain text, at most `most` characters, never cut inside one unless
    it is the first and longer; then at a word."""
    kept = ""
    for part in _SENTENCE_END.split(text[: most * 3]):
        sentence = " ".join(part.split())
        if not sentence:
            continue
        if kept and len(kept) + len(sentence) + 1 > most:
            break
        kept = f"{kept} {sentence}" if kept else sentence
        if len(kept) > most:
            return f"{kept[:most].rsplit(' ', 1)[0].rstrip(' ,;:-')}…"
    return kept


def phrases(stretches: Iterator[list[str]]) -> Iterator[Phrase]:
    """Runs of words that mean something, without function words, generic words and numbers."""
    for stretch in stretches:
        lower = [word.lower() for word in stretch]
        kept = set[int]() if _TERMS_BEGIN.isdisjoint(lower) else _of_terms(lower)
        run: Phrase = []
        is_object = False
        for place, word in enumerate(stretch):
            if place not in kept and _tells_nothing(lower[place]):
                if run:
                    yield _action_last(run, is_object)
                run = []
                is_object = lower[place] in _BEFORE_NOUNS
            else:
                run.append(word)
        if run:
            yield _action_last(run, is_object)


def _of_terms(lower: Phrase) -> set[int]:
    """Positions of the words that belong to a term of two."""
    pairs = itertools.pairwise(map(singular, lower))
    return {at for place, pair in enumerate(pairs) if pair in TERMS for at in (place, place + 1)}


def _tells_nothing(word: str) -> bool:
    return word in FUNCTION_WORDS or word in GENERIC or _VERSION.fullmatch(word) is not None


def _action_last(run: Phrase, is_object: bool) -> Phrase:
    """ "verify email address" as "email address verification"; other phrases as they are, also the
    object of a verb ("get track secret token")."""
    first = run[0].lower()
    if is_object and first in ACTION_OBJECTS:
        return run
    if len(run) > 1 and first in LEADING_VERBS and action_stem(run[-1]) != action_stem(first):
        return [*run[1:], LEADING_VERBS[first]]
    return run


@functools.lru_cache(maxsize=100_000)
def action_stem(word: str) -> str:
    """One key for singular and plural, verb and noun, itself a word that can stand in a name:
    "rates" and "rate", "verify" and "verification"."""
    lower = without_possessive(word.lower())
    action = ACTION_OF.get(lower)
    if action is not None:
        return action
    one = lower[:-1] if lower in _IN_IE else singular(lower)
    return one.removesuffix("e") if lower.endswith(_SIBILANTS) else one
