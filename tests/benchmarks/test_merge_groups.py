"""Of the groups of toolkits that a person marked by hand in the ToolBench catalogue, how many does
the review propose among its first 300 questions, of all kinds? At least 70 of 100.

Needs TOOLPLANNER_BENCH=1 and TOOLPLANNER_REVIEW, the path of a workspace of the whole catalogue,
prepared with the defaults and not curated (it is copied).
"""

import os
import shutil
from collections import Counter
from pathlib import Path

import pytest
from fixtures.marked_groups import is_proposed, living_toolkits, marked_groups

from toolplanner_core.curation.questions.queue.queue import ReviewQueue
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import api_names, rowids_of
from toolplanner_core.workspace.curated_tables import all_memberships

SOURCE = os.environ.get("TOOLPLANNER_REVIEW", "")

pytestmark = [
    pytest.mark.benchmark_real,
    pytest.mark.slow,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(
        os.environ.get("TOOLPLANNER_BENCH") != "1" or not SOURCE,
        reason="needs TOOLPLANNER_BENCH=1 and TOOLPLANNER_REVIEW=a prepared workspace",
    ),
]

FIRST = 300
LEAST = 0.7


def test_marked_groups_when_real_catalogue_then_most_are_among_the_first_questions(
    tmp_path: Path,
) -> None:
    path = Path(shutil.copy(SOURCE, tmp_path / "groups.toolplanner"))
    with Workspace.open(path) as workspace:
        questions = ReviewQueue.read(workspace, progress=Progress()).waiting()
        toolkit_of = toolkits_by_key(workspace)
    groups = [living_toolkits(one, toolkit_of) for one in marked_groups()]
    assert sum(len(one) > 1 for one in groups) >= 0.9 * len(groups), "the catalogue it was made for"
    for n in (100, 200, FIRST, len(questions)):
        kinds = Counter(one.kind.value for one in questions[:n])
        found = sum(is_proposed(one, questions[:n]) for one in groups)
        print(f"first {n:,}: {found} of {len(groups)} groups; questions {dict(kinds)}")
    found = sum(is_proposed(one, questions[:FIRST]) for one in groups)
    assert found >= LEAST * len(groups)


def toolkits_by_key(workspace: Workspace) -> dict[str, int]:
    """The toolkit that each API is in, by its key."""
    names = api_names(workspace)
    rowids = rowids_of(workspace, [one.id for one in names])
    with workspace.snapshot() as db:
        members = all_memberships(db)
    return {
        one.key: int(members[rowids[one.id]].toolkit)
        for one in names
        if rowids.get(one.id) in members
    }
