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

from toolplanner_core.curation.naming.casing import Casing
from toolplanner_core.curation.naming.meaning import Meaning, UsualWords
from toolplanner_core.curation.naming.phrase_cutting import (
    Phrase,
    action_stem,
    first_sentences,
    phrases,
    plain,
)
from toolplanner_core.curation.naming.verb_nouns import ACTION_OF, ACTIONS
from toolplanner_core.words.stems import without_possessive
from toolplanner_core.words.stop_words import FUNCTION_WORDS, GENERIC
from toolplanner_core.words.word_splitting import WordSegmenter, identifier_words, words
from toolplanner_core.workspace.catalogue import ApiText

Key = tuple[str, ...]
"""Stems of a phrase of one to three words."""

_LONGEST = 3
IN_NAME, IN_DESCRIPTION, IN_TITLE, IN_TOOL_DESCRIPTION = 1.0, 0.6, 0.7, 0.25
"""How much each field says about what an API does."""
_GIVEN_BY = frozenset(("by", "per", "within"))
AS_GIVEN = 0.3
"""How much a name says behind "by" or "per": of "teams by league" an API gives teams."""

_REFRAIN, _REFRAIN_APIS = 0.6, 5
"""What more than this share of a tool's descriptions say, where it has at least so many."""

_COMMON = 0.002
"""What no more than this share of all tools say is rare; rarer is not better."""
_USUAL = 3
_TELLS_LITTLE = 4
"""An API with fewer phrases of its own is about what its tool's title says."""

_ASIDE = re.compile(r"\([^()]*\)")
_CODE = re.compile(r"[a-z]{2,}[A-Z]")
_VENDOR_TOOLS, _VENDOR_FAMILY = 2, 8
"""A word of a tool's title is a brand if no more tools than this use it anywhere; a proper name
also if a vendor's family of tools does."""


class PhraseBook:
    """All phrases of a catalogue.

    Args:
        apis: (n,) all APIs.

    Attributes:
        tools: (n,) number of the tool of each API.
        sizes: how many APIs each tool has.
        titles: of each tool, as documented.
        title_stems: stems of their words.
        casing: how words are written.
    """

    def __init__(self, apis: Sequence[ApiText]) -> None:
        numbers: dict[tuple[str, str, str], int] = {}
        self.tools = [numbers.setdefault(api.tool_key, len(numbers)) for api in apis]
        self.sizes = Counter(self.tools)
        self.titles = [tool for _, tool, _ in numbers]
        cut = [first_sentences(plain(api.description), most=160) for api in apis]
        usual = UsualWords()
        self.glued = WordSegmenter(zip(self.tools, cut, strict=True), is_word=usual.__contains__)
        tool_cut = [first_sentences(plain(text), most=160) for _, _, text in numbers]
        self.casing = Casing([*zip(self.tools, cut, strict=True), *enumerate(tool_cut)])
        self._words: dict[str, Counter[str]] = defaultdict(Counter)
        # Three of four phrases of a large catalogue occur again: one tuple of each is enough.
        self._keys: dict[Key, Key] = {}
        self._of_tool = [
            self._weights(title, text, of_name=IN_TITLE, of_text=IN_TOOL_DESCRIPTION)
            for title, text in zip(self.titles, tool_cut, strict=True)
        ]
        self._of_api = [
            self._weights(api.name, text, of_name=IN_NAME, of_text=IN_DESCRIPTION, is_split=True)
            for api, text in zip(apis, cut, strict=True)
        ]
        self._keys.clear()
        self._drop_refrains()
        self._forms = self._collect_forms()
        self._number = functools.cache(self._choose_number)
        self._tools_saying = self._count_tools()
        self.title_stems = [self.stems_of(title) for title in self.titles]
        self._meaning = Meaning(
            [
                f"{self.titles[t]} {' '.join(self._name_words(api.name))} {text}"
                for t, api, text in zip(self.tools, apis, cut, strict=True)
            ],
            usual,
        )

    def brand(self, tool: int) -> Key:
        """Stems of the words in a tool's title that hardly any other tool uses."""
        for most in (_VENDOR_TOOLS, _VENDOR_FAMILY):
            found = tuple(
                word
                for word in self.title_stems[tool]
                if self._tools_saying[(word,)] <= most
                and len(word) > 1
                and not word.isdigit()
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

    def is_plain(self, words: Sequence[str]) -> bool:
        """Whether people use all these words."""
        return all(map(self._meaning.is_usual, words))

    def is_usual(self, key: Key) -> bool:
        """Whether the documentation of several tools says it."""
        return self._tools_saying[key] >= _USUAL

    def tools_saying(self, key: Key) -> int:
        """How many tools say the phrase."""
        return self._tools_saying[key]

    def is_known(self, stem: str) -> bool:
        """Whether people or several tools use the word, or it is a proper name."""
        return self.is_usual((stem,)) or self.casing.is_name(stem) or self.is_plain([stem])

    def is_written(self, stem: str) -> bool:
        """Whether it is known, or running text has it, not only identifiers."""
        forms = (stem, *self._forms.get(stem, ()))
        return any(form in self.glued.written for form in forms) or self.is_known(stem)

    def _choose_number(self, word: str, least_plural: float) -> str:
        """The plural if it is at least this share of how a stem is written, else the singular."""
        forms = self._forms.get(word)
        if not forms:
            return word
        plurals = Counter({form: n for form, n in forms.items() if form.endswith("s")})
        singulars = forms - plurals
        is_plural = plurals.total() >= least_plural * forms.total()
        return ((plurals if is_plural else singulars) or forms).most_common(1)[0][0]

    def weights_of(self, api: int, *, with_tool: bool) -> dict[Key, float]:
        """What an API's documentation says, how loudly each; with what its tool says of itself."""
        own = self._of_api[api]
        return {**self._of_tool[self.tools[api]], **own} if with_tool else own

    def is_uninformative(self, api: int) -> bool:
        """Whether an API is about what its tool's title says, since it says hardly anything."""
        return len(self._of_api[api]) < _TELLS_LITTLE

    def rarity(self, key: Key) -> float:
        """Above 0, more the fewer tools say it."""
        n_tools = len(self.titles)
        return math.log1p(n_tools / (2 + _COMMON * n_tools + self._tools_saying[key]))

    def nearness(self, keys: Sequence[Key], members: Sequence[int]) -> list[float]:
        """Of each phrase to what these APIs are about, -1 to 1."""
        return self.nearness_of([self.form(key) for key in keys], members)

    def nearness_of(self, texts: Sequence[str], members: Sequence[int]) -> list[float]:
        """Of each text to what these APIs are about, -1 to 1."""
        return self._meaning.nearness(texts, members).tolist()

    def _drop_refrains(self) -> None:
        """What nearly all descriptions of a tool say is about the tool ("see the link"), not about
        one API: it does not count unless the API's name says it."""
        of_tool: dict[int, list[dict[Key, float]]] = defaultdict(list)
        for tool, weights in zip(self.tools, self._of_api, strict=True):
            of_tool[tool].append(weights)
        for of_apis in of_tool.values():
            if len(of_apis) < _REFRAIN_APIS:
                continue
            counts = Counter(key for each in of_apis for key, w in each.items() if w < IN_NAME)
            for key, n in counts.items():
                if n > _REFRAIN * len(of_apis):
                    for each in of_apis:
                        if each.get(key, IN_NAME) < IN_NAME:
                            del each[key]

    def _weights(
        self, name: str, text: str, *, of_name: float, of_text: float, is_split: bool = False
    ) -> dict[Key, float]:
        """What a name and a text say, and how much each of it counts."""
        weights: dict[Key, float] = {}
        self._add(weights, phrases(self._without_code(text)), of_text)
        written = plain(name)
        if is_split:
            aside = " . ".join(_ASIDE.findall(written))
            self._add(weights, phrases(identifier_words(aside, self.casing.whole)), AS_GIVEN)
            written = _ASIDE.sub(" . ", written) if _ASIDE.sub("", written).strip() else written
        for run in identifier_words(written, self.casing.whole):
            if not is_split:
                self._add(weights, phrases(iter([self._whole(run)])), of_name)
                continue
            pieces = [piece for word in run for piece in self.glued.split(word)]
            for part, weight in _with_given(self._whole(pieces), of_name):
                self._add(weights, phrases(iter([part])), weight)
        return weights

    def _without_code(self, text: str) -> Iterator[list[str]]:
        """Running text without names of parameters, such as "perPage"."""
        for run in words(text):
            yield self._whole([word for word in run if not _CODE.match(word)])

    def _whole(self, run: list[str]) -> list[str]:
        """The words, with such as "Tik Tok" in one as most write it."""
        joined: list[str] = []
        for word in run:
            if joined and self.casing.is_well_known(both := f"{joined[-1]}{word}"):
                joined[-1] = both
            else:
                joined.append(word)
        return joined

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
                    key = self._keys.setdefault(stems[begin:end], stems[begin:end])
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
            for word in self._whole(run)
        ]


def _with_given(run: list[str], of_name: float) -> Iterator[tuple[list[str], float]]:
    """What a name says, and how much it counts: less what a thing is asked for by."""
    for place, word in enumerate(run):
        if 0 < place < len(run) - 1 and word.lower() in _GIVEN_BY:
            said = {action_stem(each) for what in phrases(iter([run[:place]])) for each in what}
            # "Search by coordinates" is about coordinates.
            if not said <= ACTIONS:
                yield run[:place], of_name
                yield run[place + 1 :], AS_GIVEN
                return
    yield run, of_name
