"""What people read of a case: what must be true, and how its runs went."""

from collections.abc import Iterator, Sequence

from toolplanner_core.domain.cases import Expectation
from toolplanner_core.runs.case_standing import StandingCase
from toolplanner_core.words.wording import counted, when
from toolplanner_core.workspace.case_results import StoredResult

_LISTS = {
    "toolkits": "an API answers of {}",
    "toolkits_in_order": "toolkits answer in the order {}",
    "avoided_toolkits": "no API is called of {}",
    "exhausted_toolkits": "no API is left of {}",
    "succeeded_apis": "a call is ok of {}",
    "failed_apis": "a call fails of {}",
    "error_classes": "a failure is of the class {}",
}
_BOUNDS = (("fallback", "fallbacks"), ("replan", "replans"), ("API call", "api_calls"))
_SWITCHES = {
    "parallel": "two steps run at the same time",
    "data_flow": "a call takes an argument from an earlier result",
    "reason_given": "it says why it is unsolved",
}


def expectation_lines(expected: Expectation) -> list[str]:
    """What must be true, a line each."""
    return list(_lines(expected))


def _lines(expected: Expectation) -> Iterator[str]:
    if expected.status:
        yield f"it ends as {expected.status.replace('_', ' ')}"
    for text in expected.answer_contains:
        yield f"the answer says “{text}”"
    if expected.answer_any_of:
        yield f"the answer says one of {', '.join(f'“{each}”' for each in expected.answer_any_of)}"
    for name, words in _LISTS.items():
        values: Sequence[str] = getattr(expected, name)
        joint = " > " if name == "toolkits_in_order" else ", "
        if values:
            yield words.format(joint.join(str(each).replace("_", " ") for each in values))
    for noun, name in _BOUNDS:
        least, most = getattr(expected, f"min_{name}"), getattr(expected, f"max_{name}")
        if least is not None:
            yield f"at least {counted(least, noun)}"
        if most is not None:
            yield f"at most {counted(most, noun)}" if most else f"no {noun}"
    if expected.failed_then_ok is not None:
        failed = counted(expected.failed_then_ok, "failed call")
        yield f"a toolkit answers after {failed}"
    if expected.kept_steps is not None:
        yield f"at least {counted(expected.kept_steps, 'step')} kept by a later plan"
    for name, words in _SWITCHES.items():
        if getattr(expected, name):
            yield words


def result_line(result: StoredResult, *, head: int, labels: dict[int, str]) -> str:
    """One run of a case in a line: how it went, when, with which toolkits.

    Args:
        head: the edit that counts now.
        labels: what each edit did.
    """
    word = "passed" if result.passed else "failed"
    state = _state_words(result.edit, head, labels)
    return f"{word} · run {result.run_id} · {when(result.made_us / 1e6)} · {state}"


def _state_words(edit: int, head: int, labels: dict[int, str]) -> str:
    if edit == head:
        return "with the toolkits as they are"
    if edit not in labels:
        return "before the first edit"
    return f"after “{labels[edit]}”"


def standing_lines(each: StandingCase) -> list[str]:
    """Why a case fails, and what is left out of its results."""
    lines = list(each.now.why) if each.now is not None else []
    if each.n_former:
        results = counted(each.n_former, "earlier result")
        lines.append(f"{results} judged by what had to be true then: not counted")
    return lines
