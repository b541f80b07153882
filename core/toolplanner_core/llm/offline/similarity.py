"""How well toolkits fit a need, by meaning and by words, and how useful a result is for a goal.

A call that worked may hold nothing, lack the quantity that was asked for, or repeat the question.
What else of the question is left open is found by `accounting.py`.

"Convert 250 EUR to dollars" is about converting; 250, EUR and dollars are values, which tell by
their kind (money) what else the need is about.
"""

import re
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple, cast

from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import MemberFit
from toolplanner_core.llm.offline.mentions import Mention, find_mentions, plain_words, stem, stems
from toolplanner_core.llm.offline.result_values import is_empty, texts_of, title_key, unwrap
from toolplanner_core.llm.offline.tables import pattern, spelled, table, words
from toolplanner_core.prompts.render import ToolkitCard
from toolplanner_core.words.currencies import expand_currency_codes

_MOST_KEYS = 400
"""A reply with more says so many things that no quantity is missed in it."""


def is_useful(value: Any, query: str, goal: str) -> bool:
    """Whether a result holds something for its goal.

    It is not empty, does not lack the quantities that were asked for, is no mere echo of what was
    asked beside empty lists, and no list of named things without the one that was asked for by
    name.
    """
    if is_empty(value) or _lacks_asked(goal, value):
        return False
    content = unwrap(value)
    if isinstance(content, dict):
        inner = list(cast(dict[str, Any], content).values())
        said = stems(f"{query} {goal}")
        echoes = (_is_echo(part, said) for part in inner if not is_empty(part) and part is not True)
        return not (any(part == [] for part in inner) and all(echoes))
    if isinstance(content, list) and len(content) > 1:
        items = [cast(dict[str, Any], i) for i in cast(list[Any], content) if isinstance(i, dict)]
        titles = [str(item[key]).lower() for item in items if (key := title_key(item))]
        wanted = _asked_by_name(goal) if len(titles) == len(items) > 1 else ""
        return not wanted or wanted.lower() in titles
    return True


def _lacks_asked(goal: str, value: Any) -> bool:
    """Whether a goal asks for known quantities and the reply has none of them.

    Only quantities whose absence is beyond doubt are looked for (`fields.json`). "How many X" asks
    for X itself, whatever else the goal names.
    """
    low, fields = re.sub(r"[\"“][^\"”]*[\"”]", " ", goal.lower()), table("fields")
    named = [field for field in fields if re.search(rf"\b{field}(?:s|es)?\b", low)]
    wanted = [f for f in named if re.search(rf"\bhow (?:many|much) {f}", low)] or named
    found = texts_of(value, _MOST_KEYS + 1) if isinstance(value, dict | list) else []
    if not wanted or not found or len(found) > _MOST_KEYS:
        return False
    told = " ".join(text[:_MOST_KEYS] for text in found).lower()
    return not any(alias in told for field in wanted for alias in fields[field])


def _is_echo(value: Any, said: frozenset[str]) -> bool:
    return isinstance(value, str) and len(value) < 80 and bool(stems(value) & said)


def _asked_by_name(goal: str) -> str:
    """The one thing a goal names, if it is no place and nobody's: "how do I make a Margarita"."""
    if made := pattern("made").search(goal):
        return made["what"]
    found = [m for m in find_mentions(goal) if m.kind not in ("number", "date")]
    if len(found) != 1 or found[0].kind not in ("name", "quoted"):
        return ""
    is_owner = goal[found[0].end :].startswith(("'s", "’s"))
    return "" if is_owner or found[0].unit not in ("", "called", "named") else str(found[0].value)


Encode = Callable[[list[str]], Any]
Evidence = Callable[[str, str, Sequence[ToolkitId]], Sequence[MemberFit]]
_ENCODED = 4
"""Toolkits whose texts are encoded per need: encoding is what costs time, and the others' scores
by words and members are too low to come first."""
_DESCRIBED = 0.8
"""What a word of a description says, beside one of the name."""
_NAMED = 0.75
"""Score that is enough for a toolkit whose text has all telling words of a need."""


class _Weights(NamedTuple):
    """How much meaning and words count with one kind of embedder, and what the sum must reach."""

    meaning: float
    words: float
    enough: float


_BY_MEANING = _Weights(1.0, 0.3, 0.685)
_BY_STATIC_WORDS = _Weights(1.0, 0.3, 0.6)
_BY_WORDS = _Weights(0.15, 0.6, 0.3)
"""Vectors of language models tell what two texts mean, also without a shared word; those of `lsa`
are made of the catalogue's words and call any two texts alike that share one common word, so words
decide there. Those of static words lie a little closer together than those of language models.
Chosen on the 50 everyday questions and 20 that nothing there can answer
(`tests/fixtures/everyday_questions.json`)."""


class NeedSubject(NamedTuple):
    """What a need is about.

    Attributes:
        said: stems of all its words but those of quoted texts and addresses.
        hinted: stems of what its values speak of: money of currencies.
        words: its words without values, as they are written; for searching documentation.
        telling: the words among them that can tell one toolkit from another, each as the stems
            that a toolkit may use for it.
    """

    said: frozenset[str]
    hinted: frozenset[str]
    words: str
    telling: tuple[frozenset[str], ...]


class NeedFit(NamedTuple):
    """A toolkit's fit to a need.

    Attributes:
        covered: share of the need's telling words that the toolkit's own text has.
    """

    score: float
    covered: float

    @property
    def is_related(self) -> bool:
        """Whether the toolkit can be meant: less will do where it names all that is asked for."""
        return self.score >= (_NAMED if self.covered >= _DESCRIBED else 1.0)


class Similarity:
    """Scores toolkits for needs.

    Args:
        encode: texts -> (n, dim) unit vectors, kept by the encoder; None without an embedder.
        embedder: storage id of the embedder, "" for none.
        evidence: how much the members of toolkits have to do with a text; None if unknown.
    """

    def __init__(
        self, encode: Encode | None, *, embedder: str = "", evidence: Evidence | None = None
    ) -> None:
        self._encode = encode
        self._evidence = evidence
        of_texts = embedder and not embedder.startswith("lsa")
        by_meaning = _BY_STATIC_WORDS if embedder == "words" else _BY_MEANING
        self._weights = by_meaning if of_texts else _BY_WORDS

    @property
    def knows_members(self) -> bool:
        """Whether scores are made of the APIs of toolkits too, not of their own texts only."""
        return self._evidence is not None

    def fits(self, needs: Sequence[str], cards: Sequence[ToolkitCard]) -> list[list[NeedFit]]:
        """One row per need, one fit per card."""
        return [self._row(need, cards) for need in needs] if cards else [[] for _ in needs]

    def _row(self, need: str, cards: Sequence[ToolkitCard]) -> list[NeedFit]:
        subject, asked = subject_words(need), _as_question(need)
        members: Sequence[MemberFit | None] = [None] * len(cards)
        if self._evidence is not None:
            members = self._evidence(asked, subject.words, [card.id for card in cards])
        row = [self._fit(subject, *pair) for pair in zip(cards, members, strict=True)]
        if self._encode is None:
            return row
        most = len(cards) if self._evidence is None else _ENCODED
        best = sorted(range(len(cards)), key=lambda at: (-row[at].score, at))[:most]
        vectors = self._encode([asked, *(card_text(cards[at]) for at in best)])
        for at, vector in zip(best, vectors[1:], strict=True):
            more = float(vectors[0] @ vector) * self._weights.meaning / self._weights.enough
            row[at] = row[at]._replace(score=row[at].score + more)
        return row

    def _fit(self, subject: NeedSubject, card: ToolkitCard, member: MemberFit | None) -> NeedFit:
        """The fit without the cosine of the card's own text, which costs time."""
        name, own = stems(card.name), stems(card_text(card))
        known = [
            1.0 if meant & name else _DESCRIBED * bool(meant & own) for meant in subject.telling
        ]
        covered = sum(known) / len(known) if known else 0.0
        cosine, documented = member or MemberFit(0.0, covered)
        # Money speaks of currencies, but "transfer 100 euros to my landlord" is not about them: a
        # hint counts beside words that fit, or where there are no other words.
        hint = bool(subject.hinted & own) and bool(covered or documented or not known)
        said = covered + 0.65 * documented + 0.58 * hint
        weights = self._weights
        return NeedFit((weights.meaning * cosine + weights.words * said) / weights.enough, covered)


def _as_question(need: str) -> str:
    """A question with its question mark again: without it, vectors of questions are less like what
    answers them (cosine 0.21 instead of 0.30 for "How many calories are in an apple")."""
    asked = f"{need}?" if need.partition(" ")[0].lower() in words("askers") else need
    return expand_currency_codes(asked)


def card_text(card: ToolkitCard) -> str:
    """What a card says of itself."""
    return f"{card.name}. {card.description}"


@lru_cache(maxsize=512)
def subject_words(need: str) -> NeedSubject:
    """The subject of a need."""
    mentions = find_mentions(need)
    said = stems(_without(need, [m for m in mentions if m.kind in words("opaque_kinds")]))
    # A "lower" mention is a guess: the lower-case word after a preposition may be no name at all.
    values = [m for m in mentions if m.kind != "lower" and stem(m.text.lower()) not in _topics()]
    telling = [word for word in plain_words(_without(need, values)) if _tells(word)]
    kinds = {mention.kind for mention in mentions}
    if pattern("future").search(need):
        kinds.add("future")
    hints = " ".join(hint for kind, hint in table("hints").items() if kind in kinds)
    meant = (_topics().get(stem(word), frozenset()) | {stem(word)} for word in telling)
    return NeedSubject(said, stems(hints) - said, " ".join(telling), tuple(dict.fromkeys(meant)))


def _tells(word: str) -> bool:
    if stem(word) in _topics():
        return True  # "calories" are a unit, but also what is asked for
    is_value = word.isdigit() or word in spelled("units") or word in spelled("currencies")
    return len(word) > 1 and not is_value and word not in words("says_little")


@cache
def _topics() -> dict[str, frozenset[str]]:
    """Stems of what catalogues say, by the stem of what people say."""
    found: dict[str, frozenset[str]] = {}
    for heads, said in table("topics").items():
        for word in map(stem, said.split()):
            found[word] = found.get(word, frozenset()) | frozenset(map(stem, heads.split()))
    return found


def _without(need: str, mentions: Sequence[Mention]) -> str:
    for mention in sorted(mentions, key=lambda found: -found.start):
        need = f"{need[: mention.start]} {need[mention.end :]}"
    return need
