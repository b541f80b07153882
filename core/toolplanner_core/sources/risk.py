"""What a call may do to the world, guessed from its HTTP method and its name.

A wrong "read" is worse than a wrong "write": a read call is made without asking and repeated after
a crash, a write call only asks once too often. So an API is "read" only on positive evidence (a
reading method without a changing verb, or a name that begins with a reading verb); everything
unknown is "write". POST is no evidence of writing by itself: nearly half of the ToolBench catalogue
is POST, most of it translators, searches and calculators that take a body; those stay "read" when
their name begins with such a verb and names no changing one. Descriptions are only used to raise
the risk, never to lower it, since they are texts from others. A person can change the guess.
"""

from toolplanner_core.domain.api import Api, Risk
from toolplanner_core.words.word_splitting import split_camel_case

_READING_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_DESTRUCTIVE = _words(
    "delete remove destroy drop erase purge wipe cancel terminate revoke uninstall"
    " unsubscribe deactivate disable reset clear truncate kill shutdown refund void ban detach"
)
_CHANGING = _words(
    "add create insert update upsert edit modify change set put patch post send submit upload"
    " publish book buy order pay purchase charge transfer withdraw deposit register signup"
    " sign login logout subscribe invite assign approve reject enable activate start stop run"
    " execute trigger schedule import write save store move rename merge copy share follow"
    " unfollow like unlike vote comment reply message notify email sms dispatch issue redeem"
    " confirm verify authenticate authorize install attach join leave block unblock mark"
    " increment"
)
_READING = _words(
    "get list search find lookup look fetch read query show view retrieve describe count"
    " check validate translate detect classify predict analyze analyse calculate compute"
    " convert compare extract parse recognize recognise identify summarize summarise estimate"
    " rank score suggest recommend browse explore discover resolve decode format tokenize"
    " transliterate evaluate measure inspect"
)


def risk_of(method: str, name: str, description: str = "") -> Risk:
    """The risk of an API by rule.

    Args:
        method: HTTP method in any case; "" for what is not HTTP.
        name: the API's name in any style (`deleteUser`, "Delete user", "/users/delete").
        description: its documentation; only its first word counts, and only to raise the risk.
    """
    method = method.upper()
    words = _english_words(name[:300])
    first_words = {*words[:1], *_english_words(description[:60])[:1]}
    # "Removes a user" is as clear as "Remove a user".
    first_words |= {word[:-1] for word in first_words if word.endswith("s")}
    if method == "DELETE" or first_words & _DESTRUCTIVE:
        return Risk.DESTRUCTIVE
    if method in _READING_METHODS:
        # Only the leading word: "List orders" and "Get cancel reasons" read.
        return Risk.WRITE if first_words & _CHANGING else Risk.READ
    named = set(words)
    if named & _DESTRUCTIVE:
        return Risk.DESTRUCTIVE
    if method in {"PUT", "PATCH"} or named & _CHANGING or first_words & _CHANGING:
        return Risk.WRITE
    return Risk.READ if words and words[0] in _READING else Risk.WRITE


_ASKING_NOUNS = frozenset({"search", "lookup", "query"})
"""At the end of a name: `hotelSearch`."""


def changes_something(api: Api) -> bool:
    """Whether a call is to be made once only, since it may change something.

    Its risk says so, but for a POST that nobody but its method makes a suspect: whose name ends
    with a search, or whose description begins with a reading verb, while no name speaks of a
    change. Leave is asked for it all the same.
    """
    if api.risk is not Risk.WRITE or api.method.upper() != "POST":
        return api.risk is not Risk.READ
    if risk_of(api.method, api.name, api.description) is not Risk.WRITE:
        return True  # a person says that it writes
    words = _english_words(api.name[:300])
    first = _english_words(api.description[:60])[:1]
    asks = {*words[-1:]} & _ASKING_NOUNS or {*first, *(word[:-1] for word in first)} & _READING
    return not asks or bool({*words, *first} & (_CHANGING | _DESTRUCTIVE))


def _english_words(text: str) -> list[str]:
    return [word.lower() for word in split_camel_case(text) if word.isascii() and word.isalpha()]
