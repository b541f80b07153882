"""Of copies the one is kept that says most; where all say as much, the card says that, too."""

from pathlib import Path

from fixtures.review_world import COPIES, faulty_workspace, silent

from toolplanner_core.curation.questions.queue.proposing import best_documented, propose
from toolplanner_core.curation.questions.queue.queue import ReviewQueue


def test_copies_when_asked_about_then_what_decides_is_said_and_true(tmp_path: Path) -> None:
    with faulty_workspace(tmp_path / "w.toolplanner") as workspace:
        copies = ReviewQueue.read(workspace, progress=silent()).get("duplicate:33+34")
        assert best_documented(workspace, COPIES) == 34
        assert "say the most, is kept" in propose(workspace, copies).words

        same = "UPDATE apis SET parameters = (SELECT parameters FROM apis WHERE rowid = 34)"
        workspace.writer.run(lambda db: db.execute(f"{same} WHERE rowid = 33"))

        assert best_documented(workspace, COPIES) == 33
        assert "first in the catalogue, is kept" in propose(workspace, copies).words
