"""The simulation that compares strategies can be trusted: its oracle, its failures, its luck.

The long form with its table is `make simulation`.
"""

import pytest
from fixtures.simulated_world import SimulatedServices, SimulatedWorld, told_by
from fixtures.simulation import VARIANTS, Trial, Variant, simulation
from fixtures.simulation_report import as_csv, as_markdown, as_svg, rows_of

from toolplanner_core.runs.config.spec import RunSummary
from toolplanner_core.runs.replay.replay import replay
from toolplanner_core.strategies.interface.strategy import strategies
from toolplanner_core.workspace import Workspace

WORLD = SimulatedWorld()
TASKS = WORLD.tasks(12, seed=7)


def solve(
    workspace: Workspace, variant: Variant, tasks: int, *, rate: float, slip: float
) -> list[Trial]:
    with simulation(WORLD, slip=slip) as made:
        return made.run(workspace, variant, TASKS[:tasks], rate=rate)


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda each: each.name)
def test_simulation_when_nothing_fails_then_the_oracle_agrees_with_every_claim(
    workspace: Workspace, variant: Variant
) -> None:
    found = solve(workspace, variant, 3, rate=0.0, slip=0.0)
    assert [(trial.solved, trial.claimed) for trial in found] == [(True, True)] * 3


def test_variants_when_listed_then_every_strategy_that_answers_is_among_them() -> None:
    # What one call takes from another's reply is no task for whoever names all calls beforehand.
    others = {"probe", "health", "chain-of-thought"}
    assert {v.strategy for v in VARIANTS} == {s.id for s in strategies} - others


@pytest.mark.parametrize("variant", [VARIANTS[0], VARIANTS[9]], ids=lambda each: each.name)
def test_simulation_when_run_twice_with_a_seed_then_gives_the_same_figures(
    workspace: Workspace, variant: Variant
) -> None:
    first, again = (solve(workspace, variant, 3, rate=0.3, slip=0.1) for _ in range(2))
    assert first == again


def test_simulation_when_tools_fail_and_the_model_slips_then_runs_replay_and_claims_are_judged(
    workspace: Workspace,
) -> None:
    heard: list[RunSummary] = []
    with simulation(WORLD, slip=0.2) as made:
        found = made.run(workspace, VARIANTS[2], TASKS, rate=0.3, hear=heard.append)
    assert any(trial.claimed and not trial.solved for trial in found)
    apis = {api.id: api for api in WORLD.apis}
    assert all(replay(workspace, done.run, api_of=apis.__getitem__).identical for done in heard[:5])
    rows = rows_of(found)
    assert len(rows) == 1 and rows[0].false_claims > 0
    assert "react" in as_markdown(rows) and "react" in as_svg(rows)
    assert len(as_csv(found).splitlines()) == 1 + len(TASKS)


def test_oracle_when_a_value_was_guessed_then_it_is_not_solved() -> None:
    task = TASKS[0]
    services = SimulatedServices(WORLD, task, 0.0)
    answer = "; ".join(chain.value for chain in task.chains)
    assert not services.oracle(answer).solved
    services.served |= task.links
    assert services.oracle(answer).solved
    assert "not answered" in services.oracle("").reason


def test_failures_when_the_rate_grows_then_what_was_broken_stays_broken() -> None:
    broken = [
        {api.id for api in WORLD.apis if SimulatedServices(WORLD, TASKS[0], rate).is_broken(api)}
        for rate in (0.0, 0.1, 0.3, 0.5)
    ]
    assert broken[0] == set()
    assert broken[1] < broken[2] < broken[3]


def test_chain_when_it_has_two_links_then_the_second_is_asked_about_what_the_first_told() -> None:
    chain = next(chain for task in TASKS for chain in task.chains if len(chain.topics) == 2)
    (first, entity), (second, subject) = chain.links
    assert subject == told_by(first, entity)
    assert chain.words == f"the {second} of the {first} of {entity}"
