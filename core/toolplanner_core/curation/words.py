"""Cut documentation into phrases of words, for naming toolkits by rule.

A *phrase* is a run of words between punctuation, function words and the generic talk of API
documentation; names come from such runs, so "Get the latest exchange rates for a currency" gives
"exchange rates" and "currency". Identifiers are taken apart (`getExchangeRates`,
`/v1/exchange-rates/{base}`). Called by `curation/phrases.py` and `curation/describing.py`.
"""

import functools
import html
import re
from collections.abc import Iterator

from toolplanner_core.curation.actions import ACTION_OF, LEADING_VERBS
from toolplanner_core.curation.stop_words import FUNCTION_WORDS, GENERIC

Phrase = list[str]
"""Words as written, in order."""

_READ = 2_000
"""Characters of a description that are looked at."""

_MARKUP = re.compile(
    r"<[^<>]{1,300}>"  # HTML tags
    r"|!?\[(?P<label>[^\[\]]*)\]\([^()\s]*\)"  # Markdown links keep their label
    r"|(?:https?://|www\.)\S+"
    r"|\S+@\S+\.\S+"
    r"|\{+[^{}]{0,60}\}+"  # path parameters
    r"|[*`#~|>=]+|_{2,}|-{3,}"
)
_BEFORE_STOP = re.compile(r"[ \t]+([.,;:!?])")
_CONTROL = re.compile(
    r"[^\S\n]|[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\ufeff\ufffe\uffff]"
)
_WORD = re.compile(r"[^\W_]+(?:['’.+-][^\W_]+)*[+#]*")
_BREAK = re.compile(r"[.!?;:,()\[\]\"“”«»/\\\n\r\t•·–—&]+\s*|\s-\s")
_HUMPS = re.compile(
    r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_a-zA-Z]+", flags=re.UNICODE
)
_HAN = re.compile(r"[\u4e00-\u9fff\u30a0-\u30ff\uac00-\ud7af]+|[a-zA-Z0-9]+")
_HAS_HAN = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")
_VERSION = re.compile(r"v?\d+(?:\.\d+)*|v\d+\w*", flags=re.IGNORECASE)
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


def words(text: str) -> Iterator[list[str]]:
    """The words of running text, one list for each stretch without punctuation."""
    for stretch in _BREAK.split(text):
        if stretch:
            found = _WORD.findall(stretch)
            if _HAS_HAN.search(stretch):
                # Written without spaces: runs of ideographs between kana are the content words.
                found = [run for word in found for run in _HAN.findall(word)]
            if found:
                yield found


def identifier_words(text: str, whole: frozenset[str]) -> Iterator[list[str]]:
    """The words of an API's or tool's name: taken apart at humps, underscores and slashes.

    Args:
        text: such as "getExchangeRates", "/v1/rates/{base}" or "Exchange rates".
        whole: lower-case words that keep their humps and hyphens, such as "youtube", "covid-19".
    """
    for stretch in _BREAK.split(text.replace("_", " ")):
        found: list[str] = []
        for word in _WORD.findall(stretch):
            if word.lower() in whole or _HAS_HAN.search(word):
                found.append(word)
                continue
            for piece in word.split("-"):
                found.extend([piece] if piece.lower() in whole else _HUMPS.findall(piece))
        if found:
            yield found


def phrases(stretches: Iterator[list[str]]) -> Iterator[Phrase]:
    """Runs of words that mean something, without function words, generic words and numbers."""
    for stretch in stretches:
        run: Phrase = []
        for word in stretch:
            lower = word.lower()
            if lower in FUNCTION_WORDS or lower in GENERIC or _VERSION.fullmatch(word):
                if run:
                    yield _action_last(run)
                run = []
            else:
                run.append(word)
        if run:
            yield _action_last(run)


def _action_last(run: Phrase) -> Phrase:
    """ "verify email address" as "email address verification"; other phrases as they are."""
    first = run[0].lower()
    if len(run) > 1 and first in LEADING_VERBS and stem(run[-1]) != stem(first):
        return [*run[1:], LEADING_VERBS[first]]
    return run


@functools.lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """One key for singular and plural, verb and noun: "rates" and "rate", "verify" and
    "verification"."""
    lower = word.lower().removesuffix("'s").removesuffix("’s")
    action = ACTION_OF.get(lower)
    if action is not None:
        return action
    if len(lower) > 4 and lower.endswith("ies"):
        return f"{lower[:-3]}y"
    if len(lower) > 3 and lower.endswith("s") and not lower.endswith(("ss", "us", "is")):
        if lower.endswith(("xes", "ches", "shes", "sses", "zes")):
            return lower[:-2]
        return lower[:-1]
    return lower
