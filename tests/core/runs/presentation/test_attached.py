"""What is told of the pictures and resources of a reply, also of one from a file of others."""

from typing import Any

import pytest

from toolplanner_core.runs.presentation.sections import attached


def test_attached_when_a_picture_was_too_large_then_its_words_say_so() -> None:
    kept = {"type": "image/png", "name": "", "size": 9_000_000, "data": ""}
    (part,) = attached([kept], "")
    assert (part.title, part.picture) == ("Picture", "")
    assert part.text == (
        "image/png, 9,000,000 bytes. Not kept: of one reply, 3,000,000 bytes of pictures are"
    )


@pytest.mark.parametrize("kept", [7, None, {}, {"type": 1, "size": "x", "data": {"$blob": "0"}}])
def test_attached_when_the_log_is_of_others_then_anything_there_is_only_told(kept: Any) -> None:
    (part,) = attached([kept], "")
    assert part.title == "Picture"


@pytest.mark.parametrize(
    "body", ['{"attachments": 1}', '["attachments"]', '{"attachments": [1, {"kind": "resource"}]}']
)
def test_attached_when_the_text_only_looks_like_resources_then_nothing(body: str) -> None:
    assert not list(attached([], body))
