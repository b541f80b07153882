"""What counts as proposing a group that a person marked: the measure of the benchmark."""

import pytest
from fixtures.marked_groups import MarkedGroup, is_proposed, living_toolkits, marked_groups

from toolplanner_core.curation.questions.kinds.candidate import Candidate, CandidateKind
from toolplanner_core.domain.ids import ToolkitId


def asked(*toolkits: int, kind: CandidateKind = CandidateKind.GROUP) -> Candidate:
    ids = tuple(ToolkitId(one) for one in toolkits)
    return Candidate(
        kind=kind, about=toolkits, title="", toolkits=ids, apis=(), signals={}, gain=1.0
    )


@pytest.mark.parametrize(
    ("group", "question", "is_found"),
    [
        ({1, 2}, asked(1, 2), True),
        ({1, 2}, asked(2, 1, kind=CandidateKind.MERGE), True),
        ({1, 2}, asked(1, 2, kind=CandidateKind.SPLIT), False),
        ({1, 2}, asked(1, 2, 8, 9), True),
        ({1, 2}, asked(1, 2, 7, 8, 9), False),
        ({1, 2, 3, 4}, asked(3, 4), True),
        ({1, 2, 3, 4, 5}, asked(3, 4), False),
        ({1, 2, 3}, asked(3, 8), False),
    ],
)
def test_group_when_half_of_it_is_half_of_a_question_then_it_is_proposed(
    group: set[int], question: Candidate, *, is_found: bool
) -> None:
    assert is_proposed(group, [asked(8, 9), question]) is is_found


def test_marked_groups_then_each_has_two_toolkits_and_no_api_is_in_two_of_a_group() -> None:
    groups = marked_groups()
    assert len(groups) == 49
    for group in groups:
        keys = [key for toolkit in group.toolkits for key in toolkit]
        assert len(group.toolkits) > 1
        assert all(group.toolkits)
        assert len(keys) == len(set(keys)), group.topic


def test_toolkit_when_one_central_api_has_moved_then_it_is_where_the_others_are() -> None:
    group = MarkedGroup("weather", (("a", "b", "c"), ("d",), ("gone",)))
    assert living_toolkits(group, {"a": 1, "b": 2, "c": 1, "d": 3}) == {1, 3}
