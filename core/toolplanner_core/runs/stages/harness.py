"""What kept a run from being measured: its model's endpoint, or the budget of the day.

A question that got no reply since the endpoint was too busy, away, or did not let anybody in, says
nothing about the strategy that asked it. Noted by the stages, in runs and replays alike; the end of
the run looks here where there is no answer.
"""

from toolplanner_core.domain.failure import OF_HARNESS, ErrorClass
from toolplanner_core.llm.openai_failures import WHAT_TO_DO
from toolplanner_core.runs.tree.formatting import failure_words


def no_answer_words(error: ErrorClass, message: str, todo: str = "") -> str:
    """That a model gave no usable answer, why, and what to do."""
    todo = todo or WHAT_TO_DO.get(error, "")
    said = f"No usable answer from the model ({failure_words(error)}): {message.rstrip('.')}"
    return f"{said}. {todo}" if todo else said


class HarnessFaults:
    """What the harness of one run failed with.

    Attributes:
        first: the first question that got no reply for it, in words; "" = there was none.
    """

    def __init__(self) -> None:
        self.first = ""

    def note(self, error: ErrorClass, message: str, todo: str = "") -> None:
        """Note why a question got no reply, if that is a failure of the harness."""
        if error is ErrorClass.DAY_BUDGET:
            self.first = self.first or message
        elif error in OF_HARNESS:
            self.first = self.first or no_answer_words(error, message, todo)
