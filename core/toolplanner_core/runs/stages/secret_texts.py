"""Find secrets in any text: exact values of known keys, and what looks like a key.

Known are the values of the environment variables that hold keys (OPENAI_API_KEY and the like) and
whatever a caller adds: plain, URL-encoded, JSON-escaped, and in base64 at each of the three places
where it can stand. Patterns catch well-known kinds of keys and `name=value` or `"name": "value"`
with the name of a secret. Source: design/security.md, "Redaction".
"""

import base64
import json
import os
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from urllib.parse import quote, quote_plus

BLACKED_OUT = "•••"
MIN_LENGTH = 8
"""Shorter values are words of everyday language: blacking them out would destroy texts."""
_LONG = 512
_REMEMBERED = 64
"""Texts of this length are kept with their outcome: each question repeats the messages before it,
and looking through 100 KB takes 20 ms."""

_KEY_VARIABLE = re.compile(
    r"(API_?KEY|ACCESS_?KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$", re.IGNORECASE
)

NAMES = (
    r"(?:proxy[-_]?)?authori[sz]ation|(?:x[-_])?(?:api|app|access|auth|rapidapi|subscription|secret)"
    r"[-_]?(?:key|token|secret)|x[-_]rapidapi[-_]key|(?:client[-_]?)?secret|(?:set[-_]?)?cookie"
    r"|pass(?:word|wd|phrase)|(?:bearer|refresh|session|id)?[-_]?token|credentials?"
    r"|private[-_]?key|ocp-apim-subscription-key"
)
"""Names of fields that hold secrets, as a regular expression without anchors."""

_LOOKS_SECRET = re.compile(
    r"\bsk-[A-Za-z0-9_-]{16,}|\bAKIA[0-9A-Z]{16}\b|\bgh[pousr]_[A-Za-z0-9]{20,}"
    r"|\bgithub_pat_[A-Za-z0-9_]{20,}|\bglpat-[A-Za-z0-9_-]{16,}|\bxox[abprs]-[A-Za-z0-9-]{10,}"
    r"|\bAIza[0-9A-Za-z_-]{30,}|\bhf_[A-Za-z0-9]{20,}|\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}"
    r"|\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----(?:[A-Za-z0-9+/=\s]|\\[nr])*"
    r"(?:-----END [A-Z ]*PRIVATE KEY-----)?"
)
_AFTER_WORD = re.compile(r"\b(Bearer|Basic)(\s+|%20|\+)[A-Za-z0-9._~+/=-]{8,}", re.IGNORECASE)
_IN_JSON = re.compile(rf'("(?:{NAMES})"\s*:\s*)"(?:[^"\\]|\\.)+"', re.IGNORECASE)
_IN_ESCAPED_JSON = re.compile(rf'(\\"(?:{NAMES})\\"\s*:\s*)\\"[^"\\]+\\"', re.IGNORECASE)
_IN_QUERY = re.compile(rf"(?<![\w-])((?:{NAMES})=)[^&\s\"'<>;,]+", re.IGNORECASE)
_IN_HEADER = re.compile(rf"(?<![\w\"-])((?:{NAMES}):[ \t]+)[^\r\n\"'<>]+", re.IGNORECASE)
_IN_URL = re.compile(r"(://[^/\s:@\"']*:)[^/\s@\"']+(?=@)")
_HINT = re.compile(
    r"key|token|secret|pass|auth|cookie|credential|bearer|basic|sk-|AKIA|gh[pousr]_|github_pat"
    r"|glpat|xox|AIza|hf_|[rs]k_|eyJ|PRIVATE|://",
    re.IGNORECASE,
)
"""A text without any of these needs none of the longer searches."""


class SecretTexts:
    """Blacks out secrets in texts.

    Args:
        values: known secrets; shorter ones than `MIN_LENGTH` are passed over.
    """

    def __init__(self, values: Iterable[str] = ()) -> None:
        forms = {form for value in values if len(value) >= MIN_LENGTH for form in _forms(value)}
        # The longest first: a part of a secret must not hide the rest of it from the search.
        longest_first = sorted(forms, key=len, reverse=True)
        self._known = re.compile("|".join(map(re.escape, longest_first))) if forms else None
        self._remembering = lru_cache(_REMEMBERED)(self._clean)

    def clean(self, text: str) -> str:
        """The text without secrets; the same object when there are none."""
        if len(text) < MIN_LENGTH:
            return text
        if len(text) < _LONG:
            return self._clean(text)
        cleaned = self._remembering(text)
        return text if cleaned == text else cleaned

    def _clean(self, text: str) -> str:
        if self._known is not None and self._known.search(text):
            text = self._known.sub(BLACKED_OUT, text)
        if _HINT.search(text) is None:
            return text
        cleaned = _LOOKS_SECRET.sub(BLACKED_OUT, text)
        cleaned = _AFTER_WORD.sub(rf"\1\2{BLACKED_OUT}", cleaned)
        cleaned = _IN_JSON.sub(rf'\1"{BLACKED_OUT}"', cleaned)
        cleaned = _IN_ESCAPED_JSON.sub(rf'\1\\"{BLACKED_OUT}\\"', cleaned)
        cleaned = _IN_QUERY.sub(rf"\1{BLACKED_OUT}", cleaned)
        cleaned = _IN_HEADER.sub(rf"\1{BLACKED_OUT}", cleaned)
        cleaned = _IN_URL.sub(rf"\1{BLACKED_OUT}", cleaned)
        return text if cleaned == text else cleaned


def secrets_in(environment: Mapping[str, str] | None = None) -> list[str]:
    """Values of the environment variables that hold keys."""
    variables = os.environ if environment is None else environment
    return [value for name, value in variables.items() if _KEY_VARIABLE.search(name)]


def _forms(value: str) -> set[str]:
    raw = value.encode("utf-8", "surrogatepass")
    forms = {value, quote(value, safe=""), quote(value), quote_plus(value)}
    forms.add(json.dumps(value)[1:-1])
    forms.add(json.dumps(value, ensure_ascii=False)[1:-1])
    for shift in range(3):
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            # Characters that hang on neighbouring bytes are cut off at both ends.
            text = encode(b"\0" * shift + raw).decode().rstrip("=")
            begin = (0, 2, 3)[shift]
            end = len(text) - (1 if (len(raw) + shift) % 3 else 0)
            forms.add(text[begin:end])
    return {form for form in forms if len(form) >= MIN_LENGTH}
