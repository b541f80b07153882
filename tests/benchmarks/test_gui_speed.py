"""The window under load: a run of 50,000 events opened, 5,000 events a second streaming in.

Targets (design/targets.md): opened in 1.0 s; the GUI thread never held up over 50 ms (p99), 100 ms
at worst; events on the screen within 150 ms (p99). Wall times are printed; what is asserted is
wider, or the thread's own time, since test machines are busy. Run with `-s` to read the figures.
"""

# It drives the parts of a view one by one.
# pyright: basic, reportPrivateUsage=false

import asyncio
import bisect
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks.measured_window import wait, window_of_file
from fixtures.made_records import make_records
from PySide6.QtCore import QElapsedTimer, QTimer
from PySide6.QtWidgets import QApplication

from toolplanner_core.domain.ids import RunId
from toolplanner_core.runs.clock import Clock
from toolplanner_core.runs.engine import RunHandle
from toolplanner_core.runs.log import BATCH_S, RunLog
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.run_adding import NewRun, create_run
from toolplanner_core.workspace.runs import finish_run
from toolplanner_gui.context import AppContext

EVENTS = 50_000
PER_S = 5_000
AT_ONCE = int(PER_S * BATCH_S)
"""Events that a log hands out at a time."""
PER_STEP = 11
"""Events of one step of `make_records`."""


class Lags:
    """How long the event loop did not come round, ms."""

    def __init__(self) -> None:
        self.found: list[float] = []
        self._clock = QElapsedTimer()
        self._probe = QTimer()
        self._probe.timeout.connect(self._on_probe)
        self._clock.start()
        self._probe.start(2)

    def end(self) -> list[float]:
        """From small to large."""
        self._probe.stop()
        return sorted(self.found)

    def _on_probe(self) -> None:
        self.found.append(self._clock.nsecsElapsed() / 1e6)
        self._clock.restart()


def at(values: list[float], share: float) -> float:
    """The value below which a share of sorted values is."""
    return values[round(share * (len(values) - 1))]


def write_run(workspace: Workspace, n_events: int) -> RunId:
    """Store a made-up run."""
    run = create_run(workspace, NewRun(
        query="q", strategy="s", model="m", provider="p", options={}, status="running",
        started_us=0, app_version="0", process="",
    ))  # fmt: skip

    async def write() -> None:
        log = RunLog(workspace, run, clock=Clock())
        for position, record in enumerate(make_records(n_events // PER_STEP)):
            log.append(record.event, path=record.path, cause=record.cause)
            if position % 200 == 0:
                await asyncio.sleep(0)
        await log.close()

    asyncio.run(write())
    finish_run(workspace, run, status="solved", answer="", totals={}, ended_us=1)
    return run


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A workspace with one long run."""
    path = tmp_path / "long.toolplanner"
    with Workspace.create(path) as made:
        write_run(made, EVENTS)
    return path


@pytest.fixture
def context(qapp: QApplication, file: Path) -> Iterator[AppContext]:
    """The window in its Debug layout with the workspace open."""
    with window_of_file(qapp, file, layout="debug") as made:
        made.shell.call_panel("timeline", "focus_bars")  # as a run does
        wait(lambda: bool(made.run_view.summaries) and made.tasks.is_idle)
        yield made


@pytest.mark.slow
def test_run_of_50000_events_when_opened_then_the_window_is_not_held_up(
    context: AppContext, record_property
) -> None:
    view = context.run_view
    run = view.summaries[0].run
    view._tree = view.run = None  # the window may have shown it already
    wait(lambda: context.tasks.is_idle)
    lags = Lags()
    began_s, began_cpu_s, began_gui_s = time.perf_counter(), time.process_time(), time.thread_time()
    view.show_run(run)
    wait(lambda: len(view.nodes) > 0)
    QApplication.processEvents()
    shown_s, gui_s = time.perf_counter() - began_s, time.thread_time() - began_gui_s
    cpu_s = time.process_time() - began_cpu_s
    wait(lambda: context.tasks.is_idle)
    found = lags.end()
    figures = {
        "opened_s": round(shown_s, 2), "opened_cpu_s": round(cpu_s, 2),
        "gui_thread_s": round(gui_s, 3), "lag_p99_ms": round(at(found, 0.99)),
        "lag_worst_ms": round(found[-1]),
    }  # fmt: skip
    for name, value in figures.items():
        record_property(name, value)
    print(figures)
    assert view.last_seq > 0.99 * EVENTS
    assert cpu_s < 4.0
    assert gui_s < 1.0


@pytest.mark.slow
def test_events_when_5000_a_second_stream_in_then_they_are_on_the_screen_in_time(
    context: AppContext, record_property
) -> None:
    view = context.run_view
    view._live = RunHandle(asyncio.get_event_loop())
    records = [record._replace(run=RunId(777)) for record in make_records(2 * PER_S // PER_STEP)]
    sent_s: dict[int, float] = {}
    shown: list[tuple[int, float]] = []
    view.records_arrived.connect(lambda new: shown.append((new[-1].seq, time.perf_counter())))

    def stream() -> None:
        pause = threading.Event()
        began_s = time.perf_counter()
        for begin in range(0, len(records), AT_ONCE):
            piece = records[begin : begin + AT_ONCE]
            view._inbox.put(piece)
            sent_s[piece[-1].seq] = time.perf_counter()
            pause.wait(max(0.0, began_s + (begin + AT_ONCE) / PER_S - time.perf_counter()))

    lags, began_gui_s = Lags(), time.thread_time()
    thread = threading.Thread(target=stream)
    thread.start()
    wait(lambda: view.last_seq == records[-1].seq)
    thread.join()
    gui_s, found = time.thread_time() - began_gui_s, lags.end()
    seqs = [seq for seq, _ in shown]
    late = sorted(shown[bisect.bisect_left(seqs, seq)][1] - s for seq, s in sent_s.items())
    figures = {
        "gui_thread_share": round(gui_s / (len(records) / PER_S), 2),
        "lag_p99_ms": round(at(found, 0.99)), "lag_worst_ms": round(found[-1]),
        "to_screen_p99_ms": round(at(late, 0.99) * 1000),
    }  # fmt: skip
    for name, value in figures.items():
        record_property(name, value)
    print(figures)
    # The thread has time left for the person, even where it shares its processor.
    assert figures["gui_thread_share"] < 1.0
