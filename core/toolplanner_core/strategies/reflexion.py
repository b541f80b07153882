"""Reflexion: think and act in trials; after one that failed, say why, and try again from the start.

Source: Shinn et al., arXiv 2303.11366; design/strategies.md section 2. A trial is a way of ReAct.
Whether it was a success says a judge (a question to a model), or an oracle that knows what is right
and makes the strategy unfairly strong; which of them it was stands with every result.
"""

from dataclasses import dataclass, replace
from typing import Literal

from toolplanner_core.domain.nodes import NodeKind, NodeState, ShownField
from toolplanner_core.domain.plan import Answer, Judgement, Task
from toolplanner_core.domain.stop_points import Alternative, Choice, StopPoint
from toolplanner_core.options.option import option
from toolplanner_core.options.published import PaperSetting, PaperSource, PublishedSettings
from toolplanner_core.prompts.conversation import Message
from toolplanner_core.prompts.functions import GIVE_ANSWER, GIVE_UP, Functions
from toolplanner_core.prompts.judge_answer import JudgeAnswer
from toolplanner_core.prompts.react import SYSTEM
from toolplanner_core.prompts.reflexion import Reflect, trial_text
from toolplanner_core.prompts.render import query_text
from toolplanner_core.strategies.interface.scope import ModelGaveUp, OpenNode, RunScope
from toolplanner_core.strategies.interface.strategy import StrategyPlugin
from toolplanner_core.strategies.techniques.react_loop import THOUGHT, TurnExecutor, run_react_loop
from toolplanner_core.words.formatting import counted

TRIAL = NodeKind(
    id="trial",
    word="trial",
    icon="restart",
    is_unit=False,
    is_route=True,
    shown=(ShownField("verdict", "Verdict"), ShownField("reflection", "Reflection")),
)
RETRY = StopPoint(
    id="before_trial",
    kind="trial",
    word="Before another trial:",
    event="another trial is about to begin",
    allowed=frozenset({Choice.SKIP, Choice.GIVE_UP}),
    skip="Try no more",
    skip_hint="The run ends without an answer.",
    chosen_word="Another trial",
    counted="retrials",
)
_KEPT = 3
"""Reflections that go into a trial, the last ones (Source: arXiv 2303.11366, section 3)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReflexionOptions:
    """Options of the strategy."""

    max_trials: int = option(3, "Trials at most.", title="Trials", minimum=1, maximum=20)
    max_steps: int = option(
        12, "Thoughts with their actions in one trial at most.", title="Steps", minimum=1
    )
    success: Literal["judge", "oracle"] = option(
        "judge",
        "Who says whether a trial was a success.",
        choices={
            "judge": "the model of the role judging",
            "oracle": "what is known to be right, of a saved case; unfairly strong",
        },
    )
    shortlist: int = option(20, "APIs offered at most, best first.", minimum=1, maximum=120)


async def solve(task: Task, run: RunScope, options: ReflexionOptions) -> Answer:
    """Solve a task; the coroutine of the plug-in."""
    if options.success == "oracle" and await run.verdict("") is None:
        why = "Nobody knows the right answer of this query, so there is no oracle: take the judge"
        return Answer(text="", solved=False, reason=why)
    apis = await run.catalogue.search(task.query, options.shortlist)
    functions = Functions.of([each.api for each in apis], (GIVE_ANSWER, GIVE_UP))
    return await _Reflexion(run, options, functions).solve()


class _Reflexion:
    """The trials of one run."""

    def __init__(self, run: RunScope, options: ReflexionOptions, functions: Functions) -> None:
        self._run, self._options, self._functions = run, options, functions
        self._reflections: list[str] = []

    async def solve(self) -> Answer:
        answer, cause = Answer(text="", solved=False), None
        for number in range(1, self._options.max_trials + 1):
            async with self._run.node(TRIAL, number, f"Trial {number}", cause=cause) as node:
                answer, way = await self._try(node)
                if answer.solved:
                    return answer
                if number == self._options.max_trials:
                    break
                cause = await self._decide_retry(node, number + 1)
                if cause is None:
                    return Answer(text="", solved=False, reason="A person wanted no more trials")
                self._reflections.append(await self._reflect(way, answer.reason))
                node.tell(reflection=self._reflections[-1])
        trials = counted(self._options.max_trials, "trial")
        return Answer(
            text=answer.text, solved=False, reason=f"No success in {trials}: {answer.reason}"
        )

    async def _try(self, node: OpenNode) -> tuple[Answer, tuple[Message, ...]]:
        """One trial from the query on; says at its node how it ended."""
        talk = self._run.dialogue(
            SYSTEM, self._functions.functions, name="act", title="Think and act"
        )
        talk.say(trial_text(query_text(self._run.task.query), self._reflections[-_KEPT:]))
        acting = TurnExecutor(self._run, self._functions)
        try:
            answer = await run_react_loop(
                self._run, acting, talk, max_steps=self._options.max_steps
            )
        except ModelGaveUp as gave_up:
            if gave_up.ends_run:
                raise
            answer = Answer(text="", solved=False, reason=f"No usable turn: {gave_up.message}")
        if answer.solved:
            answer = await self._judged(node, answer, talk.messages)
        node.end(NodeState.OK if answer.solved else NodeState.FAILED, answer.reason)
        return answer, talk.messages

    async def _judged(self, node: OpenNode, answer: Answer, way: tuple[Message, ...]) -> Answer:
        """An answer with what is said of it."""
        who, verdict = self._options.success, None
        if who == "oracle":
            verdict = await self._run.verdict(answer.text)
        else:
            question = JudgeAnswer(query=self._run.task.query, way=way, answer=answer.text)
            try:
                verdict = await self._run.ask(question)
            except ModelGaveUp as gave_up:
                if gave_up.ends_run:
                    raise
        verdict = verdict or Judgement(solved=False, reason="there is no usable verdict")
        said = f"{'Right' if verdict.solved else 'Wrong'} by the {who}"
        # What an oracle knows must not reach the model: it hears right or wrong, as in the paper.
        reason = f"{said}: {verdict.reason}" if who == "judge" and verdict.reason else said
        node.tell(verdict=reason)
        return replace(answer, solved=verdict.solved, reason=reason)

    async def _decide_retry(self, node: OpenNode, number: int) -> int | None:
        """Whether another trial is made; its cause, or None when a person wants none."""
        title = f"Make trial {number}"
        offered = [Alternative(id="trial", title=title)]
        made = await self._run.decide(RETRY, offered, title=title, cause=node.seq)
        return None if made.chosen is None else made.seq

    async def _reflect(self, way: tuple[Message, ...], why: str) -> str:
        """What is learned from a trial; without a usable answer, why it failed."""
        question = Reflect(
            query=self._run.task.query, way=way, why=why, earlier=tuple(self._reflections)
        )
        try:
            return await self._run.ask(question)
        except ModelGaveUp as gave_up:
            if gave_up.ends_run:
                raise
            return why


PLUGIN = StrategyPlugin(
    id="reflexion",
    title="Reflexion",
    description="Thinks and acts in trials: after one that failed it says why and begins again with"
    " what it learned. Mends wrong decisions, at the price of whole trials.",
    paper="Shinn et al., arXiv 2303.11366",
    options=ReflexionOptions,
    version=2,  # who answers may say that no call is needed
    solve=solve,
    kinds=(TRIAL, THOUGHT),
    points=(RETRY,),
    example={"max_steps": 3},  # the first trial ends before its answer
    published=PublishedSettings(
        settings=(
            PaperSetting(
                option="max_trials",
                says="differs by task; 10 in the code",
                value=3,
                source=PaperSource.NOBODY,
                why="a cap of ours, where the paper gives none",
            ),
            PaperSetting(
                option="max_steps",
                says="differs by task; 49 in the code",
                value=12,
                source=PaperSource.NOBODY,
                why="as ReAct",
            ),
            PaperSetting(
                option="success",
                says="the environment or a model",
                value="judge",
                source=PaperSource.MEMORY,
            ),
            PaperSetting(
                option="shortlist",
                says="all tools of the task",
                value=20,
                source=PaperSource.NOBODY,
                why="not the paper's: its benchmark gives candidates",
            ),
        ),
        differences=(
            "The APIs offered are searched for, unless candidates are given with the task, as the"
            " paper's benchmark gives them.",
            "The paper's environments say whether a trial succeeded; here a judge does,"
            " unless success=oracle is chosen.",
            "The paper gives up to 12 trials in one of its environments, and memory of one to"
            " three reflections; here trials are 3 and the last 3 reflections are shown, as in"
            " the released code, whose trials have up to 49 steps.",
            "Turns are asked for at temperature 0.3; the released code begins at 0.",
        ),
    ),
)
