"""What describing toolkits will ask, and what that will take: known before a model is asked."""

import hashlib
from collections.abc import Collection
from dataclasses import dataclass

from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Author
from toolplanner_core.llm.model import Usage
from toolplanner_core.llm.prices import price_of
from toolplanner_core.prompts.describe_toolkit import MEMBERS_SHOWN, DescribeToolkit
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.curated_tables import all_toolkits
from toolplanner_core.workspace.described_texts import known_texts, toolkit_documentation

_LETTERS_PER_TOKEN = 4
_ANSWER = 70
"""Tokens of a name and two sentences as JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """One question of the job.

    Attributes:
        key: of its answer; the same documentation put to the same model has the same.
        is_known: the answer is there already.
    """

    toolkit: ToolkitId
    question: DescribeToolkit
    key: str
    is_known: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribeEstimate:
    """What the job will take.

    Attributes:
        wanted: all questions, those with known answers included.
        left_out: toolkits whose name and description a person wrote, or that are pinned.
        cost: US dollars at about; None = the price of the model is not known.
    """

    wanted: tuple[Wanted, ...]
    left_out: int
    input_tokens: int
    output_tokens: int
    cost: float | None

    @property
    def to_ask(self) -> int:
        """Questions that a model will be asked."""
        return sum(not one.is_known for one in self.wanted)


def estimate(
    workspace: Workspace, model: str, *, toolkits: Collection[ToolkitId] = ()
) -> DescribeEstimate:
    """Questions, tokens and cost of describing toolkits. Blocks.

    Args:
        model: spec, such as "openai:NAME".
        toolkits: only these; empty = all living ones.

    Raises:
        NotFound: no such kind of model.
    """
    with workspace.snapshot() as db:
        fields = all_toolkits(db)
    wanted: list[Wanted] = []
    left_out = 0
    for toolkit, hashes, texts in toolkit_documentation(workspace, MEMBERS_SHOWN):
        if toolkits and toolkit not in toolkits:
            continue
        own = fields[toolkit]
        if own.is_pinned or {own.name_author, own.description_author} == {Author.PERSON}:
            left_out += 1
            continue
        question = DescribeToolkit(members=texts)
        wanted.append(Wanted(toolkit=toolkit, question=question, key=_key(model, hashes, texts)))
    known = known_texts(workspace, [one.key for one in wanted])
    asked = [one for one in wanted if one.key not in known]
    letters = sum(len(m.content) for one in asked for m in one.question.messages())
    usage = Usage(input_tokens=letters // _LETTERS_PER_TOKEN, output_tokens=_ANSWER * len(asked))
    price = price_of(workspace, model)
    cost = 0.0 if not asked else None if price is None else price.cost_of(usage)
    return DescribeEstimate(
        wanted=tuple(
            Wanted(
                toolkit=one.toolkit,
                question=one.question,
                key=one.key,
                is_known=one.key in known,
            )
            for one in wanted
        ),
        left_out=left_out,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cost=cost,
    )


def _key(model: str, hashes: tuple[str, ...], texts: tuple[str, ...]) -> str:
    parts = (DescribeToolkit.id, str(DescribeToolkit.version), model, *hashes, *texts)
    return hashlib.sha256("\x1f".join(parts).encode("utf-8", "replace")).hexdigest()
