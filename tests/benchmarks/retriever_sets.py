"""The queries that a trained retriever is judged by, and the proof that it learned from none.

A model's own held-out queries are of tools that nothing was learned about; the other public sets
were never trained on. DRAFT's, over the same catalogue, are taken without those that nearly repeat
a learned query, and again without those that need a tool that was learned about.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from fixtures.query_sets import QuerySet, Question, small_sets, toolbench_sets

from toolplanner_core.embedding.trained import TrainedModel
from toolplanner_core.training.labelled import NEAR, query_words, similarity
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import stored_documents

HELD = "held out"


class Learned(NamedTuple):
    """What a model was trained on: the words of its queries, and their tools."""

    queries: Sequence[frozenset[str]]
    tools: frozenset[str]

    def is_near(self, question: Question) -> bool:
        """Whether it is nearly one of the queries."""
        words = query_words(question.text)
        return any(similarity(words, other) >= NEAR for other in self.queries)


class JudgedSet(NamedTuple):
    """One set of queries.

    Attributes:
        near: how many are nearly one that was learned from; known: how many need a tool that was
            learned about, of the same catalogue.
    """

    queries: QuerySet
    near: int
    known: int


def unseen(
    questions: Sequence[Question], learned: Learned, tool_of: Mapping[str, str]
) -> tuple[list[Question], list[Question]]:
    """The questions that are no near-duplicates of learned ones, and those of them that need no
    tool that was learned about.

    Args:
        tool_of: the tool of each API by its key.
    """
    new = [each for each in questions if not learned.is_near(each)]
    strange = [each for each in new if not {tool_of.get(key) for key in each.gold} & learned.tools]
    return new, strange


def judged_sets(
    workspace: Workspace, model: TrainedModel, data: Path, *, most: int
) -> list[JudgedSet]:
    """All sets, the held-out queries first.

    Args:
        workspace: holds ToolBench's catalogue.
        most: queries of MetaTool, which has 20,000.

    Raises:
        AssertionError: a held-out query, or a tool of one, was learned from.
    """
    seen = model.record["learned"]
    learned = Learned([query_words(text) for text in seen["queries"]], frozenset(seen["tools"]))
    tool_of = {document.key: document.tool for document in stored_documents(workspace)}
    draft = next(each.questions for each in toolbench_sets(data) if each.name == "DRAFT")
    new, strange = unseen(draft, learned, tool_of)
    sets = [
        QuerySet(HELD, held_out(model), None),
        QuerySet("DRAFT", new, None),
        QuerySet("DRAFT, other tools", strange, None),
        *small_sets(data, most=most),
    ]
    found = [_judged(each, learned, tool_of) for each in sets]
    assert (found[0].near, found[0].known) == (0, 0), "a held-out query was learned from"
    return found


def held_out(model: TrainedModel) -> list[Question]:
    """The queries that its training kept for tests."""
    return [Question(each["query"], frozenset(each["gold"])) for each in model.record["test"]]


def _judged(queries: QuerySet, learned: Learned, tool_of: Mapping[str, str]) -> JudgedSet:
    near = sum(learned.is_near(each) for each in queries.questions)
    known = 0
    if queries.apis is None:
        tools = [{tool_of.get(key) for key in each.gold} for each in queries.questions]
        known = sum(bool(each & learned.tools) for each in tools)
    return JudgedSet(queries, near, known)
