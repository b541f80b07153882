"""Whether one API answers what another one was asked: it says so, and of the same subject.

Members of a toolkit are alike, but the capital of a country is not its calling code, and results of
rugby are not those of volleyball. So every word that tells what the first does must be said by the
second, and what either is about by its service's name must be said by the other one. Pure.
"""

import re

from toolplanner_core.domain.api import Api
from toolplanner_core.words.stems import singular, stem
from toolplanner_core.words.stop_words import GENERIC, STOP_WORDS

_TIMES = frozenset({"now", "today", "current", "currently", "latest", "live", "daily"})
_VERSIONS = frozenset({
    "api", "apis", "v1", "v2", "v3", "v4", "legacy", "old", "deprecated", "beta", "single",
    "version", "get", "fetch", "retrieve", "endpoint", "call", "request",
})  # fmt: skip
"""Words of a name that say nothing of what is asked."""
_OF_SERVICES = _VERSIONS | frozenset({
    "pro", "plus", "classic", "premium", "basic", "free", "unofficial", "official", "endpoint",
    "scraper", "scrapper", "data", "database", "info", "service", "services", "tool", "tools",
    "rapidapi", "the", "best", "fast", "fastest", "cheap", "easy", "simple", "advanced", "real",
    "realtime", "all", "by", "and", "one",
})  # fmt: skip
"""The same in the name of a service."""
_WORD = re.compile(r"[a-z]+[0-9]*|[0-9]+")
_DISTINCT = frozenset({"following", "followers", "follower", "up", "down", "above", "below"})
"""Words that are no other word's form, and tell something."""
_TALK = frozenset(map(stem, GENERIC | {"search", "detect", "forward", "point", "validate"}))
"""What a name may say more without asking something else."""


def is_same_operation(first: Api, second: Api) -> bool:
    """Whether the second says that it does what the first is called: every word of the first's
    name that is neither an argument nor a time stands in the second's name or description, and the
    second's name does not narrow it. APIs of one service differ on purpose: they must be called
    the same but for a version. What their services are about is the same."""
    named, other = _named(first), _named(second)
    telling, others = _told(named), _told(other)
    if len(telling) < min(2, len(named)) and "get" in named:
        return False  # "get weather": now, tomorrow or last year
    if first.tool == second.tool:
        return bool(telling) and telling == others
    if not telling or not telling <= _stems(f"{second.name} {second.description}"):
        return False
    is_narrower = telling < others and not others - telling <= _said(first) | _TALK
    return not is_narrower and _is_one_subject(first, second)


def _named(api: Api) -> frozenset[str]:
    """The words of its name without those of its arguments and times."""
    arguments = {singular(word) for each in api.parameter_list for word in _words(each.name)}
    return frozenset(w for w in _words(api.name) if singular(w) not in arguments) - _TIMES


def _told(named: frozenset[str]) -> frozenset[str]:
    return frozenset(map(_form, named - _VERSIONS))


def _form(word: str) -> str:
    return word if word in _DISTINCT else stem(word)


def _is_one_subject(first: Api, second: Api) -> bool:
    """Whether each says what the other's service is called by, as far as that is more than a
    made-up name."""
    return _subject(first) <= _said(second) and _subject(second) <= _said(first)


def _subject(api: Api) -> frozenset[str]:
    """What the name of a service says: words of their own, or one that it explains itself."""
    words = frozenset(stem(word) for word in _words(api.tool) - _OF_SERVICES)
    own = _stems(f"{api.name} {api.description} {api.tool_description} {api.category}")
    parts = [part for part in api.tool.casefold().split() if part not in _OF_SERVICES]
    is_made_up = len(parts) < 2 and not words <= own
    return frozenset() if is_made_up else words


def _said(api: Api) -> frozenset[str]:
    return _stems(f"{api.tool} {api.name} {api.description} {api.tool_description}")


def _stems(text: str) -> frozenset[str]:
    return frozenset(map(_form, _words(text)))


def _words(text: str) -> frozenset[str]:
    parted = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_", " ", text)
    return frozenset(_WORD.findall(parted.casefold())) - (STOP_WORDS - _DISTINCT)
