"""Where a person is in the list of questions, whatever order answers give it."""

from toolplanner_core.curation.questions.kinds.candidate import Candidate, CandidateKind, Signal
from toolplanner_core.curation.questions.queue.cursor import QueueCursor


def question(toolkit: int) -> Candidate:
    return Candidate(
        kind=CandidateKind.NAME,
        about=(toolkit,),
        title="?",
        toolkits=(toolkit,),
        apis=(),
        signals={name: Signal(0.8, name) for name in ("one", "other")},
        gain=1.0,
    )


ONE, TWO, THREE, FOUR, FIVE = (question(number) for number in range(1, 6))
ALL = [ONE, TWO, THREE, FOUR, FIVE]


def test_answer_when_two_were_passed_over_then_the_one_after_comes_up_until_the_end() -> None:
    place = QueueCursor()
    place.go(ALL, TWO, ONE)
    place.go(ALL, THREE, TWO)
    assert place.answered(ALL, THREE) is FOUR
    # The answer orders the list anew: what was passed over stays passed over.
    assert place.answered([FIVE, ONE, TWO, FOUR], FOUR) is FIVE
    assert place.answered([ONE, TWO, FIVE], FIVE) is ONE
    assert place.answered([ONE, TWO], ONE) is TWO, "a new round"


def test_answer_when_a_row_far_down_was_chosen_then_those_above_wait_for_the_end() -> None:
    place = QueueCursor()
    place.go(ALL, FOUR, ONE)
    assert place.answered(ALL, FOUR) is FIVE
    place.go(ALL, ONE, FOUR)  # and back to the top: what lies between was never looked at
    assert place.answered(ALL, ONE) is TWO


def test_relisted_when_new_ones_stand_above_the_place_then_they_wait_for_the_end() -> None:
    place = QueueCursor()
    old = [ONE, THREE, FOUR]
    place.go(old, THREE, ONE)
    place.relisted(old, [TWO, ONE, THREE, FIVE, FOUR], THREE)
    assert place.following([TWO, ONE, THREE, FIVE, FOUR], THREE) is FIVE


def test_answers_when_taken_back_then_nothing_between_was_passed_over() -> None:
    place = QueueCursor()
    left = [*ALL]
    for answered in (ONE, TWO, THREE):
        place.answered(left, answered)
        left.remove(answered)
    # Each is listed again before it is looked at again.
    for back in (THREE, TWO, ONE):
        before, left = left, [back, *left]
        place.relisted(before, left, left[1])
        place.came_back(back)
    assert place.answered(left, ONE) is TWO
    # What a person passed over by themselves stays passed over.
    place.go(ALL, THREE, TWO)
    place.came_back(FOUR)
    assert place.answered(ALL, FOUR) is THREE


def test_answer_when_nothing_was_passed_over_then_the_most_valuable_comes_up() -> None:
    place = QueueCursor()
    assert place.answered(ALL, ONE) is TWO
    assert place.answered([THREE, TWO], TWO) is THREE
    assert place.answered([THREE], THREE) is None
