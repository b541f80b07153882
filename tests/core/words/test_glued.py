"""Glued words are taken apart by what the catalogue itself writes."""

import pytest

from toolplanner_core.words.word_splitting import WordSegmenter

SENTENCES = (
    "Retrieve all bank accounts of a customer.",
    "Retrieve an event and all its guests.",
    "Use openstreetmap to retrieve a bank near you.",
)


@pytest.fixture
def glued() -> WordSegmenter:
    return WordSegmenter((tool, text) for tool in range(3) for text in SENTENCES)


@pytest.mark.parametrize(
    ("word", "pieces"),
    [
        ("Retrieveallbankaccounts", ["retrieve", "all", "bank", "accounts"]),
        ("retrieveanevent", ["retrieve", "an", "event"]),
        ("retrieveallzorbs", ["retrieve", "all", "zorbs"]),
        ("openstreetmap", ["openstreetmap"]),
        ("kloudlesszorb", ["kloudlesszorb"]),
        ("accounts", ["accounts"]),
        ("RETRIEVEALLBANKS", ["RETRIEVEALLBANKS"]),
        ("retrieve2banks", ["retrieve2banks"]),
    ],
)
def test_split_when_words_are_glued_then_those_the_catalogue_writes(
    glued: WordSegmenter, word: str, pieces: list[str]
) -> None:
    assert glued.split(word) == pieces


def test_split_when_nothing_was_written_then_words_stay() -> None:
    assert WordSegmenter([]).split("retrieveanevent") == ["retrieveanevent"]
