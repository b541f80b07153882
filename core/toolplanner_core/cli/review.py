"""`toolplanner review`: the questions a person should look at, and answers to them."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from toolplanner_core.cli.editing import done_row, print_done
from toolplanner_core.cli.options import (
    ROW_ID,
    FiniteFloat,
    dry_run_option,
    in_workspace,
    json_option,
)
from toolplanner_core.cli.progress import shown_progress
from toolplanner_core.cli.terminal import print_json, print_line, print_rows, print_table, say
from toolplanner_core.curation.edits import history
from toolplanner_core.curation.grouping.accepting import accept_items, preview_items, reject_items
from toolplanner_core.curation.questions.kinds.candidate import Candidate, CandidateKind
from toolplanner_core.curation.questions.queue.answer_effects import AnswerEffect, effect_of_answer
from toolplanner_core.curation.questions.queue.answering import (
    ReviewAnswer,
    accept,
    presented_values,
    reject,
    reject_for_good,
    skip,
)
from toolplanner_core.curation.questions.queue.batch import (
    BatchDone,
    accept_batch,
    strong_ones,
)
from toolplanner_core.curation.questions.queue.proposing import propose
from toolplanner_core.curation.questions.queue.queue import ReviewQueue
from toolplanner_core.describing.job import embed_changed
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.errors import BadInput, NotFound
from toolplanner_core.jobs.isolation import problem_of
from toolplanner_core.settings import person_name
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import ids_by_rowid
from toolplanner_core.workspace.proposals import (
    Proposal,
    ProposedItem,
    load_items,
    load_proposal,
    open_proposals,
)
from toolplanner_core.workspace.toolkits import list_toolkits
from toolplanner_core.workspace.verdicts import Verdict

_keys = click.argument("keys", nargs=-1)
_proposal = click.option("--proposal", type=ROW_ID, help="KEYs are parts of this proposal.")


@click.command("accept")
@in_workspace
@_keys
@click.option(
    "--kind",
    type=click.Choice([one.value for one in CandidateKind]),
    help="All questions of this kind …",
)
@click.option(
    "--above",
    type=FiniteFloat(0, 1),
    help="… whose mean signal is at least this; needs --kind.",
)
@_proposal
@click.option("--all", "is_all", is_flag=True, help="All parts of the proposal that wait.")
@click.option("--toolkit", type=ROW_ID, help="Its parts that are about this toolkit.")
@dry_run_option
@json_option
def accept_command(
    *,
    workspace: Workspace,
    keys: tuple[str, ...],
    kind: str | None,
    above: float | None,
    proposal: int | None,
    is_all: bool,
    toolkit: int | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Answer yes: make the edit that each question proposes."""
    if proposal is not None:
        if toolkit is None:
            positions = _positions(keys, is_all)
        else:
            items = load_items(workspace, proposal)
            positions = [i.position for i in items if toolkit in i.sources and not i.verdict]
        if dry_run:
            done = preview_items(workspace, proposal, positions)
        else:
            done = accept_items(workspace, proposal, positions, who=person_name())
            if done.changes.texts:
                with shown_progress() as progress:
                    embed_changed(workspace, progress=progress)
        print_done(workspace, done, dry_run=dry_run, as_json=as_json)
        return
    if not keys and (kind is None or above is None):
        raise BadInput("Nothing to accept was named", todo="Give KEYs, or --kind with --above")
    if keys and above is not None:
        raise BadInput("Give either KEYs or --kind with --above, not both")
    with shown_progress() as progress:
        queue = ReviewQueue.read(workspace, progress=progress)
        if keys:
            chosen = [queue.get(key) for key in keys]
        else:
            chosen = strong_ones(queue, CandidateKind(kind or ""), above or 0.0)
        if dry_run:
            _print_previews(workspace, queue, chosen, as_json=as_json)
            return
        if keys:
            answers, left = _accept_each(workspace, queue, chosen)
        else:
            batch = accept_batch(
                workspace,
                queue,
                CandidateKind(kind or ""),
                above=above or 0.0,
                who=person_name(),
                progress=progress,
            )
            answers, left = _answers_of(batch), batch.left
    _print_answers(workspace.path, answers, left, as_json=as_json)


@click.command("reject")
@in_workspace
@_keys
@click.option("--never", is_flag=True, help="Keep later clusterings from it, too.")
@_proposal
@click.option("--all", "is_all", is_flag=True, help="All parts of the proposal that wait.")
@json_option
def reject_command(
    *,
    workspace: Workspace,
    keys: tuple[str, ...],
    never: bool,
    proposal: int | None,
    is_all: bool,
    as_json: bool,
) -> None:
    """Answer no; a question comes again only when its evidence has changed."""
    if proposal is not None:
        n = reject_items(workspace, proposal, _positions(keys, is_all))
        if as_json:
            print_json({"proposal": proposal, "rejected": n})
        else:
            print_line(f"Rejected {counted(n, 'part')}.")
        return
    answers = _answer(workspace, keys, never=never, verdict=Verdict.REJECTED)
    _print_answers(workspace.path, answers, (), as_json=as_json)


@click.command("skip")
@in_workspace
@_keys
@json_option
def skip_command(workspace: Workspace, keys: tuple[str, ...], as_json: bool) -> None:
    """Put questions off; list them with: review list --skipped"""
    answers = _answer(workspace, keys, never=False, verdict=Verdict.SKIPPED)
    _print_answers(workspace.path, answers, (), as_json=as_json)


def _answer(
    workspace: Workspace, keys: Sequence[str], *, never: bool, verdict: Verdict
) -> list[ReviewAnswer]:
    if not keys:
        raise BadInput("No question was named", todo="Give at least one KEY")
    with shown_progress() as progress:
        queue = ReviewQueue.read(workspace, progress=progress)
    give = skip if verdict is Verdict.SKIPPED else reject_for_good if never else reject
    chosen = [queue.get(key) for key in keys]
    return [give(workspace, candidate, who=person_name()) for candidate in chosen]


def _accept_each(
    workspace: Workspace, queue: ReviewQueue, chosen: Sequence[Candidate]
) -> tuple[list[ReviewAnswer], list[Candidate]]:
    """Answers, and the questions that an earlier answer has settled."""
    answers: list[ReviewAnswer] = []
    left: list[Candidate] = []
    for candidate in chosen:
        if not queue.is_asked(candidate.key):
            left.append(candidate)
            continue
        answer = accept(workspace, queue.get(candidate.key), who=person_name())
        if answer.done is not None:
            queue.follow(answer.done.changes)
        answers.append(answer)
    return answers, left


def _answers_of(batch: BatchDone) -> list[ReviewAnswer]:
    return [ReviewAnswer(one, Verdict.ACCEPTED, batch.done) for one in batch.accepted]


def _positions(keys: Sequence[str], is_all: bool) -> list[int] | None:
    if is_all:
        return None
    if not keys:
        raise BadInput("No part was named", todo="Give positions, or --all")
    wrong = [key for key in keys if not key.isdecimal() or len(key) > 9]
    if wrong:
        raise BadInput(f"“{wrong[0]}” is no position of a part", todo="Use numbers from 0 up")
    return [int(key) for key in keys]


def _print_previews(
    workspace: Workspace, queue: ReviewQueue, chosen: Sequence[Candidate], *, as_json: bool
) -> None:
    rows: list[dict[str, Any]] = []
    for candidate in chosen:
        proposed = propose(workspace, candidate)
        row: dict[str, Any] = {"key": candidate.key, "title": candidate.title}
        row["words"] = proposed.words
        if proposed.edit is not None:
            done = history.preview(workspace, proposed.edit)
            row |= done_row(done, dry_run=True)
            if queue.evidence is not None:
                row["consequences"] = _consequence_row(
                    effect_of_answer(queue.evidence, done.changes)
                )
        rows.append(row)
    if as_json:
        print_json(rows)
        return
    for row in rows:
        print_line(f"{row['title']} {row['words']}")
        for line in row.get("consequences", {}).get("lines", ()):
            print_line(f"  {line}")
    print_line(f"Would accept {len(rows):,}. Nothing was changed.")


def _consequence_row(found: AnswerEffect) -> dict[str, Any]:
    return {
        "lines": found.in_words(),
        "silhouette": [round(found.silhouette_before, 4), round(found.silhouette_after, 4)],
        "toolkits": [
            {
                "id": one.toolkit,
                "name": one.name,
                "size": [one.before.size, one.after.size],
                "cohesion": [round(one.before.cohesion, 4), round(one.after.cohesion, 4)],
            }
            for one in found.toolkits
        ],
    }


def _print_answers(
    path: Path, answers: Sequence[ReviewAnswer], left: Sequence[Candidate], *, as_json: bool
) -> None:
    if as_json:
        print_json(
            {
                "answers": [
                    {
                        "key": one.candidate.key,
                        "verdict": one.verdict.value,
                        "edit": None if one.done is None else one.done.head,
                        "label": "" if one.done is None else one.done.label,
                    }
                    for one in answers
                ],
                "left": [one.key for one in left],
            }
        )
        return
    edits = {one.done.head for one in answers if one.done is not None}
    is_one_edit = len(answers) > 1 and len(edits) == 1
    if is_one_edit and (done := answers[0].done) is not None:
        n = counted(len(answers), "question")
        print_line(f"{n} accepted as one edit: {done.label}. Edit {done.head}.")
    for one in () if is_one_edit else answers:
        did = f": {one.done.label}. Edit {one.done.head}." if one.done is not None else "."
        print_line(f"{one.candidate.key} {one.verdict.value}{did}")
    if left:
        print_line(
            f"{len(left):,} were left: about the same as others, settled by them, or to be looked"
            " at one by one."
        )
    if any(one.done is not None for one in answers):
        print_line(f"Undo edits with: toolplanner history undo {path}")


_LIMIT = 20


@click.group()
def review() -> None:
    """Questions about the toolkits that a person should answer: merge, split, move, copies, names.

    A KEY names a question, such as merge:12+57; with --proposal N it is the position of a part.
    """


@review.command("list")
@in_workspace
@click.option(
    "--kind", type=click.Choice([one.value for one in CandidateKind]), help="Only this kind."
)
@click.option("--limit", type=ROW_ID, default=_LIMIT, show_default=True, help="At most so many.")
@click.option("--skipped", is_flag=True, help="Those that were skipped instead.")
@click.option("--proposal", type=ROW_ID, help="The parts of this proposal instead.")
@json_option
def list_command(
    *,
    workspace: Workspace,
    kind: str | None,
    limit: int,
    skipped: bool,
    proposal: int | None,
    as_json: bool,
) -> None:
    """List what waits for an answer, the most valuable first."""
    if proposal is not None:
        found = load_proposal(workspace, proposal)
        _print_items(workspace, found, limit, as_json=as_json)
        return
    with shown_progress() as progress:
        queue = ReviewQueue.read(workspace, progress=progress)
    _say_failures(queue)
    wanted = None if kind is None else CandidateKind(kind)
    waiting = queue.skipped() if skipped else queue.waiting(wanted)
    chosen = [one for one in waiting if wanted is None or one.kind is wanted]
    if as_json:
        print_json(_candidate_rows(workspace, queue, chosen[:limit]))
        return
    _print_candidates(queue, chosen, limit)
    for one in open_proposals(workspace):
        print_line(
            f"Proposal {one.id} waits, too: {one.title}, {one.waiting:,} of"
            f" {counted(one.items, 'part')}. List them with:"
            f" toolplanner review list {workspace.path} --proposal {one.id}"
        )


@review.command("status")
@in_workspace
@json_option
def status_command(workspace: Workspace, as_json: bool) -> None:
    """How many questions are answered and left, and how often you agreed, one by one."""
    with shown_progress() as progress:
        queue = ReviewQueue.read(workspace, progress=progress)
    _say_failures(queue)
    status = queue.status()
    proposals = open_proposals(workspace)
    if as_json:
        print_json(
            {
                "left": status.left,
                "waiting": dict(status.waiting),
                "accepted": status.accepted,
                "rejected": status.rejected,
                "skipped": status.skipped,
                "agreement": [
                    asdict(one) | {"share": round(one.share, 4)} for one in status.agreement.rows()
                ],
                "proposals": [_proposal_row(one) for one in proposals],
            }
        )
        return
    print_line(
        f"{counted(status.left, 'question')} left; {status.answered:,} answered"
        f" ({status.accepted:,} accepted, {status.rejected:,} rejected),"
        f" {status.skipped:,} skipped."
    )
    kinds = sorted(status.waiting.items(), key=lambda one: -one[1])
    if kinds:
        print_table(["Kind", ">Left"], kinds)
    if rows := status.agreement.rows():
        print_table(
            ["Kind", "Mean signal", ">Accepted", ">Rejected", ">Agreement"],
            [
                [
                    one.kind,
                    f"{one.low:.1f} to {one.high:.1f}",
                    one.accepted,
                    one.rejected,
                    f"{one.share:.0%}",
                ]
                for one in rows
            ],
        )


@review.command("proposals")
@in_workspace
@json_option
def proposals_command(workspace: Workspace, as_json: bool) -> None:
    """List the proposals that wait, such as a re-clustering."""
    found = open_proposals(workspace)
    print_rows(
        found,
        [">No.", "What", ">Parts", ">Waiting"],
        lambda one: [one.id, one.title, one.items, one.waiting],
        as_json=as_json,
        to_json=_proposal_row,
        empty="No proposal waits. Make one with: toolplanner cluster",
    )


review.add_command(accept_command)
review.add_command(reject_command)
review.add_command(skip_command)


def _say_failures(queue: ReviewQueue) -> None:
    if problem := problem_of(queue.failures):
        say(problem.sentence)


def _print_candidates(queue: ReviewQueue, chosen: Sequence[Candidate], limit: int) -> None:
    if not chosen:
        print_line("Nothing waits for an answer.")
        return
    print_table(
        ["Key", ">Value", ">Likely", "Question", "Because"],
        [
            [
                one.key if len(one.key) < 40 else f"{one.key[:37]}…",
                f"{one.gain * queue.probability(one):.2f}",
                f"{queue.probability(one):.0%}",
                one.title,
                "; ".join(signal.sentence for signal in one.signals.values()),
            ]
            for one in chosen[:limit]
        ],
    )
    if len(chosen) > limit:
        print_line(f"{len(chosen) - limit:,} more: --limit {len(chosen)}")


def _candidate_rows(
    workspace: Workspace, queue: ReviewQueue, chosen: Sequence[Candidate]
) -> list[dict[str, Any]]:
    names = {int(one.id): one.name for one in list_toolkits(workspace)}
    ids = ids_by_rowid(workspace, {rowid for one in chosen for rowid in one.apis})
    return [
        {
            "key": one.key,
            "kind": one.kind.value,
            "title": one.title,
            "value": round(one.gain * queue.probability(one), 4),
            "gain": round(one.gain, 4),
            "probability": round(queue.probability(one), 4),
            "mean_signal": round(one.probability, 4),
            "signals": presented_values(one)["signals"],
            "toolkits": [{"id": i, "name": names.get(i, "")} for i in one.toolkits],
            "apis": [ids[rowid] for rowid in one.apis if rowid in ids],
        }
        for one in chosen
    ]


def _print_items(workspace: Workspace, proposal: Proposal, limit: int, *, as_json: bool) -> None:
    items = load_items(workspace, proposal.id)
    if not items:
        raise NotFound(f"Proposal {proposal.id} has no parts", why="It would change nothing")
    if as_json:
        ids = ids_by_rowid(workspace, {rowid for item in items[:limit] for rowid in item.rowids})
        print_json([_item_row(item, ids) for item in items[:limit]])
        return
    print_line(f"{proposal.title}: {proposal.waiting:,} of {counted(proposal.items, 'part')} left.")
    print_table(
        [">Part", "Kind", "What", ">APIs", "Answer"],
        [
            [item.position, item.kind, item.label, len(item.rowids), item.verdict or "–"]
            for item in items[:limit]
        ],
    )
    if len(items) > limit:
        print_line(f"{len(items) - limit:,} more: --limit {len(items)}")


def _item_row(item: ProposedItem, ids: Mapping[int, ApiId]) -> dict[str, Any]:
    row = asdict(item) | {"apis": [ids[rowid] for rowid in item.rowids if rowid in ids]}
    del row["rowids"], row["description"]
    return row


def _proposal_row(proposal: Proposal) -> dict[str, Any]:
    return {
        "proposal": proposal.id,
        "kind": proposal.kind,
        "title": proposal.title,
        "about": dict(proposal.about),
        "parts": proposal.items,
        "waiting": proposal.waiting,
    }
