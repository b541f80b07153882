"""What the rule calls groups of APIs: the same whoever asks, and unlike what there is."""

from pathlib import Path

from tests.fixtures.curated import curated_workspace
from toolplanner_core.curation.edits.remembered_names import names_by_rule

GROUPS = ((1, 2), (3, 4), (7, 8))


def test_names_when_asked_again_with_others_taken_then_only_those_change_that_meet_one(
    tmp_path: Path,
) -> None:
    with curated_workspace(tmp_path) as workspace, workspace.snapshot() as db:
        free = [text.name for text in names_by_rule(db, GROUPS, taken=())]
        assert len({name.casefold() for name in free}) == len(GROUPS)
        assert [text.name for text in names_by_rule(db, GROUPS, taken=("Nothing",))] == free

        met = [text.name for text in names_by_rule(db, GROUPS, taken=(free[1].upper(),))]

        assert free[1].casefold() not in {name.casefold() for name in met}
        assert (met[0], met[2]) == (free[0], free[2])
        assert [text.name for text in names_by_rule(db, GROUPS, taken=())] == free


def test_names_when_one_group_has_one_now_then_no_other_group_takes_it_over(
    tmp_path: Path,
) -> None:
    with curated_workspace(tmp_path) as workspace, workspace.snapshot() as db:
        free = [text.name for text in names_by_rule(db, GROUPS, taken=())]

        found = [text.name for text in names_by_rule(db, GROUPS, taken=(), kept={0: free[1]})]

        assert free[1].casefold() not in {name.casefold() for name in found}
        kept = [text.name for text in names_by_rule(db, GROUPS, taken=(), kept={1: free[1]})]
        assert kept == free, "its own it keeps"
