"""What shall be described, and what that will take, known before a model is asked."""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Author
from toolplanner_core.llm.model import Usage
from toolplanner_core.llm.prices import price_of
from toolplanner_core.prompts.conversation import Message
from toolplanner_core.prompts.describe import BATCH, MEMBERS_SHOWN, DescribeApis, DescribeToolkit
from toolplanner_core.prompts.editing import workspace_prompt
from toolplanner_core.prompts.question import Question
from toolplanner_core.prompts.render import short
from toolplanner_core.prompts.texts import hash_of, with_texts
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.curated_tables import all_toolkits
from toolplanner_core.workspace.described_texts import (
    ApiDocumentation,
    api_documentation,
    known_texts,
    toolkit_documentation,
)
from toolplanner_core.workspace.settings import change_setting, get_setting


class DescribeWhat(StrEnum):
    """Whose texts are asked for."""

    APIS = "apis"
    TOOLKITS = "toolkits"


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribeScope:
    """What a job is about.

    Attributes:
        toolkits: these and their APIs; rowids: these APIs and their toolkits; both empty = all.
        only_by_rule: not what a model described already.
    """

    what: frozenset[DescribeWhat] = frozenset({DescribeWhat.TOOLKITS})
    toolkits: frozenset[ToolkitId] = frozenset()
    rowids: frozenset[int] = frozenset()
    only_by_rule: bool = False

    @property
    def is_all(self) -> bool:
        """Nothing was chosen."""
        return not self.toolkits and not self.rowids


class DescribeSubject(NamedTuple):
    """One API or toolkit whose text is asked for.

    Attributes:
        id: row id or toolkit.
        key: of its answer: the same documentation, put to the same model by the same prompt, has
            the same.
        shown: what the model sees of it: of a toolkit the texts of its first members.
    """

    what: DescribeWhat
    id: int
    name: str
    key: str
    shown: tuple[str, ...]


class FoundSubjects(NamedTuple):
    """What a scope comes to; `left_out`: a person wrote these, or they are pinned."""

    found: tuple[DescribeSubject, ...]
    left_out: int


def subjects_of(
    workspace: Workspace, scope: DescribeScope, model: str, texts: dict[str, str]
) -> FoundSubjects:
    """All that a job is about, APIs first. Blocks.

    Args:
        texts: the prompts that hold, by question.
    """
    found: list[DescribeSubject] = []
    left_out = 0
    homes = _homes(workspace, scope.rowids) if scope.rowids else frozenset[ToolkitId]()
    if DescribeWhat.APIS in scope.what:
        begun = _begun(DescribeApis.id, DescribeApis.version, model, texts)
        for api in api_documentation(workspace):
            if not (scope.is_all or api.rowid in scope.rowids or api.toolkit in scope.toolkits):
                continue
            if api.author is Author.PERSON:
                left_out += 1
            elif not (scope.only_by_rule and api.author is Author.MODEL):
                found.append(_api(api, begun))
    if DescribeWhat.TOOLKITS in scope.what:
        begun = _begun(DescribeToolkit.id, DescribeToolkit.version, model, texts)
        with workspace.snapshot() as db:
            fields = all_toolkits(db)
        for toolkit, hashes, members in toolkit_documentation(workspace, MEMBERS_SHOWN):
            own = fields[toolkit]
            if not (scope.is_all or toolkit in scope.toolkits or toolkit in homes):
                continue
            if own.is_pinned or {own.name_author, own.description_author} == {Author.PERSON}:
                left_out += 1
            elif not (scope.only_by_rule and Author.MODEL in _authors(own)):
                key = _key(begun, *hashes, *members)
                what = DescribeWhat.TOOLKITS
                found.append(DescribeSubject(what, toolkit, own.name, key, members))
    return FoundSubjects(tuple(found), left_out)


def _authors(fields: object) -> Iterator[object]:
    yield getattr(fields, "name_author", None)
    yield getattr(fields, "description_author", None)


def _homes(workspace: Workspace, rowids: Collection[int]) -> frozenset[ToolkitId]:
    apis = (api for api in api_documentation(workspace) if api.rowid in rowids)
    return frozenset(api.toolkit for api in apis if api.toolkit is not None)


def _api(api: ApiDocumentation, begun: tuple[str, ...]) -> DescribeSubject:
    parts = [api.title, short(api.description, 300)]
    if len(api.description) < _ENOUGH:
        parts.append(short(api.tool_description, 200))
    if api.parameters:
        parts.append(f"Takes {short(api.parameters, 120)}")
    shown = ". ".join(part.rstrip(".") for part in parts if part)
    key = _key(begun, api.doc_hash, shown)
    return DescribeSubject(DescribeWhat.APIS, api.rowid, api.title, key, (shown,))


_ENOUGH = 60
"""Characters of a description below which the tool's own is shown, too."""


def _begun(question: str, version: int, model: str, texts: dict[str, str]) -> tuple[str, ...]:
    return (question, str(version), model, hash_of(texts[question]))


def _key(begun: tuple[str, ...], *parts: str) -> str:
    return hashlib.sha256("\x1f".join((*begun, *parts)).encode("utf-8", "replace")).hexdigest()


_LETTERS_PER_TOKEN = 4
_ANSWER = {DescribeWhat.TOOLKITS: 70, DescribeWhat.APIS: 55}
"""Tokens of a name with two sentences, and of one API's text, as JSON."""
_SPEED = "describe_seconds"
_GUESSED_S = 0.02
"""Seconds for a token of an answer where nothing was measured yet: 50 tokens a second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedQuestion:
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
    wanted: tuple[PlannedQuestion, ...]
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


def questions_about(subjects: Iterable[DescribeSubject]) -> Iterator[PlannedQuestion]:
    """The questions to ask about subjects: APIs in batches, toolkits one by one."""
    every = list(subjects)
    apis = [subject for subject in every if subject.what is DescribeWhat.APIS]
    for begin in range(0, len(apis), BATCH):
        batch = tuple(apis[begin : begin + BATCH])
        shown = tuple(subject.shown[0] for subject in batch)
        yield PlannedQuestion(subjects=batch, question=DescribeApis(documentation=shown))
    for subject in every:
        if subject.what is DescribeWhat.TOOLKITS:
            yield PlannedQuestion(
                subjects=(subject,), question=DescribeToolkit(members=subject.shown)
            )


def messages_of(wanted: PlannedQuestion, texts: dict[str, str]) -> Sequence[Message]:
    """What a model is sent."""
    return with_texts(wanted.question.messages(), texts)


def remember_speed(workspace: Workspace, model: str, seconds: float, tokens: int) -> None:
    """Keep how long a token of an answer took, for the next estimate. Blocks."""

    def change(old: dict[str, float] | None) -> dict[str, float]:
        return {**(old or {}), model: seconds / tokens}

    if tokens:
        change_setting(workspace, _SPEED, change)
