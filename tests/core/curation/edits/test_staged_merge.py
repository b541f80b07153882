"""A merge that is being put together, and how its set was found, in words."""

import pytest

from toolplanner_core.curation.edits.move import Merge
from toolplanner_core.curation.edits.provenance import origin_in_words
from toolplanner_core.curation.edits.staged_merge import StagedMerge
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Author, Toolkit

ONE, TWO, THREE = ToolkitId(1), ToolkitId(2), ToolkitId(3)


def kit(toolkit: ToolkitId, size: int, **more: object) -> Toolkit:
    values = {"id": toolkit, "name": f"Kit {toolkit}", "description": "", "size": size, **more}
    return Toolkit(**values)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("second", "into"),
    [
        ({}, ONE),
        ({"name_author": Author.PERSON}, TWO),
        ({"pinned": True, "size": 1}, TWO),
    ],
)
def test_staged_when_nobody_chose_then_the_pinned_named_or_largest_stays(
    second: dict[str, object], into: ToolkitId
) -> None:
    living = [kit(ONE, 9), kit(TWO, **{"size": 3, **second}), kit(THREE, 5)]  # type: ignore[arg-type]
    staged = StagedMerge().changed(living, toolkits=(ONE, TWO, THREE))
    assert staged.into == into
    one_by_one = StagedMerge().changed(living, toolkits=(THREE,))
    assert one_by_one.changed(living, toolkits=(THREE, TWO, ONE)).into == into
    chosen = staged.changed(living, into=THREE, name="All of it")
    assert chosen.changed(living, toolkits=(ONE, THREE)).into == THREE
    left = chosen.changed(living, toolkits=(ONE, TWO))
    assert (left.into, left.name) == (into, ""), "the name was for another one"
    assert left.changed(living, toolkits=()).into is None


def test_edit_when_two_are_staged_then_it_is_a_merge_with_a_new_name_only() -> None:
    living = [kit(ONE, 9), kit(TWO, 3)]
    assert StagedMerge().changed(living, toolkits=(ONE,)).edit(living) is None
    staged = StagedMerge().changed(living, toolkits=(TWO, ONE), left_out=frozenset({8, 7}))
    made = Merge(toolkits=(TWO, ONE), into=ONE, left_out=(7, 8))
    assert staged.edit(living) == made
    assert staged.changed(living, name="Kit 1").edit(living) == made
    renamed = staged.changed(living, name="Both").edit(living)
    assert renamed is not None and renamed.name == "Both"


@pytest.mark.parametrize(
    ("origin", "words"),
    [
        ({"by": "search", "text": "rain"}, "found by the search “rain”"),
        ({"by": "saved"}, "the saved selection"),
        ({"by": "somebody else"}, "somebody else"),
        ({}, ""),
    ],
)
def test_origin_when_told_then_it_says_how_the_set_was_found(
    origin: dict[str, str], words: str
) -> None:
    assert origin_in_words(origin) == words
