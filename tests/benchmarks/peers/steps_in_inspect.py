"""A sample of Inspect that asks its mock model again and again, with its log as usual."""

# Runs in an environment that is not ours.
# pyright: basic, reportMissingImports=false

from time import perf_counter, process_time

from inspect_ai import Task
from inspect_ai import eval as evaluate
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageUser, ModelOutput, ModelUsage, get_model
from inspect_ai.solver import Generate, TaskState, solver
from steps import PREFIX, STEPS, folder, say, stored_mb

# Its own counting of tokens would fetch a table from the network.
REPLY = ModelOutput.from_content("mockllm/model", "toolkit 7")
REPLY.usage = ModelUsage(input_tokens=25_000, output_tokens=3, total_tokens=25_003)
taken: list[tuple[float, float]] = []


@solver
def ask(prefix: str):
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        model = get_model()
        began, began_cpu = perf_counter(), process_time()
        for number in range(STEPS):
            await model.generate([
                ChatMessageUser(content=prefix), ChatMessageUser(content=f"question {number}"),
            ])  # fmt: skip
        taken.append((perf_counter() - began, process_time() - began_cpu))
        return state

    return solve


def run(name: str, prefix: str) -> None:
    task = Task(dataset=[Sample(input="q")], solver=ask(prefix))
    model = get_model("mockllm/model", custom_outputs=[REPLY] * STEPS, memoize=False)
    logs = evaluate(task, model=model, log_dir=str(folder() / name), display="none")
    assert logs[0].status == "success"


run("steps", "question")
before_mb = stored_mb()
run("prefix", PREFIX)
clock_s, cpu_s = taken[0]
say(**{
    "added a step, ms": clock_s / STEPS * 1000, "the same, ms of the processor":
    cpu_s / STEPS * 1000, "stored, MB": stored_mb() - before_mb,
})  # fmt: skip
