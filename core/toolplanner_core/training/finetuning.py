"""Fine-tune the planner of TPTU-v2: the training set as chat JSON lines, and the job at a service.

From demonstrations, which are real runs: the prompt is the one that the strategy asks with, so a
model that was tuned on it can be used by it at once. Three properties make such a set work, and are
reported: real-world data, structured prompts, diversity (order of the APIs, irrelevant ones among
them, other words for the same wish, one step and several).

Said after it was written, by the command line and the window.

The set holds queries and documentation, so it leaves this machine with the person's leave only.

Source: TPTU-v2, arXiv 2311.11315, section 2.4 and appendix B.2.
"""

import json
import random
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.demonstration import Demonstration
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.endpoints import OPENAI_URL, default_base_url, endpoint_key, may_send_texts
from toolplanner_core.errors import BadInput, ModelUnavailable, NotFound
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.llm.openai_failures import failure_of
from toolplanner_core.prompts.tptu import Decompose
from toolplanner_core.words.formatting import counted
from toolplanner_core.words.window_places import KEEP_DEMONSTRATIONS
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import all_rowids, apis_by_rowid, get_api
from toolplanner_core.workspace.demonstrations import list_demonstrations

FEWEST_EXAMPLES = 10
"""Examples that a fine-tuning job takes at least. Source: OpenAI, fine-tuning guide."""
_REPHRASED = ("{}", "Please help me: {}", "I would like to know this. {}", "My request: {}")
"""Other words for the same wish that change no value of it."""
_SYSTEMS = (
    "",
    "You plan how tasks are solved with APIs. ",
    "You are an expert in taking tasks apart into calls of APIs. ",
)
_ROLES = ("system", "user", "assistant")
_IRRELEVANT = (2, 8)
"""APIs added to those that are needed, from and to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TuningReport:
    """What is in a training set.

    Attributes:
        examples: lines; tasks: they were made of, skipped: tasks whose APIs are not there any more.
        real: share made of runs; structured: share with system, APIs and query in their places.
        with_demonstrations: share that shows some.
        prompts, instructions: distinct ones; several_steps: share whose answer has more than one.
        irrelevant: mean number of APIs that are not needed; first: share whose first API is needed
            first (near 1: the order tells the answer).
        problems: what the fine-tuning format forbids, none if it is fine.
    """

    examples: int
    tasks: int
    skipped: int
    real: float
    structured: float
    with_demonstrations: float
    prompts: int
    instructions: int
    several_steps: float
    irrelevant: float
    first: float
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Example:
    line: str
    is_real: bool
    has_demonstrations: bool
    query: str
    steps: int
    irrelevant: int
    is_first: bool


def tuning_set(
    workspace: Workspace, *, variants: int = 4, seed: int = 0
) -> tuple[list[str], TuningReport]:
    """The lines of a training set, and what is in it. Blocks.

    Args:
        variants: of each demonstration.

    Raises:
        BadInput: there are no demonstrations.
    """
    tasks = list_demonstrations(workspace)
    if not tasks:
        raise BadInput(
            "There is nothing to make a training set of",
            todo=KEEP_DEMONSTRATIONS,
        )
    drawn = random.Random(seed)
    rowids = all_rowids(workspace)
    found: list[_Example] = []
    skipped = 0
    for task in tasks:
        needed = _apis(workspace, task)
        if needed is None:
            skipped += 1
            continue
        others = [each for each in tasks if each.id != task.id]
        for variant in range(variants):
            count = drawn.randint(*_IRRELEVANT)
            picked = apis_by_rowid(workspace, drawn.sample(rowids, min(count, len(rowids))))
            irrelevant = [api for api in picked.values() if api.id not in needed]
            shown = drawn.sample(others, min(len(others), variant % 3))
            found.append(_example(task, needed, irrelevant, shown, drawn, variant=variant))
    lines = [example.line for example in found]
    return lines, _report(found, lines, tasks=len(tasks), skipped=skipped)


def check_tuning_lines(lines: Iterable[str]) -> list[str]:
    """What the chat format of fine-tuning forbids, a sentence each; empty if it is fine."""
    problems: list[str] = []
    count = 0
    for count, line in enumerate(lines, start=1):
        try:
            row = json.loads(line)
        except ValueError:
            problems.append(f"Line {count} is no JSON")
            continue
        problems += [f"Line {count}: {what}" for what in _wrong(row)]
    if count < FEWEST_EXAMPLES:
        problems.append(f"There are {count} examples; a job takes {FEWEST_EXAMPLES} at least")
    return problems


def _wrong(row: Any) -> list[str]:
    messages: Any = row.get("messages") if isinstance(row, dict) else None
    if not isinstance(messages, list) or not messages:
        return ['it has no "messages"']
    roles = [message.get("role") if isinstance(message, dict) else None for message in messages]
    wrong = [
        f"unknown role {role!r}" for role in roles if role not in ("system", "user", "assistant")
    ]
    if "system" in roles[1:]:
        wrong.append("a system message is not the first")
    if roles[-1] != "assistant":
        wrong.append("the last message is not the assistant's")
    if "user" not in roles:
        wrong.append("nothing is asked")
    texts = [message.get("content") if isinstance(message, dict) else None for message in messages]
    if not all(isinstance(text, str) and text.strip() for text in texts):
        wrong.append("a message has no text")
    return wrong


def _apis(workspace: Workspace, task: Demonstration) -> dict[ApiId, Api] | None:
    """The APIs of a task; None when one is not there any more."""
    try:
        ids = dict.fromkeys(ApiId(step.api) for step in task.steps if step.api)
        return {api: get_api(workspace, api) for api in ids}
    except NotFound:
        return None


def _example(
    task: Demonstration,
    needed: dict[ApiId, Api],
    irrelevant: Sequence[Api],
    shown: Sequence[Demonstration],
    drawn: random.Random,
    *,
    variant: int,
) -> _Example:
    apis = [*needed.values(), *irrelevant]
    drawn.shuffle(apis)
    number_of = {str(api.id): number for number, api in enumerate(apis, start=1)}
    query = _REPHRASED[variant % len(_REPHRASED)].format(task.query)
    asked = Decompose(query=query, apis=tuple(apis), demonstrations=tuple(shown))
    system, *rest = asked.messages()
    subtasks = [
        {"goal": step.goal or task.query, "api": number_of.get(step.api)} for step in task.steps
    ]
    messages = [
        {"role": "system", "content": drawn.choice(_SYSTEMS) + system.content},
        *({"role": message.role, "content": message.content} for message in rest),
        {
            "role": "assistant",
            "content": json.dumps({"subtasks": subtasks}, ensure_ascii=False),
        },
    ]
    return _Example(
        line=json.dumps({"messages": messages}, ensure_ascii=False),
        is_real=task.run is not None,
        has_demonstrations=bool(shown),
        query=query,
        steps=len(subtasks),
        irrelevant=len(irrelevant),
        is_first=subtasks[0]["api"] == 1,
    )


def _report(
    found: Sequence[_Example], lines: Sequence[str], *, tasks: int, skipped: int
) -> TuningReport:
    count = max(1, len(found))
    asked = [json.loads(line)["messages"] for line in lines]
    structured = [m for m in asked if len(m) > 2 and "<apis>" in m[1]["content"]]
    return TuningReport(
        examples=len(found),
        tasks=tasks,
        skipped=skipped,
        real=sum(each.is_real for each in found) / count,
        structured=len(structured) / count,
        with_demonstrations=sum(each.has_demonstrations for each in found) / count,
        prompts=len({m[0]["content"] + m[1]["content"] for m in asked}),
        instructions=len({each.query for each in found}),
        several_steps=sum(each.steps > 1 for each in found) / count,
        irrelevant=sum(each.irrelevant for each in found) / count,
        first=sum(each.is_first for each in found) / count,
        problems=tuple(check_tuning_lines(lines)),
    )


def tuning_lines(report: TuningReport) -> Iterator[str]:
    """The three properties that a training set should have (Source: TPTU-v2, section 2.2), and
    what the format forbids."""
    yield f"{counted(report.examples, 'example')} of {counted(report.tasks, 'task')}"
    yield f"Real-world data: {report.real:.0%} come from runs"
    yield (
        f"Structured prompts: {report.structured:.0%}, {report.with_demonstrations:.0%} with"
        " demonstrations"
    )
    yield (
        f"Diversity: {report.prompts} prompts, {report.instructions} instructions,"
        f" {report.several_steps:.0%} with several steps, {report.irrelevant:.1f} irrelevant APIs"
        f" each, the first API is the answer's first in {report.first:.0%}"
    )
    for problem in report.problems:
        yield f"Against the format: {problem}"


POLL_S = 10.0
_ENDED = ("succeeded", "failed", "cancelled")
_EVENTS = 100
"""Events that are asked for at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TuningState:
    """Where a job stands.

    Attributes:
        status: in the service's words: "validating_files", "running", "succeeded" ...
        model: that was made, "" as long as there is none; what a run takes as `openai:MODEL`.
        error: why it failed, "" if it did not.
        trained_tokens: that the service charges, None as long as it does not say.
    """

    job: str
    status: str
    model: str
    error: str
    trained_tokens: int | None

    @property
    def is_over(self) -> bool:
        """Whether nothing more happens."""
        return self.status in _ENDED


class TuningService:
    """The person's usual endpoint, as a service that tunes."""

    def __init__(self) -> None:
        from openai import OpenAI

        self.address = default_base_url() or OPENAI_URL
        key = endpoint_key(self.address)
        self._client: OpenAI = OpenAI(api_key=key or "none", base_url=self.address, max_retries=2)

    def start(self, file: Path, *, model: str) -> str:
        """Send a training set and start a job on it; the job's id.

        Raises:
            BadInput: the set breaks the format, or no leave was given for its texts.
            ModelUnavailable: the service refuses, or cannot be reached.
        """
        problems = check_tuning_lines(file.read_text(encoding="utf-8").splitlines())
        if problems:
            raise BadInput(f"{file.name} is no training set", why="; ".join(problems[:3]))
        if not may_send_texts(self.address):
            raise BadInput(
                f"{file.name} was not sent to {self.address}",
                why="It holds queries and documentation of this workspace",
                todo="Allow it with --allow; that is remembered on this machine",
            )
        with _failures(self.address), file.open("rb") as opened:
            sent = self._client.files.create(file=opened, purpose="fine-tune")
            made = self._client.fine_tuning.jobs.create(training_file=sent.id, model=model)
        return made.id

    def state(self, job: str) -> TuningState:
        """Where a job stands.

        Raises:
            ModelUnavailable: the service knows no such job, or cannot be reached.
        """
        with _failures(self.address):
            found = self._client.fine_tuning.jobs.retrieve(job)
        return TuningState(
            job=found.id,
            status=found.status,
            model=found.fine_tuned_model or "",
            error=(found.error.message or "") if found.error else "",
            trained_tokens=found.trained_tokens,
        )

    def cancel(self, job: str) -> None:
        """Have the service end a job.

        Raises:
            ModelUnavailable: as `state`.
        """
        with _failures(self.address):
            self._client.fine_tuning.jobs.cancel(job)

    def watch(
        self,
        job: str,
        *,
        hear: Callable[[str], None],
        progress: Progress,
        pause: Callable[[float], None] = time.sleep,
    ) -> TuningState:
        """Look at a job until it is over; each thing that the service says is heard once.

        Raises:
            Cancelled: by the person; the job itself goes on.
            ModelUnavailable: as `state`.
        """
        known: set[str] = set()
        while True:
            progress.check()
            state = self.state(job)
            with _failures(self.address):
                events = self._client.fine_tuning.jobs.list_events(job, limit=_EVENTS).data
            for event in reversed(events):  # the newest comes first
                if event.id not in known:
                    known.add(event.id)
                    hear(event.message)
            if state.is_over:
                return state
            progress.report(f"Tuning: {state.status}", 0, None)
            pause(POLL_S)


@contextmanager
def _failures(address: str) -> Generator[None]:
    import openai

    try:
        yield
    except openai.OpenAIError as error:
        failed = failure_of(error)
        is_key = failed.error is ErrorClass.UNAUTHORISED
        todo = "Check the key of this endpoint" if is_key else ""
        raise ModelUnavailable(
            f"The tuning service {address} did not do that", why=failed.message, todo=todo
        ) from error
