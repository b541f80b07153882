"""Which error class a status, a code, a text or an exception of a failure stands for.

Everything here is about texts and numbers; `reply_bodies.py` knows the objects that they stand in.

Its kind counts where it says something by itself; else its words, as with any other error; else the
kind again: a wrong value, or a fault of the code.
"""

import re
from collections.abc import Iterable
from typing import Any

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.http_status import class_of_status

ERROR_STATES = {"error", "fail", "failed", "failure", "err", "fatal"}
_PHRASES: tuple[tuple[ErrorClass, re.Pattern[str]], ...] = tuple(
    (error, re.compile(pattern, re.IGNORECASE))
    for error, pattern in (
        (ErrorClass.NOT_SUBSCRIBED,
         r"not[ _-]subscribed|no active subscription|subscri\w+ (?:has )?(?:expired|required)"
         r"|upgrade your (?:plan|subscription)|(?:plan|subscription) does not (?:include|allow)"
         r"|disabled for your subscription|payment[ _]required|upgrade to\b"
         r"|available (?:only )?(?:on|in|for) the \w+ plan"),
        (ErrorClass.RATE_LIMITED,
         r"rate[ _-]?limit|too[ _]many[ _]requests|quota|exceeded .{0,40}\b(?:limit|requests)\b"
         r"|limit (?:has been )?(?:reached|exceeded)|throttl"),
        (ErrorClass.UNAUTHORISED,
         r"api[ _-]?key|access[ _-]?key|app[ _-]?id\b.*invalid|unauthori[sz]ed|not authori[sz]ed"
         r"|authenticat|forbidden|access denied|(?:invalid|missing|expired)[ _](?:token|credential)"
         r"|permission[ _]denied|\btoken (?:was )?not (?:provided|given|found|valid)|\bcookies?\b"
         r"|not logged in|log ?in (?:is )?required|session (?:id|info|has expired)"
         r"|\b(?:token|password|passcode|verification code|credentials?)"
         r" (?:is|are|was|were) (?:invalid|incorrect|wrong)|account is private"),
        (ErrorClass.TIMEOUT, r"timed?[ _-]?out\b"),
        (ErrorClass.MISSING_PARAMETER,
         r"\bmissing|is required|are required|field required"
         r"|required (?:field|param|query|argument)"
         r"|must be (?:provided|supplied|specified)"
         r"|(?:cannot|can ?not|can't|should not|must not|may not) be (?:blank|empty|null)"
         r"|\b(?:name|value|code|id|key|email|parameters?|field|argument|text|query|url)"
         r" (?:is|are) (?:empty|blank|null)\b|please (?:provide|enter|specify|supply|input)\b"
         r"|value_error\.missing|\b\w+ empty$"
         r"|(?:not|wasn't) (?:provided|specified|given|defined)\b"),
        (ErrorClass.NOT_FOUND,
         r"not[ _]?found|not exists?\b|does(?:n't| not) exists?|don't have (?:info|data)"
         r"|does(?:n't| not) have an?\b"
         r"|(?:coul?d ?n'?t|could not|can'?t|can ?not) (?:be )?(?:find|found|locate)"
         r"|unable to (?:find|locate|get)|\byou have no\b"
         r"|\bno [\w -]{1,40}\b(?:found|match)|^no (?:data|valid|results?|entry|entries|records?)\b"
         r"|returned no|not in the (?:database|list)|not maintained|n[ãa]o encontrad"
         r"|no longer available|^no \w+ (?:for|with)\b|\bno (?:results?|hits?)\b"
         r"|nothing (?:is )?(?:found|configured)|failed to find"
         r"|no such|unknown (?:endpoint|route|path)|no longer"
         r"|deprecated|has been (?:removed|retired|shut down)|\bgone\b|discontinued"),
        (ErrorClass.WRONG_FORMAT,
         r"(?:wrong|invalid|bad|unsupported)[ _](?:\w+ )?(?:format|type|syntax|json|content)\b"
         r"|is not an? (?:boolean|number|integer|string|date|array|list|object)\b"
         r"|\biso format"
         r"|(?:should|must) be a valid (?:uuid|date|time|number|email|url|json)"
         r"|must be (?:in the |an? )?"
         r"(?:form|format|integer|number|string|boolean|date|iso|array|list|object)"
         r"|expected (?:format|type)|format[ _]|type_error"
         r"|not a valid (?:\w+ )?(?:number|integer|float|date|time|uuid|e-?mail|url|json|format)\b"
         r"|could not (?:be )?parse"
         r"|malformed|cannot parse"),
        (ErrorClass.INVALID_PARAMETER,
         r"invalid|out of range|not allowed|unsupported|illegal|bad[ _]request|must be|unknown"
         r"|incorrect|is wrong|already (?:exist|been|in use|taken|registered)|duplicat"
         r"|\bexpired\b|check your"
         r"|not a valid|do(?:es)?(?:n't|nt| not) own|could not be validated"
         r"|cannot be (?:later|earlier)"
         r"|should (?:be|have|contain)\b|is only\b|no modification|is not changed|you need to\b"
         r"|unrecogni[sz]ed|validation|not supported|\bexpected"
         r"|unexpected \w+ (?:arg|param|val)\w*|unexpected (?:value|arg|param)|not valid"),
        (ErrorClass.SERVER_ERROR,
         r"internal|server (?:error|problem)|exception|cannot read propert|crashed"
         r"|unavailable|unexpected (?:error|condition)|bad gateway"
         r"|maintenance|overload"),
    )
)  # fmt: skip
"""Tried in this order: the more telling first ("missing API key" is a key problem)."""

_GATEWAY_MESSAGES = re.compile(
    r"^(?:you are not subscribed to this api\.?"
    r"|invalid api key\. go to https?://\S+ for more info\.?"
    r"|you have exceeded the .{1,40} quota for .{1,80}"
    r"|too many requests\.?"
    r"|endpoint '?\S+'? does not exist\.?"
    r"|api doesn't exists?\.?"
    r"|blocked user\. please contact your api provider\.?"
    r"|service unavailable\.?"
    r"|(?:missing|invalid) authentication token\.?"
    r"|unauthorized\.?|forbidden\.?|not found\.?|internal server error\.?"
    r"|endpoint request timed out\.?"
    r"|(?:http )?(?:50[0234]|429)(?: ?[-:] ?| )(?:(?:internal )?server error|bad gateway"
    r"|service (?:temporarily )?unavailable|gateway time-?out|too many requests|error)\.?$"
    r"|service (?:is )?(?:no longer|not|temporarily un) ?available\.?$"
    r"|an api key is required .{1,100}$)",
    re.IGNORECASE,
)
"""What API gateways say in a body of nothing but `{"message": ...}`; RapidAPI's come first."""
_NOTHING_FOUND = re.compile(
    r"^(?:the )?[\w ]{0,40}\bnot found\b.{0,40}$|^no [\w ]{1,40}\bfound\b.{0,80}$"
    r"|^no (?:data|results?|records?) .{1,80}$|^no valid (?:entry|record|result) .{1,60}$"
    r"|^could(?:n't| not) find .{1,80}$|^(?:the )?[\w ]{1,40}\bhas expired!?$"
    r"|^[\w ]{1,20}\breturned no (?:data|results?)\b",
    re.IGNORECASE | re.DOTALL,
)
"""A text that is nothing but the news that there is nothing."""


def class_of_words(text: str) -> ErrorClass | None:
    """The class that an error code or message is known to stand for."""
    for error, pattern in _PHRASES:
        if pattern.search(text[:500]):
            return error
    return None


def class_of_code(code: Any) -> ErrorClass | None:
    """The class of an error code: a status as number or digits, or a word such as `not_found`."""
    if number := http_code(code):
        return class_of_status(number)
    if isinstance(code, str) and code.lower() not in ERROR_STATES:
        return class_of_words(code.replace("-", "_"))
    return None


def http_code(value: Any) -> int | None:
    """`value` as an HTTP status of a failure, as number or as digits."""
    number: Any = value
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) == 3:
        number = int(value)
    if isinstance(number, int) and not isinstance(number, bool) and 400 <= number <= 599:
        return number
    return None


def is_bare_failure(text: str) -> bool:
    """Whether a text is the news of a failure and nothing else."""
    return bool(_GATEWAY_MESSAGES.match(text) or _NOTHING_FOUND.match(text))


_OPENING = re.compile(
    r"^\W*(?:(?:sorry|oops|ops|we(?:'re| are) sorry)\b"
    r"|(?:\w*error|err|\w*exception|fatal|errore|erreur|erro|fehler)\b"
    r"(?!['’]|\W*$|\s+(?:is|are|was|were|of|bars?|rates?|free)\b)"
    r"|failed\b|failure(?: to\b|:|\W*$)|invalid[\W_]+\w|bad request|unknown \w|unsupported"
    r"|missing (?:[\w\"'`]+ ){0,3}[\"'`]?(?:\w+\W? )?(?:param\w*|key|token|field|value|argument"
    r"|input|header|id|auth\w*|data|required)\b"
    r"|unauthori[sz]ed|forbidden|access denied|unable to|could ?(?:n'?t|not)\b"
    r"|(?:cannot|can ?not|can't) (?:find|read|get|parse|convert|process|connect|be|access|extract"
    r"|resolve|load|open|locate|determine|retrieve)"
    r"|internal server|validation (?:error|failed)|something went wrong"
    r"|encountered (?:an? )?(?:error|problem)|too many|nothing (?:was |is )?(?:found|configured)"
    r"|please (?:provide|specify|enter|supply|input|subscribe|upgrade|try again|include|wait"
    r"|use a valid)"
    r"|no (?:valid )?[\w ]{1,40}(?:\bfound|\bmatch\w*|\bavailable|\bexists?\b|\bprovided|\bgiven)"
    r"|no valid\b|no (?:data|results?|hits?|records?|matches)\b|\W*\[\w+\] no hits?\b"
    r"|(?:the )?(?:server|service|system) is (?:busy|down|over\w*|un\w+|temp\w*|not|currently)\b"
    r"|(?:the )?\w+ (?:has |is )?expired\b"
    r"|[a-z]+(?:_[a-z]+)+ (?:must be|is required|is invalid|is missing)\b)",
    re.IGNORECASE,
)
"""How the news of a failure begins."""
_WITHIN = re.compile(
    r"^no \w+ (?:for|with)\b|\b(?:(?:is|are|was|were|be|been|has|have|do|does|did|could|would)"
    r"(?: ?n'?t| not) (?:been |be )?(?:an? )?(?:found|exists?|valid|supported|allowed|provided"
    r"|authori[sz]ed|specified|available|recogni[sz]ed|permitted|subscribed|registered|defined|active|set|match|correct"
    r"|have (?:access|permission|info|data|an?y?)|iterable)"
    r"|not[ _](?:found|valid|supported|authori[sz]ed|provided|defined|maintained|subscribed)"
    r"|(?:is|are|was|were) (?:invalid|required|missing|empty|incorrect|wrong|expired|unavailable"
    r"|mandatory|blank|restricted|denied|deprecated|failed|blocked)"
    r"|must (?:be|have|contain|not|match|include|start|provide)|should (?:be|have|contain|not)"
    r"|(?:cannot|can ?not|can't) be|went wrong|timed? ?out|(?:unexpected|internal|database)"
    r" error|error (?:has )?occurred|exception (?:has )?(?:occurred|happened)|no longer"
    r"|upgrade (?:your|to)|(?:quota|limit|requests) (?:has been |is )?exceeded|exceeded"
    r" (?:the|your)|has expired|try again later|^check your \w+|length must|no such"
    r"|contact (?:the )?(?:support|api provider))\b"
    r"|\b(?:required|invalid|empty|failed|incorrect|unavailable|not found)[.!]*$",
    re.IGNORECASE,
)
_LONGEST = 300


def says_failure(text: str) -> bool:
    """Whether a text reads as the news of a failure, where it stands in a field for messages."""
    text = " ".join(text.split())
    return (
        bool(text) and len(text) <= _LONGEST and bool(_OPENING.match(text) or _WITHIN.search(text))
    )


def opens_as_failure(text: str) -> bool:
    """Whether a text that is the whole reply is the news of a failure: it must begin so."""
    text = " ".join(text.split())
    return len(text) <= _LONGEST and bool(is_bare_failure(text) or _OPENING.match(text))


def is_failing_token(code: object) -> bool:
    """Whether a code in one word names a failure: `resource_not_found`, `RequestError`.

    A bare "invalid" is none: it is what validators answer.
    """
    return isinstance(code, str) and bool(_TOKEN.match(code.strip()))


_TOKEN = re.compile(
    r"^(?=\S{8,60}$|[A-Z ]{8,40}$)[\w.\- ]*"
    r"(?:error|fail(?:ed|ure)|not[_\- ]?found|missing|unauthori[sz]ed|forbidden|denied"
    r"|bad[_\- ]?request|exception|invalid(?=[_\-])|(?<=[_\-])invalid|invalid(?=[A-Z]))[\w.\- ]*$",
    re.IGNORECASE,
)


_TELLING = {
    "TimeoutError": ErrorClass.TIMEOUT,
    "ConnectionError": ErrorClass.NETWORK,
    "PermissionError": ErrorClass.UNAUTHORISED,
    "FileNotFoundError": ErrorClass.NOT_FOUND,
    "JSONDecodeError": ErrorClass.BAD_PAYLOAD,
    "ModuleNotFoundError": ErrorClass.SERVER_ERROR,
    "NotImplementedError": ErrorClass.SERVER_ERROR,
    "MemoryError": ErrorClass.SERVER_ERROR,
    "RecursionError": ErrorClass.SERVER_ERROR,
    "AttributeError": ErrorClass.SERVER_ERROR,
}
_USUAL = {
    "LookupError": ErrorClass.NOT_FOUND,
    "ValueError": ErrorClass.INVALID_PARAMETER,
    "TypeError": ErrorClass.INVALID_PARAMETER,
    "ArithmeticError": ErrorClass.INVALID_PARAMETER,
}


def class_of_exception(kinds: Iterable[str], message: str) -> ErrorClass:
    """The class of an exception.

    Args:
        kinds: names of its class and of those above it, nearest first.
    """
    names = list(kinds)
    by_kind = next((_TELLING[name] for name in names if name in _TELLING), None)
    usual = next((_USUAL[name] for name in names if name in _USUAL), ErrorClass.SERVER_ERROR)
    return by_kind or class_of_words(message) or usual
