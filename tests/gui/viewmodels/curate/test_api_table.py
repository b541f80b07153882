"""Words typed into the table of APIs: which rows hold them, and in how many they are looked for."""

import numpy as np
import pytest

from toolplanner_core.curation.looking.api_columns import ApiTable
from toolplanner_core.curation.looking.column_source import Categories
from toolplanner_gui.viewmodels.curate.api_table import ApiTableModel

TOOLS = ("Weather", "Money")


class CountedText(str):
    """A name that counts how often something is looked for in it."""

    looks = 0

    def __contains__(self, word: object) -> bool:
        CountedText.looks += 1
        return isinstance(word, str) and str(self).find(word) >= 0


def model_of(names: list[str]) -> ApiTableModel:
    model = ApiTableModel()
    words = [CountedText(name.casefold()) for name in names]
    places = np.arange(len(names))
    tools = Categories(places.astype(np.int32) % len(TOOLS), TOOLS)
    table = ApiTable(rowids=places, names=names, words=words, order=places, tools=tools)
    model.set_table(table, None)
    CountedText.looks = 0
    return model


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", [True, True, True]),
        ("get", [True, True, False]),
        ("GET money", [False, True, False]),
        ("weather get", [True, False, False]),
        ("a weather", [True, False, True]),
        ("money weather", [False, False, False]),
    ],
)
def test_words_when_typed_then_the_rows_that_hold_all_of_them_are_found(
    qapp, text: str, wanted: list[bool]
) -> None:
    model = model_of(["get now", "get rates", "tomorrow at noon"])
    assert model.with_words(text).tolist() == wanted


def test_words_when_the_longest_is_rare_then_the_others_are_looked_for_where_it_stands(
    qapp,
) -> None:
    n = 1000
    model = model_of([f"get {number:04}" for number in range(n)])
    assert np.flatnonzero(model.with_words("get 0123 e")).tolist() == [123]
    assert CountedText.looks == n + 2
