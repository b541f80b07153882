"""The judge `person`: a blind panel. A person sees one answer at a time, in random order, with what
was called and what came back, and neither arm, strategy nor model.

One in ten is shown a second time, so that one's own consistency is known. Whoever stops goes on
later where they were; each person is a judge of their own.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from statistics import fmean

from toolplanner_core.domain.experiment import Grade, TrialState, TrialVerdict
from toolplanner_core.errors import BadInput
from toolplanner_core.lab.datasets.jsonl import query_of_row
from toolplanner_core.lab.model_judge import GRADES
from toolplanner_core.lab.packed_runs import events_of
from toolplanner_core.prompts.conversation import Message
from toolplanner_core.runs.judging.verdicts import way_of
from toolplanner_core.workspace.lab_store import LabStore

PERSON = "person"
_VERSION = 1
_TWICE = 0.1
"""Share of answers that are shown a second time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownAnswer:
    """What a person of the panel sees.

    Attributes:
        number: of the trial, for `give` and not for their eyes.
        way: what was called and what came back.
        place, of: how far the panel is.
    """

    number: int
    query: str
    way: Sequence[Message]
    answer: str
    place: int
    of: int


class BlindPanel:
    """The answers that one person judges.

    Args:
        person: their name, as it stands in tables.
        most: answers at most, drawn at random; 0 = all.
        seed: of the order, and of what is drawn.

    Raises:
        BadInput: the person has no name.
    """

    def __init__(self, store: LabStore, person: str, *, most: int = 0, seed: int = 0) -> None:
        if not person.strip():
            raise BadInput("Verdicts need a name", todo="Give the name of who judges")
        self._store = store
        self.judge = f"{PERSON} {person.strip()}"
        self._queries = {query.id: query.text for query in map(query_of_row, store.query_rows())}
        ended = [each for each in store.judged() if each.trial.state is TrialState.DONE]
        draw = Random(f"{seed} {self.judge}")
        draw.shuffle(ended)
        chosen = ended[: most or len(ended)]
        self._trials = {each.trial.number: each.trial.query for each in chosen}
        twice = draw.sample(list(self._trials), math.ceil(_TWICE * len(self._trials)))
        self._votes = {each.trial.number: each.votes.get(self.judge, ()) for each in chosen}
        self._order = [
            *((number, 1) for number in self._trials),
            *((number, 2) for number in twice),
        ]

    def left(self) -> Iterator[ShownAnswer]:
        """What is still to be judged, as it comes; stop at any time."""
        for place, (number, time) in enumerate(self._order, 1):
            if len(self._votes[number]) >= time:
                continue
            facts = self._store.facts(number)
            yield ShownAnswer(
                number=number,
                query=self._queries[self._trials[number]],
                way=tuple(way_of(events_of(self._store.packed(number)))),
                answer=facts.answer if facts is not None else "",
                place=place,
                of=len(self._order),
            )

    def give(self, shown: ShownAnswer, grade: Grade, reason: str = "") -> None:
        """Store what the person says of an answer; waits until it is on disk."""
        votes = (*self._votes[shown.number], grade)
        self._votes[shown.number] = votes
        solved = fmean(GRADES[vote] for vote in votes)
        verdict = TrialVerdict(solved=solved, reason=reason, votes=votes)
        self._store.judge(shown.number, self.judge, _VERSION, verdict)
