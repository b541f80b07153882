"""Answers of StableToolBench: traces, converted predictions, and what judges said of them.

A line is ``{"file": "...", "json": ...}``; what `json` holds follows from the file's folder:

answer/METHOD/SET/ID_*.json                a trace as ToolBench writes it (see `toolbench.py`)
model_predictions_converted/METHOD/SET     {ID: {"query", "available_tools", "answer": {...}}}
pass_rate_results/METHOD/SET_METHOD        {ID: {"is_solved": {ROUND: "AnswerStatus.Solved"}, ...}}
preference_results/SET_METHOD_METHOD       {ID: {METHOD: votes, METHOD: votes, ...}}

The first two are runs; the last two are verdicts, which become remarks on the runs of the same
method, set and id in the file.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

from toolplanner_core.runs.importing.lines import Line
from toolplanner_core.runs.importing.recorded_tree import FINISH, RecordedRun, RecordedTurn
from toolplanner_core.runs.importing.toolbench import (
    PROVIDER,
    BadTrace,
    ToolNames,
    final_answer,
    read_outcome,
    read_trace,
    strategy_of,
)
from toolplanner_core.words.formatting import counted

_MAX_DEPTH = 150
_LEAST_PARTS = 3
_KINDS = ("answer", "model_predictions_converted", "pass_rate_results", "preference_results")


class AnswerKey(NamedTuple):
    """Whose answer to what: verdicts and runs meet by it."""

    method: str
    set: str
    query: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadAnswer:
    """A run, or why a line (or one answer in it) is none.

    Attributes:
        verdicts: remarks of judges that the run carries.
    """

    line: int
    where: str
    run: RecordedRun | None = None
    verdicts: int = 0
    problem: str = ""


def read_answers(lines: Sequence[Line], names: ToolNames) -> Iterator[ReadAnswer]:
    """The runs of a file with the verdicts on them. All lines first: verdicts stand behind."""
    notes: defaultdict[AnswerKey, list[str]] = defaultdict(list)
    used: set[AnswerKey] = set()
    judged: list[tuple[int, AnswerKey]] = []
    for line in lines:
        for key, note in _verdicts(line.data):
            notes[key].append(note)
            judged.append((line.number, key))
    for line in lines:
        if line.problem:
            yield ReadAnswer(line=line.number, where="", problem=line.problem)
            continue
        for found in _runs(line, names, notes):
            if found.run is not None:
                used.add(_key(found.where))
            yield found
    lost = Counter(line for line, key in judged if key not in used)
    for line, count in sorted(lost.items()):
        yield ReadAnswer(
            line=line,
            where="",
            problem=f"{counted(count, 'verdict')} on runs that the file does not hold",
        )


def _runs(
    line: Line, names: ToolNames, notes: Mapping[AnswerKey, Sequence[str]]
) -> Iterator[ReadAnswer]:
    file, data = line.data.get("file"), line.data.get("json")
    if not isinstance(file, str) or not isinstance(data, dict):
        yield ReadAnswer(line=line.number, where="", problem="it has no file name and JSON object")
        return
    fields = cast("dict[str, Any]", data)
    kind = _kind(file)
    if kind == "answer":
        answers = {file: fields}
    elif kind == "model_predictions_converted":
        answers = {f"{file}#{number}": item for number, item in fields.items()}
    elif kind in ("pass_rate_results", "preference_results"):
        return
    else:
        yield ReadAnswer(
            line=line.number, where=file, problem="neither an answer nor a verdict by its folder"
        )
        return
    for where, item in answers.items():
        remarks = list(notes.get(_key(where), ()))
        try:
            if not isinstance(item, dict):
                raise BadTrace("the answer is no object")
            read = read_trace if kind == "answer" else _converted
            run = read(cast("dict[str, Any]", item), where, names, notes=remarks)
        except BadTrace as error:
            yield ReadAnswer(line=line.number, where=where, problem=str(error))
        else:
            yield ReadAnswer(line=line.number, where=where, run=run, verdicts=len(remarks))


def _kind(file: str) -> str:
    return next((part for part in file.split("/") if part in _KINDS), "")


def _key(where: str) -> AnswerKey:
    """Method, set and id out of a file's name: ".../METHOD/SET/ID_*.json", ".../METHOD/SET#ID"."""
    path, _, number = where.partition("#")
    parts = path.removesuffix(".json").split("/")
    if len(parts) < _LEAST_PARTS:
        return AnswerKey("", parts[-1], number)
    if number:
        return AnswerKey(parts[-2], parts[-1], number)
    return AnswerKey(parts[-3], parts[-2], parts[-1].partition("_")[0])


def _verdicts(data: Mapping[str, Any]) -> Iterator[tuple[AnswerKey, str]]:
    file, answers = data.get("file"), data.get("json")
    if not isinstance(file, str) or not isinstance(answers, dict):
        return
    kind, parts = _kind(file), file.removesuffix(".json").split("/")
    for number, item in cast("dict[str, Any]", answers).items():
        if not isinstance(item, dict):
            continue
        said = cast("dict[str, Any]", item)
        if kind == "pass_rate_results":
            votes = said.get("is_solved")
            if isinstance(votes, dict):
                method = parts[-2]
                name = parts[-1].removesuffix(f"_{method}")
                yield AnswerKey(method, name, number), _pass_note(cast("dict[str, Any]", votes))
        elif kind == "preference_results":
            yield from _preferences(parts[-1], number, said)


def _pass_note(votes: Mapping[str, Any]) -> str:
    counts = Counter(str(vote).rpartition(".")[2].casefold() for vote in votes.values())
    words = ", ".join(f"{count}× {what}" for what, count in counts.most_common())
    return f"Judges of the pass rate said: {words}"


def _preferences(
    name: str, number: str, said: Mapping[str, Any]
) -> Iterator[tuple[AnswerKey, str]]:
    votes = {method: count for method, count in said.items() if isinstance(count, int)}
    everybody = sum(votes.values())
    set_name = name
    for method in votes:
        set_name = set_name.replace(f"_{method}", "", 1)
    for method, count in votes.items():
        others = " and ".join(other for other in votes if other != method)
        note = f"Judges preferred this to {others} in {count} of {everybody} votes"
        yield AnswerKey(method, set_name, number), note


def _converted(
    data: Mapping[str, Any], where: str, names: ToolNames, *, notes: Sequence[str] = ()
) -> RecordedRun:
    query, answer = data.get("query"), data.get("answer")
    if not isinstance(query, str) or not isinstance(answer, dict):
        raise BadTrace("it has no query and no answer")
    fields = cast("dict[str, Any]", answer)
    details, method = fields.get("answer_details"), fields.get("method")
    if not isinstance(details, list) or not isinstance(method, str):
        raise BadTrace("answer has no answer_details and no method")
    text, gave_up = final_answer(fields.get("final_answer"))
    is_solved = bool(text) and not gave_up
    tries = [turn for item in cast("list[Any]", details) for turn in _turns(item, 0)]
    return RecordedRun(
        query=query,
        strategy=strategy_of(method),
        model=_key(where).method.removeprefix("virtual_").rpartition("_")[0] or "unknown",
        provider=PROVIDER,
        tries=[tries],
        solved=is_solved,
        answer=text,
        reason="" if is_solved else "The model gave up" if gave_up else "No answer was reached",
        source={"file": where, "format": "stabletoolbench", "steps": fields.get("total_steps")},
        notes=notes,
        tools=names.titles(data.get("available_tools")),
    )


def _turns(node: Any, depth: int) -> list[RecordedTurn]:
    """The turns of a converted answer; empty system and user messages are no turns."""
    if not isinstance(node, dict):
        raise BadTrace("a message of answer_details is no object")
    if depth > _MAX_DEPTH:
        raise BadTrace(f"answer_details are more than {_MAX_DEPTH} levels deep")
    fields = cast("dict[str, Any]", node)
    following = fields.get("next", [])
    if not isinstance(following, list):
        raise BadTrace("next is no list")
    below = [turn for item in cast("list[Any]", following) for turn in _turns(item, depth + 1)]
    role, message = fields.get("role"), fields.get("message")
    if role == "tool" and isinstance(message, dict):
        said = cast("dict[str, Any]", message)
        name, arguments = str(said.get("name", "")), said.get("arguments")
        turn = RecordedTurn(
            name=name,
            arguments=arguments if isinstance(arguments, str) else "",
            children=below,
        )
        if name != FINISH and isinstance(said.get("response"), str):
            turn.outcome = read_outcome(said["response"])
        return [turn]
    if role == "assistant" and isinstance(message, str):
        return [RecordedTurn(thought=message, children=below)]
    return below
