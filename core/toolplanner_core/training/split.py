"""Which labelled queries are trained on, and which are kept for testing.

By tool: whoever trains on one API of a tool has seen how the tool is spoken of. So tests are about
tools of which nothing was trained on, and a check proves it.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from toolplanner_core.errors import ToolPlannerError
from toolplanner_core.training.labelled import (
    NEAR,
    Document,
    LabelledQuery,
    query_words,
    similarity,
)
from toolplanner_core.training.made_queries import MADE


class LeakedTest(ToolPlannerError):
    """A test query, or a tool of one, is in the training set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitQueries:
    """Queries by what they are for.

    Attributes:
        dev: for early stopping, taken out of what would be trained on, by tool as well.
        left_out: share a tool with a test or dev query, and are used for nothing.
    """

    train: list[LabelledQuery]
    dev: list[LabelledQuery]
    test: list[LabelledQuery]
    left_out: int


def split_by_tool(
    queries: Sequence[LabelledQuery],
    documents: Sequence[Document],
    *,
    tested: Sequence[str] = (),
    test_share: float = 0.3,
    dev_share: float = 0.1,
    seed: int = 0,
) -> SplitQueries:
    """Split so that no tool of a test query is trained on.

    Args:
        tested: sources that test queries are drawn from; none = all but what was made.
        test_share, dev_share: of the queries of these sources, about.
    """
    drawn = random.Random(seed)
    labelled = [query for query in queries if query.source != MADE]
    asked = [query for query in labelled if not tested or query.source in tested]
    drawn.shuffle(asked)
    test, test_tools = _take(asked, documents, int(len(asked) * test_share), set())
    rest = [query for query in asked if not tools_of(query, documents) & test_tools]
    dev, dev_tools = _take(rest, documents, int(len(asked) * dev_share), set(test_tools))
    held = test_tools | dev_tools
    train = [query for query in queries if not tools_of(query, documents) & held]
    used = len(train) + len(dev) + len(test)
    split = SplitQueries(train=train, dev=dev, test=test, left_out=len(queries) - used)
    check_split(split, documents)
    return split


def tools_of(query: LabelledQuery, documents: Sequence[Document]) -> frozenset[str]:
    """The tools of the APIs that answer a query."""
    return frozenset[str]().union(*(documents[at].tools for at in query.gold))


def check_split(split: SplitQueries, documents: Sequence[Document]) -> None:
    """Prove that testing is fair.

    Raises:
        LeakedTest: a tool of a test query is trained on, or a training query says nearly the same
            as a test query.
    """
    trained = frozenset[str]().union(*(tools_of(q, documents) for q in (*split.train, *split.dev)))
    words = [query_words(query.text) for query in (*split.train, *split.dev)]
    for query in split.test:
        if shared := tools_of(query, documents) & trained:
            raise LeakedTest(
                f"The tool {min(shared)} of a test query was trained on", where=query.text[:80]
            )
        own = query_words(query.text)
        if any(similarity(own, other) >= NEAR for other in words):
            raise LeakedTest(
                "A test query is nearly one that was trained on", where=query.text[:80]
            )


def _take(
    queries: Sequence[LabelledQuery], documents: Sequence[Document], wanted: int, taken: set[str]
) -> tuple[list[LabelledQuery], set[str]]:
    """Queries until `wanted` are there, with the others whose tools are all among theirs."""
    tools: set[str] = set()
    count = 0
    for query in queries:
        if count >= wanted:
            break
        tools |= tools_of(query, documents)
        count = sum(tools_of(each, documents) <= tools for each in queries)
    chosen = [each for each in queries if tools_of(each, documents) <= tools]
    return (chosen, tools - taken) if wanted else ([], set())
