"""Verbs of API documentation and the nouns that name them: "verify email" is "email verification".

A verb before its object becomes a noun behind it, so that a name is always a thing. English only;
other languages keep the words that they use.
"""

from toolplanner_core.words.stems import plural
from toolplanner_core.words.stop_words import read_lines, read_words

_NOUNS = dict(line.split(": ") for line in read_lines("action_nouns"))

ACTION_OF = {verb: noun for noun, verbs in _NOUNS.items() for verb in verbs.split()}
"""Noun by word form, lower case."""

ACTIONS = frozenset(_NOUNS)
"""The nouns."""

ACTION_OBJECTS = {
    "search": "search",
    "upload": "upload",
    "download": "download",
    "monitor": "monitoring",
    "track": "tracking",
    "tracks": "tracking",
    "estimate": "estimation",
}
"""Words that are things, too, where a verb goes before."""

LEADING_VERBS = {
    word: noun
    for word, noun in ACTION_OF.items()
    if not word.endswith(("er", "ers", "or", "ors", "ups")) and word not in ("signup", "uploads")
} | ACTION_OBJECTS
"""Words that, first in a phrase, are a verb with its object behind, with the noun of each."""

NOT_NOUNS = read_words("not_nouns")
"""Verbs and adjectives: a name may hold them beside a noun but never is one of them alone."""

NEVER_FIRST = read_words("never_first")
"""Verbs that tell nothing about their object: a phrase that begins with one is not a name."""

OUTCOMES = {
    "create": "creation",
    "delete": "deletion",
    "remove": "removal",
    "update": "updates",
    "edit": "updates",
    "search": "search",
    "find": "search",
    "send": "sending",
    "upload": "upload",
    "download": "download",
    "list": "lists",
    "report": "reports",
    "verify": "verification",
    "validate": "validation",
    "convert": "conversion",
    "cancel": "cancellation",
    "revoke": "revocation",
}
"""What the first word of most names of a group adds to its name: "Project deletion"."""

THINGS = {
    "graphql": "GraphQL query",
    "list": "list",
    "status": "status check",
    "health": "status check",
    "ping": "status check",
    "alive": "status check",
    **{
        form: one
        for one in (
            *("property", "item", "object", "record", "field", "setting", "filter", "project"),
            *("version", "source", "entity", "value", "block", "invite", "page", "option", "plan"),
        )
        for form in (one, plural(one))
    },
    # "Match" before an object is a verb.
    "matches": "match",
}
"""Things too general to tell one toolkit from others, which are its name where nothing else is: of
one in ten groups most names say one."""
