"""Cycles are collected in the thread of the window, whoever allocates."""

import gc
import threading
import weakref

import pytest

from toolplanner_gui.bridge.garbage_collector import GuiGarbageCollector

MANY = 60_000
"""Lists that are kept: some eighty times what makes Python collect."""


class Cycle:
    """Nobody but itself holds it."""

    def __init__(self) -> None:
        self.itself = self


def dropped(where: list[threading.Thread]) -> None:
    """A cycle that notes in which thread it ends."""
    weakref.finalize(Cycle(), lambda: where.append(threading.current_thread()))


def test_cycle_when_a_worker_allocates_then_it_ends_in_the_thread_of_the_window(
    qtbot,
) -> None:
    where: list[threading.Thread] = []
    kept: list[list[int]] = []
    dropped(where)
    worker = threading.Thread(target=lambda: kept.extend([i] for i in range(MANY)))
    worker.start()
    worker.join()
    assert where == []
    qtbot.waitUntil(lambda: bool(where))
    assert where == [threading.main_thread()]


def test_collector_when_closed_then_as_it_was(qapp) -> None:
    gc.enable()
    try:
        made = GuiGarbageCollector()
        assert not gc.isenabled()
        made.close()
        assert gc.isenabled()
    finally:
        gc.disable()


def test_oldest_when_little_is_new_then_left_alone(qapp, monkeypatch: pytest.MonkeyPatch) -> None:
    made, due, collected = GuiGarbageCollector(), (10_000, 20, 20), list[int]()
    monkeypatch.setattr(gc, "get_count", lambda: due)
    monkeypatch.setattr(gc, "collect", collected.append)
    monkeypatch.setattr(gc, "get_objects", lambda: range(100_000))
    made.collect()
    assert collected == [0, 1, 2]
    made.collect()
    made.collect()
    assert collected == [0, 1, 2, 0, 1, 0, 1]
    made.collect()
    assert collected[-1] == 2
    made.close()
