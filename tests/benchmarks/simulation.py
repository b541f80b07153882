"""`make simulation`: strategies on simulated tasks with a fallible model, judged by an oracle.

Writes simulation.md, .csv and .svg, and toolnet.md (tokens by the size of the catalogue), into
benchmarks/results. Ten minutes of the processor for the usual hundred tasks.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from fixtures.simulated_walks import a_workspace, walk_all
from fixtures.simulated_world import SimulatedWorld
from fixtures.simulation import VARIANTS, Trial, simulation
from fixtures.simulation_report import SAYS, as_csv, as_markdown, as_svg, rows_of

RATES = (0.0, 0.1, 0.3, 0.5)
RESULTS = Path(__file__).parent / "results"


def _solve_all(tasks: int, slip: float, seed: int, only: str) -> list[Trial]:
    """Every variant at every rate."""
    world = SimulatedWorld()
    wanted, found = world.tasks(tasks, seed=seed), list[Trial]()
    for variant in [each for each in VARIANTS if each.name.startswith(only)]:
        for rate in RATES:
            with a_workspace() as workspace, simulation(world, slip=slip, seed=seed) as made:
                found += made.run(workspace, variant, wanted, rate=rate)
            print(as_markdown(rows_of(found)[-1:]).splitlines()[-1], flush=True)
    return found


def _walk_all(tasks: int, slip: float, seed: int) -> str:
    """Tokens of ToolNet and ReAct over the same tasks in catalogues of three sizes."""
    lines = ["| APIs | strategy | solved % | model calls | tokens |", "|---|---|---|---|---|"]
    for size, row in walk_all(tasks, slip=slip, seed=seed):
        told = f"{row.solved:.0f} | {row.model_calls:.1f} | {row.tokens:,.0f}"
        lines.append(f"| {size:,} | {row.variant} | {told} |")
        print(lines[-1], flush=True)
    return "\n".join(lines) + "\n"


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=100)
    parser.add_argument("--slip", type=float, default=0.05, help="share of wrong decisions")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--only", default="", help="how the names of the variants begin")
    chosen = parser.parse_args()
    RESULTS.mkdir(exist_ok=True)
    how = f"{chosen.tasks} tasks, {chosen.slip:.0%} of the model's decisions wrong\n\n"
    if not chosen.only:
        walked = _walk_all(chosen.tasks, chosen.slip, chosen.seed)
        (RESULTS / "toolnet.md").write_text(how + walked, encoding="utf-8")
    trials = _solve_all(chosen.tasks, chosen.slip, chosen.seed, chosen.only)
    rows = rows_of(trials)
    (RESULTS / "simulation.csv").write_text(as_csv(trials), encoding="utf-8")
    (RESULTS / "simulation.svg").write_text(as_svg(rows), encoding="utf-8")
    (RESULTS / "simulation.md").write_text(how + as_markdown(rows) + SAYS, encoding="utf-8")
    print(f"Written to {RESULTS}")


if __name__ == "__main__":
    main()
