"""What is taken out of texts of others, and what is not."""

import pytest

from toolplanner_core.sources.text_cleaning import clean_line, clean_text

FAMILY = "\U0001f469\u200d\U0001f469\u200d\U0001f467"


@pytest.mark.parametrize(
    "text",
    [
        f"{FAMILY} family",
        "\U0001f468\U0001f3fd\u200d\U0001f4bb dev",
        "\u2764\ufe0f\u200d\U0001f525",
        "1\ufe0f\u20e3",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "\u0915\u094d\u200d\u0937",
        "தமிழ் வானிலை",
    ],
    ids=["family", "skin", "heart", "key", "Persian", "Hindi", "Tamil"],
)
def test_text_when_a_joiner_or_mark_shapes_it_then_it_stays(text: str) -> None:
    assert clean_text(text) == clean_line(text) == text


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("ig\u200dno\u200cre", "ignore"),
        (f"\u200d{FAMILY}\u200d\u200b", FAMILY),
        ("a\ufe0fb 7\ufe0f", "ab 7"),
        (f"{FAMILY}\U000e0041\u202e", FAMILY),
        ("\u0645\u200c\u200d\u06cc", "\u0645\u06cc"),
    ],
)
def test_text_when_hidden_characters_are_in_it_then_they_go(text: str, clean: str) -> None:
    assert clean_text(text) == clean
