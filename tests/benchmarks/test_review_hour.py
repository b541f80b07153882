"""A real hour of review: 100 verdicts by keys through the window on the ToolBench catalogue.

Issue 4. Needs TOOLPLANNER_BENCH=1 and TOOLPLANNER_REVIEW, the path of a prepared workspace of the
whole catalogue (it is copied). The analyst is a script that reads only what the card shows and
follows a written policy (`judge`); it answers by keys. Figures before and after are printed, with
the times from a key to the next question and to its whole card.
"""

import asyncio
import gzip
import json
import os
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from benchmarks.figures import Figures as Measured
from PySide6.QtCore import QEventLoop, QSettings, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from qasync import QEventLoop as LoopOfQt

from toolplanner_core.clustering.groups import unit
from toolplanner_core.curation.questions.kinds.evidence import Evidence
from toolplanner_core.curation.questions.queue.queue import ReviewQueue
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import api_names, rowids_of
from toolplanner_core.workspace.curated_tables import all_exclusions
from toolplanner_core.workspace.edit_history import read_edits
from toolplanner_gui.bridge.user_settings import UserSettings
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.review_panel import ReviewPanel
from toolplanner_gui.theme.theme import Theme
from toolplanner_gui.windows.main_window import MainWindow

SOURCE = os.environ.get("TOOLPLANNER_REVIEW", "")

pytestmark = [
    pytest.mark.benchmark_real,
    pytest.mark.slow,
    pytest.mark.timeout(3000),
    pytest.mark.skipif(
        os.environ.get("TOOLPLANNER_BENCH") != "1" or not SOURCE,
        reason="needs TOOLPLANNER_BENCH=1 and TOOLPLANNER_REVIEW=a prepared workspace",
    ),
]

VERDICTS = int(os.environ.get("TOOLPLANNER_REVIEW_VERDICTS", "100"))
NEXT_S = 0.1
NEIGHBOURING = 5
"""A toolkit neighbours the five whose centroids are most like its own."""

Key = Qt.Key


class Figures(NamedTuple):
    """How good the toolkits are.

    Attributes:
        silhouette: mean over all APIs in toolkits of at least two.
        same, near: shares of the pairs of gold APIs of one query that fall into one toolkit, and
            into one or two neighbouring ones.
        copies: APIs that repeat another one and are still offered.
    """

    toolkits: int
    silhouette: float
    pairs: int
    same: float
    near: float
    copies: int


def measure(workspace: Workspace, queue: ReviewQueue, pairs: list[tuple[int, int]]) -> Figures:
    evidence, excluded = queue.evidence, all_exclusions(workspace.reader())
    assert evidence is not None
    sizes = evidence.cohesion.sizes
    grouped = evidence.labels >= 0
    grouped[grouped] = sizes[evidence.labels[grouped]] > 1
    label = dict(zip(evidence.rowids.tolist(), evidence.labels.tolist(), strict=True))
    both = [(label[a], label[b]) for a, b in pairs]
    both = [(a, b) for a, b in both if a >= 0 and b >= 0]
    near = neighbouring(evidence, {a for pair in both for a in pair})
    same = sum(a == b for a, b in both)
    beside = sum(a != b and (b in near[a] or a in near[b]) for a, b in both)
    copies = 0
    for group in evidence.copies:
        offered = sum(rowid not in excluded for rowid in evidence.rowids_of(group))
        copies += max(0, offered - 1)
    return Figures(
        toolkits=int((sizes > 0).sum()),
        silhouette=float(evidence.cohesion.silhouette[grouped].mean()),
        pairs=len(both),
        same=same / len(both),
        near=(same + beside) / len(both),
        copies=copies,
    )


def neighbouring(evidence: Evidence, labels: set[int]) -> dict[int, set[int]]:
    centres = unit(evidence.cohesion.sums)
    found: dict[int, set[int]] = {}
    for one in labels:
        near = centres @ centres[one]
        near[evidence.cohesion.sizes == 0] = -2
        near[one] = -2
        found[one] = set(np.argsort(-near, kind="stable")[:NEIGHBOURING].tolist())
    return found


def gold_pairs(workspace: Workspace, data: Path) -> list[tuple[int, int]]:
    names = {one.key: one.id for one in api_names(workspace)}
    rowid = rowids_of(workspace, names.values())
    pairs: set[tuple[int, int]] = set()
    with gzip.open(data / "toolbench" / "queries.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            query = json.loads(line)
            if query["source"] != "stabletoolbench":
                continue
            gold = sorted({rowid[names[key]] for key in query["gold"] if key in names})
            pairs.update(combinations(gold, 2))
    return sorted(pairs)


def judge(panel: ReviewPanel) -> Key:
    """What a careful analyst answers, from what the card shows and nothing else.

    - Merge: yes if the neighbours or the parameters speak for it, the centroids do so clearly, no
      signal is silent about it twice, and the silhouette gets better; else no.
    - Split: yes if it holds together better on both sides, the neighbours keep to their side and
      the silhouette gets better by the words of the card; else no.
    - Move: yes if neighbours and centroids both point there and the silhouette gets better.
    - Duplicates: yes if they share the address and the parameters; copies at different hosts are
      different services with one template: no.
    - Name: yes if another name is proposed that says a subject; "… and 3 other tools" is skipped.
    - Description: yes if one is proposed; else skipped.
    - No home: yes if the mean of the signals is at least a half.
    - Blamed by runs: skipped.
    """
    card = panel.card
    kind = str(panel.context.review.current.kind)  # type: ignore[union-attr] - the icon's word
    value = {line.name.lower(): line.value for line in card.signals.shown}
    is_better = "(better)" in card.consequences.text()
    proposed = card.sides[1].name.text() if not card.sides[1].isHidden() else ""
    match kind:
        case "merge":
            sure = value["centroids"] >= 0.6 and is_better
            sure = sure and max(value["neighbours"], value.get("parameters", 0)) >= 0.4
            return Key.Key_A if sure else Key.Key_R
        case "split":
            sure = value["neighbours"] >= 0.5 and value["silhouette"] >= 0.5 and is_better
            return Key.Key_A if sure else Key.Key_R
        case "move":
            sure = value["neighbours"] >= 0.5 and value["centroids"] >= 0.5 and is_better
            return Key.Key_A if sure else Key.Key_R
        case "duplicate":
            sure = value["address"] == 1.0 and value["parameters"] >= 0.5
            return Key.Key_A if sure else Key.Key_R
        case "name":
            is_subject = bool(proposed) and "other tool" not in proposed
            return Key.Key_A if is_subject else Key.Key_S
        case "description":
            return Key.Key_A if proposed else Key.Key_S
        case "homeless":
            mean = sum(value.values()) / max(1, len(value))
            return Key.Key_A if mean >= 0.5 else Key.Key_R
        case _:
            return Key.Key_S


def wait(is_done: Callable[[], bool], within_s: float = 300) -> None:
    """Let the window live until something is so."""
    end_s = time.monotonic() + within_s
    tick = QTimer()
    tick.start(5)
    while not is_done():
        QApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
        assert time.monotonic() < end_s


@pytest.fixture
def window(qapp: QApplication, tmp_path: Path) -> Iterator[MainWindow]:
    loop = LoopOfQt(qapp, set_running_loop=True)
    asyncio.set_event_loop(loop)
    settings = QSettings(str(tmp_path / "choices.ini"), QSettings.Format.IniFormat)
    context = AppContext(loop, theme=Theme(qapp, mode="light"), choices=UserSettings(settings))
    made = MainWindow(context, layout="review")
    made.resize(1440, 900)
    made.show()
    made.finish_start()
    yield made
    context.tasks.cancel_all()
    wait(lambda: context.tasks.is_idle)
    context.close()
    made.close()
    asyncio.set_event_loop(None)
    asyncio._set_running_loop(None)
    loop.close()


def at(values: list[float], share: float) -> float:
    return sorted(values)[round(share * (len(values) - 1))]


def test_an_hour_of_review_by_keys_when_the_real_catalogue_then_the_toolkits_are_better(
    window: MainWindow, tmp_path: Path, shared_data: Path, figures: Measured
) -> None:
    path = Path(shutil.copy(SOURCE, tmp_path / "hour.toolplanner"))
    context = window._context
    context.tasks.spawn(context.open_workspace(path), owner=context)
    began_s = time.monotonic()
    wait(lambda: context.opened is not None)
    review = context.review
    wait(lambda: review.state is not None)
    print(f"ready {time.monotonic() - began_s:.1f} s after opening")
    assert context.workspace is not None
    assert review.reading.queue is not None
    assert review.state is not None
    print(dict(review.state.status.waiting))
    panel = window.workspace_view.docks.panel("review")
    assert isinstance(panel, ReviewPanel)
    pairs = gold_pairs(context.workspace, shared_data)
    before = measure(context.workspace, review.reading.queue, pairs)
    print("before", before)
    to_next: list[float] = []
    to_card: list[float] = []
    given: Counter[str] = Counter()

    def is_there() -> bool:
        return review.cards.card is not None and review.is_idle and context.curation.is_idle

    wait(is_there)
    with figures.crowd() as crowd:
        while sum(given.values()) < VERDICTS:
            question = review.current
            assert question is not None
            key = judge(panel)
            pressed_s = time.perf_counter()
            QTest.keyClick(window, key)
            assert panel.card.title.text() != question.title or review.current is not question
            panel.card.repaint()
            to_next.append(time.perf_counter() - pressed_s)
            wait(lambda: review.cards.card is not None)
            to_card.append(time.perf_counter() - pressed_s)
            wait(is_there)
            word = {Key.Key_A: "accepted", Key.Key_R: "rejected"}.get(key, "skipped")
            given[f"{question.kind.value} {word}"] += 1
    after = measure(context.workspace, review.reading.queue, pairs)
    print("after ", after)
    print(dict(sorted(given.items())))
    print(review.state.status.agreement.rows())
    for what, values in (("next question", to_next), ("its whole card", to_card)):
        print(
            f"{what}: {1000 * at(values, 0.5):.0f} ms median, {1000 * at(values, 0.95):.0f} ms p95,"
            f" {1000 * max(values):.0f} ms worst"
        )
    edits = read_edits(context.workspace.reader())
    assert len(edits) == sum(n for word, n in given.items() if "accepted" in word)
    assert after.silhouette >= before.silhouette
    assert after.copies <= before.copies
    assert figures.felt("review: from a key to the next card", at(to_next, 0.5), NEXT_S, crowd)
