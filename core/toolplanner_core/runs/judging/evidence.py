"""What shows that an answer is one: which need of the query was met by which call's result.

One place for all strategies: nothing speaks against an answer if a call served it, each need that
its strategy names has a result, what was to be changed was changed, and the values of the query
reached what was called. Whether each wish was met is a judgement of language: rules make it that
know English, of other answers it is not checked here. Strategies hand in needs
(`Answer.needs`) if they know them; else the query is one need. Who says that a query needs no call
is believed. What an injected fault made up shows nothing, and no answer may repeat it.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain, islice
from typing import Any, NamedTuple

from toolplanner_core.domain.api import Api, Risk
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import NodePath, is_within
from toolplanner_core.domain.observation import BY_PERSON, INJECTED, SIMULATED, Effect, Observation
from toolplanner_core.domain.outcome import AnswerVerdict, EvidenceLevel, VerdictSource
from toolplanner_core.domain.plan import Answer, Judgement, QueryNeed
from toolplanner_core.prompts.judge_answer import JudgeAnswer
from toolplanner_core.prompts.render import as_json
from toolplanner_core.prompts.texts import hash_of
from toolplanner_core.runs.judging.answer_values import (
    SupportedValues,
    check_values,
    date_and_time_forms,
    is_refusal,
    texts_in,
    unknown_texts,
)
from toolplanner_core.runs.log.redaction import Redactor
from toolplanner_core.runs.stages.node_frames import NodeFrame, NodeFrames
from toolplanner_core.runs.tree.served import NodeOutcome, is_left, is_rejected
from toolplanner_core.words.asked_changes import asked_change
from toolplanner_core.words.formatting import one_line
from toolplanner_core.words.languages import language_of, may_be_english
from toolplanner_core.words.query_values import missing_values, satisfied_counts, unanswered_units
from toolplanner_core.words.stop_words import search_terms
from toolplanner_core.words.written_values import plain_values

NO_CALL = "No call served it: nothing that came back shows the answer"
_READ = 20_000
"""Characters of a result in which values are looked for."""
_MOST_NUMBERS = 4_000
_KEPT = 1_000
"""Results of a run that are kept to be looked at; a run that makes more is no answer to a query."""
_ROWS, _VALUES, _MOST_TRACED = 10, 5, 40
RULES = "rules for English"
"""Who looked whether each wish of a query was met."""
_MOST_READ = 1_000_000
_PHRASE = 4
_VALUE = re.compile(
    r"\b(?=\w*\d)(?=\w*[A-Z])\w{8,}\b"
    r"|\d+[-:]\d\d(?:[-:]\d\d)?|\d{1,2}([/.])\d{1,2}\1\d{4}"
    r"|(?:(?<!\w)[-−]|\b[Mm]inus )?\d+(?:,\d{3})*(?:\.\d+)?"
    r"|(?<!\d)[A-Z][\w’'-]{2,}(?: [A-Z][\w’'-]+)*"
)
"""Numbers of parcels and the like, times, days, numbers, names."""
_NUMERIC = re.compile(r"(?:[-−]|[Mm]inus )?[\d,]+(?:\.\d+)?")
_WORD = re.compile(r"[\w’'-]+")
_REPLY_NUMBER = re.compile(r"(?:(?<!\w)-)?(?<![a-z_\d])\d+(?:\.\d+)?")
"""But none in the name of a field: "pm2_5" tells neither 2 nor 5."""
_BELOW = re.compile(r"(?:[-−]|[Mm]inus )(?=\d)")


@dataclass(frozen=True, slots=True, kw_only=True)
class MetNeed:
    """A row of the evidence.

    Attributes:
        need: in words.
        api, call: title of what was called, with the person who replied in its place; and its
            place in the tree.
        values: numbers, names and words of the answer that stand in the result; none where all of
            them are the question's own.
    """

    need: str
    api: str
    call: NodePath
    values: tuple[str, ...]

    def to_json(self) -> Mapping[str, Any]:
        """For the log."""
        return asdict(self) | {"values": list(self.values)}


@dataclass(frozen=True, slots=True, kw_only=True)
class TracedValue:
    """A value of an answer, as it is written there, and a reply that holds it.

    Attributes:
        api, call: title of what was called, and its place in the tree.
    """

    value: str
    api: str
    call: NodePath


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerEvidence:
    """What the replies of a run say of its answer.

    Attributes:
        reason: what speaks against it, or what is to be said beside.
        checked_by: who looked whether each wish of the query is met, "" = nobody.
        values: that stand in a reply; unsupported: that no reply accounts for.
        met: which need was met by which reply.
    """

    level: EvidenceLevel = EvidenceLevel.NONE
    reason: str = ""
    checked_by: str = ""
    values: tuple[TracedValue, ...] = ()
    unsupported: tuple[str, ...] = ()
    met: tuple[MetNeed, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """For the log and for programs, without the rows."""
        return {
            "level": str(self.level),
            "checked_by": self.checked_by,
            "values": [asdict(each) for each in self.values],
            "unsupported": list(self.unsupported),
        }


class _SeenReply(NamedTuple):
    path: NodePath
    seen: Observation

    @property
    def title(self) -> str:
        return self.seen.api.title if self.seen.api else ""

    @property
    def replier(self) -> str:
        """Who really said it."""
        is_yours = self.seen.origin == BY_PERSON
        return f"your own reply in the place of {self.title}" if is_yours else self.title

    @property
    def asked(self) -> str:
        return as_json(dict(self.seen.arguments or {}))

    @property
    def text(self) -> str:
        return as_json(self.seen.value)[:_READ]


class RunEvidence:
    """The results of a run; asked at its end.

    Args:
        places: say what became of the nodes around a call.
        redactor: blacks out secrets before anything is taken out of its context.
    """

    def __init__(self, query: str, places: NodeFrames, redactor: Redactor) -> None:
        self._query, self._places, self._redactor = redactor.text(query), places, redactor
        self._replies: list[_SeenReply] = []
        self._altered: list[_SeenReply] = []
        """What faults made up: it shows nothing."""
        self._failed: set[NodePath] = set()
        """Nodes with a call that failed right below."""
        self._verdicts: list[tuple[str, AnswerVerdict]] = []
        """With the answers that they are about."""
        self._blocked = ""
        """What was to change something and was not allowed, unless a later call changed it."""
        self._failed_change = ""
        """The same of what failed."""
        self._has_changed = False

    def observe(self, path: NodePath, seen: Observation, asked: Api) -> None:
        """Take the outcome of a call; `asked` is what the strategy wanted to be called."""
        is_change = (seen.api or asked).risk is not Risk.READ
        if is_change:
            self._note_change(seen, asked)
        if not seen.ok:
            self._failed.update(frame.path for frame in [*self._places.around(path)][:1])
            return
        kept = self._altered if seen.origin == INJECTED else self._replies
        if len(kept) < _KEPT:
            kept.append(_SeenReply(path, seen))

    def forget(self, path: NodePath) -> None:
        """Drop what came back below a node: no answer rests on it."""
        self._replies = [each for each in self._replies if not is_within(each.path, path)]
        self._altered = [each for each in self._altered if not is_within(each.path, path)]
        self._failed = {each for each in self._failed if not is_within(each, path)}

    def _note_change(self, seen: Observation, asked: Api) -> None:
        if seen.ok:
            self._has_changed = True
            self._blocked = self._failed_change = ""
        elif seen.error is ErrorClass.BLOCKED_BY_POLICY:
            self._blocked = asked.title
        elif seen.error is not ErrorClass.CANCELLED and seen.effect is not Effect.UNKNOWN:
            self._failed_change = asked.title

    def assess(self, answer: Answer, *, by_rules: bool) -> AnswerEvidence:
        """What is known of an answer that its strategy claims to be one.

        Args:
            by_rules: rules that know English answered, and looked whether each wish was met.
        """
        values, unsupported = self._traced(answer)
        doubt = self.doubt(answer)
        found = AnswerEvidence(
            level=EvidenceLevel.AGAINST, reason=doubt, values=values, unsupported=unsupported
        )
        if doubt:
            return found
        # What is asked about APIs is answered by having called them.
        is_met = answer.is_about_apis or (by_rules and self._may_be_read_by_rules())
        met = self.shown(answer)
        is_shown = bool(values) or any(row.values for row in met)
        unmet = EvidenceLevel.NOT_CHECKED if is_shown else EvidenceLevel.NOT_SHOWN
        return replace(
            found,
            level=EvidenceLevel.COMPLETE if is_met else unmet,
            reason=answer.reason or self.remark(answer),
            checked_by=RULES if is_met and not answer.is_about_apis else "",
            met=met,
        )

    def judged(self, question: JudgeAnswer, said: Judgement, *, text: str) -> None:
        """Keep what the judge of the strategy itself says of an answer; `text` is the prompt."""
        verdict = AnswerVerdict(
            source=VerdictSource.STRATEGY,
            solved=said.solved,
            reason=said.reason,
            who="the strategy's own judge",
            version=question.version,
            prompt_hash=hash_of(text),
        )
        self._verdicts.append((question.answer, verdict))

    def expected(self, answer: str, said: Judgement) -> None:
        """Keep what an oracle that the strategy asked says of an answer."""
        source = VerdictSource.EXPECTATION
        verdict = AnswerVerdict(
            source=source, solved=said.solved, reason=said.reason, who="the oracle"
        )
        self._verdicts.append((answer, verdict))

    def verdicts(self, answer: str) -> tuple[AnswerVerdict, ...]:
        """What was said of the answer that the run ends with."""
        return tuple(verdict for said, verdict in self._verdicts if said == answer)

    def _traced(self, answer: Answer) -> tuple[tuple[TracedValue, ...], tuple[str, ...]]:
        """The values of an answer, in any language: with the first reply that holds each, and those
        that no reply accounts for."""
        said = self._redactor.text(answer.text)
        if not said or answer.is_about_apis:
            return (), ()
        told = [as_json(self._redactor.value(reply.seen.value))[:_READ] for reply in self._replies]
        plain = plain_values(said, " ".join(told), language=language_of(self._query))
        found: dict[str, TracedValue] = {}
        for reply, text in zip(self._replies, told, strict=True):
            texts = texts_in(said, self._query, reply.seen.value)
            for value in (*stated_values(plain.text, text), *texts):
                shown = plain.written.get(value, value)
                if not self._asks_all([value]):
                    place = TracedValue(value=shown, api=reply.replier, call=reply.path)
                    found.setdefault(shown, place)
        known = " ".join([self._query, *told, *(each.asked for each in self._replies)])
        unsupported = [*self._values(answer).untold, *unknown_texts(said, known)]
        return tuple([*found.values()][:_MOST_TRACED]), tuple(unsupported[:_MOST_TRACED])

    def doubt(self, answer: Answer) -> str:
        """Why an answer that is said to be one is none, "" if nothing speaks against it."""
        taken = self._taken()
        if believed := self._made_up(answer, taken):
            return f"Doubtful: {believed.title} did not say that, an injected fault made it up"
        if self._blocked:
            return f"Not done: {self._blocked} was not allowed, and no other call changed anything"
        if answer.needs_no_call:
            return ""
        if undone := self._undone_change():
            return undone
        known = {reply.seen.seq for reply in self._replies}
        left = [need.text for need in answer.needs if known.isdisjoint(need.met_by)]
        if left:
            return f"Left open: {'; '.join(left)}"
        if not taken or answer.is_about_apis:
            return "" if taken else NO_CALL
        untold: Sequence[str] = ()
        if self._may_be_read_by_rules():
            told = [f"{reply.title} {reply.text}" for reply in taken]
            asked = [reply.asked for reply in taken]
            said = [(each.title, each.seen.value) for each in taken]
            listed = satisfied_counts(self._query, said)
            if missing := missing_values(self._query, asked, told, listed=listed):
                return f"Doubtful: {_quoted(missing)} reached no call"
            untold = unanswered_units(self._query, answer.text, asked, told)
        if not untold:
            values = self._values(answer)
            untold = [] if values.told else [*values.untold]
            if is_refusal(answer.text) and not (values.told or self._repeats_a_reply(answer)):
                return "Doubtful: the answer is none, and nothing of a result stands in it"
        return f"Doubtful: no result tells {_quoted(untold[:_VALUES])}" if untold else ""

    def _may_be_read_by_rules(self) -> bool:
        """Whether rules may say which wish was met: they know the language, and a service replied;
        an invented reply neither shows what was asked for nor lacks it."""
        taken = self._taken()
        is_invented = bool(taken) and all(each.seen.origin == SIMULATED for each in taken)
        return may_be_english(self._query) and not is_invented

    def _undone_change(self) -> str:
        """That what was to be changed was not, "" if it was, or a query asks for no change as far
        as the rules know its language."""
        is_english = may_be_english(self._query)
        verb = asked_change(self._query) if is_english else ""
        if self._failed_change and (verb or not is_english):
            return f"Not done: {self._failed_change} failed, and no later call changed anything"
        if verb and self._replies and not self._has_changed:
            return f"Not done: it asks to {verb}, and what was called only reads"
        return ""

    def remark(self, answer: Answer) -> str:
        """What a solved answer says beside what is shown, "" for nothing."""
        if answer.needs_no_call or answer.is_about_apis:
            return ""
        untold = self._values(answer).untold
        return f"No result tells {_quoted(untold[:_VALUES])}" if untold else ""

    def _values(self, answer: Answer) -> SupportedValues:
        """The values of an answer; none where too much came back to be read."""
        if not any(map(str.isdecimal, answer.text)):
            return SupportedValues((), ())  # each value has a digit
        results = [reply.seen.value for reply in self._replies]
        if sum(len(as_json(value)) for value in results) > _MOST_READ:
            return SupportedValues((), ())
        language, told = language_of(self._query), " ".join(map(as_json, results))
        said = plain_values(answer.text, told, language=language)
        query = f"{self._query} {plain_values(self._query).text}"
        found = check_values(said.text, query, [each.asked for each in self._replies], results)
        return SupportedValues(
            *(tuple(said.written.get(each, each) for each in values) for values in found)
        )

    def _repeats_a_reply(self, answer: Answer) -> bool:
        """Whether something of a result stands in an answer that is not the question's own."""
        said = (shared_values(answer.text, reply.text) for reply in self._replies)
        return not all(map(self._asks_all, said))

    def shown(self, answer: Answer) -> tuple[MetNeed, ...]:
        """Which need was met by which result, with what shows it; nothing where the query only says
        which APIs are meant."""
        if answer.is_about_apis and not answer.needs:
            return ()
        if answer.needs:
            by_seq = {reply.seen.seq: reply for reply in self._replies}
            clean = self._redactor.text
            return tuple(
                self._row(need.text, by_seq[seq], clean(answer.text))
                for need in answer.needs
                for seq in need.met_by
                if seq in by_seq
            )
        taken = self._taken()
        on_way = [each for each in taken if not is_left(self._around(each.path))] or taken
        need, said = QueryNeed(text=one_line(self._query)), self._redactor.text(answer.text)
        # Of an answer without a text nothing can stand in a result.
        from_last = (self._row(need.text, reply, said) for reply in reversed(on_way) if said)
        rows = [*islice((row for row in from_last if row.values), _ROWS)]
        rows = rows or [self._row(need.text, reply, "") for reply in reversed(on_way[-_ROWS:])]
        return tuple(reversed(rows))

    def _row(self, need: str, reply: _SeenReply, said: str) -> MetNeed:
        """What of `said`, a text without secrets, stands in a result."""
        told = as_json(self._redactor.value(reply.seen.value))[:_READ] if said else ""
        values = shared_values(said, told)
        if self._asks_all(values):
            values = [each for each in shared_words(said, told) if not self._asks_all([each])]
        return MetNeed(need=need, api=reply.replier, call=reply.path, values=tuple(values))

    def _asks_all(self, values: Sequence[str]) -> bool:
        """Whether all of these stand in the question already: saying them again shows nothing."""
        asked = set(_WORD.findall(self._query.lower()))
        return asked.issuperset(word for value in values for word in _WORD.findall(value.lower()))

    def _taken(self) -> list[_SeenReply]:
        return [each for each in self._replies if not is_rejected(self._around(each.path))]

    def _made_up(self, answer: Answer, taken: Sequence[_SeenReply]) -> _SeenReply | None:
        """A reply that a fault made up and that the answer rests on or repeats, None if none."""
        if not self._altered:
            return None  # as in nearly every run: nothing that came back has to be read
        said = _phrases(answer.text)
        said -= _phrases(" ".join([self._query, *(each.text for each in taken)]))
        known = {each.seen.seq for each in self._replies}
        left = [need.met_by for need in answer.needs if known.isdisjoint(need.met_by)]
        rests_on = (each for each in self._altered if any(each.seen.seq in met for met in left))
        repeats = (each for each in self._altered if said & _phrases(each.text))
        is_shown = bool(taken) or answer.needs_no_call
        return next(chain(rests_on, repeats, [] if is_shown else self._altered), None)

    def _around(self, path: NodePath) -> Sequence[NodeOutcome]:
        frames: Iterable[NodeFrame] = self._places.around(path)
        return [NodeOutcome(each.kind.id, each.state, each.path in self._failed) for each in frames]


def _phrases(text: str) -> set[tuple[str, ...]]:
    """All runs of a few words: who repeats one repeats what it is from."""
    words = _WORD.findall(text.lower())
    return {tuple(words[at : at + _PHRASE]) for at in range(len(words) - _PHRASE + 1)}


def _quoted(said: Iterable[str]) -> str:
    return ", ".join(f"“{value}”" for value in said)


def shared_values(said: str, told: str) -> list[str]:
    """Numbers and names of a text that stand in a result, else words; the first few."""
    return stated_values(said, told)[:_VALUES] or shared_words(said, told)


def stated_values(said: str, told: str) -> list[str]:
    """Numbers, days, times, ids and names of a text that stand in a result, each once.

    A number may be rounded: "6.61" stands in 6.613868.
    """
    low = told.lower()
    # A comma may stand in a number, or between two of them.
    told_numbers = [*_REPLY_NUMBER.findall(told), *_REPLY_NUMBER.findall(told.replace(",", ""))]
    numbers = {float(one) for one in told_numbers[:_MOST_NUMBERS]}
    words = _words_of(low)

    def stands(value: str) -> bool:
        if _NUMERIC.fullmatch(value):
            return _is_among(value, numbers)
        if forms := date_and_time_forms(value):
            return any(form in low for form in forms)
        is_name = value[0].isalpha() and " " not in value
        return value.lower() in (words if is_name else low)

    all_said = (match[0] for match in _VALUE.finditer(said))
    parted = (part for each in all_said for part in ([each] if stands(each) else each.split()))
    return [*dict.fromkeys(value for value in parted if stands(value))]


def shared_words(said: str, told: str) -> list[str]:
    """Words of a text that tell something and stand in a result; the first few."""
    words = _words_of(told.lower())
    telling = (word for word in search_terms(said) if len(word) > 3)
    return [*dict.fromkeys(word for word in telling if word in words)][:_VALUES]


def _words_of(low: str) -> set[str]:
    return set(re.findall(r"[\w’'-]{3,}", low))


def _is_among(value: str, numbers: set[float]) -> bool:
    """Whether it is told, as it is or rounded; below zero is another number than above it."""
    plain = _BELOW.sub("", value.replace(",", ""), count=1)
    decimals = plain.partition(".")[2]
    room = 0.5 * 10 ** -len(decimals) if decimals else 0.0
    number = -float(plain) if _BELOW.match(value) else float(plain)
    return any(abs(number - one) <= room for one in numbers)
