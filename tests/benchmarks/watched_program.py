"""The program as a person starts it, which says what it cost so far and closes itself.

It is started as `python watched_program.py MODE ...` by `started_program.py`; everything after the
mode is for the program. Modes: what goes on while it is closed.
"""

# It looks into the running window.
# pyright: basic, reportPrivateUsage=false

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QTimer

from toolplanner_gui import app
from toolplanner_gui.__main__ import main

LOOK_MS = 20
QUIET = 20
"""Looks that find nothing going on."""
UNDER_WAY = 25
"""Looks that find the work going on: half a second."""


class Painted(QObject):
    """Notes when something is painted for the first time."""

    at_s: float | None = None

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt
        if event.type() == QEvent.Type.Paint and self.at_s is None:
            self.at_s = time.process_time()
        return False


class Watched(app.Program):
    """The program, looked at again and again."""

    mode = "settled"

    def show(self) -> None:
        self.figures: dict[str, float] = {}
        self.painted, self.timer, self.looks = Painted(), QTimer(), 0
        self.is_going_on: Callable[[], bool] | None = None
        middle = self.window.centralWidget()
        assert middle is not None
        middle.installEventFilter(self.painted)
        self.timer.timeout.connect(self.look)
        self.timer.start(LOOK_MS)
        super().show()

    def look(self) -> None:
        if self.is_going_on is not None:
            self.looks = self.looks + 1 if self.is_going_on() else 0
            if self.looks > UNDER_WAY:
                self.close()
            return
        context, has_file = self.context, self.options.workspace is not None
        is_idle = self.window.is_idle and context.tasks.is_idle
        is_there = self.painted.at_s is not None
        is_there = is_there and (context.catalogue.n_apis > 0 if has_file else True)
        self.looks = self.looks + 1 if is_there and is_idle else 0
        if self.looks == 1:
            self.figures["ready_s"] = time.process_time()
        if is_there and self.mode == "early":
            self.close()
        elif self.looks > (QUIET if has_file else 0):
            if self.mode == "settled":
                self.close()
            else:
                self.looks = 0
                self.is_going_on = WORK[self.mode](self)

    def close(self) -> None:
        self.timer.stop()
        status = Path("/proc/self/status")
        if status.exists():
            lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
            self.figures["memory_mb"] = int(lines["VmRSS"].split()[0]) / 1024
        self.figures["shown_s"] = self.painted.at_s or 0.0
        waited = Path("/proc/self/schedstat")
        self.figures["waited_s"] = (
            int(waited.read_text().split()[1]) / 1e9 if waited.exists() else 0.0
        )
        self.figures.update(at_s=time.monotonic(), closing_s=time.process_time())
        print(json.dumps(self.figures), flush=True)
        self.window.close_at_once()  # as once a person has said that what goes on may stop


def importing(program: Watched) -> Callable[[], bool]:
    """Import functions that are new."""
    from toolplanner_core.sources.importing import import_source

    context, workspace = program.context, program.context.workspace
    assert workspace is not None
    place = workspace.path.with_name("functions.json")
    nothing = {"type": "object", "properties": {}}
    made = [
        {"name": f"look_{n}", "description": f"Look up thing {n}.", "parameters": nothing}
        for n in range(20_000)
    ]
    place.write_text(json.dumps(made), encoding="utf-8")
    job = context.jobs.start("Import", lambda p: import_source(workspace, place, progress=p))
    return lambda: job in context.jobs.running


def preparing(program: Watched) -> Callable[[], bool]:
    """Make vectors, toolkits and map anew."""
    from toolplanner_core.curation.grouping.prepare import prepare

    context, workspace = program.context, program.context.workspace
    assert workspace is not None
    job = context.jobs.start("Prepare", lambda p: prepare(workspace, embedder="words", progress=p))
    return lambda: job in context.jobs.running


def running(program: Watched) -> Callable[[], bool]:
    """Run agents that never find enough."""
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from fixtures.wild_agents import ENDLESS, WildAgents

    from toolplanner_core.llm.model import ModelPlugin, models
    from toolplanner_core.runs.config.spec import Limits, RunSpec

    model = WildAgents(seed=3, delay_s=0.15, finds_enough=0)
    models.plugins["wild"] = ModelPlugin(
        id="wild", title="Wild", description="", make=lambda *_: model, is_free=True
    )
    view = program.context.run_view
    view.start(RunSpec(
        query="weather and money", strategy="anytool", model="wild", provider="simulated",
        options={**ENDLESS, "hierarchy": "categories"},
        limits=Limits(max_model_calls=None, max_api_calls=None, max_seconds=None),
    ))  # fmt: skip
    return lambda: view.is_live and len(view.nodes) > 3


WORK: dict[str, Callable[[Watched], Callable[[], bool]]] = {
    "importing": importing, "preparing": preparing, "running": running,
}  # fmt: skip

if __name__ == "__main__":
    Watched.mode = sys.argv.pop(1)
    app.Program = Watched
    main()
