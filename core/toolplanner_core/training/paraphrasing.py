"""Paraphrases of queries by a language model, for training sets: the same wish in other words.

Without a model there are none: a fixed phrase in front of a query is no other wording.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from toolplanner_core.jobs.progress import Progress
from toolplanner_core.llm.model import ModelError
from toolplanner_core.llm.model_client import ModelClient
from toolplanner_core.prompts.paraphrase import Paraphrase


@dataclass(frozen=True, slots=True, kw_only=True)
class Paraphrases:
    """What a model made of queries.

    Attributes:
        model: that made them, such as "openai:NAME"; "" = nobody was asked.
        by_query: other wordings of each query; a query that got none is not there.
        failed: queries that got none that keeps their values.
    """

    model: str = ""
    by_query: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    failed: int = 0


def paraphrase_queries(
    queries: Sequence[str], count: int, *, model: str, progress: Progress
) -> Paraphrases:
    """Ask a model for `count` other wordings of each query. Blocks.

    Args:
        model: "" = the usual one.

    Raises:
        NotFound: no such model.
        BadInput: no model was chosen.
        ModelUnavailable: it lacks a key or an address, or the day's budget is used up.
        Cancelled: `progress` was cancelled.
    """
    asked = ModelClient(model, doing="Paraphrasing", wanted="paraphrase")
    found: dict[str, tuple[str, ...]] = {}
    distinct = list(dict.fromkeys(queries))

    async def ask() -> None:
        async with asked:
            for number, query in enumerate(distinct):
                progress.check()
                progress.report("Paraphrasing", number, len(distinct), "queries")
                try:
                    found[query] = await asked.ask(Paraphrase(query=query, count=count))
                except ModelError:
                    continue

    asyncio.run(ask())
    return Paraphrases(model=asked.spec, by_query=found, failed=len(distinct) - len(found))
