"""What a question of the queue is worth, in words: how likely a person accepts it, times its gain.

Used by the list and the card of the review; the word itself is explained in `words/glossary.py`.
"""

from collections.abc import Callable, Mapping

from toolplanner_core.curation.questions.kinds.candidate import Candidate, CandidateKind
from toolplanner_core.words.formatting import counted, score


def priority_words(candidate: Candidate, worth: float) -> str:
    """What the worth of a question is made of: "Worth 2.3 = 2.6 for 5 APIs put right × 0.88 likely
    accepted".

    Args:
        worth: gain times probability, as the queue is ordered by.
    """
    likely = worth / candidate.gain if candidate.gain else 0.0
    gain = f"{candidate.gain:.1f} for {puts_right(candidate)}"
    return f"Worth {worth:.1f} = {gain} × {score(likely)} likely accepted"


def why_here(candidate: Candidate, probability: float) -> str:
    """Why the question stands where it does in the list, as one sentence.

    Args:
        probability: how likely it is accepted, as the queue is ordered by.
    """
    if candidate.is_sure:
        return (
            "Asked before others: what these APIs are called, say and are asked by is so alike"
            f" ({score(probability)}) that they do the same job."
        )
    likely = "likely" if probability >= 0.7 else "open" if probability >= 0.4 else "unlikely"
    for_it = max(candidate.signals.items(), key=lambda one: one[1].value, default=None)
    most = "" if for_it is None else f"; {signal_word(for_it[0])} speaks for it most"
    return (
        f"Asked here because a yes means {puts_right(candidate)}, and is {likely}"
        f" ({score(probability)}){most}."
    )


def signal_word(signal: str) -> str:
    """A signal as people read it, inside a sentence."""
    return "fit" if signal == "cohesion" else signal.replace("_", " ")


def puts_right(candidate: Candidate) -> str:
    """What its gain is for: each kind counts something else."""
    if candidate.kind is CandidateKind.GROUP:
        n = len(candidate.toolkits) - 1
        return f"{counted(len(candidate.apis), 'API')} of {counted(n, 'toolkit')} put right"
    is_half = candidate.kind in (CandidateKind.NAME, CandidateKind.DESCRIPTION)
    n = max(1, round(2 ** (candidate.gain * (2 if is_half else 1)) - 1))
    return _OF_KIND.get(candidate.kind, _apis)(n)


def _apis(n: int) -> str:
    return f"{counted(n, 'API')} put right"


_OF_KIND: Mapping[CandidateKind, Callable[[int], str]] = {
    CandidateKind.DUPLICATE: lambda n: f"{counted(n, 'copy', 'copies')} put right",
    CandidateKind.NAME: lambda n: f"the name of {counted(n, 'API')}, which counts half",
    CandidateKind.DESCRIPTION: lambda n: f"a description of {counted(n, 'API')}, which counts half",
    CandidateKind.STAND_IN: lambda n: f"{counted(n, 'failed call')} rescued",
    CandidateKind.BLAMED: lambda n: f"{counted(n, 'failed step')} looked into",
}
