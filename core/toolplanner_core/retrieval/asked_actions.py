"""What a query wants done, and what an API does: reading, creating, changing or removing.

"Delete a namespace" means a DELETE, "list my bank accounts" a GET of a collection; BM25 and vectors
put `createNamespace` as near to the first as `deleteCoreV1Namespace`. A query says it by the verb
that it begins with or by a question word, an API by a verb of its name, else by its HTTP method and
whether its path ends in a variable. Where either says nothing, or a query asks for several kinds of
actions, nothing is judged.

All is read from stored columns at search time: a workspace of before searches alike.
"""

import functools
import re
from enum import StrEnum

from toolplanner_core.words.stems import stem
from toolplanner_core.words.stop_words import STOP_WORDS
from toolplanner_core.words.word_splitting import split_words


class RequestAction(StrEnum):
    """What is done to a thing of the world outside."""

    LIST = "list"
    READ = "read"
    CREATE = "create"
    CHANGE = "change"
    REMOVE = "remove"


_READING = (RequestAction.LIST, RequestAction.READ)
_ASKED = {
    RequestAction.LIST: "list show which who browse enumerate",
    RequestAction.READ: (
        "get read fetch retrieve see view find search look check download display what when where"
        " how is are was were does did has have"
    ),
    RequestAction.CREATE: (
        "create add make new post send submit open book buy order register invite write mail"
        " schedule upload start publish insert call mute draw generate"
    ),
    RequestAction.CHANGE: (
        "update change edit set modify rename replace move assign patch adjust reassign"
    ),
    RequestAction.REMOVE: "delete remove cancel erase destroy drop clear unsubscribe revoke unstar",
}
_NAMED = {
    RequestAction.LIST: "list",
    RequestAction.READ: "get fetch retrieve read search find query lookup show info",
    RequestAction.CREATE: "create add post send insert submit upload invite",
    RequestAction.CHANGE: "update edit set modify replace patch put rename",
    RequestAction.REMOVE: "delete remove cancel destroy revoke erase unstar",
}
_ACTION_ASKED = {word: action for action, words in _ASKED.items() for word in words.split()}
_ACTION_NAMED = {word: action for action, words in _NAMED.items() for word in words.split()}
_OF_METHOD = {
    "POST": RequestAction.CREATE,
    "PUT": RequestAction.CHANGE,
    "PATCH": RequestAction.CHANGE,
    "DELETE": RequestAction.REMOVE,
}
_LEAD_IN = re.compile(
    r"^(?:(?:please|kindly|hi|hello|i|we|you|want|wish|need|would|could|can|will|like|love|help|me"
    r"|us|let|to|how\s+(?:do|can|could|should|would|to)|i'd|we'd)\b[\s,]*)+"
)
_GET_RID = re.compile(r"^get\s+rid\s+of\b|^take\s+(?:away|off)\b")
_WORD = re.compile(r"[a-z]+")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_JOINT = re.compile(r",?\s+(?:and|then)\s+|,\s+")


def asked_action(query: str) -> RequestAction | None:
    """What a query wants done; None where a sentence of it does not say so, or they differ."""
    found: set[RequestAction | None] = set()
    for sentence in filter(None, map(str.strip, _SENTENCE.split(query.lower()))):
        first, *others = [_of_part(part) for part in _JOINT.split(sentence)]
        # A part without a verb goes on with what stands before: "pods and services".
        found |= {first, *filter(None, others)}
    return found.pop() if len(found) == 1 else None


def _of_part(lower: str) -> RequestAction | None:
    rest = _LEAD_IN.sub("", lower)
    if _GET_RID.match(rest):
        return RequestAction.REMOVE
    first = _WORD.match(rest)
    return _ACTION_ASKED.get(first[0]) if first else None


@functools.lru_cache(maxsize=10_000)
def action_of(name: str, method: str, url: str) -> RequestAction | None:
    """What an API does.

    Args:
        method: of HTTP, in capitals; anything else says nothing.
        url: with variables as `{id}`.
    """
    if method == "DELETE":
        return RequestAction.REMOVE
    for word in split_words(name).lower().split():
        if word in _ACTION_NAMED:
            named = _ACTION_NAMED[word]
            return _read(url) if named is RequestAction.READ and method == "GET" else named
    return _read(url) if method == "GET" else _OF_METHOD.get(method)


def _read(url: str) -> RequestAction:
    path = url.partition("?")[0].rstrip("/")
    return RequestAction.READ if path.endswith("}") else RequestAction.LIST


def action_fit(asked: RequestAction | None, done: RequestAction | None) -> float:
    """How well what an API does fits what is asked: -1 to 1, 0 where either is not known."""
    if asked is None or done is None:
        return 0.0
    if asked is done:
        return 1.0
    if asked in _READING and done in _READING:
        return 0.5 if asked is RequestAction.LIST else 1.0
    if asked in _READING or done in _READING:
        return -1.0
    # Something is often created by changing what is there, and the other way round.
    return -1.0 if RequestAction.REMOVE in (asked, done) else 0.0


@functools.lru_cache(maxsize=10_000)
def resource_words(url: str) -> frozenset[str]:
    """The stems of the last part of a path that is no variable: "/pets/{id}" is about pets."""
    path = url.partition("?")[0].partition("://")[2].partition("/")[2] or url.partition("?")[0]
    parts = [part for part in path.split("/") if part and not part.startswith("{")]
    words = split_words(parts[-1]).lower().split() if parts else []
    return frozenset(stem(word) for word in words if word not in STOP_WORDS)
