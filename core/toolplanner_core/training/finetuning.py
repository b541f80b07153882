"""Fine-tune the planner of TPTU-v2: the training set as JSON lines, and the job at a service.

From demonstrations: the prompt is the one that the strategy asks with, so a model that was tuned on
it can be used by it at once. Three properties make such a set work, and are reported as they are:
real-world data (runs over real services, not scripted or invented ones), structured prompts,
diversity (order of the APIs, irrelevant ones among them, other words for the same wish where a
model made them, one step and several).

Said after it was written, by the command line and the window.

The set holds queries and documentation, so it leaves this machine with the person's leave only.

Source: TPTU-v2, arXiv 2311.11315, section 2.4 and appendix B.2.
"""

import json
import random
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, cast

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.demonstration import Demonstration, DemonstrationOrigin
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.endpoints import OPENAI_URL, default_base_url, endpoint_key, may_send_texts
from toolplanner_core.errors import BadInput, ModelUnavailable, NotFound
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.llm.openai_failures import failure_of
from toolplanner_core.prompts.tptu import Decompose
from toolplanner_core.runs.export.demonstrations import origin_of
from toolplanner_core.training.paraphrasing import Paraphrases
from toolplanner_core.words.formatting import counted
from toolplanner_core.words.window_places import KEEP_DEMONSTRATIONS
from toolplanner_core.words.word_splitting import sorted_words
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import all_rowids, apis_by_rowid, get_api
from toolplanner_core.workspace.demonstrations import list_demonstrations

FEWEST_EXAMPLES = 10
"""Examples that a fine-tuning job takes at least. Source: OpenAI, fine-tuning guide."""
_ROLES = ("system", "user", "assistant")
_IRRELEVANT = (2, 8)
"""APIs added to those that are needed, from and to."""


class TuningForm(StrEnum):
    """How a line of a training set is written."""

    MESSAGES = "messages"
    """{"messages": [...]}: fine-tuning services and trl's SFTTrainer read it."""
    PROMPT_COMPLETION = "prompt-completion"
    """{"prompt": [...], "completion": [...]}, of messages: trl learns from the completion alone.
    Source: trl, dataset formats, "conversational prompt-completion"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TuningReport:
    """What is in a training set.

    Attributes:
        examples: lines; tasks: they were made of, skipped: tasks whose APIs are not there any more.
        origins: share of examples by where their task comes from, see `DemonstrationOrigin`.
        structured: share with system, APIs and query in their places.
        with_demonstrations: share that shows some.
        prompts: distinct ones; queries: distinct ones as they were asked.
        paraphrased: distinct other wordings, made by `paraphrased_by`; unparaphrased: queries for
            which that model made none that keeps their values.
        several_steps: share whose answer has more than one.
        irrelevant: mean number of APIs that are not needed; first: share whose first API is needed
            first (near 1: the order tells the answer).
        problems: what the fine-tuning format forbids, none if it is fine.
    """

    examples: int
    tasks: int
    skipped: int
    origins: Mapping[DemonstrationOrigin, float]
    structured: float
    with_demonstrations: float
    prompts: int
    queries: int
    paraphrased: int
    paraphrased_by: str
    unparaphrased: int
    several_steps: float
    irrelevant: float
    first: float
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Example:
    messages: list[dict[str, str]]
    origin: DemonstrationOrigin
    has_demonstrations: bool
    query: str
    is_paraphrase: bool
    steps: int
    irrelevant: int
    is_first: bool


def tuning_set(
    workspace: Workspace,
    *,
    variants: int = 4,
    seed: int = 0,
    form: TuningForm = TuningForm.MESSAGES,
    paraphrases: Paraphrases | None = None,
) -> tuple[list[str], TuningReport]:
    """The lines of a training set, and what is in it. Blocks.

    Args:
        variants: of each demonstration: other APIs beside those needed, another order, and its
            paraphrases in turn.
        paraphrases: other wordings, see `paraphrasing.py`; None = each query as it was asked.

    Raises:
        BadInput: there are no demonstrations.
    """
    tasks = list_demonstrations(workspace)
    if not tasks:
        raise BadInput(
            "There is nothing to make a training set of",
            todo=KEEP_DEMONSTRATIONS,
        )
    drawn, said = random.Random(seed), paraphrases or Paraphrases()
    rowids = all_rowids(workspace)
    found: list[_Example] = []
    skipped = 0
    for task in tasks:
        needed = _apis(workspace, task)
        if needed is None:
            skipped += 1
            continue
        others = [each for each in tasks if sorted_words(each.query) != sorted_words(task.query)]
        origin = origin_of(workspace, task)
        wordings = (task.query, *said.by_query.get(task.query, ()))
        for variant in range(variants):
            count = drawn.randint(*_IRRELEVANT)
            picked = apis_by_rowid(workspace, drawn.sample(rowids, min(count, len(rowids))))
            apis = [*needed.values(), *(a for a in picked.values() if a.id not in needed)]
            drawn.shuffle(apis)
            shown = drawn.sample(others, min(len(others), variant % 3))
            query = wordings[variant % len(wordings)]
            found.append(_example(task, query, apis, shown, origin))
    lines = [_line(example.messages, form) for example in found]
    problems = check_tuning_lines(lines, form=form)
    return lines, _report(found, said, problems, tasks=len(tasks), skipped=skipped)


def check_tuning_lines(
    lines: Iterable[str], *, form: TuningForm = TuningForm.MESSAGES
) -> list[str]:
    """What the form forbids, a sentence each; empty if it is fine.

    Every line is an object with the same members, and each member a list of messages: so a reader
    of columns, such as `datasets`, sees one type a column.
    """
    problems: list[str] = []
    count = 0
    for count, line in enumerate(lines, start=1):
        try:
            row = json.loads(line)
        except ValueError:
            problems.append(f"Line {count} is no JSON")
            continue
        problems += [f"Line {count}: {what}" for what in _wrong(row, form)]
    if count < FEWEST_EXAMPLES and form is TuningForm.MESSAGES:
        problems.append(f"There are {count} examples; a job takes {FEWEST_EXAMPLES} at least")
    return problems


_COLUMNS = {
    TuningForm.MESSAGES: ("messages",),
    TuningForm.PROMPT_COMPLETION: ("prompt", "completion"),
}


def _wrong(row: Any, form: TuningForm) -> list[str]:
    columns = _COLUMNS[form]
    members = cast("dict[str, Any]", row) if isinstance(row, dict) else {}
    parts = [members.get(name) for name in columns]
    if lacking := [
        n for n, p in zip(columns, parts, strict=True) if not isinstance(p, list) or not p
    ]:
        return [f'it has no "{lacking[0]}"']
    wrong = [f'"{name}" is no member of this form' for name in members if name not in columns]
    listed = [cast("list[Any]", part) for part in parts]
    messages = [
        cast("dict[str, Any]", each) if isinstance(each, dict) else {}
        for part in listed
        for each in part
    ]
    roles = [message.get("role") for message in messages]
    wrong += [f"unknown role {role!r}" for role in roles if role not in _ROLES]
    if "system" in roles[1:]:
        wrong.append("a system message is not the first")
    if roles[-1] != "assistant":
        wrong.append("the last message is not the assistant's")
    if "user" not in roles:
        wrong.append("nothing is asked")
    texts = [message.get("content") for message in messages]
    if not all(isinstance(text, str) and text.strip() for text in texts):
        wrong.append("a message has no text")
    if any(set(message) - {"role", "content"} for message in messages):
        wrong.append("a message has more than a role and a text")
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
    query: str,
    apis: Sequence[Api],
    shown: Sequence[Demonstration],
    origin: DemonstrationOrigin,
) -> _Example:
    steps = _subtasks(task, apis)
    return _Example(
        messages=_messages(task, query, apis, shown),
        origin=origin,
        has_demonstrations=bool(shown),
        query=query,
        is_paraphrase=query != task.query,
        steps=len(steps),
        irrelevant=len(apis) - len({step.api for step in task.steps if step.api}),
        is_first=steps[0]["api"] == 1,
    )


def _messages(
    task: Demonstration, query: str, apis: Sequence[Api], shown: Sequence[Demonstration]
) -> list[dict[str, str]]:
    """What the strategy would ask with, and what it should be answered."""
    asked = Decompose(query=query, apis=tuple(apis), demonstrations=tuple(shown))
    answer = json.dumps({"subtasks": _subtasks(task, apis)}, ensure_ascii=False)
    return [
        *({"role": message.role, "content": message.content} for message in asked.messages()),
        {"role": "assistant", "content": answer},
    ]


def _subtasks(task: Demonstration, apis: Sequence[Api]) -> list[dict[str, Any]]:
    number_of = {str(api.id): number for number, api in enumerate(apis, start=1)}
    return [
        {"goal": step.goal or task.query, "api": number_of.get(step.api)} for step in task.steps
    ]


def _line(messages: list[dict[str, str]], form: TuningForm) -> str:
    row = {"messages": messages}
    if form is TuningForm.PROMPT_COMPLETION:
        row = {"prompt": messages[:-1], "completion": messages[-1:]}
    return json.dumps(row, ensure_ascii=False)


def _report(
    found: Sequence[_Example],
    said: Paraphrases,
    problems: Sequence[str],
    *,
    tasks: int,
    skipped: int,
) -> TuningReport:
    count = max(1, len(found))
    asked = [each.messages for each in found]
    structured = [m for m in asked if len(m) > 2 and "<apis>" in m[1]["content"]]
    origins = Counter(each.origin for each in found)
    return TuningReport(
        examples=len(found),
        tasks=tasks,
        skipped=skipped,
        origins={origin: number / count for origin, number in origins.items()},
        structured=len(structured) / count,
        with_demonstrations=sum(each.has_demonstrations for each in found) / count,
        prompts=len({m[0]["content"] + m[1]["content"] for m in asked}),
        queries=len({each.query for each in found if not each.is_paraphrase}),
        paraphrased=len({each.query for each in found if each.is_paraphrase}),
        paraphrased_by=said.model,
        unparaphrased=said.failed,
        several_steps=sum(each.steps > 1 for each in found) / count,
        irrelevant=sum(each.irrelevant for each in found) / count,
        first=sum(each.is_first for each in found) / count,
        problems=tuple(problems),
    )


def tuning_lines(report: TuningReport) -> Iterator[str]:
    """The three properties that a training set should have (Source: TPTU-v2, section 2.2), and
    what the format forbids."""
    gone = f", {counted(report.skipped, 'task')} left out: an API is gone" if report.skipped else ""
    yield f"{counted(report.examples, 'example')} of {counted(report.tasks, 'task')}{gone}"
    real = report.origins.get(DemonstrationOrigin.REAL, 0.0)
    yield f"Real-world data: {real:.0%} come from {DemonstrationOrigin.REAL}" + "".join(
        f", {share:.0%} {_ORIGIN_WORDS[origin]}"
        for origin, share in report.origins.items()
        if origin is not DemonstrationOrigin.REAL
    )
    yield (
        f"Structured prompts: {report.structured:.0%}, {report.with_demonstrations:.0%} with"
        " demonstrations"
    )
    yield (
        f"Diversity: {counted(report.queries, 'query', 'queries')}, {_paraphrased(report)},"
        f" {report.prompts} prompts, {report.several_steps:.0%} with several steps,"
        f" {report.irrelevant:.1f} irrelevant APIs each, the first API is the answer's first in"
        f" {report.first:.0%}"
    )
    for problem in report.problems:
        yield f"Against the format: {problem}"


_ORIGIN_WORDS = {
    DemonstrationOrigin.BY_HAND: "were written by hand",
    **{
        origin: f"from {origin}"
        for origin in DemonstrationOrigin
        if origin is not DemonstrationOrigin.BY_HAND
    },
}


def _paraphrased(report: TuningReport) -> str:
    if not report.paraphrased_by:
        return "none in other words"
    made = f"{report.paraphrased:,} in other words by {report.paraphrased_by}"
    failed = counted(report.unparaphrased, "query", "queries")
    return f"{made} ({failed} without any that keeps its values)" if report.unparaphrased else made


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
