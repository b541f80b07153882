"""What phrases an API's documentation holds, and how far each sets a toolkit apart.

Weights follow c-TF-IDF (Source: Grootendorst 2022, BERTopic, arXiv 2203.05794): how much of the
group says it, times how few of all say it. Two changes for tool catalogues: an API counts a phrase
once (a long text is not a louder one), and "all" counts tools, not APIs, so that one vendor with
300 APIs does not make its trade look common.
"""

import functools
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from toolplanner_core.curation.naming.casing import Casing
from toolplanner_core.curation.naming.meaning import Meaning
from toolplanner_core.curation.naming.phrase_cutting import (
    Phrase,
    action_stem,
    first_sentences,
    phrases,
    plain,
)
from toolplanner_core.curation.naming.verb_nouns import (
    ACTION_OF,
    NEVER_FIRST,
    NOT_NOUNS,
)
from toolplanner_core.words.glued import GluedWords
from toolplanner_core.words.stems import without_possessive
from toolplanner_core.words.stop_words import (
    FUNCTION_WORDS,
    GENERIC,
    ONLY_FIRST,
    ONLY_LAST,
)
from toolplanner_core.words.stretches import identifier_words, words
from toolplanner_core.workspace.documentation import ApiText

Key = tuple[str, ...]
"""Stems of a phrase of one to three words."""

_LONGEST = 3
_NAME, _DESCRIPTION, _TOOL, _TOOL_DESCRIPTION = 1.0, 0.6, 0.7, 0.25
"""How much each field says about what an API does."""

_REFRAIN, _REFRAIN_APIS = 0.6, 5
"""What more than this share of a tool's descriptions say, where it has at least so many."""

_RARITY, _RARITY_IN_TOOL = 0.7, 0.3
"""Below 1 how many of the group say a phrase counts more than how few others do."""
_TELLS_LITTLE = 4
"""An API with fewer phrases of its own is about what its tool's title says."""

_WEIGHED = 30
"""Phrases of a group whose meaning is looked at."""
_LEAST_NEAR = 0.35
"""How much a phrase counts that has nothing to do with what the group is about."""

_IDEOGRAPH = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
_CODE = re.compile(r"[a-z]{2,}[A-Z]")
_VENDOR_TOOLS, _VENDOR_FAMILY = 2, 8
"""A word of a tool's title is a brand if no more tools than this use it anywhere; a proper name
also if a vendor's family of tools does."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A phrase as a name for a group.

    Attributes:
        coverage: share of the group's members that say it, 0 to 1; louder where a name does.
        said: positions in the group of the members that say it.
        tools: how many tools of the group say it.
        is_weak: a common word, a name only if nothing better is found.
        score: coverage times rarity; comparable within one group.
    """

    key: Key
    coverage: float
    said: frozenset[int]
    tools: int
    score: float
    is_weak: bool


class PhraseBook:
    """All phrases of a catalogue.

    Args:
        apis: (n,) all APIs.

    Attributes:
        tools: (n,) number of the tool of each API.
        titles: of each tool, as documented.
        title_stems: stems of their words.
        casing: how words are written.
    """

    def __init__(self, apis: Sequence[ApiText]) -> None:
        numbers: dict[tuple[str, str, str], int] = {}
        self.tools = [
            numbers.setdefault((api.category, api.tool, api.tool_description), len(numbers))
            for api in apis
        ]
        self.titles = [tool for _, tool, _ in numbers]
        cut = [first_sentences(plain(api.description), most=160) for api in apis]
        self.glued = GluedWords(zip(self.tools, cut, strict=True))
        tool_cut = [first_sentences(plain(text), most=160) for _, _, text in numbers]
        self.casing = Casing([*zip(self.tools, cut, strict=True), *enumerate(tool_cut)])
        self._words: dict[str, Counter[str]] = defaultdict(Counter)
        self._of_tool = [
            self._weights(title, text, of_name=_TOOL, of_text=_TOOL_DESCRIPTION)
            for title, text in zip(self.titles, tool_cut, strict=True)
        ]
        self._of_api = [
            self._weights(api.name, text, of_name=_NAME, of_text=_DESCRIPTION, is_split=True)
            for api, text in zip(apis, cut, strict=True)
        ]
        self._drop_refrains()
        self._forms = self._collect_forms()
        self._number = functools.cache(self._choose_number)
        self._tools_saying = self._count_tools()
        self.title_stems = [self.stems_of(title) for title in self.titles]
        self._meaning = Meaning(
            [
                f"{self.titles[t]} {' '.join(self._name_words(api.name))} {text}"
                for t, api, text in zip(self.tools, apis, cut, strict=True)
            ]
        )

    def brand(self, tool: int) -> Key:
        """Stems of the words in a tool's title that hardly any other tool uses."""
        for most in (_VENDOR_TOOLS, _VENDOR_FAMILY):
            found = tuple(
                word
                for word in self.title_stems[tool]
                if self._tools_saying[(word,)] <= most
                and len(word) > 1
                and word not in FUNCTION_WORDS
                and word not in GENERIC
                and (most == _VENDOR_TOOLS or self.casing.is_name(word))
            )
            if found:
                return found
        return ()

    def form(self, key: Key) -> str:
        """The phrase as it is written within a sentence, in its most usual number."""
        *before, last = key
        if not before:
            return self.casing.write(self._number(last, 0.05))
        return " ".join(
            [
                *(self.casing.write(self._number(word, 0.9)) for word in before),
                self.casing.write(self._number(last, 0.25)),
            ]
        )

    def is_name(self, key: Key) -> bool:
        """Whether the phrase is a proper name or an abbreviation."""
        return all(self.casing.is_name(word) for word in key)

    def _choose_number(self, word: str, least_plural: float) -> str:
        """The plural if it is at least this share of how a stem is written, else the singular."""
        forms = self._forms.get(word)
        if not forms:
            return word
        plurals = Counter({form: n for form, n in forms.items() if form.endswith("s")})
        singulars = forms - plurals
        is_plural = plurals.total() >= least_plural * forms.total()
        return ((plurals if is_plural else singulars) or forms).most_common(1)[0][0]

    def score(self, members: Sequence[int], *, with_tools: bool = True) -> list[Scored]:
        """Phrases of a group, best first; only those that could stand in a name.

        Args:
            members: positions of APIs.
            with_tools: count what their tools say of themselves, too; False for a group of one
                tool, where that sets nothing apart.
        """
        in_group = Counter(self.tools[i] for i in members)
        said: dict[Key, float] = defaultdict(float)
        said_at: dict[Key, set[int]] = defaultdict(set)
        total = 0.0
        for place, i in enumerate(members):
            # Ten APIs of one tool say a thing about three times as loudly as one.
            tool = self.tools[i]
            share = in_group[tool] ** -0.5
            total += share
            weights = self._of_api[i]
            tells_little = len(weights) < _TELLS_LITTLE
            if with_tools:
                weights = {**self._of_tool[tool], **weights}
            for key, weight in weights.items():
                said[key] += weight * share
                if weight >= _DESCRIPTION and (weight != _TOOL or tells_little):
                    said_at[key].add(place)
        n_tools = len(self.titles)
        scored: list[Scored] = []
        least = 0.1 if len(members) > 3 else 0.0
        for key, sum_said in said.items():
            coverage = min(1.0, sum_said / total)
            if coverage < least:
                continue
            fit = _fit(key, self.casing)
            if fit:
                rarity = math.log1p(n_tools / (2 + self._tools_saying[key]))
                power = _RARITY if with_tools else _RARITY_IN_TOOL
                score = coverage * rarity**power * _LENGTH_BONUS[len(key)]
                at = frozenset(said_at[key])
                tools = len({self.tools[members[place]] for place in at})
                scored.append(Scored(key, coverage, at, tools, score, fit == _WEAK))
        scored.sort(key=lambda one: (-one.score, one.key))
        best = scored[:_WEIGHED]
        near = self._meaning.nearness([self.form(one.key) for one in best], members)
        weighed = [
            replace(one, score=one.score * (_LEAST_NEAR + max(0.0, cosine)))
            for one, cosine in zip(best, near.tolist(), strict=True)
        ]
        return sorted(weighed, key=lambda one: (-one.score, one.key))

    def _drop_refrains(self) -> None:
        """What nearly all descriptions of a tool say is about the tool ("see the link"), not about
        one API: it does not count unless the API's name says it."""
        of_tool: dict[int, list[dict[Key, float]]] = defaultdict(list)
        for tool, weights in zip(self.tools, self._of_api, strict=True):
            of_tool[tool].append(weights)
        for of_apis in of_tool.values():
            if len(of_apis) < _REFRAIN_APIS:
                continue
            counts = Counter(key for each in of_apis for key, w in each.items() if w < _NAME)
            for key, n in counts.items():
                if n > _REFRAIN * len(of_apis):
                    for each in of_apis:
                        if each.get(key, _NAME) < _NAME:
                            del each[key]

    def _weights(
        self, name: str, text: str, *, of_name: float, of_text: float, is_split: bool = False
    ) -> dict[Key, float]:
        """What a name and a text say, and how much each of it counts."""
        weights: dict[Key, float] = {}
        self._add(weights, phrases(self._without_code(text)), of_text)
        runs = identifier_words(plain(name), self.casing.whole)
        if is_split:
            runs = ([piece for word in run for piece in self.glued.split(word)] for run in runs)
        self._add(weights, phrases(runs), of_name)
        return weights

    def _without_code(self, text: str) -> Iterator[list[str]]:
        """Running text without names of parameters, such as "perPage"."""
        for run in words(text):
            yield [word for word in run if not _CODE.match(word)]

    def _name_words(self, name: str) -> Iterator[str]:
        for run in identifier_words(plain(name), self.casing.whole):
            for word in run:
                yield from self.glued.split(word)

    def _add(self, weights: dict[Key, float], runs: Iterator[Phrase], weight: float) -> None:
        for run in runs:
            stems = tuple(map(action_stem, run))
            for word, key in zip(run, stems, strict=True):
                self._words[key][word] += 1
            n = len(stems)
            for begin in range(n):
                for end in range(begin + 1, min(n, begin + _LONGEST) + 1):
                    key = stems[begin:end]
                    weights[key] = max(weight, weights.get(key, 0.0))

    def _collect_forms(self) -> dict[str, Counter[str]]:
        """How often each stem is written how, in lower case and without "'s"."""
        forms: dict[str, Counter[str]] = {}
        for key, written in self._words.items():
            counts = forms[key] = Counter[str]()
            for word, n in written.items():
                form = without_possessive(word.lower())
                counts[ACTION_OF.get(form, form)] += n
        return forms

    def _count_tools(self) -> Counter[Key]:
        keys: list[set[Key]] = [set(weights) for weights in self._of_tool]
        for tool, weights in zip(self.tools, self._of_api, strict=True):
            keys[tool].update(weights)
        counts: Counter[Key] = Counter()
        for of_one in keys:
            counts.update(of_one)
        return counts

    def stems_of(self, title: str) -> list[str]:
        """Stems of the words of a name."""
        return [
            action_stem(word)
            for run in identifier_words(plain(title), self.casing.whole)
            for word in run
        ]


_LENGTH_BONUS = {1: 1.0, 2: 1.5, 3: 1.55}
"""People name a toolkit with two words rather than one; the third rarely adds to it."""


_UNFIT, _WEAK, _GOOD = 0, 1, 2


def _fit(key: Key, casing: Casing) -> int:
    """Whether a phrase can be a name."""
    if len(set(key)) < len(key) or any(len(word) > 20 for word in key):
        return _UNFIT
    if key[-1] in ONLY_FIRST or key[-1] in NEVER_FIRST or key[0] in NEVER_FIRST:
        return _UNFIT
    if len(key) == 1:
        word = key[0]
        if word in ONLY_LAST_STEMS:
            return _WEAK
        if (
            word in NOT_NOUNS
            or word.endswith(("ed", "ly"))
            or (
                len(word) < 3
                and not _IDEOGRAPH.match(word)
                and (len(word) < 2 or not casing.is_name(word))
            )
        ):
            return _UNFIT
        return _GOOD
    if key[0] in ONLY_LAST_STEMS:
        return _UNFIT
    if not all(len(word) > 1 or word.isdigit() for word in key):
        return _UNFIT
    return _GOOD


ONLY_LAST_STEMS = frozenset(action_stem(word) for word in ONLY_LAST)
