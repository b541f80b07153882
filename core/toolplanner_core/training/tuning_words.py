"""A training set for the planner of tptu in words: what is in it, and what speaks against it.

Said after it was written, by the command line and the window.
"""

from collections.abc import Iterator

from toolplanner_core.training.finetuning import TuningReport
from toolplanner_core.words.wording import counted


def tuning_lines(report: TuningReport) -> Iterator[str]:
    """The three properties that a training set should have (Source: TPTU-v2, section 2.2), and
    what the format forbids."""
    yield f"{counted(report.examples, 'example')} of {counted(report.tasks, 'task')}"
    yield f"Real-world data: {report.real:.0%} come from runs"
    yield (
        f"Structured prompts: {report.structured:.0%}, {report.with_demonstrations:.0%} with"
        " demonstrations"
    )
    yield (
        f"Diversity: {report.prompts} prompts, {report.instructions} instructions,"
        f" {report.several_steps:.0%} with several steps, {report.irrelevant:.1f} irrelevant APIs"
        f" each, the first API is the answer's first in {report.first:.0%}"
    )
    for problem in report.problems:
        yield f"Against the format: {problem}"
