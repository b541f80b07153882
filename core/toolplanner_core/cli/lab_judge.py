"""`toolplanner lab judge|panel|agreement`: what models, rules and people say of the answers of an
experiment, without running it, and how far they agree."""

import textwrap
from dataclasses import asdict
from pathlib import Path

import click

from toolplanner_core.cli.lab_experiments import store_argument
from toolplanner_core.cli.options import SEED, json_option
from toolplanner_core.cli.progress import shown_progress
from toolplanner_core.cli.terminal import print_json, print_line, print_table, say
from toolplanner_core.domain.experiment import Grade
from toolplanner_core.lab.judge_agreement import judges_together
from toolplanner_core.lab.judges.judge import judges
from toolplanner_core.lab.model_judge import ANSWER, judge_answers
from toolplanner_core.lab.pair_judge import PAIR, PairCounts, judge_pairs
from toolplanner_core.lab.panel import BlindPanel, ShownAnswer
from toolplanner_core.lab.rejudging import judge_again
from toolplanner_core.lab.statistics.estimates import Estimate
from toolplanner_core.prompts.judge_answer import trajectory_text
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace.lab_store import LabStore

_KEYS = {"1": Grade.SOLVED, "2": Grade.UNSURE, "3": Grade.UNSOLVED}
_STOP = "q"


@click.command("judge")
@store_argument
@click.option(
    "--judge",
    "name",
    default=ANSWER,
    show_default=True,
    help="answer: a model says solved, unsure or not solved. pair: a model compares with the"
    " baseline, in both orders. Or one that asks no model: evidence, expected, gold, path,"
    " precision, hallucination.",
)
@click.option("--model", help="Such as openai:NAME; the usual one if none.")
@click.option(
    "--votes",
    type=click.IntRange(1, 25),
    default=3,
    show_default=True,
    help="Of answer: how often each is graded.",
)
@click.option(
    "--baseline", default="", help="Of pair: the arm to compare with; the plan's if none."
)
@json_option
def judge_command(
    *, store: Path, name: str, model: str | None, votes: int, baseline: str, as_json: bool
) -> int:
    """Judge what was answered; calls no tool and not the acting model.

    Another model, prompt or number of votes is another judge, beside those that were there. What
    was judged is not asked again. Exit status 1 when answers are left without a verdict.
    """
    if name not in (ANSWER, PAIR):
        judges.get(name)
        with LabStore.open(store) as opened, shown_progress() as progress:
            number = judge_again(opened, name, progress=progress)
        if as_json:
            print_json({"judge": name, "judged": number})
        else:
            print_line(f"Judged by {name}: {counted(number, 'trial')}.")
        return 0
    with LabStore.open(store) as opened, shown_progress() as progress:
        if name == PAIR:
            found = judge_pairs(opened, model=model or "", baseline=baseline, progress=progress)
        else:
            found = judge_answers(opened, model=model or "", votes=votes, progress=progress)
    if as_json:
        print_json(asdict(found))
        return 1 if found.failed else 0
    unit = "pair" if name == PAIR else "answer"
    print_line(f"Judged by {found.judge}: {counted(found.judged, unit)}.")
    if found.before:
        print_line(f"{counted(found.before, unit)} had a verdict of this judge.")
    for arm in getattr(found, "arms", ()):
        _print_pairs(arm)
    if found.failed:
        say(f"{counted(found.failed, unit)} got none: {found.why}")
    return 1 if found.failed else 0


def _print_pairs(arm: PairCounts) -> None:
    print_line(
        f"{arm.arm}: {arm.wins:,} won, {arm.ties:,} tied, {arm.losses:,} lost; won {arm.win_rate}"
    )
    bias = "nothing was preferred" if arm.first_preferred is None else str(arm.first_preferred)
    print_line(
        f"  The orders disagree in {counted(arm.disagreeing, 'pair')}; what stood first was"
        f" preferred: {bias} (0.5 = no bias)"
    )


@click.command("panel")
@store_argument
@click.option("--person", required=True, help="Your name, as it shall stand in tables.")
@click.option(
    "--most", type=click.IntRange(min=0), default=0, show_default=True,
    help="Answers at most, drawn at random; 0 = all.",
)  # fmt: skip
@click.option("--seed", type=SEED, default=0, show_default=True, help="Of the order.")
def panel_command(store: Path, person: str, most: int, seed: int) -> None:
    """Judge answers yourself, blind: in random order, without arm, strategy or model.

    One in ten comes twice, which shows how steady you are. Stop with q; the same command goes on.
    Then: toolplanner lab agreement
    """
    given = 0
    with LabStore.open(store) as opened:
        panel = BlindPanel(opened, person, most=most, seed=seed)
        for shown in panel.left():
            _print_shown(shown)
            line = _ask()
            if line == _STOP:
                break
            panel.give(shown, _KEYS[line[0]], line[1:].strip())
            given += 1
        left = sum(1 for _ in panel.left())
    print_line(f"{counted(given, 'verdict')} stored as {panel.judge}, {left:,} left.")


def _print_shown(shown: ShownAnswer) -> None:
    print_line(f"\n{shown.place:,} of {shown.of:,}")
    for title, text in (
        ("Query", shown.query),
        ("Done", trajectory_text(shown.way) or "nothing was called"),
        ("Answer", shown.answer or "none"),
    ):
        print_line(f"{title}:")
        print_line(textwrap.indent(text, "  "))


def _ask() -> str:
    while True:
        try:
            line = click.prompt(
                "1 solved, 2 unsure, 3 not solved, then a reason if you like; q stops", err=True
            ).strip()
        except click.Abort:
            return _STOP
        if line.lower() == _STOP or line[:1] in _KEYS:
            return line.lower() if line.lower() == _STOP else line
        say("Begin with 1, 2, 3 or q.")


@click.command("agreement")
@store_argument
@json_option
def agreement_command(store: Path, as_json: bool) -> None:
    """Say how far judges agree with people, people with each other, and each with itself."""
    with LabStore.open(store) as opened:
        found = judges_together(opened)
    if as_json:
        print_json(asdict(found))
        return
    if not found.with_people and not found.alpha_of_votes:
        print_line("Nobody can be compared: toolplanner lab panel lets a person judge.")
    if found.with_people:
        print_table(
            ["Judge", "Person", "Equal", "Kappa", "Sensitivity", "Specificity"],
            [
                [
                    each.judge,
                    each.person,
                    *map(
                        _cell,
                        (
                            each.agreement.raw,
                            each.agreement.kappa,
                            each.agreement.sensitivity,
                            each.agreement.specificity,
                        ),
                    ),
                ]
                for each in found.with_people
            ],
        )
    if found.alpha_of_people is not None:
        print_line(f"Between people: Krippendorff's alpha {found.alpha_of_people:.3f}")
    for judge, alpha in found.alpha_of_votes.items():
        said = "nothing varies" if alpha is None else f"alpha {alpha:.3f}"
        print_line(f"Between the votes of {judge}: {said}")
    for person, share in found.consistency.items():
        print_line(f"{person} says the same of an answer that is shown twice: {share}")


def _cell(each: Estimate | None) -> str:
    return "-" if each is None else str(each)
