"""The texts of the workspace in the place of the defaults that questions and dialogues bring.

It stands before all other stages: what is counted, shown at stop points, hashed and sent is the
text that holds. Strategies know nothing of it.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

from toolplanner_core.prompts.texts import with_texts
from toolplanner_core.runs.stages.stage import Answered, QuestionEnd, QuestionRequest

Texts = Callable[[], Mapping[str, str]]
"""Edited texts by name, as they hold at this moment: on a tape those of the recorded run."""


class PromptStage:
    """Puts edited texts in."""

    def __init__(self, texts: Texts) -> None:
        self._texts = texts

    async def question(self, request: QuestionRequest, proceed: QuestionEnd) -> Answered:
        """The stage for questions and turns of dialogues."""
        messages = with_texts(request.messages, self._texts())
        return await proceed(replace(request, messages=messages))
