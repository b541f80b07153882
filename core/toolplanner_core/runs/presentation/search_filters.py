"""What runs can be filtered by: fields of a search that a person chooses instead of typing."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.runs.config.spec import RunSummary
from toolplanner_core.runs.presentation.states import RUN_LOOKS


class FilterChoice(NamedTuple):
    """A field with its value as it is typed, and what it is for people."""

    term: str
    words: str


def filter_choices(summaries: Sequence[RunSummary]) -> list[tuple[str, list[FilterChoice]]]:
    """What these runs can be filtered by, in groups with their titles."""
    labels = Counter(each.label for each in summaries if each.label)
    strategies = Counter(each.strategy for each in summaries)
    outcomes = Counter(each.status for each in summaries)
    starred = sum(each.is_starred for each in summaries)
    said = [_term("label", label, f"{label} ({n:,})") for label, n in labels.most_common()]
    stars = [FilterChoice("is:starred", f"★ starred ({starred:,})")] if starred else []
    return [
        (
            "Outcome",
            [_term("status", s, f"{RUN_LOOKS[s].word} ({n:,})") for s, n in outcomes.most_common()],
        ),
        ("Failure", [_term("error", e, e.replace("_", " ")) for e in ErrorClass]),
        ("Label", stars + said),
        ("Strategy", [_term("strategy", s, f"{s} ({n:,})") for s, n in strategies.most_common()]),
    ]


def toggled(text: str, term: str) -> str:
    """A search with a term, or without it if it is there; another value of its field goes."""
    field = term.partition(":")[0]
    left = [each for each in _terms(text) if each.partition(":")[0] != field or ":" not in each]
    return " ".join(left if term in _terms(text) else [*left, term])


def _terms(text: str) -> list[str]:
    """The words and fields of a search, quotes kept together."""
    parts: list[str] = []
    is_open = False
    for word in text.split():
        if is_open:
            parts[-1] += f" {word}"
        else:
            parts.append(word)
        is_open ^= word.count('"') % 2 == 1
    return parts


def _term(field: str, value: Iterable[str], words: str) -> FilterChoice:
    text = str(value)
    return FilterChoice(f'{field}:"{text}"' if " " in text else f"{field}:{text}", words)
