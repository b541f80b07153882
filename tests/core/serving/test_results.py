"""Long results page by page: nothing is lost between pages, and no other client finds them."""

import json
from typing import Any

import pytest

from toolplanner_core.errors import NotFound
from toolplanner_core.serving.results import PAGE, LongResults


@pytest.mark.parametrize(
    "value",
    [
        [{"n": n, "text": "x" * 90} for n in range(900)],
        {"count": 900, "rows": [{"n": n, "text": "é" * 90} for n in range(900)], "more": None},
        "\n".join(f"line {n} " + "y" * 80 for n in range(900)),
        "z" * (3 * PAGE),
        ["w" * (2 * PAGE), "v"],
    ],
    ids=["list", "object", "lines", "one line", "a long element"],
)
def test_result_when_it_is_long_then_its_pages_are_the_whole_of_it(value: Any) -> None:
    results = LongResults()
    page, texts, at, name = results.first_page(value), [], 0, ""
    while True:
        texts.append(page.text)
        assert len(page.text) <= PAGE
        at += page.text.count("\n") + 1
        if "more(" not in page.note:
            break
        assert page.note.endswith(f"from={at}).")
        name = page.note.partition('more(result="')[2].partition('"')[0]
        page = results.page(name, at)
    assert len(texts) > 2
    whole = "\n".join(texts)
    if isinstance(value, str):
        assert whole.replace("\n", "") == value.replace("\n", "")
    elif len(value) > 2:
        assert json.loads(whole) == value
    with pytest.raises(NotFound):
        results.page(name, at)
    with pytest.raises(NotFound):
        LongResults().page(name, 0)


def test_result_when_it_is_short_then_is_one_page() -> None:
    page = LongResults().first_page({"a": [1, 2]})
    assert (json.loads(page.text), page.note) == ({"a": [1, 2]}, "")
