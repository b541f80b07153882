"""Runs as rows of a list: forks below the run they came from, and what each is, in words.

Where lines of runs of one query would be alike, only what tells them apart is said: who planned
first, then who answered and what came of it. Pure functions, tested without a window.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from toolplanner_core.domain.ids import RunId
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.domain.plan import Status
from toolplanner_core.llm.model import EXAMPLE_WORDS, is_example, model_words
from toolplanner_core.prompts.question import Role
from toolplanner_core.providers.provider import providers
from toolplanner_core.runs.config.spec import RunSummary
from toolplanner_core.runs.presentation.run_columns import evidence_words
from toolplanner_core.runs.presentation.states import (
    FAULT_WORDS,
    NODE_LOOKS,
    RUN_LOOKS,
    Look,
    status_look,
)
from toolplanner_core.runs.tree.formatting import (
    blamed_words,
    cost_words,
    count_words,
    model_calls_words,
    token_words,
    verdict_lines,
)
from toolplanner_core.strategies.interface.strategy import strategies
from toolplanner_core.words.formatting import counted, duration, one_line

_OF_ANSWER = 24
"""Characters of an answer: more would leave no room for the query."""
_Words = Callable[[RunSummary], str]


def distinguishing_labels(
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
    (lambda summary: _began(summary, "seconds"), True),
    (lambda summary: _began(summary, "milliseconds"), True),
)


def _began(summary: RunSummary, timespec: str) -> str:
    """The time of day on this machine, of runs that are alike in all else."""
    if not summary.started_us:
        return ""
    then = datetime.fromtimestamp(summary.started_us / 1e6, tz=UTC).astimezone()
    return f"at {then.time().isoformat(timespec)}"


_DEEPEST = 6
"""Forks of forks are indented so far; deeper ones stand below each other."""


class Listed(NamedTuple):
    """A run and how deep it stands below the run that its family began with."""

    summary: RunSummary
    depth: int


def in_families(summaries: Sequence[RunSummary]) -> list[Listed]:
    """Each run followed by its forks, oldest first; the family with the newest run is first.

    A fork whose parent is not among them stands by itself.
    """
    known = {s.run: s for s in summaries}
    forks: dict[RunId, list[RunSummary]] = defaultdict(list)
    roots: list[RunSummary] = []
    for summary in sorted(summaries, key=lambda s: s.run):
        parent = summary.parent_run
        # A parent is always older: a cycle cannot come about.
        if parent is not None and parent in known and parent < summary.run:
            forks[parent].append(summary)
        else:
            roots.append(summary)
    families = [_family(root, forks) for root in roots]
    families.sort(key=lambda family: max(item.summary.run for item in family), reverse=True)
    return [item for family in families for item in family]


def _family(root: RunSummary, forks: Mapping[RunId, Sequence[RunSummary]]) -> list[Listed]:
    found: list[Listed] = []
    waiting = [Listed(root, 0)]
    while waiting:
        item = waiting.pop()
        found.append(item)
        below = [Listed(fork, item.depth + 1) for fork in forks.get(item.summary.run, ())]
        waiting.extend(reversed(below))
    return found


def best_comparison(summaries: Sequence[RunSummary], with_run: RunId) -> list[RunSummary]:
    """The other runs, those that a person most likely compares with one first: of its family, then
    of the same query, then all others; the newest of each first."""
    chosen = next((s for s in summaries if s.run == with_run), None)
    family = {item.run for item in summaries if chosen and _are_near(item, chosen)}
    query = chosen.query if chosen else ""

    def far(summary: RunSummary) -> tuple[bool, bool, int]:
        return summary.run not in family, summary.query != query, -summary.run

    return sorted((s for s in summaries if s.run != with_run), key=far)


def _are_near(one: RunSummary, other: RunSummary) -> bool:
    """Whether one is a fork of the other, or both are forks of one run."""
    families = [{each.run, each.parent_run} - {None} for each in (one, other)]
    return bool(families[0] & families[1])


def run_look(summary: RunSummary, *, depth: int = 0, is_held: bool = False) -> Look:
    """Icon, colour and words of a run: how it ended, and that it is a fork or was imported.

    Args:
        depth: of a fork that stands below its parent, which need not be named then.
        is_held: it goes on and waits for a person.
    """
    ended = status_look(summary.status, summary.strategy)
    look = NODE_LOOKS[NodeState.PAUSED] if is_held else ended
    made_up = made_up_words(summary)
    is_plain = summary.status is Status.SOLVED and not made_up
    words = ["★"] if summary.is_starred else []
    words += [summary.label] if summary.label else []
    words += [] if is_plain else [look.word]
    if is_example(summary.model):
        words.append(f"{strategies.title_of(summary.strategy)} · {EXAMPLE_WORDS}")
    if made_up:
        look = look._replace(icon="flask-outline", token="fell_back")
        words += made_up
    if summary.counts.get("injected faults"):
        words.append(FAULT_WORDS)
    icon = look.icon
    if summary.parent_run is not None:
        words.append("fork" if depth else f"fork of {summary.parent_run}")
        icon = "source-fork"
    if summary.is_imported:
        words.append("imported")
        icon = "import"
    words += ["of a case"] if summary.case else []
    # How it ended is what one looks for; where it came from is said in words.
    if summary.status not in (Status.SOLVED, Status.UNSOLVED):
        icon = look.icon
    return Look(icon, look.token, " · ".join(words))


def made_up_words(summary: RunSummary) -> list[str]:
    """What is to be said where it holds replies that were, or may be, invented."""
    return [word for word in ("simulated", "virtual") if summary.counts.get(f"{word} replies")]


def status_words(summary: RunSummary, *, is_held: bool = False) -> str:
    """How it ended or that it is held, and whether it is real, in a column of the terminal."""
    marks = [*made_up_words(summary)]
    marks += [FAULT_WORDS] if summary.counts.get("injected faults") else []
    marks += [EXAMPLE_WORDS.lower()] if is_example(summary.model) else []
    ended = status_look(summary.status, summary.strategy)
    look = NODE_LOOKS[NodeState.PAUSED] if is_held else ended
    return " ".join([look.word, *(f"({word})" for word in marks)])


def examples_words(left: RunSummary, right: RunSummary) -> str:
    """Which of two runs are examples; "" = none."""
    found = [str(each.run) for each in (left, right) if is_example(each.model)]
    if not found:
        return ""
    return f"{EXAMPLE_WORDS}: {'both' if len(found) > 1 else f'run {found[0]}'}"


def what_differs(summaries: Sequence[RunSummary]) -> dict[RunId, str]:
    """What tells the runs of a list apart that have one query, for their lines."""
    return distinguishing_labels(summaries, lambda summary: run_look(summary).word)


def _special(look: Look) -> str:
    """What is to be read beside the icon: that a run is not solved, or not checked, is said by its
    icon and its tooltip, and the words took the room of the query; of several of one query it is
    said."""
    usual = (RUN_LOOKS[Status.UNSOLVED].word, RUN_LOOKS[Status.ANSWERED].word)
    return " · ".join(word for word in look.word.split(" · ") if word not in usual)


def run_line(
    summary: RunSummary, *, depth: int = 0, is_held: bool = False, differs: str = ""
) -> str:
    """A run in one line: number, query, what is special about it.

    Where there is little room, lists cut it in its middle, so that both ends are read.

    Args:
        differs: of runs with the same query, see `what_differs`.
    """
    mark = "    " * (min(depth, _DEEPEST) - 1) + "↳ " if depth else ""
    look = run_look(summary, depth=depth, is_held=is_held)
    special = look.word if differs else _special(look)
    words = (one_line(summary.query, 80), differs, special)
    return f"{mark}{summary.run}  {' · '.join(part for part in words if part)}"


def calls_words(summary: RunSummary) -> str:
    """How many calls were sent and how many failed, and which of these were made to fail."""
    by_whom = blamed_words(summary.failed_by_you, summary.failed_by_fault)
    return f"{counted(summary.api_calls, 'API call')}, {summary.failed_calls:,} failed{by_whom}"


def provider_words(root: Mapping[str, Any]) -> str:
    """Who answered the calls of a run, and which day it is there if that is not the machine's.

    Args:
        root: what is known of the run itself.
    """
    title, day = providers.title_of(str(root.get("provider", ""))), root.get("day")
    return f"{title}, where it is {day}" if day else title


def roles_words(models: Mapping[str, str]) -> str:
    """Models that plan or judge where another one acts: ", planning with X"; "" if one does all."""
    others = {role: model for role, model in models.items() if model != models.get(Role.ACTING)}
    return "".join(f", {role} with {model_words(model)}" for role, model in others.items())


def former_words(summary: RunSummary) -> str:
    """What the word of a run of an earlier version meant, which stored no outcome and no evidence;
    "" for all others."""
    is_former = not summary.outcome and not summary.is_imported
    if not is_former or summary.status is not Status.SOLVED:
        return ""
    return "It is of an earlier version, where solved meant that calls had served it."


def describe_run(summary: RunSummary, *, snippet: str = "") -> str:
    """A run in a few lines, with who planned and who answered."""
    model = model_words(summary.model)
    word = status_look(summary.status, summary.strategy).word
    lines = [
        f"Run {summary.run}: {summary.query}",
        f"{word} by {strategies.title_of(summary.strategy)} with {model}"
        f"{roles_words(summary.models)} on {providers.title_of(summary.provider)}",
        model_calls_words(summary.model_calls, summary.repeated_model_calls),
        " · ".join([calls_words(summary), *count_words(summary.counts), duration(summary.seconds)]),
    ]
    if summary.tokens or summary.cost:
        tokens = token_words(summary.tokens, summary.estimated_tokens)
        lines.append(f"{tokens} · cost {cost_words(summary.cost)}")
    if summary.parent_run is not None:
        lines.append(f"Forked from run {summary.parent_run}")
    if is_example(summary.model):
        lines.append(f"{EXAMPLE_WORDS}: no language model was asked")
    if summary.is_imported:
        lines.append("Imported from a file")
    if former := former_words(summary):
        lines.append(former)
    if evidence := evidence_words(summary):
        lines.append(f"Evidence: {evidence}")
    lines += verdict_lines(summary.verdicts)
    if summary.note:
        lines.append(f"Note: {summary.note}")
    if snippet:
        lines.append(f"Found: {snippet}")
    return "\n".join(lines)
