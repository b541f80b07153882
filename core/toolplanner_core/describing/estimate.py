"""What describing will ask, and what that will take: known before a model is asked."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from toolplanner_core.describing.scope import (
    DescribeScope,
    DescribeSubject,
    DescribeWhat,
    subjects_of,
)
from toolplanner_core.llm.model import Usage
from toolplanner_core.llm.prices import price_of
from toolplanner_core.prompts.conversation import Message
from toolplanner_core.prompts.describe_apis import BATCH, DescribeApis
from toolplanner_core.prompts.describe_toolkit import DescribeToolkit
from toolplanner_core.prompts.editing import workspace_prompt
from toolplanner_core.prompts.question import Question
from toolplanner_core.prompts.texts import with_texts
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.described_texts import known_texts
from toolplanner_core.workspace.settings import change_setting, get_setting

_LETTERS_PER_TOKEN = 4
_ANSWER = {DescribeWhat.TOOLKITS: 70, DescribeWhat.APIS: 55}
"""Tokens of a name with two sentences, and of one API's text, as JSON."""
_SPEED = "describe_seconds"
_GUESSED_S = 0.02
"""Seconds for a token of an answer where nothing was measured yet: 50 tokens a second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """One question of the job, about as many subjects as `question` shows, in its order."""

    subjects: tuple[DescribeSubject, ...]
    question: Question[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribeEstimate:
    """What the job will take.

    Attributes:
        subjects: all, those with known answers included.
        texts: the prompts that hold, by question.
        left_out: APIs and toolkits whose texts a person wrote, and toolkits that are pinned.
        cost: US dollars at about; None = the price of the model is not known.
        seconds: at about, one question after the other.
    """

    subjects: tuple[DescribeSubject, ...]
    known: frozenset[str]
    wanted: tuple[Wanted, ...]
    texts: dict[str, str]
    left_out: int
    input_tokens: int
    output_tokens: int
    cost: float | None
    seconds: float

    @property
    def to_ask(self) -> int:
        """APIs and toolkits that a model will be asked about."""
        return sum(subject.key not in self.known for subject in self.subjects)

    @property
    def n_known(self) -> int:
        """Those whose answer is there."""
        return len(self.subjects) - self.to_ask


def estimate(
    workspace: Workspace, model: str, *, scope: DescribeScope | None = None
) -> DescribeEstimate:
    """Questions, tokens, cost and time of describing. Blocks.

    Args:
        model: spec, such as "openai:NAME".
        scope: None = all toolkits.

    Raises:
        NotFound: no such kind of model.
    """
    texts = {id_: workspace_prompt(workspace, id_).text for id_ in _QUESTIONS}
    found = subjects_of(workspace, scope or DescribeScope(), model, texts)
    known = frozenset(known_texts(workspace, [subject.key for subject in found.found]))
    left = [subject for subject in found.found if subject.key not in known]
    wanted = tuple(questions_about(left))
    letters = sum(len(m.content) for one in wanted for m in messages_of(one, texts))
    output = sum(_ANSWER[subject.what] for subject in left)
    usage = Usage(input_tokens=letters // _LETTERS_PER_TOKEN, output_tokens=output)
    price = price_of(workspace, model)
    speeds: dict[str, float] = get_setting(workspace, _SPEED, {})
    return DescribeEstimate(
        subjects=found.found,
        known=known,
        wanted=wanted,
        texts=texts,
        left_out=found.left_out,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cost=0.0 if not left else None if price is None else price.cost_of(usage),
        seconds=output * speeds.get(model, _GUESSED_S),
    )


_QUESTIONS = (DescribeApis.id, DescribeToolkit.id)


def questions_about(subjects: Iterable[DescribeSubject]) -> Iterator[Wanted]:
    """The questions to ask about subjects: APIs in batches, toolkits one by one."""
    every = list(subjects)
    apis = [subject for subject in every if subject.what is DescribeWhat.APIS]
    for begin in range(0, len(apis), BATCH):
        batch = tuple(apis[begin : begin + BATCH])
        shown = tuple(subject.shown[0] for subject in batch)
        yield Wanted(subjects=batch, question=DescribeApis(documentation=shown))
    for subject in every:
        if subject.what is DescribeWhat.TOOLKITS:
            yield Wanted(subjects=(subject,), question=DescribeToolkit(members=subject.shown))


def messages_of(wanted: Wanted, texts: dict[str, str]) -> Sequence[Message]:
    """What a model is sent."""
    return with_texts(wanted.question.messages(), texts)


def remember_speed(workspace: Workspace, model: str, seconds: float, tokens: int) -> None:
    """Keep how long a token of an answer took, for the next estimate. Blocks."""

    def change(old: dict[str, float] | None) -> dict[str, float]:
        return {**(old or {}), model: seconds / tokens}

    if tokens:
        change_setting(workspace, _SPEED, change)
