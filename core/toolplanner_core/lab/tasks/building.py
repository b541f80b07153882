"""Build a data set from a catalogue: draw APIs, write a task, solve it, judge it, keep it.

Source: AnyTool (Du et al., arXiv 2402.04253), section 4.1: a model writes queries for APIs that
were drawn, and only those that a solver really solves are kept. Here a strategy solves, by an
ordinary run in a copy of the workspace; a judge must call its answer solved; and each API that the
task was written for, or another of its toolkit, must have answered. So its gold APIs are such as
did answer it. Without a model the task is in the catalogue's own words, the offline planner solves,
and the evidence in its replies judges. What is not kept is counted with its reason.

All that is asked and run stands in a folder beside the data set: the copy of the workspace with the
runs, and the replies of the writer and the judge. A build that was stopped or killed goes on by the
same draws, and asks nothing twice that was answered.
"""

import asyncio
import contextlib
import hashlib
import json
import shutil
from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from toolplanner_core.domain.experiment import (
    Arm,
    Grade,
    Trial,
    TrialFacts,
    TrialResult,
    TrialState,
)
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.lab import DataSet, GoldCall, Query, Solvable
from toolplanner_core.domain.plan import NOT_REFUTED
from toolplanner_core.domain.workspace_file import SUFFIX
from toolplanner_core.errors import BadInput, Cancelled, ModelUnavailable
from toolplanner_core.jobs.process_identity import is_alive, this_process
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.lab.datasets.importing import clustered, normalised_text
from toolplanner_core.lab.judges.judge import judges
from toolplanner_core.lab.packed_runs import events_of
from toolplanner_core.lab.tasks.drafts import ApiDraw, DrawnApi, TaskDraft, draft_of_rules
from toolplanner_core.lab.trial_runs import TrialRunner, TrialTask
from toolplanner_core.llm.model import ModelError
from toolplanner_core.llm.model_client import ModelClient
from toolplanner_core.llm.stored_replies import ReplyFile
from toolplanner_core.prompts.grade_answer import GradeAnswer
from toolplanner_core.prompts.write_task import WriteTask
from toolplanner_core.runs.judging.verdicts import way_of
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.copying import copy_without_runs

EVIDENCE = "evidence"
_STAGE, _UNIT = "Building tasks", "tasks"
_REPLIES, _HOLDER = "replies.jsonl", "process"
_MOST_UNMEASURED = 5
"""So many draws one after the other that nobody could solve or judge: then it is given up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskPlan:
    """What is to be built.

    Attributes:
        number: of verified tasks; most_draws: after which it ends with fewer.
        most_apis: of a task.
        writer: model that writes the tasks, None = the catalogue's own words.
        judge: model that grades the answers, None = the evidence in the replies.
        solver: strategy, model and provider that solve them.
    """

    name: str
    number: int
    most_draws: int
    most_apis: int
    seed: int
    writer: str | None
    judge: str | None
    solver: Arm

    def folder(self, workspace: Path, beside: Path) -> Path:
        """Where a build of it stands while it is not finished; the same for the same draws.

        Args:
            beside: folder of the data set.
        """
        drawn = (self.seed, self.most_apis, self.writer, self.judge, self.solver.hash)
        same = json.dumps([str(workspace.resolve()), *drawn])
        return beside / f"{self.name}-{hashlib.sha256(same.encode()).hexdigest()[:8]}.tasks.work"


class RejectedTask(NamedTuple):
    """A draw that was not kept.

    Attributes:
        reason: one of few, to be counted; why: what the run, judge or model said beside it.
        text: of the task, "" where nothing was written.
    """

    draw: int
    reason: str
    why: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltTasks:
    """What came of it.

    Attributes:
        stopped: why it ended before it had as many as were wanted, "" = it did not.
    """

    data_set: DataSet
    draws: int
    rejected: tuple[RejectedTask, ...]
    stopped: str

    @property
    def reasons(self) -> Mapping[str, int]:
        """How many were not kept for each reason, most first."""
        return dict(Counter(each.reason for each in self.rejected).most_common())


def build_tasks(
    workspace: Workspace, plan: TaskPlan, *, folder: Path, progress: Progress
) -> BuiltTasks:
    """Draw until there are enough verified tasks. Blocks; calls what the solver calls.

    A model that fails for good, or a person who stops it, ends it: what is verified stays.

    Args:
        folder: of the build, see `TaskPlan.folder`; what is there already is gone on with. Whoever
            has stored the tasks takes it away with `remove_build`.

    Raises:
        NotFound: no such model.
        BadInput: no API can be drawn, or another process builds in this folder.
        WorkspaceError: the workspace cannot be copied.
    """
    with _held(folder):
        journal = folder / f"tasks{SUFFIX}"
        if not journal.exists():
            copy_without_runs(workspace, journal)
        replies = ReplyFile(folder / _REPLIES)
        with Workspace.open(journal) as copy:
            draw = ApiDraw(
                copy, seed=plan.seed, most=plan.most_apis, needs_values=plan.writer is None
            )
            with TrialRunner(journal) as runner:
                builder = _Builder(workspace, plan, draw, runner, progress, replies)
                asyncio.run(builder.run())
    return builder.built()


def remove_build(folder: Path) -> None:
    """Take away what a finished build has left; nothing else lies there."""
    shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _held(folder: Path) -> Generator[None]:
    """The folder of a build, for this process alone."""
    holder = folder / _HOLDER
    try:
        folder.mkdir(parents=True, exist_ok=True)
        other = holder.read_text("utf-8") if holder.exists() else ""
        if other and other != this_process() and is_alive(other):
            raise BadInput(
                "Another process builds these tasks",
                where=str(folder),
                todo="Wait for it, or take another seed",
            )
        holder.write_text(this_process(), "utf-8")
    except OSError as error:
        raise BadInput("Tasks cannot be built", where=str(folder), why=str(error)) from error
    try:
        yield
    finally:
        holder.unlink(missing_ok=True)


class _Refused(Exception):
    """A draw is not kept; `is_unmeasured` = nobody can say whether it could have been."""

    def __init__(self, reason: str, why: str = "", *, is_unmeasured: bool = False) -> None:
        super().__init__(reason)
        self.reason, self.why, self.is_unmeasured = reason, why, is_unmeasured


@dataclass
class _Builder:
    """The tasks of one plan while they are made."""

    workspace: Workspace
    plan: TaskPlan
    source: ApiDraw
    runner: TrialRunner
    progress: Progress
    replies: ReplyFile
    kept: list[Query] = field(default_factory=list[Query])
    rejected: list[RejectedTask] = field(default_factory=list[RejectedTask])
    draws: int = 0
    stopped: str = ""

    def __post_init__(self) -> None:
        self._writer, self._judge = (
            None
            if spec is None
            else ModelClient(spec, doing=doing, wanted=wanted, replies=self.replies)
            for spec, doing, wanted in (
                (self.plan.writer, "Writing tasks", "task"),
                (self.plan.judge, "Judging", "verdict"),
            )
        )

    async def run(self) -> None:
        try:
            await self._draw_all()
        except (ModelUnavailable, Cancelled) as error:
            self.stopped = error.sentence if isinstance(error, ModelUnavailable) else "Stopped"
        finally:
            for model in (self._writer, self._judge):
                if model is not None:
                    await model.__aexit__()

    async def _draw_all(self) -> None:
        unmeasured = 0
        seen: set[str] = set()
        while len(self.kept) < self.plan.number:
            self.progress.check()
            self.progress.report(_STAGE, len(self.kept), self.plan.number, _UNIT)
            if self.draws == self.plan.most_draws:
                self.stopped = f"{self.draws:,} draws, as many as were allowed"
                return
            number, text = self.draws, ""
            self.draws += 1
            try:
                draft = await self._draft(await asyncio.to_thread(self.source.draw, number))
                text = draft.text
                if (same := normalised_text(Query(id="", text=text))) in seen:
                    raise _Refused("repeats an earlier one")
                seen.add(same)
                self.kept.append(await self._verified(number, draft))
                unmeasured = 0
            except _Refused as refused:
                self.rejected.append(RejectedTask(number, refused.reason, refused.why, text))
                unmeasured = unmeasured + 1 if refused.is_unmeasured else 0
            if unmeasured == _MOST_UNMEASURED:
                self.stopped = f"{unmeasured} draws in a row: {self.rejected[-1].reason}"
                return
        self.progress.report(_STAGE, len(self.kept), self.plan.number, _UNIT)

    async def _draft(self, drawn: Sequence[DrawnApi]) -> TaskDraft:
        if self._writer is None:
            return draft_of_rules(drawn)
        question = WriteTask(
            apis=tuple(each.api for each in drawn), known=tuple(each.arguments for each in drawn)
        )
        try:
            written = await self._writer.ask(question)
        except ModelError as error:
            raise _model_failed(error, "nothing usable was written") from error
        return TaskDraft(
            text=written.query, calls=written.calls, origin=f"written by {self._writer.spec}"
        )

    async def _verified(self, number: int, draft: TaskDraft) -> Query:
        """The task with its gold APIs.

        Raises:
            _Refused: it is not solved, not judged so, or solved without its APIs.
        """
        trial = Trial(
            number=number,
            key=f"{self.plan.seed}/{number}",
            query=str(number),
            arm=self.plan.solver.name,
            seed=self.plan.seed,
        )
        task = TrialTask(trial=trial, query=draft.text, arm=self.plan.solver)
        result = await asyncio.to_thread(self.runner.run, task, self.progress)
        facts = _solved_facts(result)
        await self._refuse_unless_judged_solved(draft, facts, result)
        gold = tuple(self._answering(call.api.key, facts) for call in draft.calls)
        path = tuple(
            GoldCall(api=key, arguments=dict(call.arguments) if key == call.api.key else None)
            for key, call in zip(gold, draft.calls, strict=True)
        )
        return Query(
            id=f"task-{number}",
            text=draft.text,
            gold=(frozenset(gold),),
            path=path,
            solvable=Solvable.YES,
            source=f"draw {number} of seed {self.plan.seed}, {draft.origin}",
        )

    async def _refuse_unless_judged_solved(
        self, draft: TaskDraft, facts: TrialFacts, result: TrialResult
    ) -> None:
        if self._judge is None:
            query = Query(id="", text=draft.text)
            verdict = judges.get(EVIDENCE).verdict(query, facts, result.packed)
            if verdict is None or verdict.solved < 1:
                why = "" if verdict is None else verdict.reason
                raise _Refused("its replies do not show the answer", why)
            return
        question = GradeAnswer(
            query=draft.text, way=tuple(way_of(events_of(result.packed))), answer=facts.answer
        )
        try:
            given = await self._judge.ask(question)
        except ModelError as error:
            raise _model_failed(error, "no usable verdict was given") from error
        if given.grade is not Grade.SOLVED:
            raise _Refused(f"judged {given.grade}", given.reason)

    def _answering(self, key: str, facts: TrialFacts) -> str:
        """An API itself if it answered, else one of its toolkit that did."""
        answered = [call.api for call in facts.calls if not call.error]
        if key in answered:
            return key
        toolkits = self.source.toolkit_of
        for each in answered:
            if toolkits.get(each) == toolkits[key]:
                return each
        raise _Refused("solved without its APIs", ", ".join(dict.fromkeys(answered)))

    def built(self) -> BuiltTasks:
        """What there is so far."""
        plan = self.plan
        solver = plan.solver.settings
        return BuiltTasks(
            data_set=DataSet(
                name=plan.name,
                queries=clustered(self.kept),
                source=f"Built from {self.workspace.path.name} with seed {plan.seed}: written by"
                f" {plan.writer or 'rules'}, solved by {solver['strategy']} with {solver['model']}"
                f" over {solver['provider']}, judged by {plan.judge or EVIDENCE}",
            ),
            draws=self.draws,
            rejected=tuple(self.rejected),
            stopped=self.stopped,
        )


def _solved_facts(result: TrialResult) -> TrialFacts:
    match result.state:
        case TrialState.NOT_MEASURED:
            raise _Refused("the solver's model gave nothing", result.why, is_unmeasured=True)
        case TrialState.STOPPED:
            raise Cancelled
        case TrialState.DONE if result.facts is not None:
            if result.facts.status not in NOT_REFUTED:
                ended = f"ended {result.facts.status}".replace("_", " ")
                raise _Refused(ended, result.facts.reason)
            return result.facts
        case _:
            raise _Refused("the run broke", result.why)


def _model_failed(error: ModelError, unusable: str) -> _Refused:
    """A reply that cannot be used is the draft's fault; no reply at all is nobody's."""
    is_unusable = error.error is ErrorClass.BAD_PAYLOAD
    reason = unusable if is_unusable else "a model gave nothing"
    return _Refused(reason, error.message, is_unmeasured=not is_unusable)
