"""Currencies in a text, and what a search is told of them."""

import pytest

from toolplanner_core.words.currencies import MEANT, currency_spans, expand_currency_codes


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("200 GBP in CHF", ["GBP", "CHF"]),
        ("EURUSD", ["EUR", "USD"]),
        ("eur/usd and sek → nok", ["EUR", "USD", "SEK", "NOK"]),
        ("40 francs", ["CHF"]),
        ("20 bucks to kroner", ["USD", "NOK"]),
        ("try to all", []),  # Turkish lira to Albanian lek, by chance
        ("3 pounds of flour", []),
        ("ten pounds in kilos", []),
        ("the JSON of the API", []),
    ],
)
def test_currencies_when_in_a_text_then_found_by_code_or_name(text: str, codes: list[str]) -> None:
    assert [code for _, code in sorted(currency_spans(text))] == codes


def test_text_when_it_names_two_currencies_then_says_what_it_is_about() -> None:
    assert expand_currency_codes("100 JPY to EUR") == f"100 JPY to EUR (yen, euro, {MEANT})"
    assert expand_currency_codes("$5 in €") == f"$5 in € (dollar, euro, {MEANT})"


@pytest.mark.parametrize(
    "text",
    [
        "hotels under A$90",
        "hotels under 100 EUR",  # one alone says in what something is paid
        "the exchange rate of USD and GBP, and the weather",  # it says so itself
        "SHOW ALL TOP FILMS",
        "a kilo of flour",
        "",
    ],
)
def test_text_when_it_needs_no_words_for_currencies_then_stays(text: str) -> None:
    assert expand_currency_codes(text) == text
