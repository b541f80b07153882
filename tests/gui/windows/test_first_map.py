"""A first map is there while the final one is computed, which never comes under a working hand."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from fixtures.catalogues import add_apis, made_up_apis

from toolplanner_core.curation.edits.describe import Rename
from toolplanner_core.curation.grouping import prepare as preparing
from toolplanner_core.curation.grouping.lay_out import lay_out
from toolplanner_core.workspace import Workspace
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.map_panel import MapPanel
from toolplanner_gui.windows.prepare_dialog import start_preparing


@pytest.fixture
def panel(context: AppContext, tmp_path: Path, qtbot) -> MapPanel:
    """The map of a workspace that has no map yet."""
    file = tmp_path / "new.toolplanner"
    with Workspace.create(file) as workspace:
        add_apis(workspace, made_up_apis(4)[:8])
    context.tasks.spawn(context.open_workspace(file), owner=context)
    qtbot.waitUntil(lambda: context.catalogue.n_apis == 8, timeout=30_000)
    made = MapPanel(context)
    qtbot.addWidget(made)
    made.resize(900, 640)
    made.canvas._stage.is_motion_reduced = True
    made.show()
    return made


@pytest.fixture
def final(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Only after it is set the final places are computed."""
    is_wanted = threading.Event()

    def lay_out_later(*args, **more):
        is_wanted.wait()
        return lay_out(*args, **more)

    monkeypatch.setattr(preparing, "lay_out", lay_out_later)
    # So few are placed without the code that is compiled for many.
    monkeypatch.setattr(preparing, "code_to_compile", lambda *_: [])
    yield is_wanted
    is_wanted.set()


def prepare_to_first_map(panel: MapPanel, qtbot) -> np.ndarray:
    """Its places, which the canvas shows while the job goes on."""
    context = panel.context
    assert context.workspace is not None
    start_preparing(context, context.workspace, embedder="lsa")
    qtbot.waitUntil(lambda: len(panel.canvas.points) == 8 and panel.is_idle, timeout=60_000)
    assert context.jobs.running
    assert "First places" in context.catalogue.note
    return panel.canvas.points.xy.copy()


def finish(panel: MapPanel, final: threading.Event, qtbot) -> None:
    context = panel.context
    read: list[None] = []
    (job,) = context.jobs.running
    job.ended.connect(lambda: context.catalogue_changed.connect(lambda: read.append(None)))
    final.set()
    qtbot.waitUntil(lambda: bool(read) and context.tasks.is_idle, timeout=60_000)
    qtbot.waitUntil(lambda: panel.is_idle, timeout=20_000)


def select(context: AppContext) -> None:
    context.selection.select_apis([int(context.catalogue.rowids[0])])


def edit(context: AppContext) -> None:
    toolkit = context.catalogue.toolkits[0]
    context.curation.do(Rename(toolkit=toolkit.id, name=f"{toolkit.name} of mine"))


def move_the_map(context: AppContext) -> None:
    context.view.put("map", [0.0, 0.0, 3.0, 0.0, 0.0, 1.0, 1.0])


def test_final_map_when_nobody_works_on_the_first_then_it_is_shown(
    panel: MapPanel, final: threading.Event, qtbot
) -> None:
    first = prepare_to_first_map(panel, qtbot)
    finish(panel, final, qtbot)
    assert not np.array_equal(panel.canvas.points.xy, first)
    assert "First places" not in panel.context.catalogue.note
    assert not panel.final_button.isVisible()


def test_final_map_when_somebody_works_on_the_first_then_it_waits_until_it_is_wanted(
    panel: MapPanel, final: threading.Event, qtbot
) -> None:
    context = panel.context
    first = prepare_to_first_map(panel, qtbot)
    select(context)
    finish(panel, final, qtbot)
    assert np.array_equal(panel.canvas.points.xy, first)
    assert panel.final_button.isVisible()
    selected = context.selection.rowids().tolist()
    panel.final_button.click()
    qtbot.waitUntil(lambda: not np.array_equal(panel.canvas.points.xy, first), timeout=20_000)
    assert not panel.final_button.isVisible()
    assert context.selection.rowids().tolist() == selected


@pytest.mark.parametrize("work", [select, edit, move_the_map, None])
def test_first_map_when_finished_then_any_work_on_it_counts_and_older_work_does_not(
    opened: AppContext, qtbot, work: Callable[[AppContext], None] | None
) -> None:
    edit(opened)
    qtbot.waitUntil(lambda: opened.curation.is_idle and opened.tasks.is_idle, timeout=20_000)
    first_map = opened.first_map
    first_map.finish()
    assert not first_map.is_waiting
    first_map.begin()
    if work is not None:
        work(opened)
        qtbot.waitUntil(lambda: opened.curation.is_idle and opened.tasks.is_idle, timeout=20_000)
    first_map.finish()
    assert first_map.is_waiting == (work is not None)
