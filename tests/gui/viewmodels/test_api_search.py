"""Searching while one types."""

import threading
from collections.abc import Sequence

import pytest
from pytestqt.qtbot import QtBot

from toolplanner_core.domain.toolkit import ScoredApi
from toolplanner_core.retrieval import hybrid
from toolplanner_gui.context import AppContext
from toolplanner_gui.viewmodels.api_search import ApiSearch, Hit


def test_search_when_letters_come_faster_than_answers_then_only_the_last_is_searched(
    opened: AppContext, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, begun, may_end = list[object](), list[str](), threading.Event()
    told: list[tuple[str, int]] = []

    class Slow(hybrid.HybridIndex):
        def search(self, text: str, k: int) -> list[ScoredApi]:
            made.append(self)
            begun.append(text)
            may_end.wait(30)
            return super().search(text, k)

    def tell(text: str, hits: Sequence[Hit], note: str) -> None:
        told.append((text, len(hits)))

    monkeypatch.setattr(hybrid, "HybridIndex", Slow)
    search = ApiSearch(opened.tasks, opened)
    search.found.connect(tell)
    search.set_workspace(opened.workspace)
    for text in ("w", "we", "wea", "weath", "weather"):
        search.search(text)
        qtbot.waitUntil(lambda: bool(begun))
    may_end.set()
    qtbot.waitUntil(lambda: search.is_idle, timeout=20_000)
    assert begun == ["w", "weather"]
    assert len({id(index) for index in made}) == 1
    assert [text for text, _ in told] == ["weather"]
    assert told[0][1] > 0
