"""What tells runs of one query apart where they stand in a list: their lines would be alike.

Who planned first, then who answered and what came of it; only what parts runs that look alike so
far is said. Pure functions; used by `run_list.py`.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from toolplanner_core.domain.ids import RunId
from toolplanner_core.llm.model import is_example, model_words
from toolplanner_core.providers.provider import providers
from toolplanner_core.runs.spec import RunSummary
from toolplanner_core.strategies.strategy import strategies
from toolplanner_core.words.wording import counted, duration, one_line

_OF_ANSWER = 24
"""Characters of an answer: more would leave no room for the query."""
_Words = Callable[[RunSummary], str]


def told_apart(
    summaries: Iterable[RunSummary], said: Callable[[RunSummary], str]
) -> dict[RunId, str]:
    """Words for each run that shares its query with others, "" where nothing differs.

    Args:
        said: what a line says of a run anyway, but for the query.
    """
    by_query: defaultdict[str, list[RunSummary]] = defaultdict(list)
    for summary in summaries:
        by_query[summary.query].append(summary)
    found: dict[RunId, str] = {}
    for group in by_query.values():
        if len(group) > 1:
            parted = _parted(group, [*_BY_WHOM, (said, False), *_WHAT_CAME])
            found |= {run: " · ".join(filter(None, words)) for run, words in parted.items()}
    return found


def _parted(
    group: Sequence[RunSummary], traits: Sequence[tuple[_Words, bool]]
) -> dict[RunId, list[str]]:
    """What to say of each run of a group, by the first of the traits in which they differ, and
    then by those in which the ones that are alike in it do."""
    for place, (trait, is_to_say) in enumerate(traits):
        heaps: defaultdict[str, list[RunSummary]] = defaultdict(list)
        for summary in group:
            heaps[trait(summary)].append(summary)
        if len(heaps) > 1:
            return {
                run: [words, *more] if is_to_say else more
                for words, heap in heaps.items()
                for run, more in _parted(heap, traits[place + 1 :]).items()
            }
    return {summary.run: [] for summary in group}


def _strategy(summary: RunSummary) -> str:
    # The line of an example names its strategy.
    return "" if is_example(summary.model) else strategies.title_of(summary.strategy)


def _number(of: Callable[[RunSummary], int], one: str, many: str) -> _Words:
    return lambda summary: counted(n, one, many) if (n := of(summary)) else ""


_BY_WHOM: tuple[tuple[_Words, bool], ...] = (
    (_strategy, True),
    (lambda summary: model_words(summary.model), True),
)
_WHAT_CAME: tuple[tuple[_Words, bool], ...] = (
    (lambda summary: providers.title_of(summary.provider), True),
    (_number(lambda summary: summary.failed_calls, "failed call", "failed calls"), True),
    (_number(lambda summary: summary.fallbacks, "fallback", "fallbacks"), True),
    (_number(lambda summary: summary.replans, "replan", "replans"), True),
    (_number(lambda summary: summary.api_calls, "call", "calls"), True),
    (lambda summary: one_line(summary.answer, _OF_ANSWER), True),
    (lambda summary: duration(summary.seconds) if summary.seconds else "", True),
)
