"""The quick look at a reply's keys passes over nothing that is the news of a failure."""

import json
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolplanner_core.providers import reply_bodies
from toolplanner_core.providers.reply_bodies import find_error_envelope

FILE = Path(__file__).parents[2] / "data" / "labelled_replies.json"
KEYS = [
    "error", "errors", "message", "Msg", "code", "status", "success", "isError", "data", "result",
    "detail", "title", "id", "name", "rankings", "temperature", "statusText", "total_count", "x-y",
]  # fmt: skip
SAID = [
    "No data available", "not found", "Error: invalid city", "ok", "error", "false", "404", "",
    "Zagreb is sunny", "resource_not_found", "true", "missing parameter q",
]  # fmt: skip
leaves = st.one_of(
    st.sampled_from(SAID), st.none(), st.booleans(), st.sampled_from([0, 1, -1, 200, 404, 500])
)
bodies = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)
    ),
    max_leaves=8,
)


def read_slowly(value: Any) -> Any:
    """What is read when no reply is passed over."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reply_bodies, "_may_speak", bool)
        return find_error_envelope(value)


@given(bodies)
def test_made_reply_when_looked_at_quickly_then_read_as_when_read_in_full(value: Any) -> None:
    assert find_error_envelope(value) == read_slowly(value)


def test_real_replies_when_looked_at_quickly_then_read_as_when_read_in_full() -> None:
    labelled = cast("dict[str, Any]", json.loads(FILE.read_text("utf-8")))
    texts = [
        row["reply"] for part in ("replies", "held_out", "fresh") for row in labelled.get(part, [])
    ]
    n_objects = 0
    for text in texts:
        try:
            value = json.loads(text)
        except ValueError:
            continue
        n_objects += 1
        assert find_error_envelope(value) == read_slowly(value), text
    assert n_objects > 150
