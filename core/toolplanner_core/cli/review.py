"""`toolplanner review`: the questions a person should look at, and where the review stands.

Answers are in `review_answer.py`; parts of a proposal (a re-clustering that waits) are listed and
answered by the same commands with `--proposal N`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import click

from toolplanner_core.cli.options import ROW_ID, in_workspace, json_option
from toolplanner_core.cli.progress import shown_progress
from toolplanner_core.cli.review_answer import accept_command, reject_command, skip_command
from toolplanner_core.cli.terminal import print_json, print_line, print_rows, print_table
from toolplanner_core.curation.questions.kinds.candidate import Candidate, CandidateKind
from toolplanner_core.curation.questions.queue.answering import shown
from toolplanner_core.curation.questions.queue.queue import ReviewQueue
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.errors import NotFound
from toolplanner_core.words.wording import counted
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
        status = ReviewQueue.read(workspace, progress=progress).status()
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
            "signals": shown(one)["signals"],
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
