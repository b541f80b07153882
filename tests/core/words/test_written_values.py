"""Values of a text in plain forms, and the language of a text."""

import pytest

from toolplanner_core.words.languages import language_of, may_be_english
from toolplanner_core.words.written_values import plain_values


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Es sind 3,5 Grad in der Stadt", "3.5"),
        ("Das kostet 1.234,50 Euro", "1234.50"),
        ("Ils sont 12\u202f345 dans la ville", "12345"),
        ("الحرارة ٣٫٥ درجة", "3.5"),
        ("温度是３．５度", "3.5"),
        ("Am 24. Dezember 2026 ist es so weit", "2026-12-24"),
        ("El 24 de diciembre de 2026", "2026-12-24"),
        ("le 1er août 2026", "2026-08-01"),
        ("em 24 de dezembro de 2026", "2026-12-24"),
        ("2026年12月24日是节日", "2026-12-24"),
        ("يوم ٢٤ ديسمبر ٢٠٢٦", "2026-12-24"),
        ("on December 24, 2026", "2026-12-24"),
        ("am 24.12.2026", "2026-12-24"),
        ("Il est 14h30", "14:30"),
        ("Es ist 14 Uhr 30", "14:30"),
        ("现在是14点05分", "14:05"),
        ("It costs 1,234 dollars for the lot", "1,234"),
        ("Version 1.2.3 of it", "1.2.3"),
    ],
)
def test_value_when_written_in_any_way_then_plain_as_replies_have_it(text: str, value: str) -> None:
    plain = plain_values(text)
    assert value in plain.text
    assert plain.written.get(value, value) in text or not text.isascii()


@pytest.mark.parametrize(
    ("text", "told", "value"),
    [
        ("Der Kurs ist 1.234", '{"rate": 1.234}', "1.234"),
        ("es sind 1.234 Leute in der Stadt", '{"n": 1234}', "1234"),
        ("on 03/04/2026 it is", '{"day": "2026-04-03"}', "2026-04-03"),
    ],
)
def test_value_when_two_readings_are_possible_then_the_one_that_came_back(
    text: str, told: str, value: str
) -> None:
    assert value in plain_values(text, told).text


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("What is the weather in Madrid?", "en"),
        ("¿Qué tiempo hace en Madrid?", "es"),
        ("Wie ist das Wetter in Madrid?", "de"),
        ("Quel temps fait-il à Madrid ?", "fr"),
        ("Como está o tempo em Madrid?", "pt"),
        ("马德里的天气怎么样？", "zh"),
        ("ما هو الطقس في مدريد؟", "ar"),
        ("weather Lyon", ""),
        ("", ""),
    ],
)
def test_text_when_its_words_or_script_tell_then_its_language(text: str, language: str) -> None:
    assert language_of(text) == language
    assert may_be_english(text) is (language in ("en", ""))
