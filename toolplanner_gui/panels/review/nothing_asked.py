"""What stands in place of the card while there is no question: why, and what to do about it."""

from toolplanner_core.curation.questions.queue.queue import ReviewStatus
from toolplanner_core.words.wording import counted
from toolplanner_gui.viewmodels.curate.review import Review
from toolplanner_gui.widgets.empty_state import EmptyState


def say_why_not(page: EmptyState, review: Review, *, has_toolkits: bool) -> None:
    """Why no questions are there yet."""
    if review.reading.is_reading:
        page.say("Looking for what to review: some seconds for a large catalogue.")
    elif review.reading.problem:
        page.say(review.reading.problem, button="Look again", run=review.reading.begin)
    elif has_toolkits:
        page.say(
            "Toolkits to merge or split, APIs in the wrong place, copies and names that do not"
            " fit are found and asked about one by one.",
            button="Look for questions",
            run=review.reading.begin,
        )
    else:
        page.say("There are no toolkits yet: import and prepare first.")


def say_done(page: EmptyState, review: Review, status: ReviewStatus) -> None:
    """That all questions of the choice are answered."""
    answered = f"{counted(status.answered, 'question')} answered."
    if review.choice.is_all:
        skipped = f" {status.skipped:,} were skipped." if status.skipped else ""
        page.say(f"Nothing waits for an answer. {answered}{skipped}")
    else:
        page.say(
            f"No question of this choice is left. {answered}",
            button="List all questions",
            run=lambda: review.choose_kind(None),
        )
