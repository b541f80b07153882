"""The classifier against replies that really came, each labelled by reading it."""

import json
from pathlib import Path
from typing import Any, cast

import pytest
from fixtures.scripted_run import make_api

from toolplanner_core.domain.observation import RawResult
from toolplanner_core.providers.classify import observe
from toolplanner_core.providers.error_classes import class_of_exception

FILE = Path(__file__).parents[2] / "data" / "labelled_replies.json"
LABELLED = cast("dict[str, Any]", json.loads(FILE.read_text("utf-8")))


def class_of_reply(text: str) -> str:
    """As the provider of recordings hands it on: JSON where it is some, else text."""
    try:
        json.loads(text)
        kind = "application/json"
    except ValueError:
        kind = "text/plain"
    raw = RawResult(status=200, body=text, content_type=kind, origin="recorded")
    return observe(raw, make_api("weather_get")).error or "ok"


def misses() -> list[tuple[str, str, str]]:
    """Label, class and text of each that is classified otherwise."""
    found = [
        (row["label"], class_of_reply(row["reply"]), row["reply"]) for row in LABELLED["replies"]
    ]
    found += [
        (row["label"], str(class_of_exception(["Exception"], row["message"])), row["message"])
        for row in LABELLED["exceptions"]
    ]
    return [each for each in found if each[0] != each[1]]


def test_replies_when_read_by_a_person_then_the_classifier_agrees_with_nearly_all() -> None:
    total = len(LABELLED["replies"]) + len(LABELLED["exceptions"])
    assert len(LABELLED["replies"]) >= 290
    assert max(len(row["reply"]) for row in LABELLED["replies"]) <= 400
    missed = misses()
    assert 1 - len(missed) / total >= 0.93, missed


@pytest.mark.parametrize(("drawn", "measured"), [("held_out", 0.70), ("fresh", 0.80)])
def test_replies_when_not_mended_against_then_agrees_as_often_as_it_was_measured(
    drawn: str, measured: float
) -> None:
    """Five points are left for changes that mean others.

    Before the rules were rewritten it were 0.55 and 0.57. What is missed are failures taken for
    usable. Who mends the classifier against these must draw new ones.
    """
    rows = LABELLED[drawn]
    assert len(rows) == 40
    agreed = [row for row in rows if class_of_reply(row["reply"]) == row["label"]]
    print(f"agreement with {drawn} replies: {len(agreed) / len(rows):.2f}")
    assert len(agreed) / len(rows) >= measured - 0.05


def test_replies_when_usable_then_none_is_taken_for_a_failure() -> None:
    rows = [*LABELLED["replies"], *LABELLED["held_out"], *LABELLED["fresh"]]
    usable = [row["reply"] for row in rows if row["label"] == "ok"]
    assert len(usable) >= 140
    assert [text for text in usable if class_of_reply(text) != "ok"] == []
