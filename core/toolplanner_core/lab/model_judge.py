"""The judge `answer`: a model grades the answers of an experiment, some votes for each.

It reads the stored runs, so it calls no tool and no acting model, and works at any time, with
another model or prompt, too: each of those is a judge of its own, beside the others. A vote is
solved (1), unsure (0.5) or unsolved (0), as in ToolEval; a verdict is their mean. An answer that is
empty is unsolved without being asked about. What was judged is not judged again.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from toolplanner_core.domain.experiment import Grade, TrialState, TrialVerdict
from toolplanner_core.domain.lab import Query
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.lab.datasets.jsonl import query_of_row
from toolplanner_core.lab.packed_runs import events_of
from toolplanner_core.llm.model import ModelError
from toolplanner_core.llm.model_client import ModelClient
from toolplanner_core.prompts.grade_answer import GradeAnswer
from toolplanner_core.prompts.texts import default_prompt, hash_of
from toolplanner_core.runs.judging.verdicts import way_of
from toolplanner_core.workspace.lab_store import JudgedTrial, LabStore

ANSWER = "answer"
GRADES = {Grade.SOLVED: 1.0, Grade.UNSURE: 0.5, Grade.UNSOLVED: 0.0}
"""What a vote counts. Source: Guo et al., arXiv 2403.07714 (StableToolBench), SoPR."""
_STAGE, _UNIT = "Judging answers", "trials"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedAnswers:
    """What came of it.

    Attributes:
        judge: its name in tables: the model, and the hash of the prompt.
        judged, before: verdicts of this time, and those that were there.
        failed: trials without a verdict, since the model gave none; why: of the last one.
    """

    judge: str
    judged: int
    before: int
    failed: int
    why: str = ""


def judge_answers(store: LabStore, *, model: str, votes: int, progress: Progress) -> JudgedAnswers:
    """Let a model grade every trial that ended and that it has not graded. Blocks.

    Args:
        votes: how often each answer is graded.

    Raises:
        NotFound: no such model.
        BadInput: no model was chosen.
        ModelUnavailable: it lacks a key or an address, or the day's budget is used up.
        Cancelled: `progress` was cancelled; what was judged by then is kept.
    """
    model_of_it = ModelClient(model, doing="Judging", wanted="verdict")
    judge = (
        f"{ANSWER} {model_of_it.spec} {hash_of(default_prompt(GradeAnswer.id).text)[:8]} x{votes}"
    )
    ended = [each for each in store.judged() if each.trial.state is TrialState.DONE]
    left = [each for each in ended if judge not in each.verdicts]
    made = _Judging(store, judge, model_of_it)
    asyncio.run(made.run(left, votes, progress))
    return JudgedAnswers(
        judge=judge,
        judged=len(left) - made.failed,
        before=len(ended) - len(left),
        failed=made.failed,
        why=made.why,
    )


class _Judging:
    """One judge at work on an experiment."""

    def __init__(self, store: LabStore, judge: str, model: ModelClient) -> None:
        self._store, self._judge, self._model = store, judge, model
        queries = map(query_of_row, store.query_rows())
        self._queries: dict[str, Query] = {query.id: query for query in queries}
        self.failed, self.why = 0, ""

    async def run(self, left: Sequence[JudgedTrial], votes: int, progress: Progress) -> None:
        async with self._model:
            for done, each in enumerate(left):
                progress.check()
                progress.report(_STAGE, done, len(left), _UNIT)
                try:
                    verdict = await self._verdict(each, votes)
                except ModelError as error:
                    self.failed, self.why = self.failed + 1, error.message
                    continue
                self._store.judge(each.trial.number, self._judge, GradeAnswer.version, verdict)
            progress.report(_STAGE, len(left), len(left), _UNIT)

    async def _verdict(self, judged: JudgedTrial, votes: int) -> TrialVerdict:
        trial = judged.trial
        facts = self._store.facts(trial.number)
        if facts is None or not facts.answer.strip():
            return TrialVerdict(solved=0.0, reason="There is no answer", votes=(Grade.UNSOLVED,))
        question = GradeAnswer(
            query=self._queries[trial.query].text,
            way=tuple(way_of(events_of(self._store.packed(trial.number)))),
            answer=facts.answer,
        )
        given = [await self._model.ask(question) for _ in range(votes)]
        grade = majority(tuple(each.grade for each in given))
        # The reason of a vote that says what most say; of none, if they are split.
        reason = next((each.reason for each in given if each.grade is grade), given[0].reason)
        return TrialVerdict(
            solved=fmean(GRADES[each.grade] for each in given),
            reason=reason,
            votes=tuple(each.grade for each in given),
        )


def majority(votes: Sequence[Grade]) -> Grade:
    """What more than half of them say; unsure where there is no such."""
    return next((grade for grade in Grade if 2 * votes.count(grade) > len(votes)), Grade.UNSURE)
