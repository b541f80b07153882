"""How soon last time's questions are listed at the next opening, with 5,000 toolkits.

Target: 0.3 s of the processor (`figures.py`); finding them anew takes 10 s at 45,000 APIs.
"""

import time
from itertools import pairwise
from pathlib import Path

import pytest
from benchmarks.figures import Figures
from fixtures.catalogues import TOPICS, add_apis, made_up_apis

from toolplanner_core.curation.questions.kinds.candidate import Candidate, CandidateKind, Signal
from toolplanner_core.curation.questions.queue.listing import list_questions
from toolplanner_core.curation.questions.queue.question_cache import cache_questions
from toolplanner_core.curation.questions.queue.queue import ReviewQueue
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import all_rowids
from toolplanner_core.workspace.toolkits import CuratedToolkit, add_curated_toolkits, list_toolkits

TOOLKITS = 5_000
ROUNDS = 3
TARGET_S = 0.3


@pytest.mark.slow
def test_questions_when_kept_then_listed_at_once(tmp_path: Path, figures: Figures) -> None:
    with Workspace.create(tmp_path / "a.toolplanner") as workspace:
        add_apis(workspace, made_up_apis(TOOLKITS // len(TOPICS)))
        rowids = all_rowids(workspace)
        made = [
            CuratedToolkit(name=f"Toolkit {rowid}", description="", members=[rowid])
            for rowid in rowids
        ]
        add_curated_toolkits(workspace, made)
        toolkits = [toolkit.id for toolkit in list_toolkits(workspace)]
        questions = [
            Candidate(
                kind=CandidateKind.MERGE,
                about=(one, other),
                title=f"Merge “Toolkit {other}” into “Toolkit {one}”?",
                toolkits=(one, other),
                apis=tuple(rowids[:9]),
                signals={
                    name: Signal(0.5 + place / len(toolkits) / 2, "They share 12 of 16 words. " * 2)
                    for name in ("words", "centres", "names", "neighbours")
                },
                gain=3.0,
            )
            for place, (one, other) in enumerate(pairwise(toolkits))
        ]
        cache_questions(workspace, questions)
        workspace.writer.run(lambda _db: None)
        spent: list[float] = []
        for _ in range(ROUNDS):
            began_s = time.thread_time()
            queue = ReviewQueue.stored(workspace)
            assert queue is not None
            n_listed = len(list_questions(queue).waiting)
            spent.append(time.thread_time() - began_s)
            assert n_listed == len(questions)
        assert figures.seconds(f"{len(questions):,} kept questions listed", min(spent), TARGET_S)
