"""Demonstrations as a model is shown them: solved tasks before it plans, calls of an API before it
fills its arguments.

Source: Kong et al., arXiv 2311.11315, figure 2 and section 2.3.
"""

from collections.abc import Sequence

from toolplanner_core.domain.demonstration import Demonstration
from toolplanner_core.prompts.render import as_json, block, cut, one_line

_DEMO_LIMIT = 1_200
_ARGUMENTS, _RESULT = 200, 200
_EXAMPLES = "Calls of this API that worked, for other tasks; their values are not yours."


def shown_demonstrations(found: Sequence[Demonstration]) -> str:
    """Demonstrations as the paper writes them: question, sub-questions with action and
    observation, summary; "" where there are none."""
    if not found:
        return ""
    texts = [cut(_demonstration(each), _DEMO_LIMIT) for each in found]
    return block("demonstrations", "\n\n".join(texts))


def shown_examples(found: Sequence[Demonstration]) -> str:
    """Calls of the API whose arguments are to be filled; "" where there are none."""
    if not found:
        return ""
    lines = [
        f"{one_line(each.query)}\narguments: {cut(as_json(dict(step.arguments)), _DEMO_LIMIT)}"
        for each in found
        for step in each.steps
    ]
    return block("examples", "\n\n".join((_EXAMPLES, *lines)))


def _demonstration(shown: Demonstration) -> str:
    lines = [f"question: {one_line(shown.query)}"]
    for number, step in enumerate(shown.steps, start=1):
        lines += [f"sub-task {number}: {one_line(step.goal)}"] if step.goal else []
        call = f"{step.title} {cut(as_json(dict(step.arguments)), _ARGUMENTS)}"
        lines.append(f"action {number}: {call if step.api else 'null'}")
        lines += [f"observation {number}: {cut(step.result, _RESULT)}"] if step.result else []
    lines += [f"summary: {one_line(shown.answer)}"] if shown.answer else []
    return "\n".join(lines)
