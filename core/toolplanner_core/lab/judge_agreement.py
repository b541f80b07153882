"""How far judges agree: models with people, people with each other, and each with itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from toolplanner_core.domain.experiment import Grade
from toolplanner_core.lab.model_judge import GRADES
from toolplanner_core.lab.panel import PERSON
from toolplanner_core.lab.statistics.agreement import (
    JudgeAgreement,
    agreement_with_people,
    krippendorffs_alpha,
)
from toolplanner_core.lab.statistics.estimates import Estimate, wilson
from toolplanner_core.workspace.lab_store import JudgedTrial, LabStore


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedJudges:
    """A judge and a person on the trials that both judged."""

    judge: str
    person: str
    agreement: JudgeAgreement


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgesTogether:
    """What verdicts say of who gave them.

    Attributes:
        with_people: each judge with each person who judged the same trials.
        alpha_of_people: Krippendorff's, ordinal, over all people; None with fewer than two, or
            where nothing varies.
        alpha_of_votes: of the votes of one judge who has several, by its name.
        consistency: of each person, share of equal verdicts on answers that were shown twice.
    """

    with_people: tuple[ComparedJudges, ...]
    alpha_of_people: float | None
    alpha_of_votes: Mapping[str, float | None]
    consistency: Mapping[str, Estimate]


def judges_together(store: LabStore) -> JudgesTogether:
    """Compare all who judged an experiment."""
    trials, names = store.judged(), store.judges()
    people = [name for name in names if name.startswith(f"{PERSON} ")]
    said = {name: _said(trials, name) for name in names}
    compared: list[ComparedJudges] = []
    for judge in names:
        for person in people:
            both = [number for number in said[judge] if number in said[person]]
            if judge == person or not both or (judge in people and judge > person):
                continue
            agreement = agreement_with_people(
                [said[judge][n] for n in both], [said[person][n] for n in both], solved=Grade.SOLVED
            )
            compared.append(ComparedJudges(judge=judge, person=person, agreement=agreement))
    table = np.array(
        [
            [
                GRADES[said[p][t.trial.number]] if t.trial.number in said[p] else np.nan
                for p in people
            ]
            for t in trials
        ]
    )
    votes = {name: [t.votes[name] for t in trials if t.votes.get(name)] for name in names}
    return JudgesTogether(
        with_people=tuple(compared),
        alpha_of_people=krippendorffs_alpha(table, scale="ordinal") if len(people) > 1 else None,
        alpha_of_votes={
            name: _alpha(given)
            for name, given in votes.items()
            if name not in people and any(len(each) > 1 for each in given)
        },
        consistency={
            name: wilson(sum(a is b for a, b, *_ in twice), len(twice))
            for name in people
            if (twice := [each for each in votes[name] if len(each) > 1])
        },
    )


def _said(trials: Sequence[JudgedTrial], judge: str) -> dict[int, Grade]:
    """By number of the trial: the first vote of a person, what a model's mean comes to."""
    found: dict[int, Grade] = {}
    for each in trials:
        if (solved := each.verdicts.get(judge)) is None:
            continue
        votes = each.votes.get(judge, ())
        mean = GRADES[votes[0]] if votes and judge.startswith(f"{PERSON} ") else solved
        grade = Grade.SOLVED if mean > 0.5 else Grade.UNSOLVED if mean < 0.5 else Grade.UNSURE
        found[each.trial.number] = grade
    return found


def _alpha(votes: Sequence[Sequence[Grade]]) -> float | None:
    most = max(map(len, votes))
    table = [[*(GRADES[v] for v in each), *[np.nan] * (most - len(each))] for each in votes]
    return krippendorffs_alpha(table, scale="ordinal")
