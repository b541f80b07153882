"""A graph of LangGraph that goes round one node, with its checkpoints in SQLite."""

# Runs in an environment that is not ours.
# pyright: basic, reportMissingImports=false

from operator import add
from time import perf_counter, process_time
from typing import Annotated, TypedDict

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from steps import PREFIX, STEPS, folder, say, stored_mb


class State(TypedDict):
    prefix: str
    last: Annotated[list[str], add]
    step: int


def step(state: State) -> dict[str, object]:
    number = state["step"]
    return {"step": number + 1, "last": [f"question {number}"]}


def run(name: str, prefix: str) -> tuple[float, float]:
    graph = StateGraph(State)
    graph.add_node("step", step)
    graph.add_edge(START, "step")
    graph.add_conditional_edges("step", lambda state: END if state["step"] >= STEPS else "step")
    with SqliteSaver.from_conn_string(str(folder() / f"{name}.sqlite")) as saver:
        compiled = graph.compile(checkpointer=saver)
        config = {"configurable": {"thread_id": "1"}, "recursion_limit": STEPS + 5}
        began, began_cpu = perf_counter(), process_time()
        compiled.invoke({"prefix": prefix, "last": [], "step": 0}, config)
        return perf_counter() - began, process_time() - began_cpu


clock_s, cpu_s = run("steps", "")
before_mb = stored_mb()
run("prefix", PREFIX)
say(**{
    "added a step, ms": clock_s / STEPS * 1000, "the same, ms of the processor":
    cpu_s / STEPS * 1000, "stored, MB": stored_mb() - before_mb,
})  # fmt: skip
