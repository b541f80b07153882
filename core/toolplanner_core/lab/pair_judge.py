"""The judge `pair`: a model says which of two answers is better, of an arm and of a baseline.

Each pair is shown in both orders. An order that turns the verdict is no preference: the pair is a
tie. How often the model takes what stands first, whichever that is, is its position bias and stands
beside the win rate. A verdict is 1 for a win of the arm, 0.5 for a tie, 0 for a loss, with a vote
for each order (solved = the arm is better). Two empty answers are a tie and an empty one loses,
without being asked about.

Source: Zheng et al., arXiv 2306.05685, sections 3.3 and 3.4, for both orders and position bias.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from toolplanner_core.domain.experiment import Grade, Preference, TrialState, TrialVerdict
from toolplanner_core.domain.lab import Query
from toolplanner_core.errors import BadInput, NotFound
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.lab.datasets.jsonl import query_of_row
from toolplanner_core.lab.packed_runs import events_of
from toolplanner_core.lab.statistics.estimates import Estimate, wilson
from toolplanner_core.llm.model import ModelError
from toolplanner_core.llm.model_client import ModelClient
from toolplanner_core.prompts.compare_answers import CompareAnswers
from toolplanner_core.prompts.conversation import Message
from toolplanner_core.prompts.texts import default_prompt, hash_of
from toolplanner_core.runs.judging.verdicts import way_of
from toolplanner_core.workspace.lab_store import JudgedTrial, LabStore

PAIR = "pair"
_VOTES = {Grade.SOLVED: 1.0, Grade.UNSURE: 0.5, Grade.UNSOLVED: 0.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class PairCounts:
    """What both orders say of an arm against the baseline.

    Attributes:
        wins, ties, losses: pairs; a tie is also where the orders disagree.
        win_rate: share of wins, ties not among them. Source: Liu et al., arXiv 2406.03807, 4.1.
        disagreeing: pairs of which the two orders say different things.
        first_preferred: share of all preferences for what stood first; 0.5 = no position bias. None
            where nothing was preferred.
    """

    arm: str
    wins: int
    ties: int
    losses: int
    win_rate: Estimate
    disagreeing: int
    first_preferred: Estimate | None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedPairs:
    """What came of it; `failed` pairs have no verdict, `why` of the last one."""

    judge: str
    judged: int
    before: int
    failed: int
    arms: tuple[PairCounts, ...]
    why: str = ""


def pair_name(baseline: str, model: str) -> str:
    """Name of the judge in tables."""
    prompt = hash_of(default_prompt(CompareAnswers.id).text)[:8]
    return f"{PAIR} against {baseline} by {model} {prompt}"


def judge_pairs(
    store: LabStore, *, model: str, baseline: str = "", progress: Progress
) -> JudgedPairs:
    """Compare the answers of every arm with those of the baseline, query by query. Blocks.

    Args:
        baseline: an arm; the experiment's own if "".

    Raises:
        NotFound: no such model or arm.
        BadInput: there is no baseline, or no model was chosen.
        ModelUnavailable: the model lacks a key or an address, or the day's budget is used up.
        Cancelled: `progress` was cancelled; what was judged by then is kept.
    """
    experiment = store.experiment()
    against = baseline or experiment.baseline
    names = [arm.name for arm in experiment.arms]
    if not against:
        raise BadInput(
            "There is no arm to compare with", todo="Name one of its arms as the baseline"
        )
    if against not in names:
        raise NotFound(f"There is no arm {against!r}", todo=f"There are: {', '.join(names)}")
    asked = ModelClient(model, doing="Judging", wanted="verdict")
    judge = pair_name(against, asked.spec)
    ended = [each for each in store.judged() if each.trial.state is TrialState.DONE]
    bases = {(t.trial.query, t.trial.seed): t for t in ended if t.trial.arm == against}
    pairs = [
        (each, base)
        for each in ended
        if each.trial.arm != against
        and (base := bases.get((each.trial.query, each.trial.seed))) is not None
    ]
    left = [pair for pair in pairs if judge not in pair[0].verdicts]
    made = _Comparing(store, judge, asked)
    asyncio.run(made.run(left, progress))
    return JudgedPairs(
        judge=judge,
        judged=len(left) - made.failed,
        before=len(pairs) - len(left),
        failed=made.failed,
        arms=pair_counts(store, judge),
        why=made.why,
    )


def pair_counts(store: LabStore, judge: str) -> tuple[PairCounts, ...]:
    """Wins, ties and losses by arm, as a judge of pairs saw them."""
    votes: dict[str, list[tuple[Grade, ...]]] = {}
    for each in store.judged():
        if given := each.votes.get(judge):
            votes.setdefault(each.trial.arm, []).append(given)
    return tuple(_counts(arm, given) for arm, given in votes.items())


def _counts(arm: str, votes: Sequence[tuple[Grade, ...]]) -> PairCounts:
    means = [_mean(each) for each in votes]
    wins, losses = sum(mean == 1.0 for mean in means), sum(mean == 0.0 for mean in means)
    # Of both orders: the arm stood first in the first of them, second in the other.
    both = [each for each in votes if len(each) == 2]
    taken = [
        (a is better)
        for first, second in both
        for a, better in ((first, Grade.SOLVED), (second, Grade.UNSOLVED))
        if a is not Grade.UNSURE
    ]
    return PairCounts(
        arm=arm,
        wins=wins,
        ties=len(votes) - wins - losses,
        losses=losses,
        win_rate=wilson(wins, len(votes)),
        disagreeing=sum(first is not second for first, second in both),
        first_preferred=wilson(sum(taken), len(taken)) if taken else None,
    )


def _mean(votes: Sequence[Grade]) -> float:
    """1 = won in every order, 0 = lost in every order, 0.5 = anything else."""
    kinds = set(votes)
    return _VOTES[votes[0]] if len(kinds) == 1 else _VOTES[Grade.UNSURE]


class _Comparing:
    """One judge at work on an experiment."""

    def __init__(self, store: LabStore, judge: str, model: ModelClient) -> None:
        self._store, self._judge, self._model = store, judge, model
        self._queries: Mapping[str, Query] = {
            query.id: query for query in map(query_of_row, store.query_rows())
        }
        self.failed, self.why = 0, ""

    async def run(
        self, left: Sequence[tuple[JudgedTrial, JudgedTrial]], progress: Progress
    ) -> None:
        async with self._model:
            for done, (each, base) in enumerate(left):
                progress.report("Comparing answers", done, len(left), "pairs")
                try:
                    verdict = await self._verdict(each, base)
                except ModelError as error:
                    self.failed, self.why = self.failed + 1, error.message
                    continue
                self._store.judge(each.trial.number, self._judge, CompareAnswers.version, verdict)
            progress.report("Comparing answers", len(left), len(left), "pairs")

    async def _verdict(self, each: JudgedTrial, base: JudgedTrial) -> TrialVerdict:
        (way, answer), (base_way, base_answer) = self._shown(each), self._shown(base)
        if not (answer and base_answer):
            won = Grade.SOLVED if answer else Grade.UNSOLVED if base_answer else Grade.UNSURE
            return TrialVerdict(solved=_VOTES[won], reason="There is no answer", votes=(won,))
        query = self._queries[each.trial.query].text
        one = await self._model.ask(
            CompareAnswers(
                query=query, first_way=way, first=answer, second_way=base_way, second=base_answer
            )
        )
        other = await self._model.ask(
            CompareAnswers(
                query=query, first_way=base_way, first=base_answer, second_way=way, second=answer
            )
        )
        votes = (
            _vote(one.better, Preference.FIRST),
            _vote(other.better, Preference.SECOND),
        )
        reason = one.reason if votes[0] is votes[1] else "The order of the answers turns it"
        return TrialVerdict(solved=_mean(votes), reason=reason, votes=votes)

    def _shown(self, each: JudgedTrial) -> tuple[tuple[Message, ...], str]:
        facts = self._store.facts(each.trial.number)
        way = tuple(way_of(events_of(self._store.packed(each.trial.number))))
        return way, facts.answer.strip() if facts is not None else ""


def _vote(said: Preference, arm: Preference) -> Grade:
    """What is said of two answers, as of the arm's, which stood at that place."""
    if said is Preference.TIE:
        return Grade.UNSURE
    return Grade.SOLVED if said is arm else Grade.UNSOLVED
