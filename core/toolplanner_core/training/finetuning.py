"""A training set for the planner of TPTU-v2, as chat JSON lines that fine-tuning services take.

From demonstrations, which are real runs: the prompt is the one that the strategy asks with, so a
model that was tuned on it can be used by it at once. Three properties make such a set work, and are
reported: real-world data, structured prompts, diversity (order of the APIs, irrelevant ones among
them, other words for the same wish, one step and several).

Source: TPTU-v2, arXiv 2311.11315, section 2.4 and appendix B.2.
"""

import json
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.demonstration import Demonstration
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.errors import BadInput, NotFound
from toolplanner_core.prompts.tptu import Decompose
from toolplanner_core.words.places import KEEP_DEMONSTRATIONS
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
