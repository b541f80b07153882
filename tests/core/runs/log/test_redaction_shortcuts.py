"""What the quick looks of redaction pass over holds nothing: as if every search were made."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from toolplanner_core.runs.events.call import CallReturned
from toolplanner_core.runs.log import redaction as secret_texts
from toolplanner_core.runs.log.redaction import BLACKED_OUT, Redactor, SecretTexts

KNOWN = ['a"b\\c secret\n9', "p@ss/word &ü=", "plainvalue12345"]
FRAGMENTS = [
    f"sk-{'a' * 20}",
    f"SK-{'a' * 20}",
    "api_key=hello",
    "API_ſECRET=hello",
    "Authorization: Bearer abcdefghij",
    "Authorİzation: x",
    "authorızation: x",
    "basic YWJjZGVmZ2g=",
    "BAſIC YWJjZGVmZ2g=",
    "basİc YWJjZGVmZ2g=",
    "toKen=abcdef12",
    "http://user:pass@host/",
    '"paſsword": "x1"',
    '\\"token\\": \\"yy\\"',
    f"AKIA{'A' * 16}",
    f"xoxb-{'1' * 12}",
    f"rk_live_{'b' * 20}",
    f"eyJ{'c' * 12}.{'d' * 12}.e",
    "-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----",
    "Set-Cookie: a=b",
    "https://x.y/z?q=1",
    "mail to a@b",
    "weather_risk_high",
    *KNOWN,
    *(json.dumps(value)[1:-1] for value in KNOWN),
]
NAMES = ["q", "api_key", "toKen", "paſsword", "Cookıe", "tokens", "city", "secret"]
texts = st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.text(max_size=12)), max_size=5).map(
    "".join
)
values = st.recursive(
    st.one_of(texts, st.none(), st.booleans(), st.integers()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.one_of(st.sampled_from(NAMES), texts), inner, max_size=3),
    ),
    max_leaves=6,
)


def searched(text: str, known: SecretTexts) -> str:
    """A text after every search, none left out."""
    if len(text) < secret_texts.MIN_LENGTH:
        return text
    text = known._known.sub(BLACKED_OUT, text) if known._known else text
    for _, _, pattern, instead in secret_texts._RULES:
        text = pattern.sub(instead, text)
    return text


@given(texts)
def test_text_when_searches_are_left_out_then_the_same_is_blacked_out(text: str) -> None:
    cleaner = SecretTexts(KNOWN)
    assert cleaner.clean(text) == searched(text, cleaner)


@given(values)
def test_value_when_its_json_shows_nothing_then_nothing_is_hidden_in_it(value: Any) -> None:
    redactor = Redactor(KNOWN)
    written = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    hidden = json.dumps(redactor.value(value), ensure_ascii=False, separators=(",", ":"))
    assert hidden == written or redactor.may_hide(written)


def test_quick_look_when_a_reply_is_harmless_then_nothing_is_searched() -> None:
    told = CallReturned(
        status=200,
        body='{"temperature": 21, "place": "Zagreb"}',
        content_type="application/json",
        headers={},
        origin="demo",
        elapsed_ms=0.1,
    )
    assert not Redactor(KNOWN).may_hide(json.dumps(told.to_body(), ensure_ascii=False))
    assert Redactor(KNOWN).may_hide(json.dumps({"body": KNOWN[0]}, ensure_ascii=False))
