"""What questions show of toolkits, APIs, results and failures: small typed cards, and how they are
written into prompts: delimited, cut at a limit, unable to end their own block.

The offline planner works on the fields of cards; language models see them rendered. Documentation
and results come from strangers. They are put between tags that the system message declares to be
data, and any closing tag inside them is defused. Called by every question's `messages`.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.failure import EXPLANATIONS, ErrorClass
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.observation import (
    BY_PERSON,
    INJECTED,
    NOT_SENT,
    REPEATED,
    Observation,
)
from toolplanner_core.domain.plan import QueryNeed
from toolplanner_core.prompts.conversation import Function, Message
from toolplanner_core.prompts.result_paths import path_line
from toolplanner_core.prompts.texts import DATA_RULE, PromptText


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolkitCard:
    """A toolkit as offered to the planner; `score` is its similarity to the query, best first;
    `is_curated` says that a person named or pinned it."""

    id: ToolkitId
    name: str
    description: str
    score: float = 0.0
    is_curated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StepResult:
    """A finished step: what it was for, what answered it, and its whole value (cut when shown to a
    model); `seq` is the event of the reply."""

    step: int
    goal: str
    toolkit: ToolkitId | None
    api_title: str
    arguments: Mapping[str, Any]
    value: Any
    state: str = ""
    seq: int = 0

    @property
    def need(self) -> QueryNeed:
        """What it was for, met by it."""
        return QueryNeed(text=self.goal, met_by=(self.seq,))


_MADE_TO_FAIL = {INJECTED: "an injected fault", BY_PERSON: "made to fail by you"}


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureCard:
    """A failed attempt, as later questions are told of it.

    Attributes:
        origin: who made it fail, for rules; a language model is not shown it, so that it takes an
            injected fault for the real failure that it stands for.
    """

    step: int
    goal: str
    toolkit: ToolkitId | None
    api_title: str
    arguments: Mapping[str, Any]
    error: ErrorClass
    message: str
    origin: str = ""

    @property
    def was_sent(self) -> bool:
        """Whether the API was asked at all."""
        return self.origin != NOT_SENT

    @property
    def explanation(self) -> str:
        """For people: what failed, without its full stop."""
        if made := _MADE_TO_FAIL.get(self.origin):
            return f"{made} ({self.error.replace('_', ' ')})"
        return self.message.strip().rstrip(".") or EXPLANATIONS[self.error].rstrip(".")


OBSERVATION_LIMIT = 1024
"""Characters of a result shown to a model; the whole value stays in the log (strategies.md,
section 0)."""


TOOLKIT_TEXT = 100
"""Characters of a toolkit's text in a list of toolkits."""
_DESCRIPTION_LIMIT = 300
_FUNCTION_LIMIT = 1500
"""Characters of one function's documentation where many are listed."""
_DOCUMENTATION_LIMIT = 6000
"""A few of ToolBench's APIs carry whole articles or hundreds of enum values."""


def chat(system: str, *blocks: str) -> list[Message]:
    """A system message with the data rule, and one user message made of blocks."""
    text = system if isinstance(system, PromptText) else f"{system}\n{DATA_RULE}"
    return [
        Message("system", text),
        Message("user", "\n\n".join(part for part in blocks if part)),
    ]


_ENCODER = json.JSONEncoder(ensure_ascii=False, default=str)
"""Made once: results of a whole run are written with it at its end."""


def as_json(value: Any) -> str:
    """Compact JSON of any value; what JSON cannot hold is written as text."""
    return _ENCODER.encode(value)


def cut(text: str, limit: int = OBSERVATION_LIMIT) -> str:
    """The text, or its first `limit` characters and a mark that says how much was left out."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]} … [cut: {limit:,} of {len(text):,} characters shown]"


def block(tag: str, text: str) -> str:
    """Data between tags; a closing tag inside the data is written as ``<\\/`` (JSON reads it as the
    same)."""
    inner = text.replace("</", "<\\/")
    return f"<{tag}>\n{inner}\n</{tag}>"


def one_line(text: str, limit: int = _DESCRIPTION_LIMIT) -> str:
    """Text without line breaks, cut."""
    return cut(" ".join(text.split()), limit)


def function_lines(functions: Iterable[Function]) -> str:
    """One line per function: its JSON, cut."""
    return "\n".join(cut(as_json(each.to_json()), _FUNCTION_LIMIT) for each in functions)


def toolkit_lines(cards: Iterable[ToolkitCard], text: int | None = TOOLKIT_TEXT) -> str:
    """One line per toolkit: id, name, description. Sixty of them take 2,000 tokens.

    Args:
        text: characters of a description that are shown; None = all.
    """

    def line(card: ToolkitCard) -> str:
        described = card.description
        told = short(described, len(described) + 1 if text is None else text)
        return f"{card.id}: {short(card.name, 50)}" + (f" -- {told}" if told else "")

    return "\n".join(map(line, cards))


def short(text: str, limit: int) -> str:
    """Text without line breaks, cut at a word where there is one."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    head = line[: limit - 1]
    return f"{head.rpartition(' ')[0] or head}…"


def result_lines(
    results: Iterable[StepResult], limit: int = OBSERVATION_LIMIT, *, paths: bool = False
) -> str:
    """Each finished step with its state and its result, cut at the observation limit.

    Args:
        paths: also the places in it that an argument may refer to.
    """
    return "\n".join(
        f"step {result.step}: {one_line(result.goal)}\n"
        f"  answered by {result.api_title} with {cut(as_json(dict(result.arguments)), 300)}\n"
        + (f"  state: {one_line(result.state, 600)}\n" if result.state else "")
        + f"  result: {cut(as_json(result.value), limit)}"
        + (f"\n  paths: {path_line(result.value)}" if paths else "")
        for result in results
    )


def failure_lines(failures: Iterable[FailureCard]) -> str:
    """One line per failed attempt."""
    return "\n".join(
        f"step {failure.step} ({one_line(failure.goal, 120)}), {failure.api_title}, "
        + (f"toolkit {failure.toolkit}, " if failure.toolkit is not None else "")
        + f"arguments {cut(as_json(dict(failure.arguments)), 300)}: "
        f"{failure.error.value}: {one_line(failure.message)}"
        for failure in failures
    )


def documentation(api: Api) -> str:
    """What is known of an API, for the question that fills its arguments."""
    lines = [
        f"{api.title} ({api.method})",
        one_line(api.tool_description),
        one_line(api.description, OBSERVATION_LIMIT),
        f"parameters (JSON Schema): {as_json(api.parameters)}",
    ]
    return cut("\n".join(line for line in lines if line), _DOCUMENTATION_LIMIT)


def query_text(query: str) -> str:
    """The query of the user."""
    return block("query", query)


def observation_text(observation: Observation) -> str:
    """The outcome of a call in words for a model; the whole value stays in the log."""
    if observation.error is not None:
        words = observation.error.value.replace("_", " ")
        return f"The call failed ({words}): {cut(observation.message)}"
    is_again = observation.origin == REPEATED
    again = "Not sent a second time. What it told the first time:\n" if is_again else ""
    return f"{again}{block('result', cut(as_json(observation.value)))}"


def sent_text(observation: Observation, title: str, arguments: object) -> str:
    """What was really sent, where a person changed the call; "" where it is as it was asked."""
    if observation.api is None or observation.arguments is None:
        return ""
    is_same = observation.api.title == title and dict(observation.arguments) == arguments
    if is_same:
        return ""
    return f"Sent instead: {observation.api.title} with {as_json(dict(observation.arguments))}.\n"
