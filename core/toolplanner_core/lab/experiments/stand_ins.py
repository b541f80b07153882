"""Do toolkits hold APIs that can stand in for each other? What recorded calls prove of it.

Two APIs of different tools are a recorded pair if they gave equal answers to calls with equal
values of arguments, whatever these are called. An API that answers everything alike proves nothing,
nor does a short answer ("ok"), nor a call without arguments. What has no recording in common is not
measured, and says nothing for or against a toolkit. Recordings mix real and simulated replies.

ToolBench, 45,284 APIs in 5,032 toolkits, embedder `words`: 225 recorded pairs in 21 sets of linked
APIs, of which one toolkit holds, by what of an API is embedded

                                      k-means    left as found    agglomerative
    tool, name, description             0.37          0.30             0.38
    the same and names of its reply     0.34          0.28             0.34
    name and description, no tool       0.98          0.97             0.99

each within 0.2 and more, for the sets are few: k-means gave 0.37 and 0.39 for vectors that differ
in their last bits. What parts the pairs is the title of the tool: they are mostly copies of one API
under titles that say nothing ("demo project"). The title is embedded
all the same: without it "Get a list" of any two tools are alike, and toolkits mix what does not
belong together. By k-means 0.59 instead of 0.77 of the APIs then lie in the largest category of
their toolkit, and their mean cosine to it is 0.74 instead of 0.80, both by the text with the title.
What searches would lose has not been measured.
"""

import itertools
import json
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

from toolplanner_core.lab.statistics.bootstrap import bootstrap_mean
from toolplanner_core.lab.statistics.estimates import Estimate
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import StoredDocument, stored_documents
from toolplanner_core.workspace.recordings import Recording, all_good_recordings

LEAST_CHARACTERS = 40
"""Of an answer; shorter ones ("ok", "not found") are equal by chance."""


class RecordedPair(NamedTuple):
    """Keys of two APIs of different tools, in their order, and how many equal answers they gave."""

    one: str
    other: str
    answers: int
    is_in_one_toolkit: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedStandIns:
    """What recordings say of a clustering.

    Attributes:
        pairs: all recorded pairs, most equal answers first.
        inside: share of the pairs that lie in one toolkit; APIs that are linked by pairs count as
            one group. None without pairs.
        of_sets: the same of each set of linked APIs, as the mean over sets: however many copies one
            API has, it counts once.
        recorded: APIs of the catalogue with an answer that could prove something.
    """

    pairs: tuple[RecordedPair, ...]
    inside: Estimate | None
    of_sets: Estimate | None
    recorded: int


def recorded_stand_ins(workspace: Workspace, *, seed: int = 0) -> RecordedStandIns:
    """Find the recorded pairs of a workspace, and how many its toolkits hold. Blocks."""
    api_of: dict[str, StoredDocument] = {}
    for document in stored_documents(workspace):
        api_of.setdefault(document.key, document)
    answers = _telling_answers(
        each for each in all_good_recordings(workspace) if each.api_key in api_of
    )
    counts: dict[tuple[str, str], int] = {}
    for keys in answers.values():
        for one, other in itertools.combinations(sorted(keys), 2):
            if api_of[one].tool != api_of[other].tool:
                counts[one, other] = counts.get((one, other), 0) + 1
    pairs = tuple(
        RecordedPair(
            one,
            other,
            number,
            api_of[one].toolkit is not None and api_of[one].toolkit == api_of[other].toolkit,
        )
        for (one, other), number in sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    )
    inside = of_sets = None
    if pairs:
        values, linked = [float(pair.is_in_one_toolkit) for pair in pairs], _linked(pairs)
        inside = bootstrap_mean(values, linked, span=(0, 1), seed=seed)
        sets: dict[Hashable, list[float]] = {}
        for name, value in zip(linked, values, strict=True):
            sets.setdefault(name, []).append(value)
        of_sets = bootstrap_mean([*map(fmean, sets.values())], span=(0, 1), seed=seed)
    recorded = len(frozenset[str]().union(*answers.values()))
    return RecordedStandIns(pairs=pairs, inside=inside, of_sets=of_sets, recorded=recorded)


def _telling_answers(recordings: Iterable[Recording]) -> dict[tuple[str, str], set[str]]:
    """Keys of APIs by values and answer, without APIs that answer everything alike."""
    said: dict[str, set[str]] = {}
    found: dict[tuple[str, str], set[str]] = {}
    for each in recordings:
        answer = _plain(each.response)
        said.setdefault(each.api_key, set()).add(answer)
        values = sorted(str(value).casefold() for value in each.values().values())
        if values and len(answer) >= LEAST_CHARACTERS:
            found.setdefault((json.dumps(values), answer), set()).add(each.api_key)
    telling = {key for key, answers in said.items() if len(answers) > 1}
    return {place: keys & telling for place, keys in found.items()}


def _plain(response: str) -> str:
    """A reply with its members in one order."""
    try:
        return json.dumps(json.loads(response), sort_keys=True, ensure_ascii=False)
    except (ValueError, RecursionError):
        return response.strip()


def _linked(pairs: Sequence[RecordedPair]) -> list[Hashable]:
    """For each pair the first API of those that pairs link with it."""
    above: dict[str, str] = {}

    def first(key: str) -> str:
        while key in above:
            key = above[key]
        return key

    for pair in pairs:
        one, other = sorted((first(pair.one), first(pair.other)))
        if one != other:
            above[other] = one
    return [first(pair.one) for pair in pairs]
