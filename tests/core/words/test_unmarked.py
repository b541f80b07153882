"""Markup goes from documentation, and nothing that only looks like it."""

import pytest

from toolplanner_core.words.sanitizing import strip_markup


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("## Rates\n\nGet **all** `rates` of a *day*.", "Rates\n\nGet all rates of a day."),
        ("See [the docs](https://a.example/x) <br/>now", "See the docs \nnow"),
        ("* one\n- two", "• one\n• two"),
        ("<p>Hello <b>you</b></p>", "Hello you"),
        ("```json\n{}\n```", "{}"),
        ("get_*_by_id of <city> with a*b and c*d, __init__ [1]", None),
        ("C# and -5 to +3", None),
        ("Plain words.", None),
    ],
)
def test_text_when_read_then_only_markup_is_gone(text: str, read: str | None) -> None:
    assert strip_markup(text) == (text if read is None else read)
