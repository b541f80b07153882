"""Black out secrets in what is logged; the provider still gets the real values.

Three layers: names of fields at any depth, exact values of known keys, patterns. Applied by the log
to every event before it is hashed, stored or shown, so no stage can forget it.

Known values are those of the environment variables that hold keys (OPENAI_API_KEY and the like) and
whatever a caller adds: plain, URL-encoded, JSON-escaped, and in base64 at each of the three places
where it can stand. Patterns catch well-known kinds of keys and `name=value` or `"name": "value"`
with the name of a secret.

Source: design/security.md, "Redaction"; research/debugging.md D.1, "secrets in traces".
"""

import base64
import dataclasses
import json
import os
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, TypeVar, cast
from urllib.parse import quote, quote_plus

from toolplanner_core.keys import registered_secrets
from toolplanner_core.runs.events.event import Event, UnknownEvent

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

_OF_KEYS = (
    "sk-", "akia", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat", "glpat", "xox", "aiza",
    "hf_", "rk_", "sk_", "eyj", "private",
)  # fmt: skip
_OF_NAMES = ("key", "token", "secret", "pass", "auth", "cookie", "credential")
_OF_WORDS = ("bearer", "basic")
_OF_URLS = ("://",)
_RULES = (
    (_OF_KEYS, "", _LOOKS_SECRET, BLACKED_OUT),
    (_OF_WORDS, "", _AFTER_WORD, rf"\1\2{BLACKED_OUT}"),
    (_OF_NAMES, '"', _IN_JSON, rf'\1"{BLACKED_OUT}"'),
    (_OF_NAMES, '\\"', _IN_ESCAPED_JSON, rf'\1\\"{BLACKED_OUT}\\"'),
    (_OF_NAMES, "=", _IN_QUERY, rf"\1{BLACKED_OUT}"),
    (_OF_NAMES, ":", _IN_HEADER, rf"\1{BLACKED_OUT}"),
    (_OF_URLS, "@", _IN_URL, rf"\1{BLACKED_OUT}"),
)
"""Each search with what a text must have for it to find anything: one of these in small letters,
and this. To look for them takes a hundredth of the search."""
_HINTS = (*_OF_NAMES, *_OF_WORDS, *_OF_KEYS, *_OF_URLS)


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
        self._forms = tuple(longest_first)
        self._forms_in_json = tuple({json.dumps(f, ensure_ascii=False)[1:-1] for f in forms})
        self._remembering = lru_cache(_REMEMBERED)(self._clean)

    def clean(self, text: str) -> str:
        """The text without secrets; the same object when there are none."""
        if len(text) < MIN_LENGTH:
            return text
        if len(text) < _LONG:
            return self._clean(text)
        cleaned = self._remembering(text)
        return text if cleaned == text else cleaned

    def may_be_in(self, text: str) -> bool:
        """Whether secrets may stand in the texts and under the names of a value, of which this is
        the JSON (written with `ensure_ascii=False`). A quick look: a no is certain."""
        return _is_any_in(self._forms_in_json, text) or _is_any_in(_HINTS, _small(text))

    def _clean(self, text: str) -> str:
        if self._known is not None and _is_any_in(self._forms, text):
            text = self._known.sub(BLACKED_OUT, text)
        low, cleaned = _small(text), text
        for hints, mark, pattern, instead in _RULES:
            if mark in text and _is_any_in(hints, low):
                cleaned = pattern.sub(instead, cleaned)
        return text if cleaned == text else cleaned


def _is_any_in(parts: Iterable[str], text: str) -> bool:
    for part in parts:  # noqa: SIM110 - `any` takes longer; this is asked for each event and call
        if part in text:
            return True
    return False


def _small(text: str) -> str:
    """A text in small letters, with those of ASCII in the place of the three others that a regular
    expression takes for them when it ignores case: a long s, and two kinds of i."""
    if not text.isascii():
        text = text.replace("\u017f", "s").replace("\u0131", "i").replace("\u0130", "i")
    return text.lower()


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


__all__ = ["BLACKED_OUT", "Redactor", "is_secret_name"]

E = TypeVar("E", bound=Event)
_SECRET_NAME = re.compile(rf"^(?:{NAMES})$", re.IGNORECASE)


def is_secret_name(name: str) -> bool:
    """Whether a field of this name holds a secret."""
    return _SECRET_NAME.match(name) is not None


class Redactor:
    """Blacks out the secrets of one run.

    Args:
        known: values besides those of the environment and of keys that were loaded.
    """

    def __init__(self, known: Iterable[str] = ()) -> None:
        self._given = (*secrets_in(), *known)
        self._loaded: tuple[str, ...] = ()
        self._made = SecretTexts(self._given)

    @property
    def _texts(self) -> SecretTexts:
        """Knows each key that has been loaded until now, whenever that was."""
        loaded = registered_secrets()
        if loaded is not self._loaded:
            self._loaded, self._made = loaded, SecretTexts((*self._given, *loaded))
        return self._made

    def may_hide(self, json_text: str) -> bool:
        """Whether a value, or an event, may look different without secrets, judged by its JSON
        (written with `ensure_ascii=False`): a no is certain, and takes a tenth of the search."""
        return self._texts.may_be_in(json_text)

    def text(self, text: str) -> str:
        """A text as it may be stored and shown."""
        return self._texts.clean(text)

    def value(self, value: Any) -> Any:
        """A JSON value as it may be stored and shown; the same object when nothing is hidden."""
        if isinstance(value, str):
            return self._texts.clean(value)
        if isinstance(value, Mapping):
            return self._mapping(cast("Mapping[str, Any]", value))
        if isinstance(value, list | tuple):
            items = cast("list[Any]", value)
            cleaned = [self.value(item) for item in items]
            changed = any(a is not b for a, b in zip(cleaned, items, strict=True))
            return cleaned if changed else items
        return value

    def _mapping(self, mapping: Mapping[str, Any]) -> Mapping[str, Any]:
        cleaned: dict[str, Any] = {}
        has_changed = False
        for name, item in mapping.items():
            shown = self._texts.clean(name) if isinstance(name, str) else name  # pyright: ignore[reportUnnecessaryIsInstance]
            is_hidden = (
                item not in (None, "", BLACKED_OUT)
                and not isinstance(item, Mapping | bool | int | float)
                and is_secret_name(str(name))
            )
            cleaned[shown] = BLACKED_OUT if is_hidden else self.value(item)
            has_changed = has_changed or shown is not name or cleaned[shown] is not item
        return cleaned if has_changed else mapping

    def event(self, event: E) -> E:
        """The event as it may be stored and shown; the same object when there is nothing to hide.

        `schema` (a question's or an API's) describes fields and is left alone.
        """
        if isinstance(event, UnknownEvent):
            return dataclasses.replace(event, fields=self.value(event.fields))
        changed: dict[str, Any] = {}
        for field in dataclasses.fields(event):
            if field.name == "schema":
                continue
            old = getattr(event, field.name)
            new = self.value(old)
            if new is not old:
                changed[field.name] = new
        return dataclasses.replace(event, **changed) if changed else event


def secrets_of(options: Mapping[str, Any]) -> list[str]:
    """Values of options whose names say that they are secret."""
    return [
        value for name, value in options.items() if isinstance(value, str) and is_secret_name(name)
    ]
