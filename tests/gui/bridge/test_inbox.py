"""What comes from other threads: order is kept, nothing is lost, the GUI thread is not held up."""

import threading

from PySide6.QtCore import QObject, QTimer

from toolplanner_gui.bridge.gui_thread import MOST_ITEMS, BatchInbox, GuiThreadCalls


def test_inbox_when_many_threads_put_delivers_all_in_order(qapp, qtbot) -> None:
    parent = QObject()
    got: list[tuple[int, int]] = []
    inbox: BatchInbox[tuple[int, int]] = BatchInbox(GuiThreadCalls(parent), got.extend, parent)

    def put(number: int) -> None:
        for i in range(500):
            inbox.put([(number, i)])

    threads = [threading.Thread(target=put, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    qtbot.waitUntil(lambda: len(got) == 2000)
    for thread in threads:
        thread.join()
    for number in range(4):
        assert [i for n, i in got if n == number] == list(range(500))


def test_inbox_when_items_come_one_by_one_then_what_came_between_two_turns_is_one_list(
    qapp, qtbot
) -> None:
    parent = QObject()
    lists: list[list[int]] = []
    inbox: BatchInbox[int] = BatchInbox(GuiThreadCalls(parent), lists.append, parent)
    for turn in range(5):
        for i in range(100):
            inbox.put([i])
        assert len(lists) == turn, "nothing is delivered inside `put`"
        qtbot.waitUntil(lambda: len(lists) > turn)  # noqa: B023 - it is called in this turn
    assert lists == [list(range(100))] * 5


def test_inbox_when_much_has_piled_up_comes_in_pieces_with_turns_between(qapp, qtbot) -> None:
    parent = QObject()
    lists: list[int] = []
    between: list[int] = []
    inbox: BatchInbox[int] = BatchInbox(
        GuiThreadCalls(parent), lambda items: lists.append(len(items)), parent
    )
    inbox.put(list(range(3 * MOST_ITEMS + 7)))
    probe = QTimer(parent)
    probe.timeout.connect(lambda: between.append(len(lists)))
    probe.start(0)
    qtbot.waitUntil(lambda: sum(lists) == 3 * MOST_ITEMS + 7)
    assert lists == [MOST_ITEMS] * 3 + [7]
    assert {1, 2, 3} <= set(between)
    inbox.put(list(range(2 * MOST_ITEMS)))
    inbox.flush()
    assert lists[-1] == 2 * MOST_ITEMS
